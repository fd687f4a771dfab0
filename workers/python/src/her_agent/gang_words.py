"""What the agents of a gang say to each other, read with suspicion: wrong shapes count as not said.

A state of node k: {address, host, failed: cause, stop, over}. Of node 0 besides: {go, head, done,
ending: {by: cause, final}}. A cause is {node, host, rank, service, reason, code, signal, message, worker} as the
`ended` event tells it; on its way to node 0 it has a `weight`, and `at`, when it happened by its node's clock.
"""

from __future__ import annotations

from her_agent.stop import CAUSES, Stop

LONGEST = 2000


def cause_of(value: object) -> dict[str, object] | None:
    """A cause with nothing but what it may hold, or None."""
    if not isinstance(value, dict) or not isinstance(value.get("reason"), str):
        return None
    worker = value.get("worker")
    return {
        "node": _number(value.get("node")),
        "host": _text(value.get("host")),
        "rank": _number(value.get("rank")),
        "service": _text(value.get("service")),
        "reason": _text(value.get("reason")),
        "code": _number(value.get("code")),
        "signal": _text(value.get("signal")),
        "message": _text(value.get("message")),
        "worker": _worker(worker) if isinstance(worker, dict) else None,
    }


def _worker(said: dict[str, object]) -> dict[str, object]:
    """A process that the launcher started: torchrun's has a rank, Ray's a name, a pid and a node."""
    made: dict[str, object] = {"rank": _number(said.get("rank")), "code": _number(said.get("code"))}
    made["signal"] = _text(said.get("signal"))
    for key, read in (("name", _text), ("pid", _number), ("node", _number), ("host", _text), ("address", _text)):
        value = read(said.get(key))
        if value is not None:
            made[key] = value
    return made


def stop_of(value: object) -> Stop | None:
    """A stop, or None."""
    if not isinstance(value, dict):
        return None
    grace, cause = value.get("grace"), value.get("cause")
    right = isinstance(grace, (int, float)) and not isinstance(grace, bool) and 0 <= grace < float("inf")
    return Stop(
        float(grace) if right and isinstance(grace, (int, float)) else None,
        _text(value.get("reason")) or "",
        cause if isinstance(cause, str) and cause in CAUSES else CAUSES[0],
    )


def told_stop(stop: Stop) -> dict[str, object]:
    """A stop as it goes over."""
    return {"grace": stop.grace, "reason": stop.reason[:LONGEST], "cause": stop.cause}


def sentence(cause: dict[str, object]) -> str:
    """A cause for people."""
    worker = cause.get("worker")
    what = f"rank {cause['rank']}" if cause.get("rank") is not None else str(cause.get("service") or "the agent")
    how: dict[str, object] = cause
    if isinstance(worker, dict) and worker.get("rank") is not None:
        what, how = f"rank {worker['rank']}", worker
    where = f"node {cause['node']}" + (f" ({cause['host']})" if cause.get("host") else "")
    if how.get("signal"):
        return f"{what} on {where} was ended by {how['signal']}"
    if cause["reason"] in ("exited", "signalled"):
        lost = _of_ray(worker) if isinstance(worker, dict) else ""
        return f"{what} on {where} ended with code {how.get('code')}{lost}"
    return f"{where}: {cause['reason']}" + (f": {cause['message']}" if cause.get("message") else "")


def _of_ray(worker: dict[str, object]) -> str:
    if worker.get("name") is None:
        return ""
    host = worker.get("host") or worker.get("address")
    where = f"node {worker['node']} ({host})" if worker.get("node") is not None else host
    return f" after {worker['name']} (pid {worker.get('pid')}) on {where} died"


def _text(value: object) -> str | None:
    return value[:LONGEST] if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53 else None

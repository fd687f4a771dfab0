"""Brings all ranks and services of an attempt up, or none of them."""

from __future__ import annotations

import contextlib
import os
import platform
import socket

from her_agent import gang_place, jsonfile, log_mask, ranks, ray_cluster, scratch
from her_agent.clock import now
from her_agent.crew import Crew
from her_agent.gang_place import Place
from her_agent.identity import agent_digest, boot_id, look, machine
from her_agent.layout import Layout
from her_agent.log_mask import LogMask
from her_agent.mask import Mask
from her_agent.members import marks
from her_agent.request import Request


def launch(layout: Layout, request: Request, place: Place | None, umask: int, crew: Crew) -> dict[str, str]:
    """Fork everyone into `crew`, record them, let those exec that wait for nothing. The environment they have.

    Raises ExecFailed, OSError or DiskFull. After a fault those that wait will end by themselves; those that run
    are the caller's to stop.
    """
    temporary = scratch.make(layout)
    env = {**request.env, **request.secrets, **temporary, **marks(layout)}
    commands: list[tuple[int | None, list[str], str]] = []
    gang = request.gang
    if gang is not None and place is not None:
        env.update(gang_place.environment(gang, place, request.env))
        if gang.launcher == "ray":
            argv = ray_cluster.argv(gang, place, temporary["RAY_TMPDIR"])
            commands.append((None, argv, layout.service_log("ray")))
    commands += [(number, argv, layout.log(number)) for number, argv in enumerate(request.ranks)]
    try:
        _fork(layout, request, umask, crew, commands, env)
        prove(layout, request, crew)
        for rank in crew.all:
            # Those of a gang wait for the other nodes.
            if gang is None:
                ranks.go(rank)
    except Exception:
        crew.release()
        raise
    return env


def _fork(
    layout: Layout,
    request: Request,
    umask: int,
    crew: Crew,
    commands: list[tuple[int | None, list[str], str]],
    env: dict[str, str],
) -> None:
    # Only Ray's processes get the token; what torchrun starts knows nothing of the gang's key.
    seen = request.hidden if any(number is None for number, _, _ in commands) else [*request.secrets.values()]
    mask = Mask(seen)
    paths = [path for _, _, path in commands]
    if mask.values:
        logs = LogMask(paths, mask)
        crew.masked_by(logs)
        ends = logs.into
    else:
        ends = [log_mask.open_log(path) for path in paths]
    try:
        for (number, argv, _path), end in zip(commands, ends):
            # An address in its environment would make a head look for another cluster.
            own = env if number is not None else {k: v for k, v in env.items() if k != "RAY_ADDRESS"}
            into = crew.services if number is None else crew.ranks
            into.append(ranks.fork(number, argv, own, layout.folder, end, umask))
    finally:
        for end in ends:
            with contextlib.suppress(OSError):
                os.close(end)


def prove(layout: Layout, request: Request, crew: Crew | None = None) -> None:
    """Write agent.json: the proof that a start happened, and who is who. Raises DiskFull."""
    own = look(os.getpid())
    record = {
        "attempt": request.attempt,
        "pid": os.getpid(),
        "start": own.start if own else 0,
        "bootId": boot_id(),
        "machine": machine(),
        "agent": agent_digest(),
        "time": now(),
        # No log line needs masking by values that only this process knows.
        "masks": False,
        "ranks": [rank.record for rank in (crew.ranks if crew else ())],
        "services": [service.record for service in (crew.services if crew else ())],
    }
    jsonfile.write(layout.at("agent.json"), record)


def introduction(request: Request, place: Place | None, crew: Crew) -> dict[str, object]:
    """Fields of the `started` event. Of the commands it tells the programs only."""
    pid = crew.ranks[0].pid if crew.ranks else None
    told: dict[str, object] = {
        "pid": pid,
        "pgid": pid,
        "bootId": boot_id(),
        "host": socket.gethostname(),
        "python": platform.python_version(),
        "agentPid": os.getpid(),
        "argv0": [rank.argv[0] for rank in crew.ranks],
    }
    if request.gang is not None and place is not None:
        told["gang"] = {
            "node": request.gang.index,
            "size": request.gang.size,
            "launcher": request.gang.launcher,
            "address": place.own,
            "interface": place.interface,
        }
    return told


def hash_seed(pid: int) -> str | None:
    """PYTHONHASHSEED as the kernel shows it for a rank. Read at once: titles set later may wipe it."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        return None
    for entry in entries:
        name, _, value = entry.partition(b"=")
        if name == b"PYTHONHASHSEED":
            return value.decode("ascii", "replace")
    return None

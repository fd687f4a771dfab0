"""`slurm-view`: what the shared folder says of one node of an attempt. Whether its job lives is Slurm's to say.

The process table is never looked at: the agent runs on another machine. So the answer is `begun` where an agent was
and has not left its end; together with a job that Slurm says is over, this means that the attempt is lost.
"""

from __future__ import annotations

import os

from her_agent import jsonfile, slurm_submit
from her_agent.events import last_event
from her_agent.layout import Layout
from her_agent.slurm_claim import holder
from her_agent.slurm_files import Files, member
from her_agent.slurm_signal import asked


def view(root: str, attempt: str, index: int) -> dict[str, object]:
    """The state of node `index`: `absent`, `waiting` (for secrets), `begun` or `ended`; and the attempt's job.

    Raises AgentError `slurm-unreachable` where a submission is unsettled and Slurm does not answer.
    """
    files = Files(root)
    place = files.attempt(attempt)
    record = _record(place)
    if _settled(files, record):
        job = slurm_submit.settle(files, attempt)
    elif os.path.isdir(files.folder):
        # A submission that goes on may be about to write it: what it is in the middle of is not absent.
        with slurm_submit.Locked(files.lock):
            job = slurm_submit.settle(files, attempt)
            record = _record(place)
    else:
        job = None
    stop = asked(os.path.join(place, "signal")).get("stopped")
    claimed = holder(os.path.join(place, "claim.json"))
    layout = Layout(root, member(attempt, index))
    agent = jsonfile.read(layout.at("agent.json")) or {}
    last = last_event(layout.at("events.jsonl")) or {}
    ended = jsonfile.read(layout.at("exit.json")) or (last if last.get("type") == "ended" else None)
    waits = jsonfile.read(os.path.join(place, f"wait-n{index}.json"))
    health = "ended" if ended is not None else "begun" if agent else "waiting" if waits else "absent"
    ended = ended or {}
    return {
        "attempt": layout.attempt,
        "job": job,
        "batch": None if record is None else record.get("batch"),
        "claimed": None if claimed is None else claimed.job,
        "health": health,
        "stopped": stop is not None,
        "host": (agent.get("machine") or [None])[0] if isinstance(agent.get("machine"), list) else None,
        "waitsFor": (waits or {}).get("for", []) if health == "waiting" else [],
        "waitsOn": (waits or {}).get("node") if health == "waiting" else None,
        "waitsIn": (waits or {}).get("job") if health == "waiting" else None,
        "code": ended.get("code"),
        "signal": ended.get("signal"),
        "reason": ended.get("reason"),
        "lastSeq": last.get("seq", 0),
        "agentPid": agent.get("pid"),
    }


def _record(place: str) -> dict[str, object] | None:
    return jsonfile.read(os.path.join(place, "record.json"))


def _settled(files: Files, record: dict[str, object] | None) -> bool:
    return record is not None and os.path.exists(files.batch(str(record.get("batch")), "job.json"))

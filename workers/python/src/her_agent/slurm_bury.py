"""`slurm-bury`: writes the end of an attempt that Slurm says is over and whose agent left none.

The caller has the proof: Slurm's word that the job has ended. The lock of the attempt is one more: an agent that
lives holds it. A dead node's lock may be held by a file server for a while; then the answer is `running`, and the
caller asks again later.
"""

from __future__ import annotations

import os
import time

from her_agent import jsonfile, last_lines, lock, reserve, slurm_files
from her_agent.clock import now
from her_agent.errors import AgentError
from her_agent.events import EventLog, last_event
from her_agent.history import last_step
from her_agent.identity import boot_id
from her_agent.layout import Layout
from her_agent.mask import Mask
from her_agent.slurm_files import Files, member
from her_agent.slurm_signal import asked
from her_agent.view import ranks_of

LOCK_SECONDS = 5.0
TAIL_BYTES = 4096


def bury(root: str, attempt: str, index: int, reason: str, message: str) -> dict[str, object]:
    """Write `ended` and the exit record. One that has ended is left as it is. A stop that was asked for is the
    reason, whatever Slurm called it.
    """
    files = Files(root)
    layout = Layout(root, member(attempt, index))
    stop = asked(files.attempt(attempt, "signal")).get("stopped")
    if stop is not None and reason in ("cancelled", "job-gone", "told-to-end"):
        reason, message = "stopped", stop.reason
    os.makedirs(layout.folder, mode=0o700, exist_ok=True)
    held = _take(layout)
    try:
        last = last_event(layout.at("events.jsonl"))
        if last is None or last.get("type") != "ended":
            last = _append(files, attempt, layout, reason, message)
        if not os.path.exists(layout.at("exit.json")):
            record = {name: last.get(name) for name in ("code", "signal", "reason", "steps")}
            record.update(attempt=layout.attempt, time=now(), bootId=boot_id())
            jsonfile.write(layout.at("exit.json"), record)
        return {"attempt": layout.attempt, "reason": last.get("reason")}
    finally:
        os.close(held)


def _take(layout: Layout) -> int:
    until = time.monotonic() + LOCK_SECONDS
    while True:
        held = lock.take(layout.at("lock"))
        if held is not None:
            return held
        if time.monotonic() >= until:
            raise AgentError("running", f"the lock of attempt {layout.attempt} is held", "ask again later")
        time.sleep(0.1)


def _append(files: Files, attempt: str, layout: Layout, reason: str, message: str) -> dict[str, object]:
    agent = jsonfile.read(layout.at("agent.json")) or {}
    # The secrets to mask died with the agent.
    masked = bool(agent.get("masks"))
    tails = {} if masked else last_lines.tails(layout, len(ranks_of(agent)), Mask([]))
    said = _output(files, attempt)
    if said:
        tails["slurm"] = said
    fields: dict[str, object] = {
        "code": None,
        "signal": None,
        "reason": reason,
        "message": message,
        "tails": tails,
        "steps": last_step(layout.at("events.jsonl")),
        "swept": 0,
    }
    reserve.free(layout.at("reserve"))
    events = EventLog(layout.at("events.jsonl"), Mask([]))
    events.add("ended", **fields)
    events.flush()
    events.close()
    return fields


def _output(files: Files, attempt: str) -> str:
    """The end of what Slurm, srun and the agent's parent had to say."""
    record = jsonfile.read(files.attempt(attempt, "record.json"))
    if record is None:
        return ""
    task = record.get("task")
    return slurm_files.text_of(files.batch(str(record.get("batch")), f"{0 if task is None else task}.out"))[
        -TAIL_BYTES:
    ]

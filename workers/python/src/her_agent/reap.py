"""`reap`: bury an attempt whose agent is gone. Ends what it left running, then writes the end in its place.

An agent that says `masks` left logs that hold values only it could mask: their last lines are not told. Other logs
have been masked on their way to the disk.

In a gang the others see the exit record on the shared disk and end too.
"""

from __future__ import annotations

import os
import time

from her_agent import jsonfile, last_lines, lock, reserve, scratch
from her_agent.clock import now
from her_agent.errors import NO_SUCH_ATTEMPT, AgentError
from her_agent.events import EventLog, last_event
from her_agent.history import last_step
from her_agent.identity import Process, boot_id
from her_agent.layout import Layout
from her_agent.mask import Mask
from her_agent.members import Members
from her_agent.termination import Ladder, send_to
from her_agent.view import members_of, ranks_of, view


def reap(layout: Layout, grace: float) -> dict[str, object]:
    """Bury the attempt; for one that has ended just tell it. Raises AgentError for one that may be
    running.
    """
    layout.require()
    held = lock.take(layout.at("lock"))
    if held is None:
        raise AgentError("running", f"attempt {layout.attempt} has a live agent", "stop it instead")
    try:
        found = view(layout)
        if found.health == "absent":
            raise AgentError("no-such-attempt", f"attempt {layout.attempt} never started", "start it", NO_SUCH_ATTEMPT)
        if found.health == "running":
            raise AgentError("running", f"attempt {layout.attempt} has a live agent", "stop it instead")
        agent = jsonfile.read(layout.at("agent.json")) or {}
        last = last_event(layout.at("events.jsonl"))
        swept = 0
        if found.health == "lost":
            swept = _end(members_of(layout, agent), grace) if agent.get("bootId") == boot_id() else 0
            last = _append_ended(layout, agent, swept, scratch.remove(layout))
        if not os.path.exists(layout.at("exit.json")) and last is not None:
            _write_exit(layout, last)
        return {**view(layout).shown(), "swept": swept}
    finally:
        os.close(held)


def _end(members: Members, grace: float) -> int:
    seen: set[tuple[int, int]] = set()

    def left() -> list[Process]:
        found = members.find(fresh=True)
        seen.update((process.pid, process.start) for process in found)
        return found

    if not left():
        return 0
    ladder = Ladder(lambda number: send_to(left(), number), lambda: bool(left()), grace)
    while not ladder.step():
        time.sleep(0.1)
    return len(seen)


def _append_ended(layout: Layout, agent: dict[str, object], swept: int, unremoved: list[str]) -> dict[str, object]:
    masked = bool(agent.get("masks"))
    services = [str(item.get("service")) for item in _services(agent)]
    tails = {} if masked else last_lines.tails(layout, len(ranks_of(agent)), Mask([]), services)
    fields: dict[str, object] = {
        "code": None,
        "signal": None,
        "reason": "agent-lost",
        "tails": tails,
        "steps": last_step(layout.at("events.jsonl")),
        "swept": swept,
    }
    if masked:
        fields["message"] = "the last lines are left out: the secrets to mask died with the agent"
    # The disk may be what the agent died of, and nobody else will need the reserve.
    reserve.free(layout.at("reserve"))
    events = EventLog(layout.at("events.jsonl"), Mask([]))
    if events.torn:
        events.add("message", text=f"{events.torn} bytes of a torn line were set aside in events.torn")
    for left in unremoved:
        events.add("message", text=f"not removed: {left}")
    events.add("ended", **fields)
    events.flush()
    events.close()
    return fields


def _services(agent: dict[str, object]) -> list[dict[str, object]]:
    services = agent.get("services")
    return [item for item in services if isinstance(item, dict)] if isinstance(services, list) else []


def _write_exit(layout: Layout, ended: dict[str, object]) -> None:
    record = {name: ended.get(name) for name in ("code", "signal", "reason", "steps")}
    record.update(attempt=layout.attempt, time=now(), bootId=boot_id())
    reserve.free(layout.at("reserve"))
    jsonfile.write(layout.at("exit.json"), record)

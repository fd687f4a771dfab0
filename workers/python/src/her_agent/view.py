"""What is known of an attempt from its folder and the process table: the answer of `status`.

Only positive evidence says `lost`: the boot id changed, or the recorded agent is gone under the same one,
and there is no exit record. An `ended` event counts as one, should the agent have died between it and
exit.json. Another boot id on another machine (a shared disk) proves nothing: that is an error, `other-node`.
A folder without agent.json whose lock is held is a start in progress: `running`. Without
either it is `absent`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from her_agent import jsonfile, lock
from her_agent.errors import AgentError
from her_agent.events import last_event
from her_agent.identity import boot_id, look, machine, same
from her_agent.layout import Layout
from her_agent.members import Members


@dataclass
class View:
    """`pid` is rank 0's, `orphans` the process groups of a lost attempt that still live."""

    attempt: str
    health: str
    code: int | None = None
    signal: str | None = None
    reason: str | None = None
    last_seq: int = 0
    pid: int | None = None
    boot_id: str | None = None
    orphans: list[int] = field(default_factory=list)
    agent_pid: int | None = None

    def shown(self) -> dict[str, object]:
        """In the words of the contract."""
        return {
            "attempt": self.attempt,
            "health": self.health,
            "code": self.code,
            "signal": self.signal,
            "reason": self.reason,
            "lastSeq": self.last_seq,
            "pid": self.pid,
            "bootId": self.boot_id,
            "orphans": self.orphans,
            "agentPid": self.agent_pid,
        }


def view(layout: Layout) -> View:
    """Look once. Never waits and changes nothing."""
    agent = jsonfile.read(layout.at("agent.json"))
    if agent is None:
        return View(layout.attempt, "running" if lock.held(layout.at("lock")) else "absent")
    ranks = ranks_of(agent)
    found = View(
        layout.attempt,
        "running",
        pid=ranks[0][0] if ranks else None,
        boot_id=str(agent.get("bootId")),
        agent_pid=agent["pid"] if isinstance(agent.get("pid"), int) else None,
    )
    here = agent.get("bootId") == boot_id()
    alive = here and same(agent.get("pid"), agent.get("start"))
    # Read after the look at the process: an agent that ended in between has left its record.
    exit_record = jsonfile.read(layout.at("exit.json"))
    last = last_event(layout.at("events.jsonl"))
    if last is not None and isinstance(last.get("seq"), int):
        found.last_seq = int(str(last["seq"]))
    if exit_record is None and not alive and last is not None and last.get("type") == "ended":
        exit_record = last
    if exit_record is not None:
        found.health = "ended"
        code, signal, reason = exit_record.get("code"), exit_record.get("signal"), exit_record.get("reason")
        found.code = code if isinstance(code, int) else None
        found.signal = signal if isinstance(signal, str) else None
        found.reason = reason if isinstance(reason, str) else None
    elif not here and agent.get("machine") != machine():
        raise AgentError(
            "other-node",
            f"attempt {layout.attempt} was started on {agent.get('machine')}, this is {machine()}",
            "ask the agent on that node: from here nothing proves whether it lives",
        )
    elif not alive:
        found.health = "lost"
        if here:
            found.orphans = sorted({process.group for process in members_of(layout, agent).find()})
    return found


def ranks_of(agent: dict[str, object], key: str = "ranks") -> list[tuple[int, int]]:
    """(pid, start time) of the ranks, or services, in agent.json."""
    ranks = agent.get(key)
    found = []
    for rank in ranks if isinstance(ranks, list) else []:
        if isinstance(rank, dict) and isinstance(rank.get("pid"), int) and isinstance(rank.get("start"), int):
            found.append((rank["pid"], rank["start"]))
    return found


def members_of(layout: Layout, agent: dict[str, object]) -> Members:
    """A finder for the processes that a dead agent left behind: recorded, marked, or descending from
    those.
    """
    recorded = {*ranks_of(agent), *ranks_of(agent, "services")}
    if os.path.exists(layout.at("members.json")):
        seen = (jsonfile.read(layout.at("members.json")) or {}).get("members")
        for item in seen if isinstance(seen, list) else []:
            if isinstance(item, list) and len(item) == 2 and all(isinstance(part, int) for part in item):
                recorded.add((item[0], item[1]))
    leaders = [pid for pid, start in recorded for process in [look(pid)] if process and process.start == start]
    return Members(layout, None, recorded, set(leaders))

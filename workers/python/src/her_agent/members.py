"""All processes of an attempt, wherever they went.

Ray and vLLM leave the rank's process group and session, and programs that set their title wipe the
environment the kernel shows. So a process belongs to the attempt when any of these holds: it descends
from the agent (a child subreaper: orphans become its children), it carries the marker in its environment,
it was recorded before (pid and start time), it is in the process group of a recorded leader that lives,
or it descends from one of those. The agent itself never belongs.
"""

from __future__ import annotations

import ctypes
import os

from her_agent.identity import Process, everyone
from her_agent.layout import Layout

MARKER = "HER_ATTEMPT"
# The id alone would not do: a copy of a study under another root has the same ids on the same machine.
MARKER_FOLDER = "HER_ATTEMPT_FOLDER"
PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> bool:
    """Adopt orphaned descendants. False where the C library cannot be reached; the marker still works
    then.
    """
    try:
        return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def marks(layout: Layout) -> dict[str, str]:
    """The environment entries by which the processes of an attempt are known."""
    return {MARKER: layout.attempt, MARKER_FOLDER: os.path.realpath(layout.folder)}


class Members:
    """Finds the members of one attempt. `agent` is the pid of its live agent, None for a dead one."""

    def __init__(
        self,
        layout: Layout,
        agent: int | None,
        recorded: set[tuple[int, int]],
        leaders: set[int] | None = None,
    ) -> None:
        self._entries = {os.fsencode(f"{name}={value}") for name, value in marks(layout).items()}
        self._agent = agent
        self._recorded = recorded
        self._leaders = leaders or set()
        self._unmarked: dict[tuple[int, int], int] = {}
        self.helpers: set[int] = set()
        """Pids of the agent's own children that are no part of the attempt."""

    def find(self, fresh: bool = False) -> list[Process]:
        """Living members. `fresh` asks every process again instead of trusting what was seen twice before."""
        if fresh:
            self._unmarked.clear()
        table = everyone()
        own = os.getpid()
        children: dict[int, list[int]] = {}
        for process in table.values():
            children.setdefault(process.parent, []).append(process.pid)
        roots = list(children.get(self._agent, ())) if self._agent is not None else []
        roots += [p.pid for p in table.values() if self._known(p) or self._marked(p)]
        found: set[int] = set()
        while roots:
            pid = roots.pop()
            if pid not in found and pid not in (own, self._agent) and pid not in self.helpers:
                found.add(pid)
                roots.extend(children.get(pid, ()))
        self._unmarked = {key: seen for key, seen in self._unmarked.items() if key[0] in table}
        return [table[pid] for pid in sorted(found) if table[pid].alive]

    def _known(self, process: Process) -> bool:
        return (process.pid, process.start) in self._recorded or process.group in self._leaders

    def _marked(self, process: Process) -> bool:
        key = (process.pid, process.start)
        # A process caught between fork and exec still shows its parent's environment: ask at least twice.
        if self._unmarked.get(key, 0) >= 2:
            return False
        try:
            if os.stat(f"/proc/{process.pid}").st_uid == os.getuid():
                with open(f"/proc/{process.pid}/environ", "rb") as file:
                    if self._entries.issubset(file.read().split(b"\0")):
                        return True
        except OSError:
            # Gone meanwhile, or not ours to read: either way not a process this agent started.
            return False
        self._unmarked[key] = self._unmarked.get(key, 0) + 1
        return False

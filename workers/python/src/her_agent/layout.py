"""Where things lie in the folder of one attempt: `<root>/attempts/<attempt>/`.

Beside the files of the contract the agent keeps `agent.log` (its own troubles, never the trainer's
output), `members.json` (pid and start time of every process of the attempt seen last, for a reap after
the agent's death), `reserve` (room kept for the last words when the disk is full) and `events.torn` (a
torn last line, set aside).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from her_agent.errors import BAD_REQUEST, NO_SUCH_ATTEMPT, AgentError

ATTEMPT_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
RESERVED = frozenset(
    (
        "agent.json",
        "agent.log",
        "attempt.json",
        "events.jsonl",
        "events.torn",
        "exit.json",
        "lock",
        "members.json",
        "reserve",
        "stop.json",
    )
)
FOLDERS = frozenset(("inputs", "logs", "out"))


@dataclass(frozen=True)
class Layout:
    """Paths of one attempt. The id is checked on construction, so no path leaves the root."""

    root: str
    attempt: str

    def __post_init__(self) -> None:
        # The daemon leaves the starter's folder, so a relative root is settled now.
        object.__setattr__(self, "root", os.path.abspath(self.root))
        if not ATTEMPT_ID.match(self.attempt):
            raise AgentError(
                "bad-attempt-id",
                f"{self.attempt!r} is no attempt id",
                "lower-case letters, digits and '-', at most 64, not starting with '-'",
                BAD_REQUEST,
            )

    @property
    def folder(self) -> str:
        return os.path.join(self.root, "attempts", self.attempt)

    def at(self, name: str) -> str:
        """Path of a file in the attempt's folder by its name in the contract."""
        return os.path.join(self.folder, name)

    def log(self, rank: int) -> str:
        """Path of a rank's log."""
        return self.at(os.path.join("logs", f"rank-{rank}.log"))

    def service_log(self, name: str) -> str:
        """Path of a service's log."""
        return self.at(os.path.join("logs", f"{name}.log"))

    def require(self) -> None:
        """Raise `no-such-attempt` (exit 3) unless the folder exists."""
        if not os.path.isdir(self.folder):
            raise AgentError(
                "no-such-attempt",
                f"no attempt {self.attempt} under {self.root}",
                "start it first",
                NO_SUCH_ATTEMPT,
            )

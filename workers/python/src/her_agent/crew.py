"""The processes that the agent itself started: ranks, services, and the child that masks their logs."""

from __future__ import annotations

import time

from her_agent import ranks
from her_agent.log_mask import LogMask
from her_agent.members import Members
from her_agent.ranks import Rank

DRAIN_SECONDS = 5.0


class Crew:
    """Filled by `launch`, driven by the loop."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self.ranks: list[Rank] = []
        self.services: list[Rank] = []
        self.revived = 0
        """How often the child that masks the logs had to be replaced."""
        self._logs: LogMask | None = None

    @property
    def all(self) -> list[Rank]:
        return [*self.services, *self.ranks]

    @property
    def ranks_over(self) -> bool:
        return all(rank.status is not None for rank in self.ranks)

    def masked_by(self, logs: LogMask) -> None:
        """This child of ours writes the logs."""
        self._logs = logs
        self._members.helpers.add(logs.pid)

    def bury(self) -> None:
        """Note who ended."""
        buried = ranks.reap_children(self.all)
        self._members.helpers -= set(buried)
        if self._logs is None or self._logs.pid not in buried:
            return
        if buried[self._logs.pid] == 0:
            # It saw the end of all that is written.
            self._logs = None
        else:
            self._logs.revive()
            self.revived += 1
            self._members.helpers.add(self._logs.pid)

    def signal(self, number: int, some: list[Rank] | None = None) -> None:
        """Signal all process groups, or those of some."""
        for rank in self.all if some is None else some:
            ranks.signal_group(rank, number)

    def alive(self, some: list[Rank] | None = None) -> bool:
        """Whether anything is left of them or their process groups."""
        # Each is asked: asking notes which groups are gone.
        alive = [ranks.group_alive(rank) for rank in (self.all if some is None else some)]
        return any(alive)

    def release(self) -> None:
        """Those that still wait for their start end without one."""
        for rank in self.all:
            ranks.abandon(rank)

    def drained(self, since: float) -> bool:
        """Whether the logs are whole, or as whole as waiting since `since` makes them. All writers must be gone."""
        return self._logs is None or time.monotonic() - since > DRAIN_SECONDS

"""One node's part in how a gang comes together: what the supervisor's loop drives."""

from __future__ import annotations

import time
from typing import NamedTuple

from her_agent import ranks
from her_agent.crew import Crew
from her_agent.gang import Gang
from her_agent.gang_place import Place
from her_agent.metrics import Add
from her_agent.ranks import Rank


class Fault(NamedTuple):
    """Why the attempt cannot go on: a reason for the record, or a service that ended."""

    reason: str
    message: str
    service: Rank | None = None


class Launcher:
    """Driven by the supervisor's loop."""

    def __init__(self, crew: Crew, gang: Gang, place: Place) -> None:
        self._crew = crew
        self._gang = gang
        self._place = place
        self._since = time.monotonic()
        self._begun = False

    @property
    def over(self) -> bool:
        """Whether the work of this node is done."""
        return self._crew.ranks_over

    @property
    def waited(self) -> float:
        """Seconds since this node came."""
        return time.monotonic() - self._since

    def step(self, add: Add) -> Fault | None:
        """Do what is due. Raises OSError or ExecFailed."""
        raise NotImplementedError

    def end(self) -> None:
        """Nothing is to begin any more."""

    def begun(self) -> bool:
        """Whether the ranks have just been let go: true once."""
        found, self._begun = self._begun, False
        return found

    def _let_go(self) -> None:
        for rank in self._crew.ranks:
            ranks.go(rank)
        self._begun = True

    @property
    def _waiting(self) -> bool:
        return any(not rank.went for rank in self._crew.ranks)

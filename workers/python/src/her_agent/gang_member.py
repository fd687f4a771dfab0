"""The other nodes' side of the watch: they tell what befell them, and do as node 0 says."""

from __future__ import annotations

import time

from her_agent import gang_words
from her_agent.gang import Gang
from her_agent.gang_disk import is_good
from her_agent.gang_spoke import Spoke
from her_agent.gang_watch import GangWatch
from her_agent.layout import Layout
from her_agent.metrics import Add
from her_agent.stop import CAUSES, Stop

# How long a node whose own rank failed waits to hear whether it was the first.
VERDICT_SECONDS = 4.0


class MemberWatch(GangWatch):
    """`go`: node 0 lets the ranks start; `head`: its Ray answers; `done`: its own ranks ended well."""

    def __init__(self, layout: Layout, gang: Gang, address: str, spoke: Spoke, add: Add) -> None:
        super().__init__(layout, gang, address, spoke, add)
        self._spoke = spoke
        self._verdict: dict[str, object] | None = None
        self._final = False
        self._heard_end = False
        self.go = self.head = self.done = False

    @property
    def verdict(self) -> dict[str, object] | None:
        return self._verdict

    @property
    def settled(self) -> bool:
        if self._final or self._failed_at is None:
            return True
        return time.monotonic() - self._failed_at >= VERDICT_SECONDS

    @property
    def unheard(self) -> str:
        """Why node 0 is not heard."""
        return self._spoke.why

    def _news(self, node: int, state: dict[str, object]) -> None:
        self.go = self.go or state.get("go") is True
        self.head = self.head or state.get("head") is True
        self.done = self.done or state.get("done") is True
        ending = state.get("ending")
        if isinstance(ending, dict):
            found = gang_words.cause_of(ending.get("by"))
            if found is not None:
                self._verdict, self._final = self._as_seen_here(found), ending.get("final") is True

    def _failed(self, cause: dict[str, object], weight: int, at: float) -> None:
        self._state["failed"] = {**cause, "weight": weight, "at": at}

    def _judge(self) -> None:
        if self._link.up(0) or self._heard_end or self._final:
            return
        record = self._disk.look(0)
        if record is not None:
            self._heard_end = True
            self._learn(record)
        elif self._failed_at is None and not self.done:
            lost = self._lost(0)
            if lost is not None:
                self._verdict, self._final = lost, True

    def _learn(self, record: dict[str, object]) -> None:
        if is_good(record):
            self.done = True
        elif record.get("reason") in CAUSES:
            self._stops.append(Stop(None, "node 0 was stopped", str(record["reason"])))
        else:
            found = gang_words.cause_of(record.get("by")) or gang_words.cause_of({**record, "node": 0})
            self._verdict = None if found is None else self._as_seen_here(found)
            self._final = True

    def _as_seen_here(self, cause: dict[str, object]) -> dict[str, object]:
        """Whom node 0 lost while it lived has lost node 0."""
        if cause["node"] != self._gang.index or self._failed_at is not None:
            return cause
        return self._absent(0, f"it gave this node up: {cause['message'] or cause['reason']}")

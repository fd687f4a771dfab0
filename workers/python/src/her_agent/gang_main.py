"""Node 0's side of the watch: it decides what the first cause was.

Two deaths in one gang are told at nearly the same time, in any order: the one that was first, and those that it
drew after it. So node 0 waits a moment and takes the weightiest word; of equal ones the earlier death, by the times
of the nodes' own clocks brought to one.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from her_agent import gang_words
from her_agent.blame import ECHO, PLAIN, PROVEN
from her_agent.gang import Gang
from her_agent.gang_disk import is_good
from her_agent.gang_hub import Hub
from her_agent.gang_watch import GangWatch
from her_agent.layout import Layout
from her_agent.metrics import Add
from her_agent.stop import CAUSES, Stop

# How long others may still say that they were first: where a signal proves it, and where nothing does.
PROVEN_SECONDS = 0.6
ECHO_SECONDS = 2.0


class Word(NamedTuple):
    """One node's cause, how sure it is, and when it happened by our clock."""

    weight: int
    at: float
    cause: dict[str, object]


class MainWatch(GangWatch):
    """It hears all, and its verdict stands."""

    def __init__(self, layout: Layout, gang: Gang, address: str, hub: Hub, add: Add) -> None:
        super().__init__(layout, gang, address, hub, add)
        self._hub = hub
        self._words: list[Word] = []
        self._first_at = 0.0
        self._final = self._well = False
        self._accused: set[int] = set()
        self._learned: set[int] = set()

    @property
    def verdict(self) -> dict[str, object] | None:
        if not self._words:
            return None
        return min(self._words, key=lambda word: (-word.weight, word.at)).cause

    @property
    def settled(self) -> bool:
        return self._final or not self._words

    @property
    def others(self) -> range:
        return range(1, self._gang.size)

    @property
    def refused(self) -> dict[str, str]:
        """Who connected and was sent away, by address."""
        return self._hub.refused

    def state_of(self, node: int) -> dict[str, object]:
        """What a node said last; empty when nothing was heard."""
        return self._link.heard.get(node, {})

    def over(self, node: int) -> bool:
        """Whether a node is known to have ended."""
        return self.state_of(node).get("over") is True or self._disk.look(node) is not None

    def ended_well(self, whole: bool) -> None:
        """The ranks of node 0 ended with 0: say so. `whole`: with them all the work is done."""
        self._well = whole
        self.note(done=True)

    def _take_stop(self, stop: Stop) -> None:
        super()._take_stop(stop)
        self.stop(stop)

    def _news(self, node: int, state: dict[str, object]) -> None:
        failed = state.get("failed")
        cause = gang_words.cause_of(failed)
        if cause is not None and isinstance(failed, dict):
            at = failed.get("at")
            when = self._link.here(node, float(at)) if isinstance(at, (int, float)) else time.monotonic()
            weight = failed.get("weight")
            self._accuse({**cause, "node": node}, weight if weight in (ECHO, PROVEN) else PLAIN, when)

    def _failed(self, cause: dict[str, object], weight: int, at: float) -> None:
        self._accuse(cause, weight, at)

    def _accuse(self, cause: dict[str, object], weight: int, at: float) -> None:
        node = int(str(cause["node"]))
        # After a stop was asked, ends are what was wanted; after the verdict they are echoes.
        if self._final or self._well or self._state.get("stop") is not None or node in self._accused:
            return
        if not self._words:
            self._first_at = time.monotonic()
        self._accused.add(node)
        self._words.append(Word(weight, min(at, time.monotonic()), cause))

    def _judge(self) -> None:
        for node in self.others:
            if not self._link.up(node):
                self._learn(node, self._disk.look(node))
                lost = None if self.over(node) else self._lost(node)
                if lost is not None:
                    self._accuse(lost, PLAIN, time.monotonic())
        if not self._words or self._final:
            return
        waited = time.monotonic() - self._first_at
        best = max(word.weight for word in self._words)
        if waited >= (PROVEN_SECONDS if best == PROVEN else ECHO_SECONDS):
            self._settle(best)
        self._state["ending"] = {"by": self.verdict, "final": self._final}

    def _settle(self, best: int) -> None:
        """Who only tells of a lost peer is believed where one is away."""
        self._final = True
        away = [node for node in self.others if not self.over(node) and self._link.absence(node) is not None]
        verdict = self.verdict
        if best != ECHO or not away or verdict is None:
            return
        message = f"its agent is not heard; {gang_words.sentence(verdict)}"
        self._words.append(Word(PLAIN, self._first_at, self._absent(away[0], message)))

    def _learn(self, node: int, record: dict[str, object] | None) -> None:
        """From the exit record of a node that is not there to speak for itself."""
        if record is None or is_good(record) or node in self._learned:
            return
        self._learned.add(node)
        if record.get("reason") in CAUSES:
            self._take_stop(Stop(None, f"node {node} was stopped", str(record["reason"])))
            return
        by = gang_words.cause_of(record.get("by"))
        cause = gang_words.cause_of({**record, "host": None})
        if by is not None and not self._words:
            # An echo of what did not happen here: in a cut the other side may be the first to find it long enough.
            given_up = f"it gave this node up: {by['message'] or by['reason']}"
            self._accuse(self._absent(node, given_up), PLAIN, time.monotonic())
        elif by is None and cause is not None:
            self._accuse({**cause, "node": node}, PLAIN, time.monotonic())

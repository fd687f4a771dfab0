"""What this agent and those of the other nodes have to do with each other, for the loop that supervises the ranks.

Node 0 orders what it hears by arrival and names the first cause. One exception: where the first to come tells by
itself that it lost a peer, node 0 waits a moment for the peer's own word. A stop, wherever it was asked, goes to
all. A link that is down means nothing; meanwhile a node's exit record on the shared disk is the only proof.
"""

from __future__ import annotations

import socket
import time

from her_agent import gang_words
from her_agent.gang import Gang
from her_agent.gang_disk import ExitRecords, is_good
from her_agent.gang_link import open_link
from her_agent.gang_place import Place
from her_agent.layout import Layout
from her_agent.metrics import Add
from her_agent.stop import CAUSES, Stop

# How long a failure that looks like an echo waits for the one it echoes.
ECHO_SECONDS = 2.0
# How long a node whose own rank failed waits to hear whether it was the first.
VERDICT_SECONDS = 5.0


class GangWatch:
    """Base of both sides. `poll` in every turn; the rest asks and tells."""

    def __init__(self, layout: Layout, gang: Gang, place: Place, add: Add) -> None:
        self._gang = gang
        self._add = add
        self._link = open_link(gang, place)
        self._disk = ExitRecords(layout, gang)
        self._host = socket.gethostname()
        self._state: dict[str, object] = {"address": place.own, "host": self._host}
        self._stops: list[Stop] = []
        self._heard_stops: dict[int, object] = {}
        self._failed_at: float | None = None

    def poll(self) -> None:
        """Hear and tell."""
        for node in self._link.poll():
            state = self._link.heard[node]
            if state.get("stop") is not None and state["stop"] != self._heard_stops.get(node):
                self._heard_stops[node] = state["stop"]
                stop = gang_words.stop_of(state["stop"])
                if stop is not None:
                    self._take_stop(stop)
            self._news(node, state)
        self._judge()
        for change in self._link.changes():
            self._add("link", node=change.node, up=change.up, **({"why": change.why} if change.why else {}))
        self._link.tell(self._state)

    def cause(self, reason: str, **fields: object) -> dict[str, object]:
        """A cause of ours."""
        made = {"node": self._gang.index, "host": self._host, "reason": reason, **fields}
        return gang_words.cause_of(made) or {}

    def fail(self, cause: dict[str, object], echo: bool) -> None:
        """Something of this node ended the attempt here, and so everywhere."""
        if self._failed_at is None:
            self._failed_at = time.monotonic()
            self._failed(cause, echo)

    def stop(self, stop: Stop) -> None:
        """A stop was asked here: tell it to all."""
        self._state["stop"] = gang_words.told_stop(stop)

    def note(self, **words: object) -> None:
        """Tell something more of this node."""
        self._state.update(words)

    def stop_news(self) -> Stop | None:
        """A stop that was asked elsewhere, once."""
        return self._stops.pop(0) if self._stops else None

    def link_up(self, node: int) -> bool:
        return self._link.up(node)

    def close(self) -> None:
        """Say the last words."""
        self.poll()
        self._link.close()

    @property
    def verdict(self) -> dict[str, object] | None:
        """The cause that ends the gang, as far as it is known."""
        raise NotImplementedError

    @property
    def settled(self) -> bool:
        """Whether the verdict will stay, or there is no use in waiting for one."""
        raise NotImplementedError

    def _take_stop(self, stop: Stop) -> None:
        self._stops.append(stop)

    def _news(self, node: int, state: dict[str, object]) -> None:
        raise NotImplementedError

    def _judge(self) -> None:
        raise NotImplementedError

    def _failed(self, cause: dict[str, object], echo: bool) -> None:
        raise NotImplementedError


class MainWatch(GangWatch):
    """Node 0: it decides."""

    def __init__(self, layout: Layout, gang: Gang, place: Place, add: Add) -> None:
        super().__init__(layout, gang, place, add)
        self._causes: list[tuple[bool, dict[str, object]]] = []
        self._first_at = 0.0
        self._final = False
        self._accused: set[int] = set()
        self._learned: set[int] = set()

    @property
    def verdict(self) -> dict[str, object] | None:
        if not self._causes:
            return None
        return next((cause for echo, cause in self._causes if not echo), self._causes[0][1])

    @property
    def settled(self) -> bool:
        return self._final or not self._causes

    def state_of(self, node: int) -> dict[str, object]:
        """What a node said last; empty when nothing was heard."""
        return self._link.heard.get(node, {})

    @property
    def others(self) -> range:
        return range(1, self._gang.size)

    def over(self, node: int) -> bool:
        """Whether a node is known to have ended."""
        return self.state_of(node).get("over") is True or self._disk.look(node) is not None

    def ended_well(self) -> None:
        """The ranks of node 0 ended with 0: say so."""
        self.note(done=True)

    def _take_stop(self, stop: Stop) -> None:
        super()._take_stop(stop)
        self.stop(stop)

    def _news(self, node: int, state: dict[str, object]) -> None:
        cause = gang_words.cause_of(state.get("failed"))
        if cause is not None:
            echo = isinstance(state.get("failed"), dict) and state["failed"].get("echo") is True
            self._accuse({**cause, "node": node}, echo)

    def _failed(self, cause: dict[str, object], echo: bool) -> None:
        self._accuse(cause, echo)

    def _accuse(self, cause: dict[str, object], echo: bool) -> None:
        node = cause["node"]
        # After a stop was asked, ends are what was wanted; after the verdict they are echoes.
        if self._final or self._state.get("stop") is not None or node in self._accused:
            return
        if not self._causes:
            self._first_at = time.monotonic()
        self._accused.add(int(str(node)))
        self._causes.append((echo, cause))

    def _judge(self) -> None:
        for node in self.others:
            if not self._link.up(node):
                self._learn(node, self._disk.look(node))
        verdict = self.verdict
        if verdict is None:
            return
        waited = time.monotonic() - self._first_at
        if any(not echo for echo, _cause in self._causes) or waited >= ECHO_SECONDS:
            self._final = True
        self._state["ending"] = {"by": verdict, "final": self._final}

    def _learn(self, node: int, record: dict[str, object] | None) -> None:
        """From the exit record of a node that is not there to speak for itself. Its echoes are known already."""
        if record is None or is_good(record) or record.get("by") is not None or node in self._learned:
            return
        self._learned.add(node)
        if record.get("reason") in CAUSES:
            self._take_stop(Stop(None, f"node {node} was stopped", str(record["reason"])))
            return
        cause = gang_words.cause_of({**record, "host": None})
        if cause is not None:
            self._accuse({**cause, "node": node}, False)


class MemberWatch(GangWatch):
    """The other nodes: they tell what befell them, and do as node 0 says."""

    def __init__(self, layout: Layout, gang: Gang, place: Place, add: Add) -> None:
        super().__init__(layout, gang, place, add)
        self._verdict: dict[str, object] | None = None
        self._final = False
        self._heard_end = False
        self.head = False
        self.done = False

    @property
    def verdict(self) -> dict[str, object] | None:
        return self._verdict

    @property
    def settled(self) -> bool:
        if self._final or self._failed_at is None:
            return True
        return time.monotonic() - self._failed_at >= VERDICT_SECONDS

    def _news(self, node: int, state: dict[str, object]) -> None:
        self.head = self.head or state.get("head") is True
        self.done = self.done or state.get("done") is True
        ending = state.get("ending")
        if isinstance(ending, dict):
            found = gang_words.cause_of(ending.get("by"))
            if found is not None:
                self._verdict, self._final = found, ending.get("final") is True

    def _failed(self, cause: dict[str, object], echo: bool) -> None:
        self._state["failed"] = {**cause, "echo": echo}

    def _judge(self) -> None:
        if self._link.up(0) or self._heard_end:
            return
        record = self._disk.look(0)
        if record is None:
            return
        self._heard_end = True
        if is_good(record):
            self.done = True
        elif record.get("reason") in CAUSES:
            self._stops.append(Stop(None, "node 0 was stopped", str(record["reason"])))
        else:
            self._verdict = gang_words.cause_of(record.get("by")) or gang_words.cause_of({**record, "node": 0})
            self._final = True


def watch(layout: Layout, gang: Gang, place: Place, add: Add) -> MainWatch | MemberWatch:
    """The side that this node has."""
    side = MainWatch if gang.first else MemberWatch
    return side(layout, gang, place, add)

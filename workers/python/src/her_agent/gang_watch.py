"""What this agent and those of the other nodes have to do with each other, for the loop that supervises the ranks.

A stop, wherever it was asked, goes to all. A link that is down means nothing for a while: the exit record of a node
on the shared disk is proof, and so is a machine that says that no agent holds the link any more. Where there is
neither, a node that is away for longer than the gang's limit is given up: no node trains for ever without the others.
"""

from __future__ import annotations

import socket
import time

from her_agent import gang_words
from her_agent.gang import Gang
from her_agent.gang_disk import ExitRecords
from her_agent.gang_link import Link
from her_agent.layout import Layout
from her_agent.metrics import Add
from her_agent.stop import Stop

# From the end of a connection, told by the other machine, to the certainty that its agent will not connect again.
GONE_SECONDS = 15.0


class GangWatch:
    """Base of both sides. `poll` in every turn; the rest asks and tells."""

    def __init__(self, layout: Layout, gang: Gang, address: str, link: Link, add: Add) -> None:
        self._gang = gang
        self._add = add
        self._link = link
        self._disk = ExitRecords(layout, gang)
        self._host = socket.gethostname()
        self._state: dict[str, object] = {"address": address, "host": self._host}
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

    def fail(self, cause: dict[str, object], weight: int) -> None:
        """Something of this node ended the attempt here, and so everywhere. `weight` is how sure it is of its own."""
        if self._failed_at is None:
            self._failed_at = time.monotonic()
            self._failed(cause, weight, self._failed_at)
            self._link.tell(self._state)

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

    def place_of(self, address: str) -> tuple[int, str] | None:
        """Number and host name of the node that has an address, where it is known."""
        states = {self._gang.index: self._state, **self._link.heard}
        for node, state in states.items():
            if state.get("address") == address:
                return node, str(state.get("host"))
        return None

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

    def _lost(self, node: int) -> dict[str, object] | None:
        """The cause that a node's absence has become."""
        absence = self._link.absence(node)
        if absence is None:
            return None
        if absence.closed >= min(GONE_SECONDS, self._gang.lost):
            message = f"its agent is gone: {absence.why}, and it did not come back within {absence.closed:.0f} s"
        elif absence.seconds >= self._gang.lost:
            message = f"not heard of for {absence.seconds:.0f} s: {absence.why}"
        else:
            return None
        return self._absent(node, message)

    def _absent(self, node: int, message: str) -> dict[str, object]:
        host = self._link.heard.get(node, {}).get("host")
        return self.cause("peer-lost", node=node, host=host, message=message)

    def _take_stop(self, stop: Stop) -> None:
        self._stops.append(stop)

    def _news(self, node: int, state: dict[str, object]) -> None:
        raise NotImplementedError

    def _judge(self) -> None:
        raise NotImplementedError

    def _failed(self, cause: dict[str, object], weight: int, at: float) -> None:
        raise NotImplementedError

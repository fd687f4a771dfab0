"""The link of a gang: every agent knows the last state that each of the others told, or that it heard none.

Node 0 listens, the others connect, again and again: a link that breaks is no end of anything by itself, and what was
told meanwhile goes over when it is there again, since always the whole state is sent. Sent anew every few seconds, it
is a sign of life too. How long a node has been away, and what speaks for its agent's death, is told by `absence`.
"""

from __future__ import annotations

import contextlib
import socket
import time
from typing import NamedTuple

from her_agent.gang import Gang
from her_agent.link_wire import Broken, Closed, Wire

BEAT_SECONDS = 5.0
# The sender's own clock in every state, so that times of two nodes can be put in one order.
CLOCK = "clock"


class Change(NamedTuple):
    """A link that came up or broke, for the record."""

    node: int
    up: bool
    why: str


class Absence(NamedTuple):
    """For how many seconds a node is away. `closed`: its machine is there and says that no agent holds the link."""

    seconds: float
    closed: float
    why: str


class Link:
    """What both sides share. `heard` has each node's last state."""

    def __init__(self, gang: Gang) -> None:
        self._gang = gang
        self._state: dict[str, object] = {}
        self._wires: dict[int, Wire] = {}
        self._beat = 0.0
        self._changes: list[Change] = []
        self._early: list[int] = []
        self._offsets: dict[int, float] = {}
        self._down: dict[int, tuple[float, str]] = {}
        self._closed: dict[int, float] = {}
        self.heard: dict[int, dict[str, object]] = {}

    def tell(self, state: dict[str, object]) -> None:
        """From now on this is our state."""
        if state != self._state:
            self._state = dict(state)
            self._send_all()

    def up(self, node: int) -> bool:
        """Whether a proven connection to it stands."""
        return node in self._wires

    def absence(self, node: int) -> Absence | None:
        """Of a node that was connected before and is not now."""
        if node not in self._down:
            return None
        now = time.monotonic()
        since, why = self._down[node]
        return Absence(now - since, now - self._closed[node] if node in self._closed else 0.0, why)

    def here(self, node: int, clock: float) -> float:
        """A time by another node's clock as time of ours; late by the way that its words have, never early."""
        return clock + self._offsets.get(node, 0.0)

    def changes(self) -> list[Change]:
        """Links that came and went since the last call."""
        found, self._changes = self._changes, []
        return found

    def poll(self) -> list[int]:
        """Turn once; the nodes that told another state than before, in the order in which they did."""
        self._connections()
        news, self._early = self._early, []
        if time.monotonic() - self._beat > BEAT_SECONDS:
            self._send_all()
        for node, wire in list(self._wires.items()):
            try:
                for state in wire.poll():
                    if self._take(node, state):
                        news.append(node)
            except Broken as broken:
                self._drop(node, broken)
        return news

    def close(self, seconds: float = 1.0) -> None:
        """Send what waits, then close."""
        for wire in self._wires.values():
            with contextlib.suppress(Broken):
                wire.drain(seconds)
            wire.close()
        self._wires = {}

    def _connections(self) -> None:
        raise NotImplementedError

    def _take(self, node: int, state: dict[str, object]) -> bool:
        clock = state.pop(CLOCK, None)
        if isinstance(clock, (int, float)) and not isinstance(clock, bool):
            offset = time.monotonic() - clock
            # The word that was shortest on its way tells it best.
            self._offsets[node] = min(offset, self._offsets.get(node, offset))
        if state == self.heard.get(node):
            return False
        self.heard[node] = state
        return True

    def _send_all(self) -> None:
        self._beat = time.monotonic()
        for wire in self._wires.values():
            self._send(wire)

    def _send(self, wire: Wire) -> None:
        wire.send({**self._state, CLOCK: time.monotonic()})
        # What cannot go now goes with the next turn; what is broken is found there.
        with contextlib.suppress(Broken):
            wire.flush()

    def _adopt(self, wire: Wire, states: list[dict[str, object]]) -> None:
        node = wire.node or 0
        if node in self._wires:
            self._drop(node, Broken("it connected anew"))
        self._wires[node] = wire
        self._down.pop(node, None)
        self._closed.pop(node, None)
        self._changes.append(Change(node, True, ""))
        self._send(wire)
        for state in states:
            if self._take(node, state):
                self._early.append(node)

    def _drop(self, node: int, broken: Broken) -> None:
        self._wires.pop(node).close()
        now = time.monotonic()
        self._down[node] = (now, str(broken))
        if isinstance(broken, Closed):
            self._closed[node] = now
        self._changes.append(Change(node, False, str(broken)))


def dispose(wire: Wire | socket.socket | None) -> None:
    """Close what may be there."""
    if wire is not None:
        wire.close()

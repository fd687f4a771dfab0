"""The link of a gang: every agent knows the last state that each of the others told, or that it heard none.

Node 0 listens, the others connect, for ever: a link that breaks is no end of anything, and what was told meanwhile
goes over when it is there again, since always the whole state is sent. Sent anew every few seconds, it is a sign of
life too.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from typing import NamedTuple

from her_agent.gang import Gang
from her_agent.gang_place import Place
from her_agent.link_wire import Broken, Wire

BEAT_SECONDS = 5.0
AGAIN_SECONDS = 1.0
CONNECT_SECONDS = 10.0
MOST_STRANGERS = 32


class Change(NamedTuple):
    """A link that came up or broke, for the record."""

    node: int
    up: bool
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
        self.heard: dict[int, dict[str, object]] = {}

    def tell(self, state: dict[str, object]) -> None:
        """From now on this is our state."""
        if state != self._state:
            self._state = dict(state)
            self._send_all()

    def up(self, node: int) -> bool:
        """Whether a proven connection to it stands."""
        return node in self._wires

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
                    if state != self.heard.get(node):
                        self.heard[node] = state
                        news.append(node)
            except Broken as broken:
                self._drop(node, str(broken))
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

    def _send_all(self) -> None:
        self._beat = time.monotonic()
        for wire in self._wires.values():
            wire.send(self._state)

    def _adopt(self, wire: Wire, states: list[dict[str, object]]) -> None:
        node = wire.node or 0
        if node in self._wires:
            self._drop(node, "it connected anew")
        self._wires[node] = wire
        self._changes.append(Change(node, True, ""))
        wire.send(self._state)
        for state in states:
            self.heard[node] = state
            self._early.append(node)

    def _drop(self, node: int, why: str) -> None:
        self._wires.pop(node).close()
        self._changes.append(Change(node, False, why))


class Hub(Link):
    """Node 0's side."""

    def __init__(self, gang: Gang, listener: socket.socket) -> None:
        super().__init__(gang)
        self._listener = listener
        self._strangers: list[Wire] = []

    def _connections(self) -> None:
        for _ in range(MOST_STRANGERS):
            try:
                made, _address = self._listener.accept()
            except OSError:
                break
            if len(self._strangers) >= MOST_STRANGERS:
                # Who waits longest has proven nothing for longest.
                self._strangers.pop(0).close()
            self._strangers.append(Wire(made, self._gang.key, self._gang.main, True, 0))
        for wire in list(self._strangers):
            try:
                states = wire.poll()
            except Broken:
                self._strangers.remove(wire)
                wire.close()
                continue
            if wire.proven:
                self._strangers.remove(wire)
                if wire.node is not None and wire.node < self._gang.size:
                    self._adopt(wire, states)
                else:
                    wire.close()

    def close(self, seconds: float = 1.0) -> None:
        for wire in self._strangers:
            wire.close()
        super().close(seconds)
        self._listener.close()


class Spoke(Link):
    """The side of the other nodes."""

    def __init__(self, gang: Gang, place: Place) -> None:
        super().__init__(gang)
        self._place = place
        self._calling: socket.socket | None = None
        self._called = -AGAIN_SECONDS
        self._wire: Wire | None = None
        self._refused = ""

    def _connections(self) -> None:
        if self._wires:
            return
        if self._wire is not None:
            self._introduce(self._wire)
        elif self._calling is not None:
            self._connected(self._calling)
        elif time.monotonic() - self._called >= AGAIN_SECONDS:
            self._call()

    def _call(self) -> None:
        self._called = time.monotonic()
        self._calling = socket.socket(self._place.family, socket.SOCK_STREAM)
        self._calling.setblocking(False)
        self._connected(self._calling)

    def _connected(self, calling: socket.socket) -> None:
        code = calling.connect_ex((self._place.main, self._gang.link_port))
        if code in (0, errno.EISCONN):
            self._calling = None
            self._wire = Wire(calling, self._gang.key, self._gang.main, False, self._gang.index)
            self._introduce(self._wire)
        elif code not in (errno.EINPROGRESS, errno.EALREADY) or time.monotonic() - self._called > CONNECT_SECONDS:
            self._give_up()

    def _introduce(self, wire: Wire) -> None:
        try:
            # The first states may come with the proof.
            states = wire.poll()
        except Broken as broken:
            self._give_up(str(broken))
            return
        if wire.proven:
            self._wire = None
            self._adopt(wire, states)

    def _give_up(self, why: str = "") -> None:
        if why and why != self._refused:
            self._refused = why
            self._changes.append(Change(0, False, why))
        for made in (self._calling, self._wire):
            if made is not None:
                made.close()
        self._calling = self._wire = None

    def close(self, seconds: float = 1.0) -> None:
        self._give_up()
        super().close(seconds)


def open_link(gang: Gang, place: Place) -> Link:
    """The side of the link that this node has."""
    if place.listener is not None:
        return Hub(gang, place.listener)
    return Spoke(gang, place)

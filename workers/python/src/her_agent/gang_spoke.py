"""The other nodes' side of the link: they connect to node 0, and again when the connection broke."""

from __future__ import annotations

import errno
import os
import socket
import time

from her_agent.gang import Gang
from her_agent.gang_link import Change, Link, dispose
from her_agent.gang_place import Place
from her_agent.link_wire import Broken, Closed, Wire

AGAIN_SECONDS = 1.0
# Shorter than what proves an agent gone: a call that starts in a cut is given up before it counts.
CONNECT_SECONDS = 4.0


class Spoke(Link):
    """`why`: what the last call of node 0 came to."""

    def __init__(self, gang: Gang, place: Place) -> None:
        super().__init__(gang)
        self._place = place
        self._calling: socket.socket | None = None
        self._called = time.monotonic() - AGAIN_SECONDS
        self._wire: Wire | None = None
        self._told = ""
        self.why = ""

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
        elif code == errno.ECONNREFUSED:
            # Its machine answers, and nobody listens there.
            self._closed.setdefault(0, time.monotonic())
            self._give_up(os.strerror(code))
        elif code not in (errno.EINPROGRESS, errno.EALREADY):
            self._closed.pop(0, None)
            self._give_up(os.strerror(code))
        elif time.monotonic() - self._called > CONNECT_SECONDS:
            self._closed.pop(0, None)
            self._give_up("no answer")

    def _introduce(self, wire: Wire) -> None:
        try:
            # The first states may come with the proof.
            states = wire.poll()
        except Broken as broken:
            # A person reads of it once, not with every call.
            if str(broken) != self._told and not isinstance(broken, Closed):
                self._told = str(broken)
                self._changes.append(Change(0, False, str(broken)))
            self._give_up(str(broken))
            return
        if wire.proven:
            self._wire = None
            self.why = ""
            self._adopt(wire, states)

    def _give_up(self, why: str) -> None:
        self.why = why
        dispose(self._calling)
        dispose(self._wire)
        self._calling = self._wire = None

    def close(self, seconds: float = 1.0) -> None:
        self._give_up("")
        super().close(seconds)

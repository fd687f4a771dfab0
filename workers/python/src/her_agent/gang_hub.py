"""Node 0's side of the link: it listens. Who connects is a stranger until it has proven that it knows the key.

Strangers cost nothing that members need: they are few, each has some seconds, and where there are too many the one
goes that its address has most of, so that no machine can keep another one out. The links that stand feel nothing.
"""

from __future__ import annotations

import socket
from collections import Counter

from her_agent.gang import Gang
from her_agent.gang_link import Link
from her_agent.link_wire import Broken, Wire

MOST_STRANGERS = 64
MOST_REFUSED = 8
# More than one turn can bring in earnest; the rest waits in the kernel's queue.
ACCEPTED = 256


class Hub(Link):
    """`refused`: why strangers were sent away lately, by their addresses."""

    def __init__(self, gang: Gang, listener: socket.socket) -> None:
        super().__init__(gang)
        self._listener = listener
        self._strangers: list[tuple[str, Wire]] = []
        self.refused: dict[str, str] = {}

    def _connections(self) -> None:
        for _ in range(ACCEPTED):
            try:
                made, address = self._listener.accept()
            except OSError:
                break
            self._strangers.append((str(address[0]), Wire(made, self._gang.key, self._gang.main, True, 0)))
            if len(self._strangers) > MOST_STRANGERS:
                self._send_one_away()
        for stranger in list(self._strangers):
            address, wire = stranger
            try:
                states = wire.poll()
            except Broken as broken:
                self._strangers.remove(stranger)
                wire.close()
                self._note(address, str(broken))
                continue
            if wire.proven:
                self._strangers.remove(stranger)
                if wire.node is not None and wire.node < self._gang.size:
                    self.refused.pop(address, None)
                    self._adopt(wire, states)
                else:
                    wire.close()

    def _send_one_away(self) -> None:
        often, _count = Counter(address for address, _wire in self._strangers).most_common(1)[0]
        # Of its own the one that waits longest: it has proven nothing for longest.
        stranger = next(one for one in self._strangers if one[0] == often)
        self._strangers.remove(stranger)
        stranger[1].close()
        self._note(often, "connected too often")

    def _note(self, address: str, why: str) -> None:
        self.refused.pop(address, None)
        self.refused[address] = why
        while len(self.refused) > MOST_REFUSED:
            self.refused.pop(next(iter(self.refused)))

    def close(self, seconds: float = 1.0) -> None:
        for _address, wire in self._strangers:
            wire.close()
        self._strangers = []
        super().close(seconds)
        self._listener.close()

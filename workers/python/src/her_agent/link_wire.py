"""One connection between two agents of a gang: who is there is proven both ways, then whole states go over.

Each side sends a nonce and the HMAC-SHA256 of both nonces under the gang's key; before that nothing is taken in.
After it each line carries its own MAC, by a key of this connection, its direction and its number, so that nobody on
the way can add, repeat or leave one out. There is nothing secret in what is said. All of it is data: bounded in size
and number, and read by its owner with suspicion.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import socket
import time

LONGEST = 32 * 1024
# Of a peer that has not proven itself.
SHORT = 512
MOST_LINES = 200
LINES_SECONDS = 10.0
PROOF_SECONDS = 10.0
SILENT_SECONDS = 20.0


class Broken(Exception):
    """The connection is of no more use; the text says why."""


class Closed(Broken):
    """The machine of the other side says that the connection is over."""


class Wire:
    """`main` says that this side is node 0. `poll` gives the states that came; `node` is the peer once proven."""

    def __init__(self, made: socket.socket, key: bytes, gang: str, main: bool, own: int) -> None:
        self._socket = made
        self._key = key
        self._gang = gang
        self._main = main
        self._own = own
        self._nonce = os.urandom(32).hex()
        self._other = ""
        self._in = b""
        self._out = b""
        self._session = b""
        self._sent = self._taken = 0
        self._begun = self._heard = self._window = time.monotonic()
        self._lines = 0
        self.node: int | None = None
        made.setblocking(False)
        if main:
            self._line({"gang": gang, "nonce": self._nonce})

    @property
    def proven(self) -> bool:
        return self.node is not None

    def send(self, state: dict[str, object]) -> None:
        """Put a state on its way. Does nothing before the peer has proven itself."""
        if not self.proven:
            return
        text = json.dumps(state, ensure_ascii=True)
        self._sent += 1
        self._out += f"{self._mac(self._main, self._sent, text)} {text}\n".encode("ascii")

    def poll(self) -> list[dict[str, object]]:
        """Send what waits and take what came. Raises Broken."""
        states: list[dict[str, object]] = []
        end = self._receive()
        while b"\n" in self._in:
            line, _, self._in = self._in.partition(b"\n")
            self._count(len(line))
            state = self._line_in(line)
            if state is not None:
                states.append(state)
        self._count(len(self._in), 0)
        if states:
            # What broke it is found again by the next call: the last words count.
            return states
        if end is not None:
            raise end
        now = time.monotonic()
        if not self.proven and now - self._begun > PROOF_SECONDS:
            raise Broken("the other side did not prove who it is")
        if now - self._heard > SILENT_SECONDS:
            raise Broken(f"nothing heard for {SILENT_SECONDS:.0f} s")
        self.flush()
        return states

    def flush(self) -> None:
        """Send what waits, as far as it goes now. Raises Broken."""
        try:
            while self._out:
                self._out = self._out[self._socket.send(self._out) :]
        except BlockingIOError:
            if len(self._out) > 4 * LONGEST:
                raise Broken("the other side takes nothing") from None
        except OSError as error:
            raise _ended(error) from error

    def drain(self, seconds: float) -> None:
        """Send all that waits, waiting at most this long. Raises Broken."""
        until = time.monotonic() + seconds
        while self._out and time.monotonic() < until:
            self.flush()
            time.sleep(0.01)

    def close(self) -> None:
        self._socket.close()

    def _receive(self) -> Broken | None:
        """Take what came; what ended the connection, or None."""
        try:
            while len(self._in) <= LONGEST:
                data = self._socket.recv(65536)
                if not data:
                    return Closed("closed by the other side")
                self._in += data
                self._heard = time.monotonic()
        except BlockingIOError:
            return None
        except OSError as error:
            return _ended(error)
        return None

    def _count(self, size: int, lines: int = 1) -> None:
        now = time.monotonic()
        if now - self._window > LINES_SECONDS:
            self._window, self._lines = now, 0
        self._lines += lines
        if self._lines > MOST_LINES or size > (LONGEST if self.proven else SHORT):
            raise Broken("more came than an agent sends")

    def _line_in(self, line: bytes) -> dict[str, object] | None:
        if self.proven:
            mac, _, text = line.decode("ascii", "replace").partition(" ")
            self._taken += 1
            if not hmac.compare_digest(mac.encode(), self._mac(not self._main, self._taken, text).encode()):
                raise Broken("a line that the other side did not write")
            return _object(text)
        self._prove(_object(line.decode("ascii", "replace")))
        return None

    # --- who is there: node 0 {nonce}; node k {nonce, node, proof}; node 0 {proof}

    def _prove(self, said: dict[str, object]) -> None:
        if not self._main and not self._other:
            self._other = _nonce(said)
            if said.get("gang") != self._gang:
                raise Broken("another gang listens there")
            self._line({"nonce": self._nonce, "node": self._own, "proof": self._proof("node", self._own)})
            return
        node = said.get("node") if self._main else 0
        if self._main:
            self._other = _nonce(said)
        if not isinstance(node, int) or isinstance(node, bool) or (self._main and node < 1):
            raise Broken("no number of a node")
        wanted = self._proof("node", node) if self._main else self._proof("main", self._own)
        if not hmac.compare_digest(str(said.get("proof")).encode("utf-8", "replace"), wanted.encode()):
            raise Broken("the other side does not know the gang's key")
        if self._main:
            self._line({"proof": self._proof("main", node)})
        first, second = self._nonces()
        self._session = self._hmac(self._key, f"session|{first}|{second}")
        self.node = node

    def _nonces(self) -> tuple[str, str]:
        return (self._nonce, self._other) if self._main else (self._other, self._nonce)

    def _proof(self, role: str, node: int) -> str:
        first, second = self._nonces()
        return self._hmac(self._key, f"link|{role}|{self._gang}|{node}|{first}|{second}").hex()

    def _mac(self, by_main: bool, number: int, text: str) -> str:
        return self._hmac(self._session, f"{'main' if by_main else 'node'}|{number}|{text}").hex()

    def _hmac(self, key: bytes, text: str) -> bytes:
        return hmac.new(key, text.encode("utf-8", "replace"), hashlib.sha256).digest()

    def _line(self, said: dict[str, object]) -> None:
        self._out += json.dumps(said).encode("ascii") + b"\n"


def _ended(error: OSError) -> Broken:
    kind = Closed if error.errno in (errno.ECONNRESET, errno.EPIPE) else Broken
    return kind(os.strerror(error.errno or 0))


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Broken("no JSON object")
    return value


def _nonce(said: dict[str, object]) -> str:
    value = said.get("nonce")
    if not isinstance(value, str) or len(value) != 64:
        raise Broken("no nonce")
    return value

"""A conversation in JSON lines: what the caller says comes on standard input, what we say goes to standard output.

The caller's closing of standard input, which follows its death however it dies, ends this process at once:
nothing that is done here needs an ending of its own.
"""

from __future__ import annotations

import json
import os
import threading
import time
from typing import IO, Callable

from her_agent.errors import BAD_REQUEST, AgentError

CALLER_GONE = 4
PROTOCOL = 1


class _Lines:
    """Lines of a descriptor. A buffered file would be locked by the thread that waits at it, and the interpreter, which
    takes that lock when it ends, would abort.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()

    def next(self) -> bytes:
        """The next line with its end; without one where nothing more comes."""
        while b"\n" not in self._held:
            data = os.read(self._descriptor, 65536)
            if not data:
                return bytes(self._held)
            self._held += data
        line, _, rest = self._held.partition(b"\n")
        self._held = rest
        return bytes(line) + b"\n"


class Dialogue:
    """Lines both ways. `say` may be called by any thread."""

    def __init__(self, source: int, sink: IO[bytes]) -> None:
        self._source = _Lines(source)
        self._sink = sink
        self._lock = threading.Lock()
        self._closed = False
        self.heard = time.monotonic()

    def request(self) -> dict[str, object]:
        """The first line: what is to be done."""
        value = _parsed(self._source.next())
        if value.get("protocol") != PROTOCOL:
            raise AgentError("bad-request", f"protocol {value.get('protocol')!r} is not {PROTOCOL}", "", BAD_REQUEST)
        return value

    def listen(self, take: Callable[[dict[str, object]], None]) -> None:
        """Give every further line to `take`, in a thread of its own."""
        threading.Thread(target=self._listen, args=(take,), daemon=True).start()

    def _listen(self, take: Callable[[dict[str, object]], None]) -> None:
        while True:
            line = self._source.next()
            if not line.endswith(b"\n"):
                self._leave()
                return
            self.heard = time.monotonic()
            try:
                take(_parsed(line))
            except AgentError as error:
                self._write(error.to_json())
                os._exit(error.exit_code)

    def tick(self, seconds: float, fields: Callable[[], dict[str, object]]) -> None:
        """Say `progress` every so often, so that silence means that nobody is there."""

        def run() -> None:
            while True:
                time.sleep(seconds)
                self.say("progress", **fields())

        threading.Thread(target=run, daemon=True).start()

    def say(self, kind: str, **fields: object) -> None:
        """One line; after `close` nothing."""
        self._write(json.dumps({"type": kind, **fields}, ensure_ascii=False))

    def last(self, kind: str, **fields: object) -> None:
        """The last line. The caller's closing of our input, which answers it, is no death of theirs."""
        with self._lock:
            self._put(json.dumps({"type": kind, **fields}, ensure_ascii=False))
            self._closed = True

    def close(self) -> None:
        """Nothing more is said: the last word is the verb's own."""
        with self._lock:
            self._closed = True

    def _write(self, text: str) -> None:
        with self._lock:
            if not self._closed:
                self._put(text)

    def _put(self, text: str) -> None:
        try:
            self._sink.write(text.encode() + b"\n")
            self._sink.flush()
        except (BrokenPipeError, ValueError):
            os._exit(CALLER_GONE)

    def _leave(self) -> None:
        with self._lock:
            if not self._closed:
                os._exit(CALLER_GONE)


def _parsed(line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        # Never shown: a line may hold a presigned URL.
        raise AgentError("bad-request", "a line is no JSON object", "", BAD_REQUEST)
    return value

"""The ranks' output on its way to their logs, with the values of secrets replaced.

Where there is something to hide, a child of the agent stands between: a fork that executes nothing, so that the
values are in memory only. It outlives the agent and ends when the last writer is gone. All bytes are written at
once, but for those at the end that may be the beginning of a value: they wait for what follows, and where they are
few, for a second at most. What a full disk refuses waits too, and so does who writes.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from her_agent.errors import is_disk_full
from her_agent.mask import Mask

CHUNK = 65536
DISK_SECONDS = 0.5
DISK_PATIENCE = 60.0
HELD_SECONDS = 1.0
# So many bytes of a value are no accident any more: they wait for the rest of it for as long as it takes.
LONG_BEGINNING = 8


class Stream:
    """One stream of bytes. What waits at its end is the beginning of a value and nothing else."""

    def __init__(self, values: list[bytes]) -> None:
        self._values = values
        self._held = b""
        # So many of the held bytes were written already, for they waited long.
        self._shown = 0

    @property
    def waits(self) -> bool:
        """Whether anything is held back that patience would let go."""
        return self._shown < len(self._held) < LONG_BEGINNING

    def feed(self, data: bytes) -> bytes:
        """What may be written now."""
        text = self._held + data
        shown = self._shown
        marked = self._marked(text)
        keep = len(text) - self._open(text)
        # A value that lies across the cut is whole in what is known and is taken with it.
        for begin, end in marked:
            if begin < keep < end:
                keep = end
        out, at = [], 0
        for begin, end in marked:
            if end > keep:
                break
            out += [text[max(at, shown) : max(begin, shown)], b"***"]
            at = end
        out.append(text[max(at, shown) : max(keep, shown)])
        self._held = text[keep:]
        self._shown = max(0, shown - keep)
        return b"".join(out)

    def patience(self) -> bytes:
        """What was held back and has waited long enough: few bytes, as a progress bar's end. They stay known."""
        if not self.waits:
            return b""
        due, self._shown = self._held[self._shown :], len(self._held)
        return due

    def rest(self) -> bytes:
        """What was held back, at the end."""
        held, self._held = self._held[self._shown :], b""
        self._shown = 0
        return held

    def _marked(self, text: bytes) -> list[tuple[int, int]]:
        """Where values stand, overlapping ones as one."""
        found = []
        for value in self._values:
            at = text.find(value)
            while at >= 0:
                found.append((at, at + len(value)))
                at = text.find(value, at + 1)
        merged: list[tuple[int, int]] = []
        for begin, end in sorted(found):
            if merged and begin < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], end))
            else:
                merged.append((begin, end))
        return merged

    def _open(self, text: bytes) -> int:
        """Length of the longest end of `text` that is the beginning of a value."""
        longest = 0
        for value in self._values:
            at = text.find(value[:1], max(0, len(text) - len(value) + 1))
            while 0 <= at < len(text) - longest:
                if value.startswith(text[at:]):
                    longest = len(text) - at
                at = text.find(value[:1], at + 1)
        return longest


class LogMask:
    """Owned by the agent. `into` are the ends that the ranks write to, one for each path; the caller closes them."""

    def __init__(self, paths: list[str], mask: Mask) -> None:
        self._values = mask.values
        self._logs: dict[int, int] = {}
        self.into: list[int] = []
        for path in paths:
            out, into = os.pipe()
            self._logs[out] = open_log(path)
            self.into.append(into)
        self.pid = self._fork()

    def revive(self) -> None:
        """Put another child in the place of one that died: who writes must not die of it. Its last bytes are lost."""
        self.pid = self._fork()

    def _fork(self) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            os.setsid()
            _live(self._logs, self._values)
            os._exit(0)
        finally:
            os._exit(1)


def open_log(path: str) -> int:
    """A log to append to. Raises OSError."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _live(logs: dict[int, int], values: list[bytes]) -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR2, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    null = os.open("/dev/null", os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    # Above all the attempt's lock, and the ends that the ranks write to.
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in logs and int(name) not in logs.values():
            with contextlib.suppress(OSError):
                os.close(int(name))
    streams = {end: Stream(values) for end in logs}
    poll = select.poll()
    for end in logs:
        poll.register(end, select.POLLIN)
    held: dict[int, float] = {}
    while streams:
        for end, _event in poll.poll(HELD_SECONDS * 1000 / 4 if held else None):
            held.pop(end, None)
            data = os.read(end, CHUNK)
            _write(logs[end], streams[end].feed(data) if data else streams[end].rest())
            if not data:
                poll.unregister(end)
                streams.pop(end)
        now = time.monotonic()
        for end, stream in streams.items():
            if stream.waits and now - held.setdefault(end, now) >= HELD_SECONDS:
                _write(logs[end], stream.patience())
                held.pop(end)


def _write(log: int, data: bytes) -> None:
    view = memoryview(data)
    since = time.monotonic()
    while view:
        try:
            view = view[os.write(log, view) :]
            since = time.monotonic()
        except OSError as error:
            # Another fault of the disk will not mend either way; who writes must not be blocked by it for ever.
            if not is_disk_full(error) or time.monotonic() - since > DISK_PATIENCE:
                return
            time.sleep(DISK_SECONDS)

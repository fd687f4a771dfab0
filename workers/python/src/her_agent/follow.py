"""When a follower must end although the attempt goes on: its reader left, or it was told to.

Standard input is watched only where its end means something, that is a pipe or a socket: /dev/null is
always at its end.
"""

from __future__ import annotations

import os
import select
import signal
import stat

TURN_SECONDS = 0.1


class Follower:
    """`wait` between looks; `over` once there is nobody to write for."""

    def __init__(self) -> None:
        self.over = False
        self._poll = select.poll()
        self._input = _is_stream(0)
        if self._input:
            self._poll.register(0, select.POLLIN | select.POLLHUP)
        if _is_stream(1):
            # No interest in writing: an error is reported all the same when the reader is gone.
            self._poll.register(1, 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._end)

    def _end(self, _number: int, _frame: object) -> None:
        self.over = True

    def wait(self) -> None:
        """Sleep for a moment, less when the end comes."""
        for descriptor, event in self._poll.poll(TURN_SECONDS * 1000):
            broken = descriptor == 1 and bool(event & (select.POLLERR | select.POLLHUP))
            if broken or (descriptor == 0 and not os.read(0, 65536)):
                self.over = True

    def write(self, data: bytes) -> None:
        """Write all of it; a reader that left ends the follower."""
        view = memoryview(data)
        while view and not self.over:
            try:
                view = view[os.write(1, view) :]
            except BrokenPipeError:
                self.over = True


def _is_stream(descriptor: int) -> bool:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)

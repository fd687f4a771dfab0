"""What an agent in an allocation is told by its parent, which alone knows why it must end, and by when."""

from __future__ import annotations

import os
import signal
import time

from her_agent import stop
from her_agent.errors import DiskFull
from her_agent.identity import look
from her_agent.layout import Layout

# Before Slurm's SIGKILL the end must be on disk: hashing stops then, and what runs is ended.
MARGIN_SECONDS = 4.0
STUCK_SECONDS = 60.0


class Told:
    """What the agent was told. The first cause stands; what comes later can only leave it less time."""

    def __init__(self, layout: Layout, pid: int) -> None:
        self._layout = layout
        self._pid = pid
        self._cause = ""
        self._reason = ""
        self._until: float | None = None
        self._hurried = 0

    def tell(self, cause: str, reason: str, grace: float | None, seconds: float | None = None) -> None:
        """Ask for the end, which Slurm forces after so many `seconds`, where it is known when."""
        if seconds is not None:
            until = time.monotonic() + seconds
            self._until = until if self._until is None else min(self._until, until)
        if self._cause:
            if grace is not None and seconds is not None:
                self._write(grace)
            return
        self._cause, self._reason = cause, reason
        if cause == "time-limit" and grace is None:
            os.kill(self._pid, signal.SIGUSR2)
        else:
            self._write(grace)
        if cause == "stopped" and grace is not None and self._until is None:
            self._until = time.monotonic() + grace + STUCK_SECONDS

    def hurry(self) -> None:
        """Shortly before the end is forced: no more grace, no more hashing; the end record counts for more."""
        if self._until is None:
            return
        left = self._until - time.monotonic()
        if (left < MARGIN_SECONDS and self._hurried == 0) or (left < MARGIN_SECONDS / 2 and self._hurried == 1):
            self._hurried += 1
            self._write(0.0)

    def _write(self, grace: float | None) -> None:
        if look(self._pid) is None or not os.path.isdir(self._layout.folder):
            return
        try:
            stop.leave(self._layout, grace, self._reason, self._cause)
        except DiskFull:
            # Without its cause, but in time to save: no end is worse than one with the wrong name.
            os.kill(self._pid, signal.SIGUSR2)

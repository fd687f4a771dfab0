"""The ladder: SIGTERM, a grace period in which the trainer may save, SIGKILL until nothing is left."""

from __future__ import annotations

import os
import signal
import time
from typing import Callable

from her_agent.identity import Process, same


class Ladder:
    """Driven by the owner's loop: `step` now and then until it says True.

    `send` signals all targets, `left` says whether any still lives. SIGTERM is sent once, since a second
    one makes some trainers give up saving; SIGKILL is repeated every second for processes born meanwhile.
    """

    def __init__(self, send: Callable[[int], None], left: Callable[[], bool], grace: float) -> None:
        self._send = send
        self._left = left
        self._begun = time.monotonic()
        self._grace = grace
        self._killed: float | None = None
        send(signal.SIGTERM)
        # A stopped process cannot act on SIGTERM.
        send(signal.SIGCONT)

    @property
    def killing_seconds(self) -> float:
        """How long SIGKILL has been due; 0 before."""
        return max(0.0, time.monotonic() - self._begun - self._grace)

    def shorten(self, grace: float) -> None:
        """Take a new grace period, counted from the first signal; it is never made longer."""
        self._grace = min(self._grace, grace)

    def step(self) -> bool:
        """Do what is due. True when nothing is left."""
        if not self._left():
            return True
        now = time.monotonic()
        if now - self._begun >= self._grace and (self._killed is None or now - self._killed >= 1.0):
            self._killed = now
            self._send(signal.SIGKILL)
        return False


def send_to(processes: list[Process], number: int) -> None:
    """Signal processes by pid, each only while it is the one that was found."""
    for process in processes:
        try:
            descriptor = os.pidfd_open(process.pid)
        except ProcessLookupError:
            continue
        except (OSError, AttributeError):
            # A kernel before 5.3: the check and the signal are two steps there.
            if same(process.pid, process.start):
                _kill(process.pid, number)
            continue
        try:
            if same(process.pid, process.start):
                signal.pidfd_send_signal(descriptor, number)
        except ProcessLookupError:
            continue
        finally:
            os.close(descriptor)


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def send_term(pid: object) -> None:
    """SIGTERM to one process whose identity the caller has just checked."""
    if isinstance(pid, int):
        _kill(pid, signal.SIGTERM)

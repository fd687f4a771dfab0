"""Signals of the daemon: what wakes its loop, what asks it to stop, what it must not die of."""

from __future__ import annotations

import os
import select
import signal

IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTSTP)


class Wake:
    """Sleep that ends early when a child ended or a signal came."""

    def __init__(self) -> None:
        self._terms = self._limits = 0
        self._out, into = os.pipe()
        for end in (self._out, into):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(into, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.signal(signal.SIGTERM, self._on_term)
        signal.signal(signal.SIGUSR2, self._on_limit)
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)

    def _on_term(self, _number: int, _frame: object) -> None:
        self._terms += 1

    def _on_limit(self, _number: int, _frame: object) -> None:
        self._limits += 1

    def limited(self) -> bool:
        """Whether SIGUSR2 came since the last call: the time that was granted to the attempt is nearly over."""
        came, self._limits = self._limits > 0, 0
        return came

    def termed(self) -> bool:
        """Whether SIGTERM came since the last call: a request to stop, as from a machine that shuts down."""
        came, self._terms = self._terms > 0, 0
        return came

    def sleep(self, seconds: float) -> None:
        """Sleep at most this long."""
        readable, _, _ = select.select([self._out], [], [], seconds)
        if readable:
            os.read(self._out, 4096)

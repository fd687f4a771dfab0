"""Is the trainer hanging? By silence, never by a guess about its speed.

Before the first metric the limit runs from the start and only a metric stops it: logs that move and
processors that burn prove nothing there. After it, silence is counted from the last metric, checkpoint or
log byte. Processor time of the attempt's processes (more than 5 % of one core) also breaks silence, for
an evaluation says nothing for long; but only up to four times the limit, since a collective that hangs
burns a core for ever. Hashing by the agent itself counts as activity. An attempt without metrics has no
first step: only silence is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from her_agent.identity import TICKS

BUSY = 0.05
MUTE_FACTOR = 4.0


@dataclass(frozen=True)
class Stall:
    """A hang: how long, against which limit, and what was silent."""

    seconds: float
    limit: float
    what: str


class StallWatch:
    """Told of activity by its owner, asked now and then. All times are monotonic seconds."""

    def __init__(
        self, first_step: float | None, silence: float | None, has_metrics: bool, clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        self._first_step = first_step if has_metrics else None
        self._silence = silence
        self._stepped = not has_metrics
        self._begun = self._heard = self._busy = clock()
        self._cpu: dict[tuple[int, int], int] = {}
        self._cpu_at = self._begun

    def begin(self) -> None:
        """The trainer starts only now."""
        self._begun = self._heard = self._busy = self._clock()

    def slept(self, seconds: float) -> None:
        """Nothing ran for so long, this agent neither: its machine, or its job, was suspended."""
        self._begun += seconds
        self._heard += seconds
        self._busy += seconds
        self._cpu_at += seconds

    def metric(self) -> None:
        """A new metric came."""
        self._stepped = True
        self._heard = self._clock()

    def sign(self) -> None:
        """A checkpoint, log bytes, or hashing of our own."""
        self._heard = self._clock()

    def processor(self, ticks: dict[tuple[int, int], int]) -> None:
        """Processor ticks used so far by each process, by (pid, start)."""
        now = self._clock()
        span = now - self._cpu_at
        if span <= 0:
            return
        used = sum(max(0, value - self._cpu.get(key, 0)) for key, value in ticks.items())
        if used / TICKS / span > BUSY:
            self._busy = now
        self._cpu, self._cpu_at = ticks, now

    def check(self) -> Stall | None:
        """The hang that is there now, or None."""
        now = self._clock()
        if not self._stepped:
            waited = now - self._begun
            if self._first_step is not None and waited >= self._first_step:
                return Stall(waited, self._first_step, "no metric since the start")
            return None
        if self._silence is None:
            return None
        mute = now - self._heard
        if mute >= self._silence and now - self._busy >= self._silence:
            return Stall(mute, self._silence, "no metric, checkpoint, log byte or processor time")
        if mute >= self._silence * MUTE_FACTOR:
            return Stall(mute, self._silence * MUTE_FACTOR, "no metric, checkpoint or log byte, though processors work")
        return None

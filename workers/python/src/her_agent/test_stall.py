"""The rules of silence, on a clock of the test's own."""

from __future__ import annotations

from her_agent.identity import TICKS
from her_agent.stall import StallWatch


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def watch(first: float | None = 10, silence: float | None = 5, metrics: bool = True) -> tuple[StallWatch, Clock]:
    clock = Clock()
    return StallWatch(first, silence, metrics, clock), clock


def test_only_a_metric_ends_the_wait_for_the_first_step() -> None:
    made, clock = watch()
    clock.now = 9.9
    made.sign()
    made.processor({(1, 1): 10 * TICKS})
    assert made.check() is None
    clock.now = 10
    found = made.check()
    assert found is not None
    assert (found.seconds, found.limit) == (10, 10)


def test_silence_is_counted_from_the_last_sign() -> None:
    made, clock = watch()
    made.metric()
    clock.now = 4
    made.sign()
    clock.now = 8.9
    assert made.check() is None
    clock.now = 9
    found = made.check()
    assert found is not None
    assert found.seconds == 5


def test_time_in_which_nothing_ran_at_all_is_no_silence() -> None:
    made, clock = watch()
    made.metric()
    clock.now = 7204
    made.slept(7200)
    assert made.check() is None
    clock.now = 7205
    found = made.check()
    assert found is not None
    assert found.seconds == 5


def test_processor_time_puts_it_off_but_not_for_ever() -> None:
    made, clock = watch()
    made.metric()
    for second in range(1, 20):
        clock.now = second
        made.processor({(1, 1): second * TICKS})
        assert made.check() is None
    clock.now = 20
    made.processor({(1, 1): 20 * TICKS})
    found = made.check()
    assert found is not None
    assert "processors work" in found.what


def test_idle_processes_do_not_count() -> None:
    made, clock = watch()
    made.metric()
    for second in range(1, 6):
        clock.now = second
        made.processor({(1, 1): second})
    assert made.check() is not None


def test_no_limits_and_no_metrics() -> None:
    made, clock = watch(None, None)
    clock.now = 1e9
    assert made.check() is None
    made, clock = watch(1, 5, metrics=False)
    clock.now = 4
    assert made.check() is None
    clock.now = 5
    assert made.check() is not None

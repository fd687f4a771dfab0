"""Metric lines of verl's file logger: {"step":N,"data":{…}}. Step 0 is the validation before training."""

from __future__ import annotations


def verl_metric(line: dict[str, object]) -> tuple[int, int | None, dict[str, object]] | None:
    """Step, None (the logger knows no last step) and values. Raises ValueError when either is missing."""
    step, data = line.get("step"), line.get("data")
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        raise ValueError("no step")
    if not isinstance(data, dict):
        raise ValueError("no data")
    return step, None, data

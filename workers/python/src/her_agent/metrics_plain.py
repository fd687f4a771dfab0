"""Metric lines of our own node-side stages: {"step":1,"maxSteps":3,"values":{…}}."""

from __future__ import annotations


def plain_metric(line: dict[str, object]) -> tuple[int, int | None, dict[str, object]] | None:
    """Step, last step and values. Raises ValueError when the line has no step or no values."""
    step, last, values = line.get("step"), line.get("maxSteps"), line.get("values")
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        raise ValueError("no step")
    if not isinstance(values, dict):
        raise ValueError("no values")
    if last is not None and not (isinstance(last, int) and not isinstance(last, bool)):
        raise ValueError("maxSteps is no whole number")
    return step, last, values

"""Metric events from the trainer's own files.

A step is told once per set of keys. Lines for the same step and keys that arrive together count as one,
the last winning; a later line with other values is told with `replaces`; a repetition of what was told is
dropped, so a file read again from its start tells nothing twice.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Callable

from her_agent.confine import inside
from her_agent.metrics_plain import plain_metric
from her_agent.metrics_swift import swift_metric
from her_agent.metrics_verl import verl_metric
from her_agent.request import MetricSource
from her_agent.tail import Tail

Add = Callable[..., None]
EXACT = 2**53
MOST_MESSAGES = 20


@dataclass(frozen=True)
class Metric:
    """One line's numbers. Raw values: `numbers` makes them fit for an event."""

    step: int
    max_steps: int | None
    raw: dict[str, object] = field(default_factory=dict)

    def values(self) -> dict[str, float | int | str]:
        """Numbers only; non-finite ones spelled out, integers beyond 2^53 as floats."""
        out: dict[str, float | int | str] = {}
        for name, value in self.raw.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            if isinstance(value, float) and not math.isfinite(value):
                out[name] = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
            elif isinstance(value, int) and abs(value) > EXACT:
                out[name] = _as_float(value)
            else:
                out[name] = value
        return out


def _as_float(value: int) -> float | str:
    try:
        return float(value)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


class MetricReader:
    """Reads one metrics file of the request."""

    def __init__(self, folder: str, source: MetricSource) -> None:
        self._folder = folder
        self._source = source
        self._tail = Tail(f"{folder}/{source.path}")
        self._told: dict[tuple[int, frozenset[str]], str] = {}
        self._messages = 0
        self.last_step: int | None = None

    def poll(self, add: Add, final: bool = False) -> bool:
        """Add events for new lines; True when there was a new metric."""
        if inside(self._folder, self._source.path) is None:
            self._message(add, f"{self._source.path} leads out of the attempt's folder and is not read")
            return False
        batch: dict[tuple[int, frozenset[str]], Metric] = {}
        for line in self._tail.read(final):
            if not line.data.strip():
                continue
            try:
                metric = self._parse(line.data)
            except ValueError as error:
                self._message(add, f"line {line.number} of {self._source.path} is not understood: {error}")
                continue
            if metric is not None:
                batch[metric.step, frozenset(metric.values())] = metric
        new = False
        for key, metric in batch.items():
            new = self._tell(add, key, metric) or new
        return new

    def _parse(self, data: bytes) -> Metric | None:
        value = json.loads(data)
        if not isinstance(value, dict):
            raise ValueError("no JSON object")
        parsed = {"swift": swift_metric, "verl": verl_metric, "plain": plain_metric}[self._source.format](value)
        if parsed is None:
            return None
        step, max_steps, raw = parsed
        return Metric(step, max_steps if max_steps is not None else self._source.max_steps, raw)

    def _tell(self, add: Add, key: tuple[int, frozenset[str]], metric: Metric) -> bool:
        values = metric.values()
        text = json.dumps(values, sort_keys=True)
        before = self._told.get(key)
        if before == text or not values:
            return False
        self._told[key] = text
        fields: dict[str, object] = {"step": metric.step}
        if metric.max_steps is not None:
            fields["maxSteps"] = metric.max_steps
        fields.update(values=values)
        fields["from"] = self._source.format
        if before is not None:
            fields["replaces"] = True
        add("metric", **fields)
        self.last_step = metric.step if self.last_step is None else max(self.last_step, metric.step)
        return True

    def _message(self, add: Add, text: str) -> None:
        self._messages += 1
        if self._messages < MOST_MESSAGES:
            add("message", text=text)
        elif self._messages == MOST_MESSAGES:
            add("message", text=f"{text} (further messages on {self._source.path} are left out)")

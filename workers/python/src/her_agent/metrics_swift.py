"""Metric lines of ms-swift's logging.jsonl.

There is no step key: the step stands in "global_step/max_steps": "9/16". The last line of a run repeats
the whole history under `log_history`; it is no step, and no proof of success either.
"""

from __future__ import annotations

import re

PROGRESS = re.compile(r"(\d+)/(\d+)\Z")


def swift_metric(line: dict[str, object]) -> tuple[int, int | None, dict[str, object]] | None:
    """Step, last step and values; None for the closing summary. Raises ValueError when the line has no
    step.
    """
    progress = line.get("global_step/max_steps")
    if isinstance(progress, str):
        match = PROGRESS.match(progress)
        if match:
            return int(match.group(1)), int(match.group(2)), line
    if "log_history" in line or "last_model_checkpoint" in line:
        return None
    raise ValueError("no step")

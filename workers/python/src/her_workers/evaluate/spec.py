"""What `evaluate.json` may say."""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class EvaluateSpec:
    """`models` maps the name used in the scores to a model folder; `samples` counts replies for each model."""

    seed: int
    models: dict[str, str]
    heldout: str
    samples: int
    batch: int
    max_new_tokens: int
    temperature: float


def read_spec(path: Path) -> EvaluateSpec:
    """Reads and checks the file. Raises ValueError naming what is wrong; there are no defaults."""
    given: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    wanted = {f.name for f in fields(EvaluateSpec)}
    unknown, missing = sorted(set(given) - wanted), sorted(wanted - set(given))
    if unknown or missing:
        raise ValueError(f"evaluate: unknown keys {unknown}, missing keys {missing}")
    for key in ("seed", "samples", "batch", "max_new_tokens"):
        if type(given[key]) is not int or given[key] < (0 if key == "seed" else 1):
            raise ValueError(f"evaluate.{key}: expected a whole number, got {given[key]!r}")
    if isinstance(given["temperature"], bool) or not given["temperature"] > 0:
        raise ValueError(f"evaluate.temperature: expected a number above 0, got {given['temperature']!r}")
    return EvaluateSpec(**given)

"""The files every stage of ours leaves in `out/`: progress, seeds, rows."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def plain(value: Any) -> Any:
    """The value as JSON can carry it: numbers that are not finite become the words that a reader turns back."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def to_line(value: Any) -> str:
    """One line of JSON, spelled the same way each time."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def write_rows(path: Path, rows: Iterable[Any]) -> None:
    """Writes JSON lines."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(to_line(row) for row in rows)


def write_json(path: Path, value: Any) -> None:
    """Writes one JSON document, indented, for people to read as well."""
    path.write_text(
        json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8", newline="\n"
    )


class Progress:
    """Appends to `metrics.jsonl`, a line a finished step, flushed so that a supervisor can follow it."""

    def __init__(self, path: Path, max_steps: int) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._step = 0
        self._max_steps = max_steps

    def step(self, values: Mapping[str, float]) -> None:
        """Records the end of one step with its numbers."""
        self._step += 1
        self._file.write(to_line({"step": self._step, "maxSteps": self._max_steps, "values": dict(values)}))
        self._file.flush()

    def close(self) -> None:
        self._file.close()

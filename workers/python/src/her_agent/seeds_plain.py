"""Seeds of our own node-side stages: out/seeds.json = {"source": value, …}."""

from __future__ import annotations

import json

PLAIN_RECORD = "out/seeds.json"


def plain_seeds(text: str) -> list[tuple[str, object]]:
    """Sources and values. Raises ValueError when the text is no JSON object of plain values."""
    record = json.loads(text)
    if not isinstance(record, dict):
        raise ValueError("no object")
    if any(isinstance(value, (dict, list, float, bool)) for value in record.values()):
        raise ValueError("a seed that is no whole number or text")
    return list(record.items())

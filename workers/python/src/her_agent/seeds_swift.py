"""Seeds of ms-swift, from the args.json that it writes when it starts."""

from __future__ import annotations

import json
import re

SWIFT_RECORD = "out/args.json"
NAMES = ("seed", "data_seed")


def swift_seeds(text: str) -> list[tuple[str, object]]:
    """Sources and values. Raises ValueError while the file is incomplete."""
    record = json.loads(text)
    if not isinstance(record, dict):
        raise ValueError("no object")
    found = [(name, record[name]) for name in NAMES if name in record]
    # The resolved arguments stand there as an object or as the text of one, by version.
    resolved = record.get("training_args")
    for name in NAMES:
        value: object = record.get(name)
        if isinstance(resolved, dict) and name in resolved:
            value = resolved[name]
        elif isinstance(resolved, str):
            match = re.search(rf"\b{name}['\"]?\s*[=:]\s*(\d+|None)\b", resolved)
            if match:
                value = None if match.group(1) == "None" else int(match.group(1))
        # The trainer obeys the resolved one: where the two part, that must be seen.
        if value != record.get(name):
            found.append((f"training_args.{name}", value))
    return found

"""Seeds of a judge's answers: derived, so that a run with the same base asks for the same ones whatever its order."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any


def digest(*parts: Any) -> str:
    """SHA-256 of the parts, as hexadecimal digits; no two lists of parts run into each other."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Seeds:
    """The seeds of one order of one row: one for each attempt."""

    base: int
    row: str
    order: str

    def of(self, attempt: int) -> int:
        """31 bits, which every server takes."""
        return int(digest("seed", self.base, self.row, self.order, attempt)[:8], 16) >> 1

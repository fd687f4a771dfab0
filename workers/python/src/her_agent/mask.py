"""Values of secrets do not reach the record: in text that goes into an event they become `***`."""

from __future__ import annotations

import json

MASK = "***"
# Shorter values would garble the record when replaced, and are no secrets.
SHORTEST = 4


class Mask:
    """Replaces the given values in text. Longest first, so that a secret inside another leaves nothing
    behind.
    """

    def __init__(self, secrets: list[str]) -> None:
        values = {value for value in secrets if len(value) >= SHORTEST}
        # A log shows the lines of a multi-line secret (a key file) one by one.
        for value in list(values):
            values.update(line for line in value.splitlines() if len(line) >= 8)
        # As JSON and Python's repr spell it, which differ where both kinds of quotes are in a value.
        plain = list(values)
        values.update(json.dumps(value, ensure_ascii=ascii)[1:-1] for value in plain for ascii in (True, False))
        values.update(repr(value)[1:-1] for value in plain)
        self._values = sorted(values, key=len, reverse=True)

    @property
    def values(self) -> list[bytes]:
        """What is replaced, as bytes of a log."""
        return [_bytes(value) for value in self._values]

    @property
    def longest(self) -> int:
        """Length of the longest value in bytes: a cut through text can hide at most this much of one."""
        return max((len(value.encode("utf-8", "replace")) for value in self._values), default=0)

    def text(self, text: str) -> str:
        """`text` without the values, and without lone surrogates, which JSON on disk cannot carry."""
        for value in self._values:
            text = text.replace(value, MASK)
        return text.encode("utf-8", "replace").decode("utf-8")

    def within(self, value: object) -> object:
        """`value` with every string in it masked, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.within(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.within(item) for item in value]
        return value


def _bytes(value: str) -> bytes:
    try:
        # As the environment of a process spells it.
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")

"""Typed reading of JSON objects that collects every fault instead of stopping at the first."""

from __future__ import annotations

import math

from her_agent import confine


class Fields:
    """One object of the request, with the place it stands at (`metrics[0]`) for the messages."""

    def __init__(self, value: object, place: str, problems: list[str]) -> None:
        self.place = place
        self.problems = problems
        self._seen: set[str] = set()
        self._value: dict[str, object] = {}
        if isinstance(value, dict):
            self._value = {str(key): item for key, item in value.items()}
        else:
            self.fault("", "must be an object")

    def fault(self, key: str, what: str) -> None:
        """Note a fault of `key`."""
        where = ".".join(part for part in (self.place, key) if part)
        self.problems.append(f"{where or 'the request'}: {what}")

    def get(self, key: str) -> object:
        """The raw value, None when absent."""
        self._seen.add(key)
        return self._value.get(key)

    def text(self, key: str) -> str:
        """A text that is not empty."""
        value = self.get(key)
        if isinstance(value, str) and value and "\0" not in value:
            return value
        self.fault(key, "must be a text that is not empty")
        return ""

    def path(self, key: str) -> str:
        """A path that stays below where it starts."""
        path = self.text(key)
        why = confine.fault(path) if path else None
        if why:
            self.fault(key, f"{path!r} {why}")
        return path

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """One of the given words."""
        value = self.get(key)
        if isinstance(value, str) and value in choices:
            return value
        self.fault(key, f"must be one of {', '.join(choices)}")
        return choices[0]

    def count(self, key: str) -> int | None:
        """A whole number of at least 1, or None when absent or null."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        self.fault(key, "must be a whole number of at least 1")
        return None

    def seconds(self, key: str, default: float | None, least: float = 0.0) -> float | None:
        """A number of seconds; `default` when absent, None when null."""
        if key not in self._value:
            self._seen.add(key)
            return default
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= least:
            return float(value)
        self.fault(key, f"must be a number of seconds of at least {least:g}, or null")
        return default

    def texts(self, key: str) -> dict[str, str]:
        """A map of texts; empty when absent."""
        value = self.get(key)
        if value is None:
            return {}
        if isinstance(value, dict) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
            return dict(value)
        self.fault(key, "must map names to texts")
        return {}

    def each(self, key: str) -> list[Fields]:
        """The objects of a list; empty when absent or null."""
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.fault(key, "must be a list")
            return []
        where = ".".join(part for part in (self.place, key) if part)
        return [Fields(item, f"{where}[{n}]", self.problems) for n, item in enumerate(value)]

    def maybe(self, key: str) -> Fields | None:
        """An object, or None when absent or null."""
        value = self.get(key)
        if value is None:
            return None
        return Fields(value, ".".join(part for part in (self.place, key) if part), self.problems)

    def no_others(self) -> None:
        """Fault every key that nobody asked for."""
        for key in sorted(set(self._value) - self._seen):
            self.fault(key, "is not a key of this protocol")

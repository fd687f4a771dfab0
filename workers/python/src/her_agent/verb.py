"""What a verb of the command line is. A module offers one as a `Verb`; the table in `cli` gives it its name."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Callable


def _nothing(_parser: argparse.ArgumentParser) -> None:
    return


@dataclass(frozen=True)
class Verb:
    """`run` gets what was given and returns the answer, or None when it has written one itself.

    With `attempt` the parser asks for --root and --attempt. Faults are AgentErrors.
    """

    about: str
    run: Callable[[argparse.Namespace], dict[str, object] | None]
    arguments: Callable[[argparse.ArgumentParser], None] = _nothing
    attempt: bool = False


def whole(text: str) -> int:
    """A whole number, as a type of argparse."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds, as a type of argparse."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value

"""What an attempt in an allocation is told: lines in the file `signal` of its folder.

Signals of Slurm reach all processes of a step where processes are tracked by their parents, the trainer's among them,
and those die of them. So the batch script takes the signal before the time limit alone, and a person's stop comes
over the shared folder: both add a line here, and the agent's parent on each node reads it twice a second.

    time-limit
    stopped <grace> <reason>
"""

from __future__ import annotations

import os
from typing import NamedTuple

from her_agent import jsonfile, slurm_files
from her_agent.errors import NO_SUCH_ATTEMPT, AgentError
from her_agent.slurm_files import Files


class Word(NamedTuple):
    """One line: the cause, and with `stopped` the grace in seconds and the reason."""

    cause: str
    grace: float | None
    reason: str


def words(path: str) -> list[Word]:
    """All whole lines that can be understood."""
    text = slurm_files.text_of(path)
    found = []
    for line in text[: text.rfind("\n") + 1].splitlines():
        cause, _, rest = line.partition(" ")
        grace, _, reason = rest.partition(" ")
        if cause == "stopped":
            found.append(Word(cause, _seconds(grace), reason))
        elif cause == "time-limit":
            found.append(Word(cause, None, "the time limit is near"))
    return found


def asked(path: str) -> dict[str, Word]:
    """The first word of each cause."""
    found: dict[str, Word] = {}
    for word in words(path):
        found.setdefault(word.cause, word)
    return found


def stop(root: str, attempt: str, grace: float | None, reason: str) -> dict[str, object]:
    """Ask all nodes of the attempt to stop. Once is enough; a repetition can only shorten the grace."""
    place = Files(root).attempt(attempt)
    if jsonfile.read(os.path.join(place, "record.json")) is None:
        raise AgentError("no-such-attempt", f"attempt {attempt} was not submitted", "start it", NO_SUCH_ATTEMPT)
    path = os.path.join(place, "signal")
    word = Word("stopped", grace, " ".join(reason.split()))
    if word not in words(path):
        slurm_files.append(path, f"stopped {'-' if grace is None else f'{grace:g}'} {word.reason}")
    return {"asked": True}


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None

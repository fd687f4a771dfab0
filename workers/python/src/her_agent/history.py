"""Reading events that are on disk."""

from __future__ import annotations

import json
import os
from typing import BinaryIO

from her_agent.events import whole_size

BLOCK = 65536


def last_step(path: str) -> int | None:
    """The highest step of any metric event, or None."""
    highest: int | None = None
    try:
        with open(path, "rb") as file:
            for line in file:
                if b'"metric"' not in line or not line.endswith(b"\n"):
                    continue
                event = json.loads(line)
                step = event.get("step")
                if event.get("type") == "metric" and isinstance(step, int):
                    highest = step if highest is None else max(highest, step)
    except FileNotFoundError:
        return None
    return highest


def offset_of(path: str, seq: int) -> int:
    """Byte at which the event `seq` begins; the end of the whole lines when it is not there yet.

    Lines are numbered without a gap and in order, so a binary search over bytes finds it in a few reads.
    """
    end = whole_size(path)
    if seq <= 1 or end == 0:
        return 0
    with open(path, "rb") as file:
        low, high = 0, end
        while low < high:
            middle = (low + high) // 2
            begin = _line_start(file, middle, low)
            file.seek(begin)
            line = file.readline()
            if _seq(line) < seq:
                low = begin + len(line)
            else:
                high = begin
        return low


def _line_start(file: BinaryIO, at: int, floor: int) -> int:
    """Start of the line that holds byte `at`, not before `floor`, which is a line's start."""
    while at > floor:
        begin = max(floor, at - BLOCK)
        file.seek(begin)
        found = file.read(at - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        at = begin
    return floor


def _seq(line: bytes) -> int:
    event = json.loads(line)
    seq = event.get("seq") if isinstance(event, dict) else None
    if not isinstance(seq, int):
        raise ValueError("an event without seq")
    return seq


def is_ended(line: bytes) -> bool:
    """Whether this line is the `ended` event."""
    return b'"type":"ended"' in line and json.loads(line).get("type") == "ended"


def size_of(path: str) -> int:
    """Size of a file in bytes; 0 when there is none."""
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0

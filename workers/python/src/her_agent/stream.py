"""`events`: the lines of events.jsonl from a number on, as they are on disk; a torn last line is never
shown.

With `follow` it goes on until the `ended` event was written out. A lost attempt has none until it is
reaped, so the follower of one waits; `idle` ends it after that many seconds without a new event.
"""

from __future__ import annotations

import time

from her_agent.events import whole_size
from her_agent.follow import Follower
from her_agent.history import is_ended, offset_of
from her_agent.layout import Layout

CHUNK = 1024 * 1024


def events(layout: Layout, first: int, follow: bool, idle: float | None) -> None:
    """Write events with seq >= `first` to standard output."""
    layout.require()
    path = layout.at("events.jsonl")
    reader = Follower()
    offset = offset_of(path, first)
    heard = time.monotonic()
    while not reader.over:
        end = _copy(path, offset, reader)
        if end > offset:
            offset, heard = end, time.monotonic()
            continue
        if not follow or is_ended(_last_line(path)):
            return
        if idle is not None and time.monotonic() - heard >= idle:
            return
        reader.wait()


def _copy(path: str, offset: int, reader: Follower) -> int:
    """Copy whole lines from `offset`; the offset behind them."""
    end = whole_size(path)
    if end <= offset:
        return offset
    with open(path, "rb") as file:
        file.seek(offset)
        while offset < end and not reader.over:
            data = file.read(min(CHUNK, end - offset))
            reader.write(data)
            offset += len(data)
    return offset


def _last_line(path: str) -> bytes:
    end = whole_size(path)
    if end == 0:
        return b""
    with open(path, "rb") as file:
        begin, data = end, b""
        while begin > 0 and b"\n" not in data[:-1]:
            begin = max(0, begin - 65536)
            file.seek(begin)
            data = file.read(end - begin)
    return data[:-1].rpartition(b"\n")[2]

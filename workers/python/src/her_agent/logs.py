"""`log`: a rank's bytes from an offset on, as they were written.

With `follow` it ends when nothing more can come: the attempt has ended (or is lost with no process left)
and all bytes are out.
"""

from __future__ import annotations

import time

from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.follow import Follower
from her_agent.history import size_of
from her_agent.layout import Layout
from her_agent.view import view

CHUNK = 1024 * 1024
LOOK_SECONDS = 1.0


def log(layout: Layout, rank: int | str, offset: int, follow: bool) -> None:
    """Write the log of a rank, or of a service by its name, from byte `offset` to standard output."""
    layout.require()
    path = layout.log(rank) if isinstance(rank, int) else layout.service_log(rank)
    if size_of(path) < offset:
        raise AgentError("bad-offset", f"the log has {size_of(path)} bytes, not {offset}", "", BAD_REQUEST)
    reader = Follower()
    looked = 0.0
    done = not follow
    while not reader.over:
        end = _copy(path, offset, reader)
        if end > offset:
            offset = end
            continue
        if done:
            return
        reader.wait()
        if time.monotonic() - looked >= LOOK_SECONDS:
            looked = time.monotonic()
            found = view(layout)
            # One more round of copying follows, for bytes written just before the end.
            done = found.health in ("ended", "absent") or (found.health == "lost" and not found.orphans)


def _copy(path: str, offset: int, reader: Follower) -> int:
    if size_of(path) <= offset:
        return offset
    with open(path, "rb") as file:
        file.seek(offset)
        while not reader.over:
            data = file.read(CHUNK)
            if not data:
                break
            reader.write(data)
            offset += len(data)
    return offset

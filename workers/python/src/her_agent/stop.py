"""A stop request: a file that the daemon looks for. A SIGTERM to the daemon itself is an order too, of which nobody
said why.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from her_agent import jsonfile, reserve
from her_agent.clock import now
from her_agent.errors import AgentError, DiskFull
from her_agent.identity import boot_id, same
from her_agent.layout import Layout
from her_agent.termination import send_term
from her_agent.view import view

# Orders from outside the attempt. All but the first are a scheduler's.
CAUSES = ("stopped", "time-limit", "preempted", "cancelled", "node-fail", "deadline", "out-of-memory", "told-to-end")


class Stop(NamedTuple):
    """Grace in seconds (None: the attempt's own), why, for people, and the reason of the end."""

    grace: float | None
    reason: str
    cause: str = "stopped"


class StopWatch:
    """Reads stop.json whenever it was replaced."""

    def __init__(self, layout: Layout) -> None:
        self._path = layout.at("stop.json")
        self._mark: tuple[int, int] | None = None

    def news(self) -> Stop | None:
        """A stop request not seen before."""
        try:
            info = os.stat(self._path)
        except FileNotFoundError:
            return None
        mark = (info.st_ino, info.st_mtime_ns)
        if mark == self._mark:
            return None
        self._mark = mark
        try:
            record = jsonfile.read(self._path) or {}
        except ValueError:
            # Someone wrote it by hand: what is meant is clear all the same.
            record = {}
        grace, reason, cause = record.get("grace"), record.get("reason"), record.get("cause")
        seconds = float(grace) if isinstance(grace, (int, float)) and grace >= 0 else None
        known = isinstance(cause, str) and cause in CAUSES
        return Stop(seconds, reason if isinstance(reason, str) else "", str(cause) if known else CAUSES[0])


def leave(layout: Layout, grace: float | None, reason: str, cause: str = CAUSES[0]) -> None:
    """Put the request where the daemon looks; on a full disk into the room kept for the end. Raises DiskFull."""
    request = {"time": now(), "grace": grace, "reason": reason, "cause": cause}
    try:
        jsonfile.write(layout.at("stop.json"), request)
    except DiskFull:
        reserve.free(layout.at("reserve"))
        jsonfile.write(layout.at("stop.json"), request)


def stop(layout: Layout, grace: float | None, reason: str) -> dict[str, object]:
    """Ask the attempt to stop and return at once. `asked` is false where nothing runs that could obey."""
    layout.require()
    if view(layout).health != "running":
        return {"asked": False, "health": view(layout).health}
    try:
        leave(layout, grace, reason)
    except DiskFull as error:
        record = jsonfile.read(layout.at("agent.json")) or {}
        if record.get("bootId") != boot_id() or not same(record.get("pid"), record.get("start")):
            raise AgentError("disk-full", "stop.json cannot be written", "make room") from error
        send_term(record.get("pid"))
    return {"asked": True}

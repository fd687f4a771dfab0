"""The last words of an attempt: its last events and then the exit record, however full the disk is."""

from __future__ import annotations

import time

from her_agent import jsonfile, reserve
from her_agent.errors import DiskFull
from her_agent.events import EventLog
from her_agent.layout import Layout

TRIES = 60


def write(layout: Layout, events: EventLog, record: dict[str, object]) -> None:
    """Write both, again and again while there is no room. Raises DiskFull where none is made in time."""
    for _ in range(TRIES):
        try:
            events.flush()
            jsonfile.write(layout.at("exit.json"), record)
        except DiskFull:
            reserve.free(layout.at("reserve"))
            time.sleep(1.0)
            continue
        reserve.free(layout.at("reserve"))
        return
    raise DiskFull(layout.at("exit.json"))

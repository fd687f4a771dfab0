"""What the other nodes' folders prove while the link to them is down: the record of an end, theirs or of a reap.

The root of a gang is on shared storage. A connection that is gone proves nothing; an exit record does.
"""

from __future__ import annotations

import time

from her_agent import jsonfile
from her_agent.gang import Gang
from her_agent.layout import Layout

LOOK_SECONDS = 1.0


class ExitRecords:
    """`look` at most once a second for each node."""

    def __init__(self, layout: Layout, gang: Gang) -> None:
        self._layout = layout
        self._gang = gang
        self._found: dict[int, dict[str, object]] = {}
        self._looked: dict[int, float] = {}

    def look(self, node: int) -> dict[str, object] | None:
        """The exit record of a node, or None: not there, or cannot be read now."""
        now = time.monotonic()
        if node not in self._found and now - self._looked.get(node, -LOOK_SECONDS) >= LOOK_SECONDS:
            self._looked[node] = now
            path = Layout(self._layout.root, self._gang.member(node)).at("exit.json")
            try:
                record = jsonfile.read(path)
            except (OSError, ValueError):
                record = None
            if record is not None:
                self._found[node] = record
        return self._found.get(node)


def is_good(record: dict[str, object]) -> bool:
    """Whether it is the end of a job that succeeded."""
    return record.get("reason") == "exited" and record.get("code") == 0

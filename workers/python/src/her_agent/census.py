"""Looks at the attempt's processes now and then: for heartbeats, the hang watch, and a later reap."""

from __future__ import annotations

import time

from her_agent import jsonfile
from her_agent.heartbeat import Heartbeat
from her_agent.layout import Layout
from her_agent.members import Members
from her_agent.metrics import Add
from her_agent.request import Limits
from her_agent.stall import StallWatch

LEAST_SECONDS = 0.2


class Census:
    """`take` in every turn; it does something only when it is time."""

    def __init__(self, layout: Layout, limits: Limits, members: Members, stall: StallWatch) -> None:
        self._path = layout.at("members.json")
        self._members = members
        self._stall = stall
        self._heartbeat = limits.heartbeat
        # Often enough that processor time is seen within a silence.
        paces = [limits.heartbeat, *(x / 4 for x in (limits.silence, limits.first_step) if x is not None)]
        self._pace = max(LEAST_SECONDS, min(paces))
        self._taken = self._beat = time.monotonic()
        self._recorded: list[list[int]] = []
        self._figures = Heartbeat(members.helpers)

    def take(self, add: Add, full: bool) -> None:
        """Look if it is time. Writes nothing and adds no heartbeat on a `full` disk. Raises DiskFull."""
        now = time.monotonic()
        self._figures.poll()
        if now - self._taken < self._pace:
            return
        self._taken = now
        members = self._members.find()
        self._stall.processor({(process.pid, process.start): process.cpu for process in members})
        if full:
            return
        if now - self._beat >= self._heartbeat:
            self._beat = now
            add("heartbeat", **self._figures.take(members))
        recorded = [[process.pid, process.start] for process in members]
        if recorded != self._recorded:
            self._recorded = recorded
            jsonfile.write(self._path, {"members": recorded}, sync=False)

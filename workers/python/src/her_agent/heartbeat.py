"""Figures of the node and the attempt for the heartbeat. Bytes; `load1` is the load of the last minute."""

from __future__ import annotations

import os

from her_agent.identity import Process


def figures(members: list[Process]) -> dict[str, object]:
    """`rssBytes` sums the resident sizes, shared pages counted once for each process."""
    return {
        "load1": round(os.getloadavg()[0], 2),
        "memAvailable": _available(),
        "rssBytes": sum(process.rss for process in members),
    }


def _available() -> int | None:
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None

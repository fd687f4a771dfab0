"""Figures of the node and the attempt for the heartbeat. Bytes; `load1` is the load of the last minute."""

from __future__ import annotations

import os

from her_agent.gpu_load import GpuLoad
from her_agent.identity import Process
from her_agent.memory import node_memory


class Heartbeat:
    """`helpers`: where pids of our own go that are no part of the attempt."""

    def __init__(self, helpers: set[int]) -> None:
        self._gpus = GpuLoad(helpers)
        self._ticks = _ticks()

    def poll(self) -> None:
        """Take in what became ready meanwhile. Never waits."""
        self._gpus.poll()

    def take(self, members: list[Process]) -> dict[str, object]:
        """`rssBytes` sums the resident sizes, shared pages counted once for each process; `cpuBusy` is the part of all
        processors that worked since the last time.
        """
        before, self._ticks = self._ticks, _ticks()
        memory = node_memory()
        self._gpus.ask()
        gpus = self._gpus.figures
        return {
            "load1": round(os.getloadavg()[0], 2),
            "cpus": os.cpu_count(),
            "cpuBusy": _busy(before, self._ticks),
            "memTotal": memory.get("MemTotal"),
            "memAvailable": memory.get("MemAvailable"),
            "rssBytes": sum(process.rss for process in members),
            **({"gpus": gpus} if gpus else {}),
        }


def _ticks() -> tuple[int, int]:
    """All and idle ticks of all processors since the boot."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            words = [int(word) for word in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return (0, 0)
    return (sum(words), sum(words[3:5]))


def _busy(before: tuple[int, int], after: tuple[int, int]) -> float | None:
    whole = after[0] - before[0]
    return None if whole <= 0 else round(min(1.0, max(0.0, 1 - (after[1] - before[1]) / whole)), 3)

"""The node's memory."""

from __future__ import annotations


def node_memory() -> dict[str, int]:
    """`MemTotal` and `MemAvailable` of the whole machine, in bytes."""
    found = {}
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            name, _, rest = line.partition(":")
            if name in ("MemTotal", "MemAvailable"):
                found[name] = int(rest.split()[0]) * 1024
    return found

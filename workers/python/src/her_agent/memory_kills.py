"""How often the kernel ended something of ours for want of memory, by the counters of our control groups."""

from __future__ import annotations

import os

MOUNT = "/sys/fs/cgroup"


def count(mount: str = MOUNT, groups: str = "/proc/self/cgroup") -> int:
    """The highest count of our group and those above it, which hold the limits of a step and a job; 0 if unknown."""
    found = 0
    for line in _read(groups).splitlines():
        _number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            base, name = mount, "memory.events"
        elif "memory" in controllers.split(","):
            base, name = os.path.join(mount, "memory"), "memory.oom_control"
        else:
            continue
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts), 0, -1):
            found = max(found, _kills(_read(os.path.join(base, *parts[:depth], name))))
    return found


def _kills(text: str) -> int:
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == "oom_kill" and value.strip().isdigit():
            return int(value)
    return 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

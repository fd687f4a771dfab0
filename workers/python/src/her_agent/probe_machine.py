"""What this machine is: who runs here, its cores, memory, limits and clock."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import sys

from her_agent.identity import boot_id, machine, user_name
from her_agent.memory import node_memory

TIME_ERROR = 5
"""What adjtimex answers while nothing keeps the clock right."""


def machine_facts() -> dict[str, object]:
    """Facts that need no other program and no file of a network."""
    host, number = machine()
    uid = os.getuid()
    memory = _memory()
    shm = _shm()
    return {
        "host": host,
        "machineId": number,
        "bootId": boot_id(),
        "kernel": f"{platform.system()} {platform.release()}",
        "os": _os_name(),
        "architecture": platform.machine(),
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "user": user_name(uid),
        "uid": uid,
        "home": os.path.expanduser("~"),
        "cores": _cores(),
        "memoryBytes": memory.get("MemTotal"),
        "freeMemoryBytes": memory.get("MemAvailable"),
        "load": list(os.getloadavg()),
        "shmBytes": shm[0],
        "freeShmBytes": shm[1],
        "openFiles": _limit(resource.RLIMIT_NOFILE),
        "lockedMemory": _limit(resource.RLIMIT_MEMLOCK),
        "clockSynchronized": _synchronized(),
    }


def _os_name() -> str:
    try:
        with open("/etc/os-release", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("PRETTY_NAME="):
                    return line.partition("=")[2].strip().strip("\"'")
    except OSError:
        pass
    return platform.system()


def _cores() -> int:
    """Those that this process may use: fewer than there are in a container or under a scheduler."""
    own = len(os.sched_getaffinity(0))
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, _, period = file.read().strip().partition(" ")
        return own if quota == "max" else max(1, min(own, int(quota) // int(period or "100000")))
    except (OSError, ValueError):
        return own


def _memory() -> dict[str, int]:
    found = node_memory()
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            limit = file.read().strip()
        if limit != "max":
            found = {name: min(value, int(limit)) for name, value in found.items()}
    except (OSError, ValueError):
        pass
    return found


def _shm() -> tuple[int | None, int | None]:
    try:
        stat = os.statvfs("/dev/shm")
    except OSError:
        return None, None
    return stat.f_blocks * stat.f_frsize, stat.f_bavail * stat.f_frsize


def _limit(which: int) -> int | None:
    """The hard limit, which a process may raise its own to; None where there is none."""
    hard = resource.getrlimit(which)[1]
    return None if hard == resource.RLIM_INFINITY else hard


def _synchronized() -> bool | None:
    """Whether the kernel's clock is kept by NTP or the like; None where it does not say."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        # A struct timex of zeros only asks; it is about 208 bytes long.
        state = libc.adjtimex(ctypes.create_string_buffer(512))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else state != TIME_ERROR

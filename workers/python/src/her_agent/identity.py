"""Who a process is: a pid alone is reused, a pid with its start time under one boot id is not."""

from __future__ import annotations

import hashlib
import os
import pwd
import socket
from typing import NamedTuple

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """One line of /proc/PID/stat. `start` is field 22 (ticks since boot), `cpu` user + system ticks, `rss`
    bytes.
    """

    pid: int
    state: str
    parent: int
    group: int
    session: int
    cpu: int
    start: int
    rss: int

    @property
    def alive(self) -> bool:
        return self.state not in "ZXx"


def boot_id() -> str:
    """The id that changes with every boot of this kernel."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


def machine() -> list[str]:
    """What tells this machine from another that sees the same disk: host name and machine id (may be '')."""
    try:
        with open("/etc/machine-id", encoding="ascii") as file:
            number = file.read().strip()
    except FileNotFoundError:
        number = ""
    return [socket.gethostname(), number]


def user_name(uid: int) -> str:
    """The name of a user, or the number where there is none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def look(pid: int) -> Process | None:
    """The process with this pid, zombies included, or None when there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            data = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command may hold spaces and parentheses; the last one closes it.
    rest = data[data.rindex(b")") + 2 :].split()
    return Process(
        pid,
        rest[0].decode("ascii"),
        int(rest[1]),
        int(rest[2]),
        int(rest[3]),
        int(rest[11]) + int(rest[12]),
        int(rest[19]),
        int(rest[21]) * PAGE,
    )


def same(pid: object, start: object) -> bool:
    """Whether the process recorded as (pid, start) still runs. A zombie does not."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    found = look(pid)
    return found is not None and found.alive and found.start == start


def everyone() -> dict[int, Process]:
    """All processes that can be seen, by pid."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            process = look(int(name))
            if process is not None:
                found[process.pid] = process
    return found


def agent_digest() -> str | None:
    """SHA-256 of the zipapp this code runs from; None when it runs from a source tree."""
    path = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()

"""A short-lived folder for what a trainer puts beside its run: sockets, sessions, caches of its engines.

Ray's sockets need a short path (a socket address holds about 107 bytes) and two runs must not share one, so
the folder has a name made from the attempt's and stands in TMPDIR for all ranks. It is removed when the
attempt is over, by the agent or by a reap: its name can be told without any record.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat

from her_agent.layout import Layout

VARIABLES = ("TMPDIR", "RAY_TMPDIR")
BASE = "/tmp"


def path(layout: Layout) -> str:
    """Where the folder is, whether or not it exists."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(layout.folder))).hexdigest()[:10]
    return os.path.join(BASE, f"her-{os.getuid()}-{name}")


def make(layout: Layout) -> dict[str, str]:
    """Make the folder, empty, and return the environment entries that lead to it. Raises OSError."""
    remove(layout)
    folder = path(layout)
    # Fails on anything that stands there after the removal: /tmp is open to all.
    os.mkdir(folder, 0o700)
    return dict.fromkeys(VARIABLES, folder)


def remove(layout: Layout) -> list[str]:
    """Remove the folder if it is ours; what could not be removed is told, not raised."""
    folder = path(layout)
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return []
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return [f"{folder}: not a folder of this user"]
    left: list[str] = []
    shutil.rmtree(folder, onerror=lambda _function, name, info: left.append(f"{name}: {info[1]}"))
    return left

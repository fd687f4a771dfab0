"""The lock of an attempt. The starter takes it and its daemon inherits it: there is no moment in between.

flock belongs to the open file, which a fork shares; it is released when the last holder is gone, however
it died. Ranks never hold it, because Python's descriptors close on exec.
"""

from __future__ import annotations

import fcntl
import os


def take(path: str) -> int | None:
    """The descriptor of the lock file, locked, or None when another process holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def held(path: str) -> bool:
    """Whether a live process holds the lock. A probe takes it shared and for an instant, so starters must
    retry.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False

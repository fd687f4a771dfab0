"""Room kept on the disk of the attempt, so that a full disk leaves space for the end to be written."""

from __future__ import annotations

import os

from her_agent.errors import DiskFull, is_disk_full

SIZE = 256 * 1024


def keep(path: str) -> None:
    """Allocate the reserve. Raises DiskFull when not even this much is left."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, SIZE)
    except OSError as error:
        os.unlink(path)
        if is_disk_full(error):
            raise DiskFull(path) from error
        raise
    finally:
        os.close(descriptor)


def free(path: str) -> None:
    """Give the reserve back. Does nothing when it is gone already."""
    try:
        os.truncate(path, 0)
        os.unlink(path)
    except FileNotFoundError:
        return


def room(folder: str) -> int:
    """Bytes that this user may still write to the disk of `folder`."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize

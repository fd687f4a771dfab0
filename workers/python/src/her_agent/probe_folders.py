"""Room and rights of a folder that may not be there yet: then of the nearest one above it."""

from __future__ import annotations

import contextlib
import os
import secrets


def folder_facts(path: str, write: bool) -> dict[str, object]:
    """Free bytes and inodes where `path` is or would be made, and whether a file can be written there."""
    whole = os.path.expanduser(path)
    if not os.path.isabs(whole):
        return {"path": whole, "problem": "is no absolute path"}
    nearest = nearest_there(whole)
    stat = os.statvfs(nearest)
    mount, kind = mount_of(nearest)
    return {
        "path": whole,
        "exists": os.path.exists(whole),
        "folder": os.path.isdir(whole),
        "nearest": nearest,
        "freeBytes": stat.f_bavail * stat.f_frsize,
        # Some file systems make inodes as they need them and count none.
        "freeInodes": stat.f_favail if stat.f_files else None,
        "mount": mount,
        "fileSystem": kind,
        "problem": _write_problem(nearest) if write else None,
    }


def path_facts(path: str) -> dict[str, object]:
    """Whether something can be read at a path."""
    whole = os.path.expanduser(path)
    stat = os.stat(whole)
    folder = os.path.isdir(whole)
    readable = os.access(whole, os.R_OK | (os.X_OK if folder else 0))
    return {"path": whole, "folder": folder, "bytes": None if folder else stat.st_size, "readable": readable}


def nearest_there(path: str) -> str:
    """The folder itself, or the nearest above it that exists."""
    found = os.path.normpath(path)
    while not os.path.isdir(found):
        above = os.path.dirname(found)
        if above == found:
            break
        found = above
    return found


def mount_of(path: str) -> tuple[str, str]:
    """Mount point and type of the file system that holds `path`."""
    real = os.path.realpath(path)
    best = ("/", "unknown")
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            before, _, after = line.partition(" - ")
            point = before.split()[4].replace("\\040", " ")
            inside = real == point or real.startswith(point.rstrip("/") + "/")
            # A later mount at the same point hides the former.
            if inside and len(point) >= len(best[0]):
                best = (point, after.split()[0])
    return best


def _write_problem(folder: str) -> str | None:
    """Writes a page and takes it away again; why that did not work, or None."""
    path = os.path.join(folder, f".her-probe-{secrets.token_hex(6)}")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        return error.strerror
    try:
        os.write(descriptor, b"\0" * 4096)
        os.fsync(descriptor)
    except OSError as error:
        return error.strerror
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)
        with contextlib.suppress(OSError):
            os.unlink(path)
    return None

"""Hashes of a file or a folder: every file's SHA-256, and one digest over their list.

`digest` is the SHA-256 over lines `<sha256>  <relative path>\\n`, sorted by the bytes of the path. A
single file is listed under its own name. Links to files count as what they point to; links to folders and
special files are refused, since leaving them out silently would make the digest lie.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import Callable, NamedTuple

CHUNK = 4 * 1024 * 1024


class Unhashable(Exception):
    """The tree holds something that has no agreed hash."""


class Changed(Exception):
    """A file changed while it was hashed."""


class Cancelled(Exception):
    """The caller no longer wants the hash."""


class Found(NamedTuple):
    """One file as it lay there: `mark` changes when the file does."""

    path: str
    size: int
    mark: tuple[int, int, int]


class Tree(NamedTuple):
    """A hashed file or folder, as `hash`, `checkpoint` and `output` show it."""

    files: list[dict[str, object]]
    digest: str


def listing(path: str) -> list[Found]:
    """All files under `path` (or the file itself), sorted by path bytes. Raises OSError, Unhashable."""
    if os.path.isfile(path):
        return [_found(path, os.path.basename(path))]
    found: list[Found] = []

    def fail(error: OSError) -> None:
        raise error

    for folder, folders, names in os.walk(path, onerror=fail):
        for name in folders:
            if os.path.islink(os.path.join(folder, name)):
                raise Unhashable(f"{os.path.join(folder, name)} is a link to a folder")
        for name in names:
            whole = os.path.join(folder, name)
            found.append(_found(whole, os.path.relpath(whole, path)))
    return sorted(found, key=lambda item: os.fsencode(item.path))


def _found(whole: str, relative: str) -> Found:
    info = os.stat(whole)
    if not stat.S_ISREG(info.st_mode):
        raise Unhashable(f"{whole} is no regular file")
    try:
        relative.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Unhashable(f"{whole!r} has a name that is no UTF-8") from error
    if "\n" in relative:
        raise Unhashable(f"{whole!r} has a newline in its name")
    return Found(relative, info.st_size, (info.st_size, info.st_mtime_ns, info.st_ino))


def tree(path: str, progress: Callable[[int], None] | None = None) -> Tree:
    """Hash everything under `path`. Raises OSError, Unhashable, or Changed when it did not hold still.

    `progress` is called with the bytes of each piece read; it may raise Cancelled.
    """
    before = listing(path)
    files: list[dict[str, object]] = []
    digest = hashlib.sha256()
    single = os.path.isfile(path)
    for item in before:
        value = file_hash(path if single else os.path.join(path, item.path), progress)
        files.append({"path": item.path, "size": item.size, "sha256": value})
        digest.update(f"{value}  {item.path}\n".encode())
    if listing(path) != before:
        raise Changed(path)
    return Tree(files, digest.hexdigest())


def file_hash(path: str, progress: Callable[[int], None] | None = None) -> str:
    """SHA-256 of a file's content in hex."""
    digest = hashlib.sha256()
    buffer = bytearray(CHUNK)
    view = memoryview(buffer)
    with open(path, "rb", buffering=0) as file:
        while True:
            count = file.readinto(buffer)
            if not count:
                return digest.hexdigest()
            digest.update(view[:count])
            if progress is not None:
                progress(count)

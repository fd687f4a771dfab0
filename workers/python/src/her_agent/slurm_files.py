"""What lies under `<root>/slurm`, which the login node and every node of an allocation see.

    lock                     held while something is submitted
    batches/<name>/          script.sh, job.json (the id that Slurm gave), <task>.out (what Slurm's own words went to)
    attempts/<attempt>/      record.json (which batch), n<k>.json (the request of node k), signal, gang, claim.json

`signal` and `gang` are made empty at the submission and written in place later: a shared file system may remember
for half a minute that a name was not there, but asks anew for the content of a file that is opened.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from her_agent.errors import BAD_REQUEST, AgentError, DiskFull, is_disk_full
from her_agent.layout import Layout

BATCH_NAME = re.compile(r"her-[a-z0-9][a-z0-9-]{0,80}\Z")


@dataclass(frozen=True)
class Files:
    """Paths below one root."""

    root: str

    @property
    def folder(self) -> str:
        return os.path.join(os.path.abspath(self.root), "slurm")

    @property
    def lock(self) -> str:
        return os.path.join(self.folder, "lock")

    def batch(self, name: str, *parts: str) -> str:
        """Path in the folder of a batch, whose name is checked."""
        if not BATCH_NAME.match(name):
            raise AgentError("bad-request", f"{name!r} is no name of a batch", "", BAD_REQUEST)
        return os.path.join(self.folder, "batches", name, *parts)

    def attempt(self, attempt: str, *parts: str) -> str:
        """Path in Slurm's folder of an attempt, whose id is checked."""
        return os.path.join(self.folder, "attempts", Layout(self.root, attempt).attempt, *parts)


def member(attempt: str, index: int) -> str:
    """The id that node `index` of an attempt knows it by."""
    return attempt if index == 0 else f"{attempt}-n{index}"


@contextlib.contextmanager
def room(path: str) -> Iterator[None]:
    """Raises DiskFull for what the operating system refuses for want of room."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise DiskFull(path) from error
        raise


def make(path: str, text: str) -> None:
    """A file of ours with this content, on disk when this returns. Raises DiskFull."""
    with room(path):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)


def folder(path: str) -> None:
    """A folder that only its owner may look into. Raises DiskFull."""
    with room(path):
        os.makedirs(path, mode=0o700, exist_ok=True)


def append(path: str, line: str) -> None:
    """Add one line, in one write. Raises DiskFull."""
    with room(path):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8") + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def text_of(path: str) -> str:
    """Content of a small file, '' where there is none. What is no UTF-8 is replaced."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""

"""Verb `place-fetch`: files of a store to `<root>/inputs/<name>`, by presigned URLs that come on standard input.

The folder has its name only once every file has its size; what came before an interruption is kept and gone on from.
URLs are secrets: none is shown, and of a refusal only its status and code are told.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from her_agent import confine, jsonfile
from her_agent.errors import BAD_REQUEST, AgentError, DiskFull, is_disk_full
from her_agent.lock import take
from her_agent.presigned import Link, Refusal

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,80}\Z")
AT_ONCE = 4
# The mode of a file that is whole.
DONE = 0o444


class Coming(NamedTuple):
    """One file and the request that gets it."""

    path: str
    size: int
    url: str
    headers: dict[str, str]


def fetch(root: str, name: str) -> dict[str, object]:
    """Bring them all; where they are then."""
    if not NAME.match(name):
        raise AgentError("bad-request", f"{name!r} is no name", "", BAD_REQUEST)
    place = os.path.join(root, "inputs")
    final, part = os.path.join(place, name), os.path.join(place, f".part-{name}")
    files = _request(sys.stdin.read())
    os.makedirs(place, mode=0o700, exist_ok=True)
    if os.path.realpath(place) != os.path.join(os.path.realpath(root), "inputs"):
        raise AgentError("not-confined", f"{place} leads out of {root}", "put a plain folder there")
    lock = take(f"{part}.lock")
    if lock is None:
        raise AgentError("busy", f"{name} is being brought here already", "wait for it")
    try:
        if os.path.isdir(final):
            return {"path": final}
        os.makedirs(part, mode=0o700, exist_ok=True)
        _refuse_full_disk(part, sum(item.size - _size(os.path.join(part, item.path)) for item in files))
        with ThreadPoolExecutor(AT_ONCE) as workers:
            list(workers.map(lambda item: _bring(part, item), files))
        os.rename(part, final)
        jsonfile.sync_folder(place)
    finally:
        os.close(lock)
    return {"path": final}


def _bring(part: str, item: Coming) -> None:
    path = confine.inside(part, item.path)
    if path is None:
        raise AgentError("not-confined", f"{item.path!r} leads out of {part}", "", BAD_REQUEST)
    link = Link()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if _is_done(path, item.size):
            return
        with open(path, "ab", buffering=0) as file:
            if file.tell() > item.size:
                file.truncate(0)
            if file.tell() < item.size:
                link.get(item.url, item.headers, file.tell(), lambda data: _all(file.fileno(), data))
            if file.tell() != item.size:
                file.truncate(0)
                raise Refusal(None, "WrongSize")
            os.fsync(file.fileno())
        os.chmod(path, DONE)
    except Refusal as refusal:
        said = " ".join(str(word) for word in (refusal.status, refusal.code) if word)
        raise AgentError(f"store-{refusal.status or 0}", f"{item.path}: {said}", "") from None
    except OSError as error:
        if is_disk_full(error):
            raise DiskFull(path) from error
        raise
    finally:
        link.close()


def _is_done(path: str, size: int) -> bool:
    """Whether an earlier fetch has brought all of it: only then nobody may write to it, not its owner either."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and stat.S_IMODE(found.st_mode) == DONE and found.st_size == size


def _all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _request(text: str) -> list[Coming]:
    try:
        rows = json.loads(text)["files"]
        files = [
            Coming(
                str(row["path"]), int(row["size"]), str(row["url"]), {str(k): str(v) for k, v in row["headers"].items()}
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        # Never shown: it holds URLs.
        raise AgentError("bad-request", "the list of files is no such list", "", BAD_REQUEST) from None
    for item in files:
        why = confine.fault(item.path)
        if why:
            raise AgentError("not-confined", f"{item.path!r} {why}", "", BAD_REQUEST)
    clash = confine.clashes([item.path for item in files])
    if clash or not files:
        raise AgentError("bad-request", clash[0] if clash else "it is empty", "", BAD_REQUEST)
    return files


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _refuse_full_disk(folder: str, count: int) -> None:
    info = os.statvfs(folder)
    free = info.f_bavail * info.f_frsize
    if free < count:
        message = f"{free / 1e9:.1f} GB free in {folder}; {count / 1e9:.1f} GB are to be brought there"
        raise AgentError("disk-full", message, "make room on the node, or name another `root`")

"""Verbs `place-send` and `place-receive`: files of an input from one node to another, as one tar stream through whoever
asked. The receiver takes nothing on trust: each file is named and sized by a list whose digest is known beforehand,
and has its name only once its hash is right.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tarfile
from typing import IO

from her_agent.errors import BAD_REQUEST, AgentError, DiskFull, is_disk_full
from her_agent.hashing import CHUNK, Unhashable, listing
from her_agent.place_store import Listed, Store

ONLY = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*\Z")
BUFFER = 1 << 20


def send(path: str, only: str) -> None:
    """Write the files at these places of the sorted list to standard output."""
    whole = os.path.abspath(os.path.expanduser(path))
    try:
        found = listing(whole)
    except Unhashable as error:
        raise AgentError("unhashable", str(error), "") from error
    single = os.path.isfile(whole)
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", bufsize=BUFFER, format=tarfile.PAX_FORMAT) as tar:
        tar.copybufsize = BUFFER
        for number in chosen(only, len(found)):
            item = found[number]
            entry = tarfile.TarInfo(item.path)
            entry.size = item.size
            with open(whole if single else os.path.join(whole, item.path), "rb") as file:
                tar.addfile(entry, file)
    sys.stdout.buffer.flush()


def receive(root: str, digest: str) -> dict[str, object]:
    """Read such a stream from standard input. What arrived before it broke off is kept."""
    store = Store(root, digest)
    lock = store.claim()
    files = count = 0
    try:
        store.prepare()
        listed = {item.path: item for item in store.manifest()}
        with tarfile.open(fileobj=sys.stdin.buffer, mode="r|", bufsize=BUFFER) as tar:
            for member in tar:
                item = listed.get(member.name)
                if item is None or not member.isreg():
                    raise AgentError("differs", f"{member.name!r} is no file that was announced", "")
                content = tar.extractfile(member)
                assert content is not None
                _keep(store, item, content)
                files += 1
                count += item.size
        # The other side waits until all it has written is read.
        while sys.stdin.buffer.read(BUFFER):
            pass
    except (tarfile.TarError, EOFError) as error:
        raise AgentError("torn", f"the stream broke off after {files} files: {error}", "send the rest") from error
    finally:
        os.close(lock)
    return {"files": files, "bytes": count}


def _keep(store: Store, item: Listed, content: IO[bytes]) -> None:
    path = os.path.join(store.files, item.path)
    draft = os.path.join(store.part, "draft")
    found = hashlib.sha256()
    size = 0
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(draft, "wb") as file:
            while True:
                data = content.read(CHUNK)
                if not data:
                    break
                size += len(data)
                if size > item.size:
                    break
                found.update(data)
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        if is_disk_full(error):
            raise DiskFull(path) from error
        raise
    if size != item.size or found.hexdigest() != item.sha256:
        raise AgentError("differs", f"{item.path} arrived with other bytes than announced", "send it again")
    os.rename(draft, path)


def chosen(only: str, count: int) -> list[int]:
    """`0-3,7` as numbers below `count`."""
    if not ONLY.match(only):
        raise AgentError("bad-request", f"{only!r} is no list of places", "", BAD_REQUEST)
    numbers: list[int] = []
    for part in only.split(","):
        first, _, last = part.partition("-")
        if int(last or first) >= count:
            raise AgentError("differs", f"there are {count} files, and {part} is asked for", "the source has changed")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers

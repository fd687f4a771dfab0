"""Verbs `place-send` and `place-receive`: files of an input from one machine to another, as one tar stream through
whoever asked. The receiver takes nothing on trust: each file is named and sized by a list whose digest is known
beforehand, and has its name only once its hash is right.

A file that broke off goes on where it did: an entry may hold the rest of a file only.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import sys
import tarfile
from typing import IO

from her_agent.errors import BAD_REQUEST, AgentError, DiskFull, is_disk_full
from her_agent.hashing import Unhashable, listing
from her_agent.place_store import Listed, Store

ONLY = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*\Z")
BUFFER = 1 << 20
SILENCE_SECONDS = 20.0
"""A sender whose line was cut does not end: without a byte for so long, what arrived is left to the next one."""


class Torn(AgentError):
    """The rest did not come; what did is kept."""

    def __init__(self, why: str) -> None:
        super().__init__("torn", f"the stream broke off: {why}", "send the rest")


class _Source:
    """Standard input that does not wait for ever."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, size: int) -> bytes:
        ready, _, _ = select.select([self._descriptor], [], [], SILENCE_SECONDS)
        if not ready:
            raise Torn(f"nothing came for {SILENCE_SECONDS:.0f} s")
        return os.read(self._descriptor, size)


def send(path: str, only: str, skip: int) -> None:
    """Write the files at these places of the sorted list to standard output, the first one without `skip` bytes."""
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
            entry.size = max(0, item.size - skip)
            with open(whole if single else os.path.join(whole, item.path), "rb") as file:
                file.seek(skip)
                tar.addfile(entry, file)
            skip = 0
    sys.stdout.buffer.flush()


def receive(root: str, digest: str, single: bool) -> dict[str, object]:
    """Read such a stream from standard input. What arrived before it broke off is kept."""
    store = Store(root, digest, single)
    source = _Source(sys.stdin.fileno())
    lock = store.claim()
    files = 0
    try:
        store.prepare()
        listed = {item.path: item for item in store.manifest()}
        with tarfile.open(fileobj=source, mode="r|", bufsize=BUFFER) as tar:  # type: ignore[call-overload]
            for member in tar:
                item = listed.get(member.name)
                if item is None or not member.isreg():
                    raise AgentError("differs", f"{member.name!r} is no file that was announced", "")
                content = tar.extractfile(member)
                assert content is not None
                _keep(store, item, content, member.size)
                files += 1
        # The other side waits until all it has written is read.
        while source.read(BUFFER):
            pass
    except (tarfile.TarError, EOFError) as error:
        raise Torn(f"after {files} files: {error}") from error
    finally:
        os.close(lock)
    return {"files": files}


def _keep(store: Store, item: Listed, content: IO[bytes], coming: int) -> None:
    path = os.path.join(store.files, item.path)
    draft = store.draft(item)
    begun = item.size - coming
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(draft, "a+b" if begun > 0 else "w+b") as file:
            if begun < 0 or file.tell() != begun:
                raise Torn(f"{coming} bytes of {item.path} came, of which {file.tell()} of {item.size} are here")
            found = _hash_of(file)
            size = begun
            while True:
                data = content.read(BUFFER)
                if not data:
                    break
                size += len(data)
                found.update(data)
                file.write(data)
    except OSError as error:
        if is_disk_full(error):
            raise DiskFull(path) from error
        raise
    if size < item.size:
        raise Torn(f"{item.path} ended after {size} of {item.size} bytes")
    if found.hexdigest() != item.sha256:
        os.unlink(draft)
        if begun > 0:
            # It may be the part from before that is not right.
            raise Torn(f"{item.path} has to be sent as a whole")
        raise AgentError("differs", f"{item.path} arrived with other bytes than announced", "send it again")
    # Others read it too: a job that writes into its input would change it for them.
    os.chmod(draft, 0o444)
    os.rename(draft, path)


def _hash_of(file: IO[bytes]) -> hashlib._Hash:
    """Of what is in the file; it stands at its end then."""
    found = hashlib.sha256()
    file.seek(0)
    while True:
        data = file.read(BUFFER)
        if not data:
            return found
        found.update(data)


def chosen(only: str, count: int) -> list[int]:
    """`7,0-3` as numbers below `count`."""
    if not ONLY.match(only):
        raise AgentError("bad-request", f"{only!r} is no list of places", "", BAD_REQUEST)
    numbers: list[int] = []
    for part in only.split(","):
        first, _, last = part.partition("-")
        if int(last or first) >= count:
            raise AgentError("differs", f"there are {count} files, and {part} is asked for", "the source has changed")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers

"""Cuts a file into the pieces that are sent one by one, each with its hash, and holds the whole against the record.

The file is read once for its hashes; what is sent is read again while it still lies in the page cache. The URL of a
piece is good for the bytes of its hash alone, so a file that changes between the two is refused by the store.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Callable, NamedTuple

from her_agent.errors import AgentError
from her_agent.upload_request import Wanted

CHUNK = 4 * 1024 * 1024


class Piece(NamedTuple):
    """Part `part` of a file, from 1; 0 is a file that is sent whole."""

    part: int
    offset: int
    size: int
    sha256: str


def pieces(folder: str, wanted: Wanted, count: Callable[[int], None]) -> Iterator[Piece]:
    """Every piece as soon as it is hashed. Ends with AgentError unless the file is the recorded one."""
    path = os.path.join(folder, wanted.path)
    with _opened(path, wanted.path) as file:
        before = os.fstat(file.fileno())
        if before.st_size != wanted.size:
            raise differs(wanted.path, f"it has {before.st_size} bytes, not {wanted.size}")
        whole = hashlib.sha256()
        number, offset = (0, 0) if wanted.part is None else (1, 0)
        size = wanted.size if wanted.part is None else wanted.part
        while offset < wanted.size or number == 0:
            length = min(size, wanted.size - offset)
            part = hashlib.sha256() if number > 0 else whole
            left = length
            while left > 0:
                data = file.read(min(CHUNK, left))
                if not data:
                    raise differs(wanted.path, "it became shorter")
                part.update(data)
                if part is not whole:
                    whole.update(data)
                left -= len(data)
                count(len(data))
            found = part.hexdigest()
            if number == 0:
                # Its one URL is good for the recorded hash only.
                _hold(wanted, found)
                yield Piece(0, 0, length, found)
                return
            yield Piece(number, offset, length, found)
            number, offset = number + 1, offset + length
        _hold(wanted, whole.hexdigest())


def differs(path: str, why: str) -> AgentError:
    """The file is not the one that was hashed when the checkpoint was saved."""
    return AgentError("checkpoint-differs", f"{path} is not the file that was saved: {why}")


def gone(path: str) -> AgentError:
    """The trainer removed it."""
    return AgentError("checkpoint-gone", f"{path} is no longer there")


def _hold(wanted: Wanted, found: str) -> None:
    if found != wanted.sha256:
        raise differs(wanted.path, "its bytes have another hash")


def _opened(path: str, shown: str):  # noqa: ANN202 - a binary file
    try:
        return open(path, "rb", buffering=0)
    except (FileNotFoundError, NotADirectoryError):
        raise gone(shown) from None

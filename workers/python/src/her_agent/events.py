"""events.jsonl: numbered from 1 without a gap, append-only, on disk before anyone acts on it.

Events are added to a batch and written with one fsync. When the disk is full the batch stays in memory
and the file is cut back to its last whole line, so that nothing is torn and nothing is lost while room is
made.
"""

from __future__ import annotations

import json
import os
import re

from her_agent.clock import now
from her_agent.errors import DiskFull, is_disk_full
from her_agent.jsonfile import sync_folder
from her_agent.mask import Mask

BLOCK = 65536
# Line breaks to some readers of lines, though not to JSON.
BREAKS = re.compile("[\x85\u2028\u2029]")


class EventLog:
    """The writer. Its owner must hold the attempt's lock."""

    def __init__(self, path: str, mask: Mask) -> None:
        self._mask = mask
        self._path = path
        self.torn = set_torn_aside(path)
        last = last_event(path)
        seq = last.get("seq") if last else 0
        self._seq = seq if isinstance(seq, int) else 0
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._size = os.fstat(self._descriptor).st_size
        self._batch: list[bytes] = []
        sync_folder(os.path.dirname(path))

    def add(self, kind: str, **fields: object) -> None:
        """Number an event and put it into the batch; `flush` writes it."""
        self._seq += 1
        event: dict[str, object] = {"seq": self._seq, "time": now(), "type": kind}
        for name, value in fields.items():
            event[name] = self._mask.within(value)
        line = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self._batch.append(BREAKS.sub(_escaped, line).encode("utf-8") + b"\n")

    def flush(self) -> None:
        """Write and sync the batch. Raises DiskFull with the batch kept for another try."""
        if not self._batch:
            return
        data = memoryview(b"".join(self._batch))
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, self._size)
            if is_disk_full(error):
                raise DiskFull(self._path) from error
            raise
        self._size = os.fstat(self._descriptor).st_size
        self._batch = []

    def close(self) -> None:
        """Close the file; the batch must have been flushed."""
        os.close(self._descriptor)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def whole_size(path: str) -> int:
    """Bytes up to and with the last newline: what a reader may show."""
    try:
        with open(path, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            while end > 0:
                begin = max(0, end - BLOCK)
                file.seek(begin)
                at = file.read(end - begin).rfind(b"\n")
                if at >= 0:
                    return begin + at + 1
                end = begin
    except FileNotFoundError:
        pass
    return 0


def last_event(path: str) -> dict[str, object] | None:
    """The last whole event, or None when there is none. Raises ValueError when that line is no JSON
    object.
    """
    end = whole_size(path)
    if end == 0:
        return None
    with open(path, "rb") as file:
        begin = end
        data = b""
        while begin > 0 and b"\n" not in data[:-1]:
            begin = max(0, begin - BLOCK)
            file.seek(begin)
            data = file.read(end - begin)
    line = data[:-1].rpartition(b"\n")[2]
    event = json.loads(line)
    if not isinstance(event, dict):
        raise ValueError(f"the last line of {path} is no JSON object")
    return event


def set_torn_aside(path: str) -> int:
    """Move bytes after the last newline to `events.torn` and cut them off. Returns how many."""
    end = whole_size(path)
    try:
        size = os.path.getsize(path)
    except FileNotFoundError:
        return 0
    if size == end:
        return 0
    with open(path, "rb") as file:
        file.seek(end)
        torn = file.read()
    with open(os.path.join(os.path.dirname(path), "events.torn"), "ab") as file:
        file.write(torn + b"\n")
    os.truncate(path, end)
    return size - end

"""Follows a file of lines that another program writes."""

from __future__ import annotations

import io
import os
from typing import NamedTuple

CHUNK = 1024 * 1024
# ms-swift ends its log with one line that repeats the whole history; far beyond that something is wrong.
LONGEST = 256 * 1024 * 1024


class Line(NamedTuple):
    number: int
    data: bytes


class Tail:
    """Whole new lines since the last call. A file that shrank or was replaced is read from its start."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._rewind(None)

    def _rewind(self, inode: int | None) -> None:
        self._inode = inode
        self._offset = 0
        self._number = 0
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._last = b""

    def _replaced(self, file: io.BufferedReader) -> bool:
        """Whether this is no longer the file that was read so far. Its last bytes tell a quick rewrite."""
        found = os.fstat(file.fileno())
        if found.st_ino != self._inode or found.st_size < self._offset:
            return True
        file.seek(self._offset - len(self._last))
        return file.read(len(self._last)) != self._last

    def read(self, final: bool = False) -> list[Line]:
        """New lines, at most about 1 MiB unless `final`, which also gives a last line without a newline."""
        lines: list[Line] = []
        try:
            with open(self.path, "rb") as file:
                if self._replaced(file):
                    self._rewind(os.fstat(file.fileno()).st_ino)
                file.seek(self._offset)
                while True:
                    data = file.read(CHUNK)
                    self._offset += len(data)
                    self._last = (self._last + data)[-64:]
                    lines.extend(self._split(data))
                    if not data or not final:
                        break
        except FileNotFoundError:
            pass
        if final and self._rest_size:
            lines.append(self._line())
        return lines

    def _split(self, data: bytes) -> list[Line]:
        *ended, rest = data.split(b"\n")
        lines = []
        for part in ended:
            self._rest.append(part)
            lines.append(self._line())
        if rest:
            self._rest.append(rest)
            self._rest_size += len(rest)
            if self._rest_size > LONGEST:
                self._rest = [b"<too long>"]
        return lines

    def _line(self) -> Line:
        data = b"".join(self._rest)
        self._rest = []
        self._rest_size = 0
        self._number += 1
        return Line(self._number, data)

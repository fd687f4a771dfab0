"""Hashes that are known already, by what the file looked like: `<root>/hash-cache.json`.

A file that changed within two seconds before it was hashed is not kept: it could change again and look the same. The
change time is part of what it looked like, because the modification time can be set at will.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import threading
import time

from her_agent import jsonfile
from her_agent.errors import DiskFull

UNSURE_NS = 2_000_000_000
SAVE_SECONDS = 5.0
MOST = 50_000


class HashCache:
    """Look up, add, save. Writers merge under a lock; a cache that cannot be read is an empty one."""

    def __init__(self, root: str) -> None:
        self._path = os.path.join(root, "hash-cache.json")
        self._known = self._load()
        self._new: dict[str, list[object]] = {}
        self._saved = time.monotonic()
        self._turn = threading.RLock()

    def get(self, path: str, info: os.stat_result) -> str | None:
        """The file's hash, if it still looks as it did."""
        found = self._new.get(path) or self._known.get(path)
        return str(found[4]) if found is not None and found[:4] == _mark(info) else None

    def add(self, path: str, before: os.stat_result, begun_ns: int, sha256: str) -> None:
        """Keep a hash that was taken from `begun_ns` on; `before` is how the file looked then."""
        newest = max(before.st_mtime_ns, before.st_ctime_ns)
        if begun_ns - newest < UNSURE_NS:
            return
        with self._turn:
            self._new[path] = [*_mark(before), sha256]
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.save()

    def save(self) -> None:
        """Write what is new beside what others have written meanwhile."""
        with self._turn:
            if self._new:
                self._merge()

    def _merge(self) -> None:
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            lock = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            merged = self._load()
            for path in self._new:
                merged.pop(path, None)
            merged.update(self._new)
            newest = dict(list(merged.items())[-MOST:])
            jsonfile.write(self._path, {"version": 1, "files": newest}, sync=False)
            self._known, self._new = newest, {}
        except (DiskFull, OSError):
            # It saves time, no more: what cannot be kept is hashed again.
            pass
        finally:
            os.close(lock)
            self._saved = time.monotonic()

    def _load(self) -> dict[str, list[object]]:
        try:
            with open(self._path, encoding="utf-8") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return {}
                value = json.load(file)
        except (OSError, ValueError):
            return {}
        files = value.get("files") if isinstance(value, dict) and value.get("version") == 1 else None
        if not isinstance(files, dict):
            return {}
        return {path: entry for path, entry in files.items() if isinstance(entry, list) and len(entry) == 5}


def _mark(info: os.stat_result) -> list[object]:
    return [info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino]

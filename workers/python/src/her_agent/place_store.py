"""What was brought to this node: `<root>/store/<digest>/`, a folder of exactly the files that make up the digest.

It has its name only once it is whole, so that being there is being right. Until then its files gather in
`.part-<digest>/files`; those that arrived are not sent again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from typing import NamedTuple

from her_agent import confine, jsonfile
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.lock import take
from her_agent.place_cache import HashCache
from her_agent.place_hash import known_hash, known_tree

DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class Listed(NamedTuple):
    """One file of a manifest."""

    path: str
    size: int
    sha256: str


class Store:
    """Paths of one digest."""

    def __init__(self, root: str, digest: str) -> None:
        if not DIGEST.match(digest):
            raise AgentError("bad-request", f"{digest!r} is no digest", "", BAD_REQUEST)
        self.root = os.path.abspath(os.path.expanduser(root))
        self.digest = digest
        self.place = os.path.join(self.root, "store")
        self.final = os.path.join(self.place, digest)
        self.part = os.path.join(self.place, f".part-{digest}")
        self.files = os.path.join(self.part, "files")

    @property
    def have(self) -> bool:
        return os.path.isdir(self.final)

    def prepare(self) -> None:
        """Make the folders; a link out of the root is refused."""
        os.makedirs(self.files, mode=0o700, exist_ok=True)
        if os.path.realpath(self.files) != os.path.join(os.path.realpath(self.root), *self._below()):
            raise AgentError("not-confined", f"{self.files} leads out of {self.root}", "put plain folders there")

    def _below(self) -> tuple[str, ...]:
        return ("store", f".part-{self.digest}", "files")

    def claim(self) -> int:
        """The lock of whoever writes; raises `busy` when another does."""
        os.makedirs(self.place, mode=0o700, exist_ok=True)
        lock = take(os.path.join(self.place, f".lock-{self.digest}"))
        if lock is None:
            raise AgentError("busy", f"{self.digest[:12]} is being brought here already", "wait for it")
        return lock

    def manifest(self) -> list[Listed]:
        """What `want` was told."""
        kept = jsonfile.read(os.path.join(self.part, "manifest.json"))
        if kept is None:
            raise AgentError("no-manifest", f"nothing was announced for {self.digest[:12]}", "", BAD_REQUEST)
        return _listed(kept.get("files"), self.digest)

    def seal(self) -> None:
        """Give the gathered files their name."""
        os.unlink(os.path.join(self.part, "manifest.json"))
        try:
            os.rename(self.files, self.final)
        except OSError:
            if not self.have:
                raise
        jsonfile.sync_folder(self.place)
        shutil.rmtree(self.part, ignore_errors=True)


def want(root: str, digest: str) -> dict[str, object]:
    """Which files of the list on standard input are missing here, as ranges of their places in it."""
    store = Store(root, digest)
    if store.have:
        return {"have": True, "path": store.final, "missing": [], "bytes": 0}
    try:
        value = json.load(sys.stdin)
    except ValueError as error:
        raise AgentError("bad-request", f"the list is no JSON: {error}", "", BAD_REQUEST) from error
    listed = _listed(value.get("files") if isinstance(value, dict) else None, digest)
    lock = store.claim()
    try:
        store.prepare()
        missing = [n for n, item in enumerate(listed) if _size(os.path.join(store.files, item.path)) != item.size]
        count = sum(listed[n].size for n in missing)
        _refuse_full_disk(store, count)
        jsonfile.write(os.path.join(store.part, "manifest.json"), {"files": [item._asdict() for item in listed]})
    finally:
        os.close(lock)
    return {"have": False, "path": store.final, "missing": ranges(missing), "bytes": count, "into": store.files}


def seal(root: str, digest: str, verify: bool) -> dict[str, object]:
    """Whole? Then it gets its name. `verify` hashes what another program has written."""
    store = Store(root, digest)
    if store.have:
        return {"path": store.final}
    lock = store.claim()
    try:
        listed = store.manifest()
        if verify:
            _verify(store, listed)
        lacking = [item.path for item in listed if _size(os.path.join(store.files, item.path)) != item.size]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise AgentError("not-whole", f"{lacking[0]}{more} did not arrive", "send it again")
        store.seal()
    finally:
        os.close(lock)
    return {"path": store.final}


def _verify(store: Store, listed: list[Listed]) -> None:
    cache = HashCache(store.root)
    if known_tree(store.files, cache).digest == store.digest:
        return
    for item in listed:
        path = os.path.join(store.files, item.path)
        if os.path.isfile(path) and known_hash(path, cache) != item.sha256:
            os.unlink(path)
            raise AgentError("differs", f"{item.path} arrived with other bytes than it left with", "send it again")
    raise AgentError("differs", f"files arrived that are not of {store.digest[:12]}, or some did not", "send it again")


def _listed(files: object, digest: str) -> list[Listed]:
    """The manifest, proven by the digest that it must have."""
    if not isinstance(files, list) or not files:
        raise AgentError("bad-request", "the list holds no file", "", BAD_REQUEST)
    found = hashlib.sha256()
    listed: list[Listed] = []
    for item in files:
        try:
            one = Listed(str(item["path"]), int(item["size"]), str(item["sha256"]))
        except (KeyError, TypeError, ValueError) as error:
            raise AgentError("bad-request", f"{item!r} is no file of a list", "", BAD_REQUEST) from error
        why = confine.fault(one.path)
        if why:
            raise AgentError("not-confined", f"{one.path!r} {why}", "", BAD_REQUEST)
        found.update(f"{one.sha256}  {one.path}\n".encode())
        listed.append(one)
    if found.hexdigest() != digest:
        raise AgentError("differs", f"the list has the digest {found.hexdigest()}, not {digest}", "", BAD_REQUEST)
    clash = confine.clashes([one.path for one in listed])
    if clash:
        raise AgentError("bad-request", clash[0], "", BAD_REQUEST)
    return listed


def ranges(numbers: list[int]) -> list[list[int]]:
    """Sorted numbers as pairs of first and last."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return -1


def _refuse_full_disk(store: Store, count: int) -> None:
    info = os.statvfs(store.place)
    free = info.f_bavail * info.f_frsize
    if free < count:
        message = f"{free / 1e9:.1f} GB free in {store.place}; {count / 1e9:.1f} GB are to be brought there"
        raise AgentError("disk-full", message, "make room on the node, or name another `root`")

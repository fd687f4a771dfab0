"""What was brought to this node: `<root>/store/<digest>/`, a folder of exactly the files that make up the digest, or
`<digest>-file/`, which holds the one file that does.

It has its name only once it is whole. Until then its files gather in `.part-<digest>/files`, and the one that is under
way in `drafts`; what arrived is not sent again. Each time it is to be used, its files are held against the digest:
those that look as they did when they were hashed are not read again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from her_agent import confine, jsonfile
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.lock import take
from her_agent.place_cache import HashCache
from her_agent.place_hash import known_tree, planned

SYNCERS = 16
DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class Listed(NamedTuple):
    """One file of a manifest."""

    path: str
    size: int
    sha256: str


class Store:
    """Paths of one digest."""

    def __init__(self, root: str, digest: str, single: bool) -> None:
        if not DIGEST.match(digest):
            raise AgentError("bad-request", f"{digest!r} is no digest", "", BAD_REQUEST)
        self.root = os.path.abspath(os.path.expanduser(root))
        self.digest = digest
        self.place = os.path.join(self.root, "store")
        name = f"{digest}-file" if single else digest
        self.final = os.path.join(self.place, name)
        self.part = os.path.join(self.place, f".part-{name}")
        self.files = os.path.join(self.part, "files")
        self.drafts = os.path.join(self.part, "drafts")

    def prepare(self) -> None:
        """Make the folders; a link out of the root is refused."""
        for folder in (self.files, self.drafts):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            below = os.path.relpath(folder, self.root)
            if os.path.realpath(folder) != os.path.join(os.path.realpath(self.root), below):
                raise AgentError("not-confined", f"{folder} leads out of {self.root}", "put plain folders there")

    def claim(self) -> int:
        """The lock of whoever writes; raises `busy` when another does."""
        os.makedirs(self.place, mode=0o700, exist_ok=True)
        lock = take(f"{self.part}.lock")
        if lock is None:
            raise AgentError("busy", f"{self.digest[:12]} is being brought here already", "wait for it")
        return lock

    def draft(self, item: Listed) -> str:
        """Where a file gathers until its hash is right."""
        return os.path.join(self.drafts, item.sha256)

    def manifest(self) -> list[Listed]:
        """What `want` was told."""
        kept = jsonfile.read(os.path.join(self.part, "manifest.json"))
        if kept is None:
            raise AgentError("no-manifest", f"nothing was announced for {self.digest[:12]}", "", BAD_REQUEST)
        return _listed(kept.get("files"), self.digest)

    def seal(self, listed: list[Listed]) -> None:
        """Give the gathered files their name, once they are on disk: side by side, since each waits for the disk."""
        with ThreadPoolExecutor(SYNCERS) as syncers:
            list(syncers.map(_sync, [os.path.join(self.files, item.path) for item in listed]))
        os.unlink(os.path.join(self.part, "manifest.json"))
        os.rename(self.files, self.final)
        jsonfile.sync_folder(self.place)
        shutil.rmtree(self.part, ignore_errors=True)


def have(root: str, digest: str) -> dict[str, object]:
    """Where it is here, its bytes looked at. What is not right any more is set aside."""
    for single in (True, False):
        store = Store(root, digest, single)
        if not os.path.isdir(store.final):
            continue
        try:
            found = known_tree(store.final, HashCache(store.root))
            right = digest in _digests([(str(item["path"]), str(item["sha256"])) for item in found.files])
        except AgentError:
            right = False
        if right:
            return {"path": os.path.join(store.final, os.listdir(store.final)[0]) if single else store.final}
        lock = store.claim()
        try:
            os.rename(store.final, os.path.join(store.place, f".damaged-{digest}-{time.time():.0f}"))
        except FileNotFoundError:
            pass
        finally:
            os.close(lock)
    return {"path": None}


def want(root: str, digest: str, single: bool) -> dict[str, object]:
    """Which files of the list on standard input are missing here, as ranges of their places in it.

    The one that was under way comes first; `skip` bytes of it are here.
    """
    store = Store(root, digest, single)
    try:
        value = json.load(sys.stdin)
    except ValueError as error:
        raise AgentError("bad-request", f"the list is no JSON: {error}", "", BAD_REQUEST) from error
    listed = _listed(value.get("files") if isinstance(value, dict) else None, digest)
    lock = store.claim()
    try:
        store.prepare()
        missing = [n for n, item in enumerate(listed) if _size(os.path.join(store.files, item.path)) != item.size]
        begun = {n: size for n in missing if 0 < (size := _size(store.draft(listed[n]))) < listed[n].size}
        first = max(begun, key=begun.__getitem__, default=None)
        skip = 0 if first is None else begun[first]
        order = missing if first is None else [first, *(n for n in missing if n != first)]
        count = sum(listed[n].size for n in missing) - skip
        _refuse_full_disk(store, count)
        jsonfile.write(os.path.join(store.part, "manifest.json"), {"files": [item._asdict() for item in listed]})
    finally:
        os.close(lock)
    return {"missing": ranges(order), "skip": skip, "bytes": count}


def seal(root: str, digest: str, single: bool) -> dict[str, object]:
    """Whole? Then it gets its name."""
    store = Store(root, digest, single)
    lock = store.claim()
    try:
        if os.path.isdir(store.final):
            return {"path": os.path.join(store.final, os.listdir(store.final)[0]) if single else store.final}
        listed = store.manifest()
        lacking = [item.path for item in listed if _size(os.path.join(store.files, item.path)) != item.size]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise AgentError("not-whole", f"{lacking[0]}{more} did not arrive", "send it again")
        store.seal(listed)
    finally:
        os.close(lock)
    return {"path": os.path.join(store.final, listed[0].path) if single else store.final}


def _listed(files: object, digest: str) -> list[Listed]:
    """The manifest, proven by the digest that it must have."""
    if not isinstance(files, list) or not files:
        raise AgentError("bad-request", "the list holds no file", "", BAD_REQUEST)
    listed: list[Listed] = []
    for item in files:
        try:
            one = Listed(str(item["path"]), int(item["size"]), str(item["sha256"]))
        except (KeyError, TypeError, ValueError) as error:
            raise AgentError("bad-request", f"{item!r} is no file of a list", "", BAD_REQUEST) from error
        why = confine.fault(one.path)
        if why:
            raise AgentError("not-confined", f"{one.path!r} {why}", "", BAD_REQUEST)
        if not DIGEST.match(one.sha256) or one.size < 0:
            raise AgentError("bad-request", f"{item!r} is no file of a list", "", BAD_REQUEST)
        listed.append(one)
    known = _digests([(item.path, item.sha256) for item in listed])
    if digest not in known:
        raise AgentError("differs", f"the list has the digest {known[0]}, not {digest}", "", BAD_REQUEST)
    clash = confine.clashes([one.path for one in listed])
    if clash:
        raise AgentError("bad-request", clash[0], "", BAD_REQUEST)
    return listed


def _digests(files: list[tuple[str, str]]) -> list[str]:
    """What these files are known by: as an output, in a plan, and a single one by its own hash."""
    found = hashlib.sha256()
    for path, value in sorted(files, key=lambda one: os.fsencode(one[0])):
        found.update(f"{value}  {path}\n".encode())
    whole = [found.hexdigest(), planned(files, single=False)]
    return whole if len(files) > 1 else [*whole, planned(files, single=True), files[0][1]]


def ranges(numbers: list[int]) -> list[list[int]]:
    """Numbers, in their order, as pairs of first and last."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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

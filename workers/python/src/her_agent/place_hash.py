"""Verb `place-hash`: the digests of an input on this node, each file read once in its life.

There are two, over the same lines: `digest` is that of `hashing`, by which outputs are known; `planned` is that of a
plan, which sorts folder by folder and gives a single file no name.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from her_agent.errors import AgentError
from her_agent.hashing import Changed, Found, Tree, Unhashable, file_hash, listing
from her_agent.place_cache import HashCache

READERS = 4


def place_hash(root: str, path: str, with_files: bool) -> dict[str, object]:
    """Digest, size and count; the files too when asked."""
    whole = os.path.abspath(os.path.expanduser(path))
    found = known_tree(whole, HashCache(root))
    single = os.path.isfile(whole)
    sizes = [int(str(item["size"])) for item in found.files]
    answer: dict[str, object] = {
        "path": whole,
        "single": single,
        "sha256": found.files[0]["sha256"] if single else None,
        "digest": found.digest,
        "planned": planned(((str(item["path"]), str(item["sha256"])) for item in found.files), single),
        "count": len(sizes),
        "bytes": sum(sizes),
    }
    return {**answer, "files": found.files} if with_files else answer


def planned(files: Iterable[tuple[str, str]], single: bool) -> str:
    """The digest of a plan over paths and hashes. Names are ordered as the plan's language orders texts."""
    digest = hashlib.sha256()
    named = [("" if single else path, value) for path, value in files]
    for path, value in sorted(named, key=lambda one: [part.encode("utf-16-be") for part in one[0].split("/")]):
        digest.update(f"{value}  {path}\n".encode())
    return digest.hexdigest()


def known_tree(path: str, cache: HashCache) -> Tree:
    """Like `hashing.tree`, by several readers, asking the cache first. Raises AgentError."""
    try:
        before = listing(path)
        single = os.path.isfile(path)
        places = [path if single else os.path.join(path, item.path) for item in before]
        with ThreadPoolExecutor(READERS) as readers:
            hashes = list(readers.map(lambda place: known_hash(place, cache), places))
        if listing(path) != before:
            raise Changed(path)
    except FileNotFoundError as error:
        raise AgentError("no-such-input", f"{error.filename or path} is not there", "") from error
    except Unhashable as error:
        raise AgentError("unhashable", str(error), "") from error
    except Changed as error:
        raise AgentError("unhashable", f"{path} changed while it was hashed", "wait until it is whole") from error
    finally:
        cache.save()
    if not before:
        raise AgentError("no-such-input", f"{path} holds no file", "")
    return of(before, hashes)


def of(found: list[Found], hashes: list[str]) -> Tree:
    """The tree of files whose hashes are known."""
    digest = hashlib.sha256()
    files: list[dict[str, object]] = []
    for item, value in zip(found, hashes):
        files.append({"path": item.path, "size": item.size, "sha256": value})
        digest.update(f"{value}  {item.path}\n".encode())
    return Tree(files, digest.hexdigest())


def known_hash(path: str, cache: HashCache) -> str:
    """SHA-256 of one file, from the cache where it looks the same."""
    real = os.path.realpath(path)
    info = os.stat(real)
    known = cache.get(real, info)
    if known is not None:
        return known
    begun = time.time_ns()
    value = file_hash(real)
    if os.stat(real).st_mtime_ns == info.st_mtime_ns:
        cache.add(real, info, begun, value)
    return value

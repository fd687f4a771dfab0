"""Takes a bundle, or one program, onto a node. This text is run there by `python3 -c`, before an agent is there.

usage: have ROOT DIGEST | bundle ROOT DIGEST SIZE | program ROOT NAME DIGEST SIZE

Nothing waits for the disk file by file: each time a bundle is asked for, its files are held against their hashes, and
one that a crash of the node has spoilt is replaced.

Standard input is gzip; DIGEST and SIZE are of what is in it, so that they depend on no zlib. Nothing under its final
name is ever half there. Answers with one JSON line. Written so that an older Python can read it and say so.
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time
import zlib

CHUNK = 1 << 20
WHOLE = ".whole"
DRAFT = ".draft-"
FORGOTTEN_SECONDS = 86400


class Refused(Exception):
    """One clear reason, with a code for programs and a hint for people."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.answer = {"code": code, "message": message, "hint": hint}


def have(root: str, digest: str) -> dict:
    """Where the bundle is or will be, and whether it is there."""
    folder = os.path.join(root, "bundles", digest)
    return {"folder": folder, "whole": _right(folder)}


def bundle(root: str, digest: str, size: str) -> dict:
    """Receive, check, unpack, and only then give it its name."""
    place = _folder(root, "bundles")
    folder = os.path.join(place, digest)
    _sweep(place)
    draft = tempfile.mkdtemp(prefix=DRAFT, dir=place)
    try:
        archive = os.path.join(draft, ".tar")
        _receive(archive, digest, int(size))
        unpacked = os.path.join(draft, "bundle")
        os.mkdir(unpacked, 0o700)
        _write(os.path.join(unpacked, WHOLE), json.dumps(_unpack(archive, unpacked)).encode())
        reused = not _name(unpacked, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return {"folder": folder, "whole": True, "reused": reused}


def program(root: str, name: str, digest: str, size: str) -> dict:
    """One program into `bin`."""
    if "/" in name or name.startswith("."):
        raise Refused("bad-request", f"{name!r} is no name of a program")
    place = _folder(root, "bin")
    descriptor, draft = tempfile.mkstemp(prefix=DRAFT, dir=place)
    os.close(descriptor)
    try:
        _receive(draft, digest, int(size))
        os.chmod(draft, 0o755)
        os.rename(draft, os.path.join(place, name))
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)
    return {"path": os.path.join(place, name)}


def _folder(root: str, name: str) -> str:
    """A folder below the root, made if need be; a link out of the root is refused."""
    place = os.path.join(root, name)
    os.makedirs(place, mode=0o700, exist_ok=True)
    if os.path.realpath(place) != os.path.join(os.path.realpath(root), name):
        raise Refused("not-confined", f"{place} leads out of {root}", "put a plain folder there")
    return place


def _receive(path: str, digest: str, size: int) -> None:
    unzip = zlib.decompressobj(31)
    found = hashlib.sha256()
    count = 0
    with open(path, "wb") as file:
        while True:
            data = sys.stdin.buffer.read(CHUNK)
            if not data:
                break
            try:
                # One byte more than there may be: a longer stream is refused before it fills the disk.
                part = unzip.decompress(data, size + 1 - count)
            except zlib.error as error:
                raise Refused("damaged", f"what arrived is damaged: {error}", "send it again") from error
            count += len(part)
            if count > size:
                raise Refused("damaged", f"more arrived than {size} bytes", "send it again")
            found.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    if count < size or not unzip.eof:
        raise Refused("torn", f"the sending broke off after {count} of {size} bytes", "send it again")
    if found.hexdigest() != digest:
        raise Refused("damaged", f"what arrived has the hash {found.hexdigest()}, not {digest}", "send it again")


def _unpack(archive: str, into: str) -> dict:
    """The hash of each file, or where a link leads, by name."""
    links = []
    written = []
    with tarfile.open(archive, "r:") as tar:
        for member in tar:
            path = _confined(member.name, into)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            if member.issym():
                links.append((member.linkname, path))
            elif member.isreg():
                content = tar.extractfile(member)
                # A name that stands twice is a mistake, not something to write over.
                descriptor = os.open(
                    path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755 if member.mode & 0o100 else 0o644
                )
                with os.fdopen(descriptor, "wb") as file:
                    shutil.copyfileobj(content, file, CHUNK)
                written.append(path)
            else:
                raise Refused("damaged", f"{member.name!r} is neither a file nor a link")
    # Last, so that nothing is written through one.
    for target, path in links:
        os.symlink(target, path)
    base = os.path.realpath(into) + os.sep
    for target, path in links:
        if not os.path.realpath(path).startswith(base):
            raise Refused("not-confined", f"the link {path} leads out of the bundle, to {target!r}")
    listed = {os.path.relpath(path, into): _hash(path) for path in written}
    listed.update((os.path.relpath(path, into), "-> " + target) for target, path in links)
    return listed


def _right(folder: str) -> bool:
    """Whether all that was unpacked is there as it was. What came beside it, such as caches of Python, is no matter."""
    try:
        with open(os.path.join(folder, WHOLE), "rb") as file:
            listed = json.loads(file.read().decode())
        for name, value in listed.items():
            path = os.path.join(folder, name)
            found = "-> " + os.readlink(path) if value.startswith("-> ") else _hash(path)
            if found != value:
                return False
    except (OSError, ValueError, AttributeError):
        return False
    return True


def _hash(path: str) -> str:
    if os.path.islink(path):
        return ""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for data in iter(lambda: file.read(CHUNK), b""):
            found.update(data)
    return found.hexdigest()


def _confined(name: str, into: str) -> str:
    parts = name.split("/")
    if not name or name.startswith("/") or "\0" in name or {"", ".", ".."} & set(parts):
        raise Refused("not-confined", f"{name!r} is no name for a file of a bundle")
    return os.path.join(into, *parts)


def _name(unpacked: str, folder: str) -> bool:
    """Give the bundle its name; False where another sender was first."""
    for _ in range(3):
        try:
            os.rename(unpacked, folder)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
        else:
            _sync(os.path.dirname(folder))
            return True
        if _right(folder):
            return False
        # Not of our making, or changed since: no bundle has its name before it is whole.
        os.rename(folder, os.path.join(os.path.dirname(unpacked), f"aside-{time.time()}"))
    raise Refused("failed", f"{folder} cannot be put in place", "remove it on the node")


def _sweep(place: str) -> None:
    """What a sender left whose node went down meanwhile."""
    for name in os.listdir(place):
        path = os.path.join(place, name)
        with contextlib.suppress(FileNotFoundError):
            if name.startswith(DRAFT) and time.time() - os.lstat(path).st_mtime > FORGOTTEN_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _no_room(root: str) -> dict:
    while not os.path.isdir(root):
        root = os.path.dirname(root)
    info = os.statvfs(root)
    free = info.f_bavail * info.f_frsize
    message = f"no room on the disk of {root}: {free / 1e6:.1f} MB and {info.f_favail} inodes free"
    return {"code": "disk-full", "message": message, "hint": "make room there, or name another `root`"}


def main(argv: list) -> int:
    """Run one word; returns the exit code."""
    if sys.version_info < (3, 9):  # noqa: UP036 - to say so where it is older
        found = ".".join(str(part) for part in sys.version_info[:3])
        error = {
            "code": "python-too-old",
            "message": f"{sys.executable} is Python {found}; 3.9 or newer is needed",
            "hint": "name a newer one: `python:` of the target",
        }
        print(json.dumps({"error": error}))
        return 1
    words = {"have": have, "bundle": bundle, "program": program}
    root = os.path.abspath(os.path.expanduser(argv[1]))
    try:
        answer = words[argv[0]](root, *argv[2:])
    except Refused as error:
        answer = {"error": error.answer}
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            answer = {"error": _no_room(root)}
        else:
            answer = {"error": {"code": "failed", "message": str(error), "hint": ""}}
    # A sender that is cut off mid-way sees a broken pipe instead of the reason.
    while argv[0] != "have" and sys.stdin.buffer.read(CHUNK):
        pass
    print(json.dumps(answer))
    return 1 if "error" in answer else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

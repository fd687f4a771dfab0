"""`download`: brings files from presigned URLs to a folder of this node, each held against its hash.

It says `want` (file) and is answered `get` (url, headers); then it says `got`, or `failed` (status, code), after which
the caller may answer `get` again. What came before an interruption is kept and gone on from. The folder has its name
only once all of it is there and on disk; `done` lists its files with their hashes.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import os
import queue
import shutil
import sys
import threading
import time
from typing import IO

from her_agent.dialogue import Dialogue
from her_agent.download_request import Coming, Download, download_request
from her_agent.errors import BAD_REQUEST, AgentError, DiskFull, is_disk_full
from her_agent.hashing import tree
from her_agent.jsonfile import sync_folder
from her_agent.presigned import BLOCK, Link, Refusal
from her_agent.verb import Verb

PROGRESS_SECONDS = 5.0
UNANSWERED_SECONDS = 900.0


class _TooLong(Exception):
    """More bytes came than the file has."""


class Downloading:
    """Files under way, one for each thread; a file's URL is asked for when its turn comes."""

    def __init__(self, request: Download, dialogue: Dialogue, partial: str) -> None:
        self._request = request
        self._dialogue = dialogue
        self._partial = partial
        self._next: queue.Queue[int] = queue.Queue()
        self._answers: dict[int, queue.Queue[tuple[str, dict[str, str]]]] = {}
        self._lock = threading.Lock()
        self._fault: Exception | None = None
        self.hashes: dict[int, str] = {}
        self.received = 0

    def run(self) -> None:
        """Bring all files; returns when every one is whole."""
        for index in range(len(self._request.files)):
            self._next.put(index)
            self._answers[index] = queue.Queue()
        self._dialogue.listen(self._take)
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(self._request.parallel)]
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(0.2)
                if self._fault is not None:
                    raise self._fault
        if self._fault is not None:
            raise self._fault

    def progress(self) -> dict[str, object]:
        """Bytes that came."""
        return {"received": self.received}

    def _take(self, line: dict[str, object]) -> None:
        file, url, headers = line.get("file"), line.get("url"), line.get("headers")
        if not (isinstance(file, int) and file in self._answers and isinstance(headers, dict)):
            raise AgentError("bad-request", "an answer for no file of this download", "", BAD_REQUEST)
        if line.get("do") != "get" or not isinstance(url, str):
            raise AgentError("bad-request", "an answer is not `get`", "", BAD_REQUEST)
        self._answers[file].put((url, {str(name): str(value) for name, value in headers.items()}))

    def _work(self) -> None:
        link = Link()
        while self._fault is None:
            try:
                index = self._next.get_nowait()
            except queue.Empty:
                return
            try:
                self._bring(link, index)
            except Exception as error:
                with self._lock:
                    self._fault = self._fault or error
                return

    def _bring(self, link: Link, index: int) -> None:
        coming = self._request.files[index]
        path = os.path.join(self._partial, coming.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a+b", buffering=0) as file:
            digest = _hashed(file, coming)
            asked = False
            while True:
                if file.tell() == coming.size:
                    found = digest.hexdigest()
                    if coming.sha256 in (None, found):
                        os.fsync(file.fileno())
                        self.hashes[index] = found
                        self._dialogue.say("got", file=index, sha256=found)
                        return
                    digest = _emptied(file)
                    if asked:
                        self._dialogue.say("failed", file=index, status=None, code="WrongHash")
                if not asked:
                    self._dialogue.say("want", file=index)
                    asked = True
                url, headers = self._answer(index)
                try:
                    link.get(url, headers, file.tell(), lambda data: self._keep(file, digest, coming, data))  # noqa: B023
                    if file.tell() < coming.size:
                        raise Refusal(None, "Shorter")
                except Refusal as refusal:
                    self._dialogue.say("failed", file=index, status=refusal.status, code=refusal.code)
                except _TooLong:
                    link.close()
                    digest = _emptied(file)
                    self._dialogue.say("failed", file=index, status=None, code="Longer")

    def _answer(self, index: int) -> tuple[str, dict[str, str]]:
        try:
            return self._answers[index].get(timeout=UNANSWERED_SECONDS)
        except queue.Empty:
            raise AgentError("unanswered", "nobody answered", "it may be called again") from None

    def _keep(self, file: IO[bytes], digest: hashlib._Hash, coming: Coming, data: bytes) -> None:
        if file.tell() + len(data) > coming.size:
            raise _TooLong
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        digest.update(data)
        with self._lock:
            self.received += len(data)


def _hashed(file: IO[bytes], coming: Coming) -> hashlib._Hash:
    """The hash of what is there already; the file stands at its end."""
    if os.fstat(file.fileno()).st_size > coming.size:
        return _emptied(file)
    digest = hashlib.sha256()
    file.seek(0)
    while True:
        data = file.read(BLOCK)
        if not data:
            return digest
        digest.update(data)


def _emptied(file: IO[bytes]) -> hashlib._Hash:
    file.truncate(0)
    file.seek(0)
    return hashlib.sha256()


def download(root: str, dialogue: Dialogue) -> None:
    """Serve one download. Raises AgentError."""
    request = download_request(root, dialogue.request())
    try:
        os.makedirs(os.path.dirname(request.folder), exist_ok=True)
        with _alone(request.folder):
            found = _there(request)
            files, received = _brought(request, dialogue) if found is None else (found, 0)
        dialogue.last("done", received=received, files=files)
    except OSError as error:
        if is_disk_full(error):
            raise DiskFull(request.folder) from error
        raise
    finally:
        dialogue.close()


def _brought(request: Download, dialogue: Dialogue) -> tuple[list[dict[str, object]], int]:
    partial = f"{request.folder}.partial"
    os.makedirs(partial, exist_ok=True)
    _sweep(partial, {item.path for item in request.files})
    downloading = Downloading(request, dialogue, partial)
    dialogue.tick(PROGRESS_SECONDS, downloading.progress)
    downloading.run()
    for folder, _folders, _names in os.walk(partial):
        sync_folder(folder)
    os.rename(partial, request.folder)
    sync_folder(os.path.dirname(request.folder))
    files: list[dict[str, object]] = [
        {"path": item.path, "size": item.size, "sha256": downloading.hashes[index]}
        for index, item in enumerate(request.files)
    ]
    return files, downloading.received


def _there(request: Download) -> list[dict[str, object]] | None:
    """The files of a folder that is there already, which must be those that are asked for; None where none is."""
    if not os.path.lexists(request.folder):
        return None
    try:
        return _same(request)
    except AgentError:
        if not request.replace:
            raise
    place, name = os.path.split(request.folder)
    os.rename(request.folder, os.path.join(place, f".damaged-{name}-{time.time_ns()}"))
    return None


def _same(request: Download) -> list[dict[str, object]]:
    found = tree(request.folder).files
    have = {item["path"]: item for item in found}
    for item in request.files:
        same = have.pop(item.path, None)
        if same is None or same["size"] != item.size or item.sha256 not in (None, same["sha256"]):
            raise _taken(request.folder, item.path)
    for path in have:
        raise _taken(request.folder, str(path))
    return found


def _taken(folder: str, path: str) -> AgentError:
    return AgentError("taken", f"{folder} holds something else: {path}", "move it away, then ask again")


@contextlib.contextmanager
def _alone(folder: str):  # noqa: ANN202 - a context
    """One download into a folder at a time. The lock's file stays: removing it would let two hold it."""
    handle = os.open(f"{folder}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AgentError("busy", f"another download into {folder} is at work", "wait for it") from None
        yield
    finally:
        os.close(handle)


def _sweep(partial: str, wanted: set[str]) -> None:
    """Remove what an earlier download of something else left."""
    for folder, folders, names in os.walk(partial):
        for name in folders:
            if os.path.islink(os.path.join(folder, name)):
                os.unlink(os.path.join(folder, name))
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, partial) not in wanted or os.path.islink(path):
                os.unlink(path)
    for name in os.listdir(partial):
        path = os.path.join(partial, name)
        if os.path.isdir(path) and not any(item == name or item.startswith(f"{name}/") for item in wanted):
            shutil.rmtree(path)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)


DOWNLOAD = Verb(
    "bring files from presigned URLs; a conversation on standard input and output",
    lambda given: download(given.root, Dialogue(sys.stdin.fileno(), sys.stdout.buffer)),
    _arguments,
)

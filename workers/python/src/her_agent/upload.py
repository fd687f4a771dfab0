"""`upload`: sends a checkpoint's files to presigned URLs that the caller gives, piece by piece.

It says `piece` (file, part, size, sha256) of every piece in turn and is answered `send` (url, headers) or `skip`; then
it says `sent`, or `failed` (status, code), after which the caller may answer `send` again. `hashed` tells that a file
is, to its last byte, the one that was saved; `done` that nothing is left. It holds no credentials and keeps no state.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import sys
import threading
import time
from typing import NamedTuple

from her_agent.dialogue import Dialogue
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.presigned import Link, Refusal, Region
from her_agent.upload_pieces import Piece, gone, pieces
from her_agent.upload_request import Upload, upload_request
from her_agent.verb import Verb

PROGRESS_SECONDS = 5.0
UNANSWERED_SECONDS = 900.0


class Task(NamedTuple):
    """A piece that has its URL."""

    key: tuple[int, int]
    url: str
    headers: dict[str, str]


class Uploading:
    """The pieces under way: at most twice as many are hashed and unsettled as are sent at a time."""

    def __init__(self, request: Upload, dialogue: Dialogue) -> None:
        self._request = request
        self._dialogue = dialogue
        self._tasks: queue.Queue[Task] = queue.Queue()
        self._state = threading.Condition()
        self._open: dict[tuple[int, int], Piece] = {}
        self._busy = 0
        self._fault: Exception | None = None
        self.sent = 0
        self.hashed = 0

    def run(self) -> None:
        """Hash, ask, send; returns when every piece is settled."""
        self._dialogue.listen(self._take)
        for _ in range(self._request.parallel):
            threading.Thread(target=self._work, daemon=True).start()
        for index, wanted in enumerate(self._request.files):
            for piece in pieces(self._request.folder, wanted, self._count_hashed):
                self._wait(2 * self._request.parallel - 1)
                with self._state:
                    self._open[(index, piece.part)] = piece
                self._dialogue.say("piece", file=index, part=piece.part, size=piece.size, sha256=piece.sha256)
            self._dialogue.say("hashed", file=index)
        self._wait(0)

    def progress(self) -> dict[str, object]:
        """How far it is, in bytes."""
        return {"sent": self.sent, "hashed": self.hashed}

    def _wait(self, most: int) -> None:
        """Until at most so many pieces are unsettled."""
        with self._state:
            while True:
                if self._fault is not None:
                    raise self._fault
                if len(self._open) <= most:
                    return
                silent = time.monotonic() - self._dialogue.heard
                if self._busy == 0 and self._tasks.empty() and silent > UNANSWERED_SECONDS:
                    raise AgentError("unanswered", f"nobody answered for {silent:.0f} s", "it may be called again")
                self._state.wait(1.0)

    def _take(self, line: dict[str, object]) -> None:
        file, part = line.get("file"), line.get("part")
        key = (file, part) if isinstance(file, int) and isinstance(part, int) else (-1, -1)
        with self._state:
            known = key in self._open
        word, url, headers = line.get("do"), line.get("url"), line.get("headers")
        if not known:
            raise AgentError("bad-request", "an answer for no piece that waits for one", "", BAD_REQUEST)
        if word == "skip":
            self._settle(key)
        elif word == "send" and isinstance(url, str) and isinstance(headers, dict):
            self._tasks.put(Task(key, url, {str(name): str(value) for name, value in headers.items()}))
        else:
            raise AgentError("bad-request", "an answer is neither `send` nor `skip`", "", BAD_REQUEST)

    def _work(self) -> None:
        link = Link()
        while True:
            task = self._tasks.get()
            with self._state:
                self._busy += 1
            try:
                self._send(link, task)
            except Exception as error:
                with self._state:
                    self._fault = self._fault or error
            finally:
                with self._state:
                    self._busy -= 1
                    self._state.notify_all()

    def _send(self, link: Link, task: Task) -> None:
        file, part = task.key
        wanted = self._request.files[file]
        with self._state:
            piece = self._open.get(task.key)
        if piece is None:
            return
        try:
            region = Region(os.path.join(self._request.folder, wanted.path), piece.offset, piece.size, self._count_sent)
        except (FileNotFoundError, NotADirectoryError):
            raise gone(wanted.path) from None
        with contextlib.closing(region):
            try:
                link.put(task.url, task.headers, region, piece.size)
            except FileNotFoundError:
                raise gone(wanted.path) from None
            except Refusal as refusal:
                self._dialogue.say("failed", file=file, part=part, status=refusal.status, code=refusal.code)
                return
        self._dialogue.say("sent", file=file, part=part)
        self._settle(task.key)

    def _settle(self, key: tuple[int, int]) -> None:
        with self._state:
            self._open.pop(key, None)
            self._state.notify_all()

    def _count_hashed(self, size: int) -> None:
        self.hashed += size

    def _count_sent(self, size: int) -> None:
        with self._state:
            self.sent += size


def upload(root: str, dialogue: Dialogue) -> None:
    """Serve one upload. Raises AgentError."""
    request = upload_request(root, dialogue.request())
    with contextlib.suppress(OSError):
        # The trainer comes first.
        os.nice(10)
    uploading = Uploading(request, dialogue)
    dialogue.tick(PROGRESS_SECONDS, uploading.progress)
    try:
        uploading.run()
        dialogue.last("done", **uploading.progress())
    finally:
        dialogue.close()


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)


UPLOAD = Verb(
    "send a checkpoint to presigned URLs; a conversation on standard input and output",
    lambda given: upload(given.root, Dialogue(sys.stdin.fileno(), sys.stdout.buffer)),
    _arguments,
)

"""Questions to the machine, each in a child of its own: one that hangs (a dead NFS, a wedged driver) or that ends
badly is told as such, and the others are answered in time.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import time
from collections.abc import Mapping
from typing import Callable

Task = Callable[[], object]
Answer = dict[str, object]
"""One of {"ok": value}, {"error": text}, {"late": seconds}."""


def together(tasks: Mapping[str, Task], seconds: float) -> dict[str, Answer]:
    """Run all tasks side by side; none takes longer than `seconds`, also where it cannot be killed."""
    deadline = time.monotonic() + seconds
    answers: dict[str, Answer] = {}
    waiting = selectors.DefaultSelector()
    said: dict[str, bytes] = {}
    for name, task in tasks.items():
        pid, reader = _start(task)
        said[name] = b""
        waiting.register(reader, selectors.EVENT_READ, (name, pid))
    while waiting.get_map():
        left = deadline - time.monotonic()
        if left <= 0:
            break
        for key, _ in waiting.select(left):
            name, pid = key.data
            chunk = os.read(key.fd, 1 << 16)
            said[name] += chunk
            if not chunk:
                waiting.unregister(key.fd)
                os.close(key.fd)
                answers[name] = _parsed(said[name])
                _bury(pid)
    for key in list(waiting.get_map().values()):
        name, pid = key.data
        answers[name] = {"late": seconds}
        os.close(key.fd)
        _bury(pid)
    return {name: answers[name] for name in tasks}


def _start(task: Task) -> tuple[int, int]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    # A child that hangs must not hold the caller's streams: an SSH session ends when the last holder lets go.
    status = 1
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        with os.fdopen(writer, "wb") as out:
            out.write(json.dumps(_outcome(task)).encode())
        status = 0
    finally:
        os._exit(status)


def _outcome(task: Task) -> Answer:
    try:
        return {"ok": task()}
    except OSError as error:
        return {"error": error.strerror or str(error)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _parsed(data: bytes) -> Answer:
    try:
        answer = json.loads(data)
    except ValueError:
        return {"error": "ended without an answer"}
    return answer if isinstance(answer, dict) else {"error": "ended without an answer"}


def _bury(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    # One in uninterruptible sleep stays until the kernel lets it go; nobody waits for it here.
    with contextlib.suppress(OSError):
        os.waitpid(pid, os.WNOHANG)

"""One thread that hashes trees in turn, so that the agent's loop never waits for a disk."""

from __future__ import annotations

import os
import queue
import threading
from typing import NamedTuple

from her_agent.hashing import Cancelled, Changed, Found, Tree, Unhashable, listing, tree


class Done(NamedTuple):
    """A finished job: the tree, or why there is none. `gone` says that the path vanished meanwhile."""

    path: str
    tree: Tree | None
    why: str
    gone: bool
    changed: bool


class Hasher:
    """`ask` for a path, `collect` what is ready."""

    def __init__(self) -> None:
        self._asked: queue.Queue[str] = queue.Queue()
        self._done: queue.Queue[Done] = queue.Queue()
        self._open = 0
        self._cancelled = False
        self._known: dict[str, tuple[list[Found], Tree]] = {}
        self._thread: threading.Thread | None = None
        self.read = 0

    @property
    def busy(self) -> bool:
        """Whether anything asked for has not been collected."""
        return self._open > 0

    def ask(self, path: str) -> None:
        """Hash this file or folder."""
        if self._thread is None:
            # Not earlier: the ranks are forked before the agent has threads.
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        self._open += 1
        self._asked.put(path)

    def collect(self) -> list[Done]:
        """What was finished since the last call."""
        done = []
        while True:
            try:
                done.append(self._done.get_nowait())
            except queue.Empty:
                self._open -= len(done)
                return done

    def cancel(self) -> None:
        """Give up everything that is not finished."""
        self._cancelled = True

    def _run(self) -> None:
        while True:
            path = self._asked.get()
            try:
                done = Done(path, self._tree(path), "", False, False)
            except Changed:
                done = Done(path, None, "it changed while it was hashed", not os.path.exists(path), True)
            except (Unhashable, Cancelled) as error:
                done = Done(path, None, str(error), False, False)
            except FileNotFoundError as error:
                done = Done(path, None, str(error), True, True)
            except OSError as error:
                done = Done(path, None, str(error), False, False)
            self._done.put(done)

    def _tree(self, path: str) -> Tree:
        # The last checkpoint is often the output too, and may be hundreds of gigabytes.
        real = os.path.realpath(path)
        now = listing(path)
        known = self._known.get(real)
        if known is not None and known[0] == now:
            return known[1]
        found = tree(path, self._progress)
        self._known[real] = (now, found)
        return found

    def _progress(self, count: int) -> None:
        self.read += count
        if self._cancelled:
            raise Cancelled("the agent was told to end")

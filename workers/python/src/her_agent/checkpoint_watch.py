"""Watches the folder of checkpoints: each is told once, when proven whole and unchanged while hashed."""

from __future__ import annotations

import os

from her_agent.checkpoint import candidates, check
from her_agent.confine import inside
from her_agent.hasher import Done, Hasher
from her_agent.metrics import Add
from her_agent.request import CheckpointSource


class CheckpointWatch:
    """`poll` finds and asks, `hashed` tells. States: unknown, asked, told; a changed one becomes unknown
    again.
    """

    def __init__(self, folder: str, source: CheckpointSource, hasher: Hasher) -> None:
        self._folder = folder
        self._source = source
        self._hasher = hasher
        self._asked: dict[str, int] = {}
        self._told: set[str] = set()

    def poll(self, add: Add, final: bool = False) -> None:
        """Ask for the hashes of new whole checkpoints. `final` tells which ones stayed torn."""
        base = inside(self._folder, self._source.path)
        if base is None:
            return
        torn: dict[str, list[str]] = {}
        for _step, name in candidates(self._source.format, base):
            path = os.path.join(base, name)
            if path in self._told or path in self._asked:
                continue
            try:
                verdict = check(self._source.format, path, self._source.world_size)
            except FileNotFoundError:
                continue
            if verdict.whole and verdict.step is not None:
                self._asked[path] = verdict.step
                self._hasher.ask(path)
            else:
                torn[path] = verdict.why
        if final:
            for path, why in torn.items():
                add(
                    "message",
                    text=f"{os.path.relpath(path, self._folder)} is not whole: {'; '.join(why[:5])}",
                )

    def hashed(self, add: Add, done: Done) -> bool:
        """Take a finished hash; True when it was a checkpoint of ours and is told now."""
        if done.path not in self._asked:
            return False
        step = self._asked.pop(done.path)
        shown = os.path.relpath(done.path, self._folder)
        if done.tree is not None:
            # Judged again: what was hashed must be what was found whole.
            if not check(self._source.format, done.path, self._source.world_size).whole:
                return False
            self._told.add(done.path)
            add("checkpoint", step=step, path=shown, files=done.tree.files, digest=done.tree.digest)
            return True
        if done.gone:
            add("message", text=f"{shown} was removed while it was hashed")
        elif not done.changed:
            self._told.add(done.path)
            add("message", text=f"{shown} was not hashed: {done.why}")
        return False

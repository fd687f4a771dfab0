"""Everything that is watched while the ranks run, turned into events.

A fault in watching must not end a training: it becomes a `message` event, once for each kind, and the
watch goes on.
"""

from __future__ import annotations

import glob
import os
import re
import time
from typing import Callable

from her_agent.checkpoint_watch import CheckpointWatch
from her_agent.confine import inside
from her_agent.events import EventLog
from her_agent.hasher import Done, Hasher
from her_agent.layout import Layout
from her_agent.metrics import MetricReader
from her_agent.request import Output, Request
from her_agent.seeds import SeedWatch
from her_agent.stall import StallWatch

CHECKPOINT_SECONDS = 1.0


class Collect:
    """`poll` in every round of the loop; at the end `drain`, then `outputs`, then `poll` until `busy` is
    false.
    """

    def __init__(self, layout: Layout, request: Request, events: EventLog, stall: StallWatch) -> None:
        self._layout = layout
        self._events = events
        self._stall = stall
        self._ranks = len(request.ranks)
        self._hasher = Hasher()
        self._metrics = [MetricReader(layout.folder, source) for source in request.metrics]
        self._seeds: SeedWatch | None = None
        self._checkpoints = None
        if request.checkpoints is not None:
            self._checkpoints = CheckpointWatch(layout.folder, request.checkpoints, self._hasher)
        self._checkpoints_at = 0.0
        self._outputs: dict[str, list[Output]] = {}
        self._log_bytes = 0
        self._hashed = 0
        self._faults: set[str] = set()

    @property
    def busy(self) -> bool:
        """Whether something is still being hashed."""
        return self._hasher.busy

    @property
    def last_step(self) -> int | None:
        """The highest step told."""
        return max((r.last_step for r in self._metrics if r.last_step is not None), default=None)

    def await_seeds(self, form: str, since_ns: int, hash_seed: str | None) -> None:
        """From now on wait for the trainer's record of its seeds."""
        self._seeds = SeedWatch(self._layout.folder, form, since_ns, hash_seed)

    def poll(self, final: bool = False) -> None:
        """Look at everything once."""
        for reader in self._metrics:
            self._guard("metrics", lambda reader=reader: self._poll_metrics(reader, final))
        if self._seeds is not None and not self._seeds.told:
            seeds, last = self._seeds, final or self.last_step is not None
            self._guard("seeds", lambda: seeds.poll(self._events.add, last))
        now = time.monotonic()
        if self._checkpoints is not None and (final or now - self._checkpoints_at >= CHECKPOINT_SECONDS):
            self._checkpoints_at = now
            checkpoints = self._checkpoints
            self._guard("checkpoints", lambda: checkpoints.poll(self._events.add, final))
        for done in self._hasher.collect():
            self._guard("hashes", lambda done=done: self._hashed_one(done))
        self._guard("logs", self._look_at_logs)

    def outputs(self, wanted: list[Output]) -> None:
        """Ask for the hashes of the outputs of a job that succeeded."""
        for output in wanted:
            path = self._newest(output.path)
            if path is None:
                self._events.add("message", text=f"output {output.name}: nothing at {output.path}")
            elif path in self._outputs:
                self._outputs[path].append(output)
            else:
                self._outputs[path] = [output]
                self._hasher.ask(path)

    def cancel(self) -> None:
        """Give up hashing."""
        self._hasher.cancel()

    def _poll_metrics(self, reader: MetricReader, final: bool) -> None:
        if reader.poll(self._events.add, final):
            self._stall.metric()

    def _hashed_one(self, done: Done) -> None:
        if self._checkpoints is not None and self._checkpoints.hashed(self._events.add, done):
            self._stall.sign()
        elif done.path in self._outputs:
            for output in self._outputs.pop(done.path):
                self._tell_output(output, done)

    def _tell_output(self, output: Output, done: Done) -> None:
        shown = os.path.relpath(done.path, self._layout.folder)
        if done.tree is None:
            self._events.add("message", text=f"output {output.name}: {shown} was not hashed: {done.why}")
        else:
            self._events.add("output", name=output.name, path=shown, files=done.tree.files, digest=done.tree.digest)

    def _newest(self, pattern: str) -> str | None:
        base = glob.escape(self._layout.folder)
        found = [
            path
            for path in glob.glob(os.path.join(base, pattern))
            if inside(self._layout.folder, os.path.relpath(path, self._layout.folder))
        ]
        return max(found, key=lambda path: self._number(pattern, path), default=None)

    def _number(self, pattern: str, path: str) -> tuple[int, str]:
        """The number that the last `*` of the pattern stands for, wherever in the path that is."""
        parts = os.path.relpath(path, self._layout.folder).split(os.sep)
        starred = [part for form, part in zip(pattern.split("/"), parts) if "*" in form]
        match = re.search(r"(\d+)\D*\Z", starred[-1]) if starred else None
        return (int(match.group(1)) if match else -1, path)

    def _look_at_logs(self) -> None:
        size = sum(os.path.getsize(self._layout.log(rank)) for rank in range(self._ranks))
        if size != self._log_bytes or self._hasher.read != self._hashed:
            self._log_bytes, self._hashed = size, self._hasher.read
            self._stall.sign()

    def _guard(self, what: str, watch: Callable[[], None]) -> None:
        try:
            watch()
        except Exception as error:
            # Whatever it is: the training is worth more than this watch.
            key = f"{what}: {type(error).__name__}"
            if key not in self._faults:
                self._faults.add(key)
                self._events.add("message", text=f"watching {what} failed: {type(error).__name__}: {error}")

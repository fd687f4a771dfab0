"""Seeds as the running trainer itself recorded them, told once.

ms-swift and our own stages have one record, told when it appears. verl's engines log theirs long after
its configuration is written, and there may be several of them: they are awaited until the first metric or
the end. A source that the trainer recorded as null is told as null.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from her_agent.confine import inside
from her_agent.metrics import Add
from her_agent.seeds_plain import PLAIN_RECORD, plain_seeds
from her_agent.seeds_swift import SWIFT_RECORD, swift_seeds
from her_agent.seeds_verl import VERL_RECORD, EngineSeeds, verl_seeds

# File systems stamp times a little behind the clock.
SLACK_NS = 1_000_000_000


class Seed(NamedTuple):
    source: str
    value: object
    where: str

    def shown(self) -> dict[str, object]:
        return self._asdict()


def _engine(k: int) -> str:
    """verl gives engine k the rollout's seed plus k; they log in any order, without their number."""
    return "vllm.engine.seed" if k == 0 else f"vllm.engine.seed[{k}]"


class SeedWatch:
    """Waits for the record of one format."""

    def __init__(self, folder: str, form: str, since_ns: int, hash_seed: str | None) -> None:
        self._folder = folder
        self._form = form
        self._since = since_ns - SLACK_NS
        self._hash_seed = hash_seed
        self._engines = EngineSeeds(os.path.join(folder, "logs", "rank-0.log")) if form == "verl" else None
        self.told = False

    def poll(self, add: Add, last_chance: bool = False) -> None:
        """Tell the seeds when they are there; at the last chance tell what there is."""
        if self.told:
            return
        engines = self._engines.poll() if self._engines is not None else []
        if self._form == "verl" and not last_chance:
            return
        found = self._record()
        if found is None and not last_chance:
            return
        seeds = list(found or [])
        seeds += [Seed(_engine(k), value, "logs/rank-0.log") for k, value in enumerate(sorted(engines))]
        if self._hash_seed is not None:
            value = int(self._hash_seed) if self._hash_seed.isdigit() else self._hash_seed
            seeds.append(Seed("PYTHONHASHSEED", value, "/proc/environ"))
        self.told = True
        if seeds:
            add("seeds", values=[seed.shown() for seed in seeds])

    def _record(self) -> list[Seed] | None:
        where = {"swift": SWIFT_RECORD, "verl": VERL_RECORD, "plain": PLAIN_RECORD}[self._form]
        path = inside(self._folder, where)
        if path is None:
            return None
        try:
            # A resumed run overwrites the record of the run before: an older one is not this run's.
            if os.stat(path).st_mtime_ns < self._since:
                return None
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return None
        read = {"swift": swift_seeds, "verl": verl_seeds, "plain": plain_seeds}[self._form]
        try:
            return [Seed(source, value, where) for source, value in read(text)]
        except ValueError:
            # Still being written; at the end the absence shows in the event.
            return None

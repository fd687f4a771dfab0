"""A checkpoint that changes or vanishes while it is hashed."""

from __future__ import annotations

import shutil
from pathlib import Path

from her_agent.checkpoint_watch import CheckpointWatch
from her_agent.hasher import Done, Hasher
from her_agent.hashing import tree
from her_agent.request import CheckpointSource
from her_agent.test_checkpoint import cut, swift


class StillHasher(Hasher):
    """Takes requests and hashes nothing, so that a test decides what happened meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def ask(self, path: str) -> None:
        self.paths.append(path)


def watch(folder: Path) -> tuple[CheckpointWatch, StillHasher, list[dict[str, object]]]:
    hasher = StillHasher()
    return CheckpointWatch(str(folder), CheckpointSource("swift", "out", 1), hasher), hasher, []


def test_tree_hashed_before_is_not_read_again_unless_it_changed(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(b"x" * 1000)
    hasher = Hasher()

    def ask() -> Done:
        hasher.ask(str(tmp_path))
        while True:
            done = hasher.collect()
            if done:
                return done[0]

    first, second = ask(), ask()
    assert first.tree == second.tree
    assert hasher.read == 1000
    (tmp_path / "w").write_bytes(b"y" * 1000)
    assert ask().tree != first.tree
    assert hasher.read == 2000


def test_vanished_is_a_message(tmp_path: Path) -> None:
    path = swift(tmp_path / "out")
    made, hasher, told = watch(tmp_path)
    made.poll(lambda kind, **fields: told.append({"type": kind, **fields}))
    shutil.rmtree(path)
    made.hashed(lambda kind, **fields: told.append({"type": kind, **fields}), Done(str(path), None, "", True, True))
    assert hasher.paths == [str(path)]
    assert [event["type"] for event in told] == ["message"]


def test_changed_is_hashed_again_and_torn_after_hashing_is_not_told(tmp_path: Path) -> None:
    path = swift(tmp_path / "out")
    made, hasher, told = watch(tmp_path)

    def add(kind: str, **fields: object) -> None:
        told.append({"type": kind, **fields})

    made.poll(add)
    made.poll(add)
    assert len(hasher.paths) == 1
    name = hasher.paths[0]
    made.hashed(add, Done(name, None, "changed", False, True))
    made.poll(add)
    assert len(hasher.paths) == 2
    before = tree(name)
    cut(path / "optimizer.pt")
    assert not made.hashed(add, Done(name, before, "", False, False))
    assert told == []

"""The scratch folder: private, in every rank's environment, gone when the attempt is over."""

from __future__ import annotations

import os
import signal

import pytest

from her_agent import scratch
from her_agent.conftest import Bench
from her_agent.layout import Layout


def test_ranks_find_it_and_it_is_gone_at_the_end(bench: Bench) -> None:
    shell = 'test -d "$TMPDIR" && stat -c "%a $TMPDIR $RAY_TMPDIR" "$TMPDIR" && touch "$TMPDIR/x"'
    bench.start(bench.request("a-1", shell=shell))
    assert bench.ended("a-1")["code"] == 0
    folder = scratch.path(Layout(str(bench.root), "a-1"))
    log = (bench.folder("a-1") / "logs" / "rank-0.log").read_text()
    assert log.strip() == f"700 {folder} {folder}"
    assert not os.path.exists(folder)


def test_a_reap_removes_it_too(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="sleep 60"))
    folder = scratch.path(Layout(str(bench.root), "a-1"))
    assert os.path.isdir(folder)
    os.kill(bench.agent_pid("a-1"), signal.SIGKILL)
    bench.until(lambda: bench.gone(bench.agent_pid("a-1")))
    bench.verb("reap", "a-1", "--grace", "0")
    assert not os.path.exists(folder)


def test_what_somebody_else_put_there_is_not_touched(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "BASE", str(bench.root))
    layout = Layout(str(bench.root), "a-1")
    target = bench.root / "precious"
    target.mkdir(parents=True)
    os.symlink(target, scratch.path(layout))
    assert scratch.remove(layout) == [f"{scratch.path(layout)}: not a folder of this user"]
    assert target.is_dir()
    with pytest.raises(FileExistsError):
        scratch.make(layout)

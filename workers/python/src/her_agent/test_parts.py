"""Small parts: endings, masks, paths, events on a disk that fills."""

from __future__ import annotations

import errno
import json
import os
import signal
from pathlib import Path

import pytest

from her_agent import ending
from her_agent.confine import clashes, fault, inside
from her_agent.errors import DiskFull
from her_agent.events import EventLog
from her_agent.mask import Mask


@pytest.mark.parametrize(
    ("status", "program", "swift", "told"),
    [
        (0, "swift", True, (0, None)),
        (247 << 8, "swift", True, (247, "SIGKILL")),
        (241 << 8, "swift", True, (241, "SIGTERM")),
        (247 << 8, "python", False, (247, None)),
        (255 << 8, "swift", True, (255, None)),
        (137 << 8, "/bin/bash", False, (137, "SIGKILL")),
        (137 << 8, "python", False, (137, None)),
        (signal.SIGSEGV, "swift", True, (None, "SIGSEGV")),
        (signal.SIGRTMIN + 3, "swift", True, (None, f"SIG{signal.SIGRTMIN + 3}")),
    ],
)
def test_endings(status: int, program: str, swift: bool, told: tuple[int | None, str | None]) -> None:
    assert tuple(ending.of(status, program, swift)) == told


def test_mask_hides_whole_values_and_lines_of_them() -> None:
    mask = Mask(["abcd", "abcdef", "first-line-of-key\nsecond-line-of-key", "ab"])
    assert mask.text("abcdef abcd ab second-line-of-key") == "*** *** ab ***"
    assert mask.within({"abcd": ["abcd", 1, None]}) == {"***": ["***", 1, None]}
    assert mask.text("\ud800") == "?"


def test_confinement(tmp_path: Path) -> None:
    assert fault("a/b") is None
    assert fault("../a") is not None
    (tmp_path / "out").symlink_to("/etc")
    assert inside(str(tmp_path), "out/passwd") is None
    assert inside(str(tmp_path), "other/file") is not None
    assert clashes(["a", "a/b", "ab"]) == ["a/b lies inside a"]


def test_events_go_on_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"seq":1,"type":"started"}\n{"seq":2,"ty')
    log = EventLog(str(path), Mask([]))
    assert log.torn == 12
    log.add("message", text="x\u2028y")
    log.flush()
    assert json.loads(path.read_text().splitlines()[-1])["text"] == "x\u2028y"
    assert [json.loads(line)["seq"] for line in path.read_text().splitlines() if line.startswith("{")] == [
        1,
        2,
    ]


def test_full_disk_leaves_no_torn_line_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(str(path), Mask([]))
    log.add("message", text="one")
    log.flush()
    real, full = os.write, True

    def write(descriptor: int, data: bytes) -> int:
        if full:
            real(descriptor, bytes(data)[:5])
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    log.add("message", text="two")
    with pytest.raises(DiskFull):
        log.flush()
    assert path.read_bytes().count(b"\n") == 1
    assert path.read_bytes().endswith(b"\n")
    full = False
    log.flush()
    assert [json.loads(line)["text"] for line in path.read_text().splitlines()] == ["one", "two"]

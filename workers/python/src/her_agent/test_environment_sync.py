"""Environments made on a node by a stand-in for uv: once, whoever asks; nothing half-made is trusted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

import pytest

from her_agent.conftest import Bench

NAME = "swift-0123456789ab"
DIGEST = "0123456789ab" + "c" * 52

# Leaves a mark of each run, a folder as uv would, and waits for leave to end.
UV = """#!/bin/sh
echo $$ >> "{work}/runs"
mkdir -p "$UV_PROJECT_ENVIRONMENT/bin" && echo half > "$UV_PROJECT_ENVIRONMENT/bin/python"
env > "{work}/env"
{then}
while [ ! -e "{work}/go" ]; do sleep 0.05; done
echo whole > "$UV_PROJECT_ENVIRONMENT/bin/python"
"""


class Maker:
    """One stand-in and the verbs that use it."""

    def __init__(self, bench: Bench, work: Path, then: str = "") -> None:
        self.bench, self.work = bench, work
        self.uv = work / "uv"
        self.uv.write_text(UV.format(work=work, then=then))
        self.uv.chmod(0o755)
        self.folder = bench.root / "envs" / NAME

    def _named(self) -> list[str]:
        return ["--root", str(self.bench.root), "--name", NAME, "--digest", DIGEST]

    def sync(self, size: int = 1, stdin: str = "") -> dict[str, object]:
        more = ["--project", "/p", "--uv", str(self.uv), "--size", str(size)]
        return self._answer("environment-sync", *self._named(), *more, stdin=stdin)

    def look(self) -> dict[str, object]:
        return self._answer("environment-look", *self._named())

    def _answer(self, *args: str, stdin: str = "") -> dict[str, object]:
        _, out = self.bench.run(*args, stdin=stdin)
        answer: dict[str, object] = json.loads(out)
        return answer

    def runs(self) -> list[int]:
        path = self.work / "runs"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    def until(self, right: Callable[[], bool]) -> None:
        end = time.monotonic() + 30
        while not right():
            assert time.monotonic() < end
            time.sleep(0.05)

    def let_go(self) -> None:
        (self.work / "go").touch()


def test_two_nodes_of_one_root_make_it_once(bench: Bench, tmp_path: Path) -> None:
    maker = Maker(bench, tmp_path)
    assert maker.look()["state"] == "absent"
    assert {maker.sync()["state"], maker.sync()["state"]} == {"syncing"}
    maker.until(lambda: len(maker.runs()) == 1)
    assert maker.look()["state"] == "syncing"
    maker.let_go()
    maker.until(lambda: maker.look()["state"] == "ready")
    assert maker.sync() == {"state": "ready", "folder": str(maker.folder)}
    assert len(maker.runs()) == 1


def test_killed_in_the_middle_it_is_made_anew(bench: Bench, tmp_path: Path) -> None:
    maker = Maker(bench, tmp_path)
    maker.sync()
    maker.until(lambda: (maker.folder / "bin" / "python").exists())
    begun = json.loads((bench.root / "envs" / f".{NAME}.begun").read_text())
    assert begun["host"]
    [uv] = maker.runs()
    parent = int(Path(f"/proc/{uv}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(parent, signal.SIGKILL)
    # What still writes holds the lock: nobody else begins meanwhile.
    assert maker.look()["state"] == "syncing"
    assert maker.sync()["state"] == "syncing"
    assert len(maker.runs()) == 1
    os.kill(uv, signal.SIGKILL)
    maker.until(lambda: maker.look()["state"] == "absent")
    (maker.folder / "left-over").touch()
    maker.let_go()
    maker.sync()
    maker.until(lambda: maker.look()["state"] == "ready")
    assert (maker.folder / "bin" / "python").read_text() == "whole\n"
    assert not (maker.folder / "left-over").exists()


def test_one_that_another_lock_made_is_not_trusted(bench: Bench, tmp_path: Path) -> None:
    maker = Maker(bench, tmp_path)
    maker.folder.mkdir(parents=True)
    (maker.folder / ".her-ready.json").write_text(json.dumps({"lock": "0123456789ab" + "d" * 52}))
    assert maker.look()["state"] == "absent"


def test_why_it_failed_is_told_without_a_password(bench: Bench, tmp_path: Path) -> None:
    said = "error: Failed to fetch: `https://me:secret@mirror.example/simple/torch/`"
    maker = Maker(bench, tmp_path, f"echo '{said}' >&2; exit 2")
    maker.sync(stdin=json.dumps({"UV_DEFAULT_INDEX": "https://me:secret@mirror.example/simple"}))
    maker.until(lambda: maker.look()["state"] == "failed")
    failed = maker.look()
    assert failed["code"] == "no-network"
    assert "mirror.example" in str(failed["message"])
    assert "secret" not in json.dumps(failed)
    assert "UV_DEFAULT_INDEX=https://me:secret@mirror.example/simple\n" in (tmp_path / "env").read_text()


def test_a_full_disk_is_told_before_and_after_it_is_full(bench: Bench, tmp_path: Path) -> None:
    maker = Maker(bench, tmp_path, "echo 'error: No space left on device (os error 28)' >&2; exit 2")
    error = maker.sync(size=1 << 60)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "disk-full"
    assert maker.runs() == []
    maker.sync()
    maker.until(lambda: maker.look()["state"] == "failed")
    assert maker.look()["code"] == "disk-full"


def test_the_session_that_asked_ends_at_once(bench: Bench, tmp_path: Path) -> None:
    maker = Maker(bench, tmp_path)
    begun = time.monotonic()
    maker.sync()
    assert time.monotonic() - begun < 20
    maker.until(lambda: len(maker.runs()) == 1)
    [uv] = maker.runs()
    assert os.getsid(uv) != os.getsid(0)
    maker.let_go()
    maker.until(lambda: maker.look()["state"] == "ready")


def fake_environment(folder: Path, packages: dict[str, str]) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [site] = folder.glob("lib/python3*/site-packages")
    for name, version in packages.items():
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder


LOCK = """version = 1

[[package]]
name = "her-env"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
    { name = "ms-swift" },
    { name = "torch" },
]

[[package]]
name = "ms-swift"
version = "4.6.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "torch"
version = "2.11.0"
source = { registry = "https://pypi.org/simple" }
"""


def test_an_environment_that_is_there_is_held_against_the_lock(bench: Bench, tmp_path: Path) -> None:
    lock = tmp_path / "uv.lock"
    lock.write_text(LOCK)
    folder = fake_environment(tmp_path / "env", {"ms-swift": "4.5.0", "extra_one": "1"})
    _, out = bench.run("environment", "--path", str(folder), "--lock", str(lock))
    seen = json.loads(out)
    assert seen["other"] == [{"name": "ms-swift", "wanted": "4.6.0", "found": "4.5.0"}]
    assert seen["missing"] == [{"name": "torch", "wanted": "2.11.0"}]
    assert seen["extra"] == ["extra-one"]
    assert seen["facts"]["python"].startswith("3.")
    _, out = bench.run("environment")
    own = json.loads(out)
    assert (own["path"], own["python"]) == (sys.prefix, sys.executable)
    assert own["packages"]["pytest"] == pytest.__version__
    _, out = bench.run("environment", "--path", str(tmp_path / "none"))
    assert json.loads(out)["error"]["code"] == "no-environment"

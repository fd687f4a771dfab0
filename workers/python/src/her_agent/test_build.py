"""The zipapp: same source, same bytes; no tests inside; and it runs, also when removed meanwhile."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from her_agent.conftest import SOURCE, Bench

BUILD = SOURCE.parent / "build_agent.py"


def build(path: Path) -> str:
    done = subprocess.run([sys.executable, str(BUILD), str(path)], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().strip()


def test_same_source_same_bytes(tmp_path: Path) -> None:
    first, second = build(tmp_path / "a.pyz"), build(tmp_path / "b.pyz")
    assert first == second == hashlib.sha256((tmp_path / "a.pyz").read_bytes()).hexdigest()
    names = zipfile.ZipFile(tmp_path / "a.pyz").namelist()
    assert "her_agent/cli.py" in names
    assert not [name for name in names if "test_" in name or "conftest" in name or "pycache" in name]


def test_zipapp_starts_an_attempt_and_may_be_removed(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "agent.pyz"
    digest = build(path)
    text = json.dumps(bench.request("a-1", shell="sleep 1; exit 4"))
    command = [sys.executable, "-I", str(path), "start", "--root", str(bench.root)]
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, cwd="/", env={}, check=True)
    assert json.loads(done.stdout)["agent"] == digest
    os.unlink(path)
    assert bench.ended("a-1")["code"] == 4
    assert (bench.folder("a-1") / "agent.log").read_text() == ""

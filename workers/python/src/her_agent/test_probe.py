"""The probe: bounded, leaves nothing behind, and tells what it cannot find out."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from her_agent.conftest import Bench
from her_agent.probe import probe
from her_agent.probe_environment import environment_facts
from her_agent.probe_folders import folder_facts
from her_agent.probe_guard import together
from her_agent.probe_model import model_facts
from her_agent.probe_reach import reach_facts


def hang() -> object:
    time.sleep(60)
    return None


def test_one_that_hangs_is_late_and_the_others_are_answered() -> None:
    began = time.monotonic()
    found = together(
        {"slow": hang, "dead": lambda: os._exit(3), "bad": lambda: os.stat("/none"), "well": lambda: 7}, 0.5
    )
    assert time.monotonic() - began < 3
    assert found == {
        "slow": {"late": 0.5},
        "dead": {"error": "ended without an answer"},
        "bad": {"error": "No such file or directory"},
        "well": {"ok": 7},
    }


def test_what_hangs_does_not_hold_the_callers_streams() -> None:
    code = (
        "import signal, time; from her_agent.probe_guard import together;"
        "together({'a': lambda: (signal.signal(signal.SIGTERM, signal.SIG_IGN), time.sleep(30))}, 0.2); print('done')"
    )
    began = time.monotonic()
    source = str(Path(__file__).resolve().parents[1])
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, env={"PYTHONPATH": source}, check=True)
    assert done.stdout == b"done\n"
    assert time.monotonic() - began < 10


def test_the_verb_answers_one_object(bench: Bench, tmp_path: Path) -> None:
    request = {
        "protocol": 1,
        "seconds": 5,
        "folders": [{"name": "root", "path": str(tmp_path / "a" / "b"), "write": True}],
        "paths": [{"name": "data", "path": str(tmp_path / "none")}],
        "models": [{"name": "m", "path": str(tmp_path / "none")}],
        "environments": [{"name": "swift", "path": str(tmp_path), "packages": ["ms-swift"]}],
        "reach": [{"name": "hub", "host": "127.0.0.1", "port": 9, "tls": False}],
    }
    code, out = bench.run("probe", stdin=json.dumps(request))
    found = json.loads(out)
    assert code == 0
    machine = found["machine"]["ok"]
    assert machine["uid"] == os.getuid()
    assert machine["cores"] >= 1
    assert machine["freeMemoryBytes"] <= machine["memoryBytes"]
    assert int(found["received"]) <= int(found["answered"])
    folder = found["folders"]["root"]["ok"]
    assert (folder["exists"], folder["nearest"], folder["problem"]) == (False, str(tmp_path), None)
    assert found["paths"]["data"] == {"error": "No such file or directory"}
    assert found["models"]["m"]["ok"]["problems"] == ["there is no such folder"]
    assert found["reach"]["hub"] == {"error": "Connection refused"}
    assert os.listdir(tmp_path) == []


def test_a_request_with_faults_asks_nothing() -> None:
    with pytest.raises(Exception, match="protocol") as caught:
        probe('{"folders": [{"name": "root"}]}')
    assert "folders[0].path" in str(caught.value)


def test_a_folder_that_cannot_be_written() -> None:
    assert folder_facts("/proc/self/fdinfo", True)["problem"] is not None
    assert folder_facts("relative", True) == {"path": "relative", "problem": "is no absolute path"}


def safetensors(path: Path, length: int) -> None:
    head = json.dumps({"__metadata__": {}, "w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + b"\0" * length)


def model(folder: Path) -> Path:
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer.json").write_text("{}")
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    safetensors(folder / "model-1.safetensors", 16)
    safetensors(folder / "model-2.safetensors", 16)
    return folder


def test_a_whole_model_has_no_problems(tmp_path: Path) -> None:
    found = model_facts(str(model(tmp_path)))
    assert found["problems"] == []
    assert found["bytes"] == sum(path.stat().st_size for path in tmp_path.glob("*.safetensors"))


def test_a_model_that_came_over_in_part_is_told_file_by_file(tmp_path: Path) -> None:
    model(tmp_path)
    safetensors(tmp_path / "model-1.safetensors", 9)
    (tmp_path / "model-2.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "config.json").write_text("{")
    problems = model_facts(str(tmp_path))["problems"]
    assert problems[0] == "config.json is no JSON"
    assert problems[1].startswith("no tokenizer")
    assert problems[2].startswith("model-1.safetensors has ")
    assert problems[3] == "model-2.safetensors is a Git LFS pointer, not the file"
    (tmp_path / "model-1.safetensors").unlink()
    (tmp_path / "model-2.safetensors").write_bytes(b"\0\0")
    assert model_facts(str(tmp_path))["problems"][2:] == [
        "model-1.safetensors is missing",
        "model-2.safetensors is cut off after 2 bytes",
    ]


def test_versions_are_read_without_running_anything(tmp_path: Path) -> None:
    place = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in ("ms_swift-4.5.0.dist-info", "torch-2.11.0+cu130.dist-info", "torchvision-0.26.0.dist-info"):
        (place / name).mkdir(parents=True)
    found = environment_facts(str(tmp_path), ["ms-swift", "torch", "verl"])
    assert found["versions"] == {"ms-swift": "4.5.0", "torch": "2.11.0+cu130"}
    assert (found["exists"], found["python"]) == (True, False)


def test_a_proxy_of_the_nodes_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with pytest.raises(OSError, match="refused"):
        reach_facts("hub.example", 443, True, 1.0)

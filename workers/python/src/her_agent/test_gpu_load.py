"""What nvidia-smi says of the load, and how the heartbeat takes it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from her_agent.gpu_load import GpuLoad, parsed
from her_agent.heartbeat import Heartbeat

ANSWER = "0, 87, 61234, 81559, 64, 412.53, 0\n1, [N/A], 0, 81559, 31, [Not Supported], [N/A]\nsomething else\n"


def test_the_figures_of_each_gpu() -> None:
    first, second = parsed(ANSWER)
    assert first == {
        "index": 0,
        "busy": 0.87,
        "memUsed": 61234 << 20,
        "memTotal": 81559 << 20,
        "temperature": 64.0,
        "watts": 412.53,
        "uncorrected": 0.0,
    }
    assert (second["busy"], second["watts"], second["uncorrected"]) == (None, None, None)


def test_a_slow_answer_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\nsleep 0.5\nprintf '{ANSWER}'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    helpers: set[int] = set()
    load = GpuLoad(helpers)
    begun = time.monotonic()
    load.ask()
    load.poll()
    assert time.monotonic() - begun < 0.4
    assert len(helpers) == 1
    while not load.figures and time.monotonic() - begun < 20:
        load.poll()
        time.sleep(0.05)
    assert [gpu["index"] for gpu in load.figures] == [0, 1]


def test_a_node_without_gpus_says_nothing_of_them() -> None:
    figures = Heartbeat(set()).take([])
    assert figures.keys() >= {"load1", "cpus", "cpuBusy", "memTotal", "memAvailable", "rssBytes"}
    assert ("gpus" in figures) == bool(figures.get("gpus"))

"""Ends of all kinds, and what the record says of them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from her_agent import jsonfile
from her_agent.conftest import Bench
from her_agent.errors import DiskFull
from her_agent.layout import Layout
from her_agent.stop import stop

STEP = 'echo \'{"step":1,"values":{"loss":1}}\' >> out/metrics.jsonl\n'


@pytest.mark.parametrize("code", [0, 1, 2, 7])
def test_exit_codes_are_told(bench: Bench, code: int) -> None:
    bench.start(bench.request("a-1", shell=f"{STEP}exit {code}"))
    ended = bench.ended("a-1")
    assert (ended["code"], ended["signal"], ended["reason"], ended["steps"]) == (code, None, "exited", 1)
    status = bench.verb("status", "a-1")
    assert (status["health"], status["code"], status["orphans"]) == ("ended", code, [])
    assert status["lastSeq"] == ended["seq"]


def test_death_by_signal_is_told(bench: Bench) -> None:
    bench.start(bench.request("a-1", "import os\nos.kill(os.getpid(), 9)\n"))
    ended = bench.ended("a-1")
    assert (ended["code"], ended["signal"], ended["reason"]) == (None, "SIGKILL", "signalled")


def test_swift_code_247_is_sigkill(bench: Bench) -> None:
    metrics = [{"format": "swift", "path": "out/logging.jsonl"}]
    bench.start(bench.request("a-1", "import sys\nsys.exit(-9)\n", metrics=metrics))
    ended = bench.ended("a-1")
    assert (ended["code"], ended["signal"], ended["reason"]) == (247, "SIGKILL", "signalled")


def test_a_ranks_death_ends_the_gang(bench: Bench) -> None:
    request = bench.request("a-1", shell="sleep 0.5; exit 5")
    request["ranks"] = [{"argv": ["/bin/sleep", "60"]}, {"argv": ["/bin/bash", "trainer.sh"]}]
    bench.start(request)
    ended = bench.ended("a-1")
    assert (ended["code"], ended["reason"]) == (5, "exited")
    assert set(ended["tails"]) == {"rank-0", "rank-1"}


def test_stop_kills_a_trainer_that_ignores_sigterm(bench: Bench) -> None:
    python = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(60)\n"
    pid = int(str(bench.start(bench.request("a-1", python))["pid"]))
    bench.until(lambda: (bench.folder("a-1") / "logs/rank-0.log").read_text())
    begun = time.monotonic()
    assert bench.verb("stop", "a-1", "--grace", "1", "--reason", "enough") == {"asked": True}
    ended = bench.ended("a-1")
    assert 1.0 <= time.monotonic() - begun < 15.0
    assert (ended["signal"], ended["reason"], ended["message"]) == ("SIGKILL", "stopped", "enough")
    assert bench.gone(pid)
    assert bench.verb("stop", "a-1")["asked"] is False


def test_stop_gives_grace_to_save(bench: Bench) -> None:
    python = (
        "import signal, sys, time\n"
        "def save(*_):\n    time.sleep(1)\n    open('out/saved', 'w').close()\n    sys.exit(0)\n"
        "signal.signal(15, save)\nprint('up', flush=True)\ntime.sleep(60)\n"
    )
    bench.start(bench.request("a-1", python))
    bench.until(lambda: (bench.folder("a-1") / "logs/rank-0.log").read_text())
    bench.verb("stop", "a-1", "--grace", "20")
    ended = bench.ended("a-1")
    assert (ended["code"], ended["reason"]) == (0, "stopped")
    assert (bench.folder("a-1") / "out/saved").exists()


def test_second_stop_shortens_the_grace(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="trap '' TERM; echo up; while :; do sleep 0.1; done"))
    bench.until(lambda: (bench.folder("a-1") / "logs/rank-0.log").read_text())
    bench.verb("stop", "a-1", "--grace", "600")
    time.sleep(0.5)
    bench.verb("stop", "a-1", "--grace", "0")
    assert bench.ended("a-1")["reason"] == "stopped"


def test_sigterm_to_the_agent_stops_in_order(bench: Bench) -> None:
    bench.start(bench.request("a-1", "import time\ntime.sleep(60)\n"))
    os.kill(bench.agent_pid("a-1"), signal.SIGTERM)
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["signal"]) == ("told-to-end", "SIGTERM")


def test_a_stop_that_finds_no_room_takes_what_was_kept_for_the_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.start(bench.request("a-1", "import time\ntime.sleep(60)\n"))
    write, tries = jsonfile.write, []

    def full_once(path: str, value: object) -> None:
        tries.append(path)
        if len(tries) == 1:
            raise DiskFull(path)
        write(path, value)

    monkeypatch.setattr(jsonfile, "write", full_once)
    assert stop(Layout(str(bench.root), "a-1"), 5.0, "enough") == {"asked": True}
    assert len(tries) == 2
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["message"]) == ("stopped", "enough")


def test_child_of_a_killed_parent_is_stopped_too(bench: Bench) -> None:
    # Like `swift`: the parent alone dies by SIGTERM, its child would train on.
    python = (
        "import os, subprocess\np = subprocess.Popen(['sleep', '60'])\n"
        "print(p.pid, flush=True)\nos.kill(os.getpid(), 15)\n"
    )
    bench.start(bench.request("a-1", python))
    ended = bench.ended("a-1")
    assert (ended["signal"], ended["swept"]) == ("SIGTERM", 1)
    assert bench.gone(int((bench.folder("a-1") / "logs/rank-0.log").read_text()))


@pytest.mark.parametrize("marked", [True, False])
def test_orphan_in_its_own_session_is_swept(bench: Bench, marked: bool) -> None:
    # Without the mark it is found by descent: the agent adopts orphans.
    env = "" if marked else "env -i "
    stray = 'echo $$ > out/pid; trap "" TERM; while :; do sleep 0.2; done'
    shell = f"({env}setsid /bin/sh -c '{stray}' &)\nsleep 0.3"
    bench.start(bench.request("a-1", shell=shell))
    ended = bench.ended("a-1")
    assert ended["code"] == 0
    assert int(str(ended["swept"])) >= 1
    assert bench.gone(int((bench.folder("a-1") / "out/pid").read_text()))


def test_processes_of_another_attempt_are_spared(bench: Bench) -> None:
    bench.start(bench.request("a-1", "import time\ntime.sleep(60)\n"))
    bench.start(bench.request("a-12", "pass\n"))
    assert bench.ended("a-12")["swept"] == 0
    assert bench.verb("status", "a-1")["health"] == "running"


def test_same_attempt_under_another_root_is_spared(bench: Bench) -> None:
    other = Bench(bench.root.parent / "other")
    other.start(other.request("a-1", "import time\ntime.sleep(60)\n"))
    bench.start(bench.request("a-1", "pass\n"))
    swept = bench.ended("a-1")["swept"]
    health = other.verb("status", "a-1")["health"]
    other.verb("stop", "a-1", "--grace", "0")
    other.ended("a-1")
    assert (swept, health) == (0, "running")


def test_secrets_reach_the_trainer_and_nothing_else(bench: Bench, tmp_path: Path) -> None:
    secret = "wandb-0123456789"
    shell = '[ "$WANDB_API_KEY" = "$(cat inputs/expected)" ] && echo same\nsleep 1\n'
    (tmp_path / "expected").write_text(secret)
    inputs = [{"name": "expected", "path": str(tmp_path / "expected"), "digest": None}]
    request = bench.request("a-1", shell=shell, secrets={"WANDB_API_KEY": secret}, inputs=inputs)
    request["env"] = {"PATH": os.environ["PATH"], "PRIVATE": "an-env-value-not-kept"}
    bench.start(request)
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{number}/cmdline").read_bytes()
        except OSError:
            continue
        assert secret.encode() not in command
    bench.ended("a-1")
    assert (bench.folder("a-1") / "logs/rank-0.log").read_text() == "same\n"
    for path in bench.folder("a-1").rglob("*"):
        if path.is_file() and not path.is_symlink():
            assert secret.encode() not in path.read_bytes(), path
            assert b"an-env-value-not-kept" not in path.read_bytes(), path
    agent = Path(f"/proc/{os.getpid()}/environ").read_bytes()
    assert secret.encode() not in agent


def test_secret_in_a_log_is_masked_in_the_event(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell='echo "key=$KEY"; exit 1', secrets={"KEY": "sesame-open"}))
    ended = bench.ended("a-1")
    assert ended["tails"] == {"rank-0": "key=***"}


def test_tails_are_the_last_forty_lines_and_small(bench: Bench) -> None:
    python = "for n in range(100):\n    print(n)\nprint('x' * 500000)\nprint('5%\\r6%\\r')\nprint('end')\n"
    bench.start(bench.request("a-1", python))
    tail = str(bench.ended("a-1")["tails"]["rank-0"])
    assert tail.endswith("x\n6%\nend")
    assert len(tail) < 30000


def test_hang_before_the_first_step_though_the_log_moves(bench: Bench) -> None:
    limits = {"firstStepSeconds": 1.5, "silenceSeconds": 60, "graceSeconds": 1, "heartbeatSeconds": 0.5}
    bench.start(bench.request("a-1", shell="while :; do echo busy; sleep 0.1; done", limits=limits))
    ended = bench.ended("a-1")
    assert ended["reason"] == "hang"
    assert "no metric since the start" in str(ended["message"])
    stall = bench.of("a-1", "stall")[0]
    assert stall["limit"] == 1.5
    assert float(str(stall["silentSeconds"])) >= 1.5


def test_hang_after_a_step_when_all_is_silent(bench: Bench) -> None:
    limits = {"firstStepSeconds": 60, "silenceSeconds": 1.5, "graceSeconds": 1, "heartbeatSeconds": 0.5}
    bench.start(bench.request("a-1", shell=f"{STEP}sleep 60", limits=limits))
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["steps"]) == ("hang", 1)


def test_busy_processors_put_a_hang_off(bench: Bench) -> None:
    limits = {"firstStepSeconds": 60, "silenceSeconds": 1, "graceSeconds": 1, "heartbeatSeconds": 0.5}
    python = (
        "import time\nopen('out/metrics.jsonl', 'w').write('{\"step\":1,\"values\":{\"a\":1}}\\n')\n"
        "end = time.time() + 2.5\nwhile time.time() < end: pass\n"
    )
    bench.start(bench.request("a-1", python, limits=limits))
    assert bench.ended("a-1")["reason"] == "exited"


def test_heartbeats_come_and_carry_figures(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="sleep 2"))
    bench.ended("a-1")
    beats = bench.of("a-1", "heartbeat")
    assert 2 <= len(beats) <= 9
    assert int(str(beats[0]["rssBytes"])) > 0
    assert int(str(beats[0]["memAvailable"])) > 0


def test_output_with_the_highest_number_is_hashed_at_a_good_end(bench: Bench) -> None:
    outputs = [{"name": "model", "path": "out/checkpoint-*"}, {"name": "none", "path": "out/none"}]
    outputs.append({"name": "actor", "path": "out/checkpoint-*/actor"})
    folder = "out/checkpoint-$n"
    shell = f"for n in 9 10; do mkdir -p {folder}/actor; echo $n | tee {folder}/w > {folder}/actor/w; done"
    bench.start(bench.request("a-1", shell=shell, outputs=outputs))
    bench.ended("a-1")
    output = bench.of("a-1", "output")
    assert sorted((event["name"], event["path"]) for event in output) == [
        ("actor", "out/checkpoint-10/actor"),
        ("model", "out/checkpoint-10"),
    ]
    _code, out = bench.run("hash", "--path", str(bench.folder("a-1") / "out/checkpoint-10"))
    assert json.loads(out)["digest"] == next(event["digest"] for event in output if event["name"] == "model")
    assert "out/none" in str(bench.of("a-1", "message")[-1]["text"])


def test_disk_full_is_told_on_a_full_disk(bench: Bench) -> None:
    disk = bench.root.parent / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], check=False)
    if mounted.returncode != 0:
        pytest.skip("mounting a small tmpfs needs root")
    try:
        bench.root = disk / "root"
        python = (
            "import time\ntry:\n    f = open('out/fill', 'wb', buffering=0)\n"
            "    while True: f.write(b'x' * 4096)\n"
            "except OSError:\n    time.sleep(60)\n"
        )
        bench.start(bench.request("a-1", python))
        ended = bench.ended("a-1")
        assert ended["reason"] == "disk-full"
        assert bench.verb("status", "a-1")["reason"] == "disk-full"
        (bench.folder("a-1") / "out/fill").unlink()
        fill = disk / "fill"
        with fill.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        refused = bench.start(bench.request("a-2", "pass"))
        assert refused["error"]["code"] == "disk-full"
        assert bench.verb("status", "a-2")["health"] == "absent"
        fill.unlink()
        assert bench.start(bench.request("a-2", "pass"))["state"] == "started"
        assert bench.ended("a-2")["code"] == 0
    finally:
        bench.clean()
        time.sleep(0.3)
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_disk_full_is_told_when_the_trainer_dies_of_it(bench: Bench) -> None:
    python = "print('x')\nraise OSError(28, 'No space left on device')\n"
    bench.start(bench.request("a-1", python))
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["code"]) == ("disk-full", 1)

"""Attempts in Slurm from inside their job: whose the attempt is, why it must end, and what it may know."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from her_agent import (
    jsonfile,
    memory_kills,
    slurm_cause,
    slurm_claim,
    slurm_files,
    slurm_gang,
    slurm_secrets,
    slurm_signal,
    slurm_told,
)
from her_agent.conftest import Bench
from her_agent.errors import AgentError, DiskFull
from her_agent.layout import Layout
from her_agent.slurm_files import Files
from her_agent.stop import StopWatch


def test_only_the_first_job_to_claim_has_the_attempt(tmp_path: Path) -> None:
    path = str(tmp_path / "claim.json")
    assert slurm_claim.holder(path) is None
    first = slurm_claim.Holder("7", 0)
    assert [slurm_claim.claim(path, *life) for life in (("7", 0), ("8", 0), ("7", 1), ("7", 0))] == [first] * 4


def test_words_to_an_attempt_are_read_whole_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "signal"
    path.write_text("time-limit\nnonsense\nstopped - no grace\nstopped 5 wi")
    assert slurm_signal.words(str(path)) == [
        slurm_signal.Word("time-limit", None, "the time limit is near"),
        slurm_signal.Word("stopped", None, "no grace"),
    ]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("JobId=7 JobState=PREEMPTED Reason=None", "preempted"),
        ("JobId=7 JobState=RUNNING PreemptTime=2026-11-30T15:00:00", "preempted"),
        ("JobId=7 JobState=CANCELLED Reason=None", "cancelled"),
        ("JobId=7 JobState=TIMEOUT", "time-limit"),
        ("JobId=7 JobState=RUNNING PreemptTime=None", "told-to-end"),
    ],
)
def test_why_slurm_sent_sigterm_is_asked_of_the_controller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, reason: str
) -> None:
    (tmp_path / "scontrol").write_text(f"#!/bin/sh\necho '{said}'\n")
    (tmp_path / "scontrol").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert slurm_cause.of_job("7").reason == reason


@pytest.mark.parametrize(
    ("accounting", "reason"),
    [
        ("echo 'CANCELLED by 1000'", "cancelled"),
        ("echo PREEMPTED", "preempted"),
        # It has not heard of it at first.
        ("echo x >> $0.asked; [ $(wc -l < $0.asked) -lt 3 ] && echo RUNNING || echo TIMEOUT", "time-limit"),
        ("echo 'Slurm accounting storage is disabled' >&2; exit 1", "told-to-end"),
    ],
)
def test_of_a_job_that_is_being_ended_only_accounting_knows_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accounting: str, reason: str
) -> None:
    for name, text in (("scontrol", "echo 'JobId=7 JobState=COMPLETING PreemptTime=None'"), ("sacct", accounting)):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert slurm_cause.of_job("7").reason == reason


def test_a_good_end_after_an_order_to_all_of_the_allocation_is_none_of_its_own(bench: Bench) -> None:
    """The trainer saves on the signal that it got itself, and ends with 0 before anyone has said why."""
    saving = "\n".join(
        [
            "import signal, sys, time",
            "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))",
            "open('out/on', 'w')",
            "time.sleep(60)",
        ]
    )
    blocked = "\n".join(
        [
            "import signal, sys",
            "signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))",
            "from her_agent.start import run_foreground",
            "sys.exit(run_foreground(sys.argv[1], sys.stdin.read()))",
        ]
    )
    request = json.dumps(bench.request("a-1", saving))
    agent = subprocess.Popen([sys.executable, "-c", blocked, str(bench.root)], stdin=subprocess.PIPE, env=bench.env())
    assert agent.stdin is not None
    agent.stdin.write(request.encode())
    agent.stdin.close()
    bench.until((bench.folder("a-1") / "out" / "on").exists)
    rank = json.loads((bench.folder("a-1") / "agent.json").read_text())["ranks"][0]["pid"]
    agent.send_signal(signal.SIGTERM)
    os.kill(rank, signal.SIGTERM)
    record = {"grace": 5.0, "reason": "preempted by another job", "cause": "preempted"}
    jsonfile.write(str(bench.folder("a-1") / "stop.json"), record)
    ended = bench.ended("a-1")
    agent.wait()
    assert (ended["reason"], ended["message"]) == ("preempted", "preempted by another job")


def test_a_stop_that_comes_just_before_the_agent_is_there_is_not_lost(bench: Bench, tmp_path: Path) -> None:
    place = Path(Files(str(bench.root)).attempt("a-1"))
    place.mkdir(parents=True)
    (place / "n0.json").write_text(json.dumps(bench.request("a-1", "import time\ntime.sleep(60)\n")))
    (place / "signal").write_text("")
    # The last that is asked of Slurm before the fork; by then it has been seen that no stop was asked for.
    (tmp_path / "scontrol").write_text(f"#!/bin/sh\necho 'stopped 1 enough' >> {place}/signal\n")
    (tmp_path / "scontrol").chmod(0o755)
    command = bench.command("slurm-node", "--root", str(bench.root), "--attempt", "a-1")
    env = {**bench.env(), "PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
    node = subprocess.Popen([*command, "--signal-seconds", "20", "--secret-seconds", "20"], env=env)
    ended = bench.ended("a-1", 20)
    node.wait()
    assert (ended["reason"], ended["message"]) == ("stopped", "enough")
    assert "started" in [event["type"] for event in bench.events("a-1")]


@pytest.mark.parametrize("restarts", [0, 1])
def test_a_job_whose_first_life_never_began_runs_in_its_second_and_once_only(bench: Bench, restarts: int) -> None:
    place = Path(Files(str(bench.root)).attempt("a-1"))
    place.mkdir(parents=True)
    (place / "n0.json").write_text(json.dumps(bench.request("a-1", "print('ran')\n")))
    (place / "signal").write_text("")
    command = bench.command("slurm-node", "--root", str(bench.root), "--attempt", "a-1")
    for life, code in ((restarts, 0), (restarts + 1, 75)):
        env = {**bench.env(), "SLURM_JOB_ID": "7", "SLURM_RESTART_COUNT": str(life)}
        done = subprocess.run([*command, "--signal-seconds", "20", "--secret-seconds", "20"], env=env, check=False)
        assert done.returncode == code
    assert bench.ended("a-1")["code"] == 0


def test_a_stop_that_finds_no_room_is_told_by_a_signal(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(str(bench.root), "a-1")
    os.makedirs(layout.folder)
    Path(layout.at("reserve")).write_text("room")
    child = subprocess.Popen(["sleep", "60"])

    def full(path: str, _record: object) -> None:
        raise DiskFull(path)

    monkeypatch.setattr(jsonfile, "write", full)
    slurm_told.Told(layout, child.pid).tell("stopped", "enough", 5.0)
    assert child.wait(10) == -signal.SIGUSR2
    assert not os.path.exists(layout.at("reserve"))


def test_want_of_room_on_the_shared_disk_is_called_so() -> None:
    for write in (slurm_files.append, slurm_files.make):
        with pytest.raises(DiskFull):
            write("/dev/full", "x")


def test_a_node_that_waits_for_the_first_one_hears_a_stop(tmp_path: Path) -> None:
    (tmp_path / "gang").write_text("")
    asked = iter([False, False, True, True])
    assert slurm_gang.Gang(str(tmp_path), "7", 1, 2).meet("h2", lambda: next(asked)) is None


@pytest.mark.parametrize(
    ("groups", "file", "text"),
    [
        ("0::/slurm/job_7/step_0/task_0\n", "slurm/job_7/memory.events", "low 0\noom 2\noom_kill 2\n"),
        ("9:cpu,memory:/slurm/job_7/step_0\n0::/\n", "memory/slurm/job_7/step_0/memory.oom_control", "oom_kill 2\n"),
    ],
)
def test_kills_for_want_of_memory_are_counted_by_our_groups(tmp_path: Path, groups: str, file: str, text: str) -> None:
    (tmp_path / "groups").write_text(groups)
    assert memory_kills.count(str(tmp_path), str(tmp_path / "groups")) == 0
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(text)
    assert memory_kills.count(str(tmp_path), str(tmp_path / "groups")) == 2


def test_a_stop_keeps_the_cause_that_a_scheduler_gave(bench: Bench) -> None:
    layout = Layout(str(bench.root), "a-1")
    os.makedirs(layout.folder)
    watch = StopWatch(layout)
    for cause, expected in (("preempted", "preempted"), ("a word of nobody's", "stopped")):
        jsonfile.write(layout.at("stop.json"), {"grace": 1.0, "reason": "r", "cause": cause})
        found = watch.news()
        assert found is not None
        assert found.cause == expected


def test_secrets_are_handed_over_by_a_socket_without_a_file(tmp_path: Path) -> None:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        found = slurm_secrets.receive(str(tmp_path), "a-1", 0, ["TOKEN"], 10.0, lambda: False)
        os.write(write, json.dumps(found).encode())
        os._exit(0)
    os.close(write)
    until = 50
    while until:
        try:
            slurm_secrets.hand_in(str(tmp_path), "a-1", 0, json.dumps({"OTHER": "x"}))
        except AgentError as error:
            if error.code == "not-taken":
                break
        until -= 1
        os.sched_yield()
        subprocess.run(["sleep", "0.1"], check=True)
    assert slurm_secrets.hand_in(str(tmp_path), "a-1", 0, json.dumps({"TOKEN": "value"})) == {"taken": True}
    os.waitpid(pid, 0)
    assert json.loads(os.read(read, 100)) == {"TOKEN": "value"}
    assert list(tmp_path.rglob("*")) == []
    with pytest.raises(AgentError, match="nobody waits"):
        slurm_secrets.hand_in(str(tmp_path), "a-1", 0, json.dumps({"TOKEN": "value"}))

"""Attempts in Slurm from outside: submitted once, whatever dies meanwhile, and buried on Slurm's word.

Slurm's commands are stand-ins that keep their jobs in a file: one line `id|name` a job.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from her_agent import slurm_signal
from her_agent.conftest import Bench
from her_agent.slurm_files import Files
from her_agent.slurm_submit import Locked

SBATCH = """#!/bin/sh
here=$(dirname "$0")
if [ -e "$here/refuse" ]; then cat "$here/refuse" >&2; exit 1; fi
name=$(sed -n 's/^#SBATCH --job-name=//p' "$2")
id=$(( $(wc -l < "$here/jobs") + 7 ))
echo "$id|$name" >> "$here/jobs"
env | sort > "$here/environment"
echo "$3" > "$here/told"
if [ -e "$here/hang" ]; then exec sleep 60; fi
if [ -e "$here/lose" ]; then echo "sbatch: error: Batch job submission failed: Socket timed out" >&2; exit 1; fi
echo "$id"
"""
SQUEUE = """#!/bin/sh
here=$(dirname "$0")
if [ -e "$here/down" ]; then echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; fi
cat "$here/jobs"
"""
SACCT = """#!/bin/sh
echo "Slurm accounting storage is disabled" >&2; exit 1
"""


class Cluster:
    """A bench whose PATH has Slurm's commands."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.bench = bench
        self.folder = folder
        folder.mkdir()
        (folder / "jobs").write_text("")
        for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE), ("sacct", SACCT)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)

    def env(self) -> dict[str, str]:
        return {**self.bench.env(), "PATH": f"{self.folder}:{os.environ['PATH']}", "SBATCH_PARTITION": "nowhere"}

    def batch(self, *attempts: str) -> str:
        tasks = [
            {
                "attempt": attempt,
                "token": "token",
                "awaits": [],
                "requests": [self.bench.request(attempt, "print('x')\n")],
            }
            for attempt in attempts
        ]
        name = "her-" + "-and-".join(attempts)
        return json.dumps({"name": name, "script": f"#!/bin/sh\n#SBATCH --job-name={name}\n", "tasks": tasks})

    def begin(self, text: str) -> subprocess.Popen[bytes]:
        command = self.bench.command("slurm-submit", "--root", str(self.bench.root))
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env())
        assert process.stdin is not None
        process.stdin.write(text.encode())
        process.stdin.close()
        return process

    def answer(self, process: subprocess.Popen[bytes]) -> dict[str, object]:
        assert process.stdout is not None
        answer = json.loads(process.stdout.read())
        process.wait()
        return answer

    def submit(self, text: str) -> dict[str, object]:
        return self.answer(self.begin(text))

    @property
    def jobs(self) -> list[str]:
        return (self.folder / "jobs").read_text().splitlines()


@pytest.fixture
def cluster(bench: Bench, tmp_path: Path) -> Cluster:
    return Cluster(bench, tmp_path / "slurm-commands")


def test_a_batch_is_submitted_once_whoever_asks_and_however_often(cluster: Cluster) -> None:
    text = cluster.batch("a-1")
    racers = [cluster.begin(text) for _ in range(3)]
    answers = [cluster.answer(racer) for racer in racers]
    assert sorted(answer["state"] for answer in answers) == ["already", "already", "started"]
    assert {answer["tasks"][0]["job"] for answer in answers} == {"7"}  # type: ignore[index]
    assert cluster.jobs == ["7|her-a-1"]


def test_the_submitters_environment_does_not_reach_sbatch(cluster: Cluster) -> None:
    cluster.submit(cluster.batch("a-1"))
    assert "SBATCH_PARTITION" not in (cluster.folder / "environment").read_text()
    # With no environment the script has no PATH either.
    assert (cluster.folder / "told").read_text() == f"{cluster.folder}\n"


def test_what_is_being_submitted_is_not_absent(cluster: Cluster) -> None:
    files = Files(str(cluster.bench.root))
    os.makedirs(files.folder)
    command = cluster.bench.command("slurm-view", "--root", str(cluster.bench.root), "--attempt", "a-1")
    with Locked(files.lock):
        viewer = subprocess.Popen(command, stdout=subprocess.PIPE, env=cluster.env())
        with pytest.raises(subprocess.TimeoutExpired):
            viewer.wait(1)
        # What the submitter would write next.
        os.makedirs(files.attempt("a-1"))
        os.makedirs(files.batch("her-a-1"))
        Path(files.attempt("a-1", "record.json")).write_text('{"batch": "her-a-1", "token": "token"}')
        Path(files.batch("her-a-1", "job.json")).write_text('{"job": "7"}')
    assert cluster.answer(viewer)["job"] == "7"


def test_a_submitter_killed_between_sbatch_and_its_note_leaves_one_job(cluster: Cluster) -> None:
    (cluster.folder / "hang").touch()
    text = cluster.batch("a-1")
    process = cluster.begin(text)
    cluster.bench.until(lambda: cluster.jobs)
    held = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, check=True)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not Path(Files(str(cluster.bench.root)).batch("her-a-1", "job.json")).exists()
    # Its sbatch still holds the lock, so nobody submits beside it.
    (cluster.folder / "hang").unlink()
    again = cluster.begin(text)
    with pytest.raises(subprocess.TimeoutExpired):
        again.wait(0.6)
    os.kill(int(held.stdout), signal.SIGKILL)
    answer = cluster.answer(again)
    assert (answer["state"], answer["tasks"][0]["job"]) == ("already", "7")
    assert cluster.jobs == ["7|her-a-1"]


def test_a_submission_that_only_seems_lost_is_found_by_its_name(cluster: Cluster) -> None:
    (cluster.folder / "lose").touch()
    answer = cluster.submit(cluster.batch("a-1"))
    assert answer["tasks"] == [{"attempt": "a-1", "job": "7"}]
    assert cluster.jobs == ["7|her-a-1"]


def test_without_an_answer_of_the_controller_nothing_is_submitted_again(cluster: Cluster) -> None:
    (cluster.folder / "hang").touch()
    text = cluster.batch("a-1")
    process = cluster.begin(text)
    cluster.bench.until(lambda: cluster.jobs)
    child = int(subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, check=True).stdout)
    for pid in (process.pid, child):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    (cluster.folder / "hang").unlink()
    (cluster.folder / "down").touch()
    assert cluster.submit(text)["error"]["code"] == "slurm-unreachable"  # type: ignore[index]
    assert len(cluster.jobs) == 1


def test_a_refusal_is_told_in_slurms_words_and_may_be_mended(cluster: Cluster) -> None:
    refuse = cluster.folder / "refuse"
    refuse.write_text("sbatch: error: invalid partition specified: nowhere\n")
    answer = cluster.submit(cluster.batch("a-1"))
    assert answer["error"]["code"] == "slurm-refused"  # type: ignore[index]
    assert "invalid partition" in answer["error"]["message"]  # type: ignore[index]
    refuse.unlink()
    assert cluster.submit(cluster.batch("a-1"))["state"] == "started"


def test_tasks_of_an_array_have_jobs_of_their_own(cluster: Cluster) -> None:
    answer = cluster.submit(cluster.batch("a-1", "b-1"))
    assert [task["job"] for task in answer["tasks"]] == ["7_0", "7_1"]  # type: ignore[attr-defined]
    # Another group that one of them is in submits nothing: the answer says which one has no job.
    other = cluster.submit(cluster.batch("b-1", "c-1"))
    assert [task["job"] for task in other["tasks"]] == ["7_1", None]  # type: ignore[attr-defined]
    assert len(cluster.jobs) == 1


@pytest.mark.parametrize("field", ["secrets", "gangKey"])
def test_no_secret_is_let_onto_the_shared_disk(cluster: Cluster, field: str) -> None:
    batch = json.loads(cluster.batch("a-1"))
    batch["tasks"][0]["requests"][0][field] = {"TOKEN": "value"} if field == "secrets" else "5a" * 32
    assert cluster.submit(json.dumps(batch))["error"]["code"] == "bad-request"  # type: ignore[index]
    assert cluster.jobs == []


def test_an_attempt_is_buried_once_with_the_reason_that_slurm_gave(cluster: Cluster) -> None:
    cluster.submit(cluster.batch("a-1"))
    root = ("--root", str(cluster.bench.root), "--attempt", "a-1")
    for _ in range(2):
        cluster.bench.run("slurm-bury", *root, "--reason", "node-fail", stdin="Slurm says: NODE_FAIL on h1")
    ended = cluster.bench.ended("a-1")
    assert (ended["reason"], ended["message"]) == ("node-fail", "Slurm says: NODE_FAIL on h1")


def test_a_stop_that_was_asked_for_is_the_reason_of_a_cancellation(cluster: Cluster) -> None:
    cluster.submit(cluster.batch("a-1"))
    slurm_signal.stop(str(cluster.bench.root), "a-1", 5.0, "a person\nsaid so")
    root = ("--root", str(cluster.bench.root), "--attempt", "a-1")
    cluster.bench.run("slurm-bury", *root, "--reason", "cancelled", stdin="Slurm says: CANCELLED")
    ended = cluster.bench.ended("a-1")
    assert (ended["reason"], ended["message"]) == ("stopped", "a person said so")


def test_an_agent_that_lives_is_not_buried(cluster: Cluster) -> None:
    cluster.bench.start(cluster.bench.request("a-1", "import time\ntime.sleep(60)\n"))
    root = ("--root", str(cluster.bench.root), "--attempt", "a-1")
    _code, out = cluster.bench.run("slurm-bury", *root, "--reason", "node-fail", stdin="")
    assert json.loads(out)["error"]["code"] == "running"

"""Starting: once, whoever asks, whatever dies meanwhile."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time

from her_agent import scratch
from her_agent.conftest import Bench
from her_agent.identity import look
from her_agent.layout import Layout
from her_agent.lock import take

SLEEP = "import time\ntime.sleep(60)\n"


def test_started_attempt_is_a_private_folder_with_proof(bench: Bench) -> None:
    answer = bench.start(bench.request("a-1", SLEEP))
    assert (answer["state"], answer["health"], answer["exit"]) == ("started", "running", 0)
    assert answer["agent"] is None
    assert stat.S_IMODE(bench.root.stat().st_mode) == 0o700
    first = bench.events("a-1")[0]
    assert first["type"] == "started"
    assert first["pid"] == answer["pid"]
    assert first["bootId"] == answer["bootId"]
    process = look(int(str(answer["pid"])))
    assert process is not None
    assert process.group == process.pid == process.session


def test_second_start_tells_the_first_state(bench: Bench) -> None:
    first = bench.start(bench.request("a-1", SLEEP))
    second = bench.start(bench.request("a-1", SLEEP))
    assert second["state"] == "already"
    assert second["pid"] == first["pid"]
    bench.verb("stop", "a-1", "--grace", "0")
    bench.ended("a-1")
    third = bench.start(bench.request("a-1", SLEEP))
    assert (third["state"], third["health"]) == ("already", "ended")
    assert len(bench.of("a-1", "started")) == 1


def test_other_token_is_refused(bench: Bench) -> None:
    bench.start(bench.request("a-1", SLEEP))
    answer = bench.start(bench.request("a-1", SLEEP, token="another"))
    assert answer["error"]["code"] == "other-token"
    assert answer["exit"] == 1


def test_concurrent_starts_start_one(bench: Bench) -> None:
    text = json.dumps(bench.request("a-1", "open('out/ran','a').write('x')\nimport time\ntime.sleep(60)\n"))
    racers = []
    for _ in range(4):
        racer = subprocess.Popen(
            bench.command("start", "--root", str(bench.root)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=bench.env(),
        )
        racers.append(racer)
    time.sleep(0.5)
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(text.encode())
        racer.stdin.close()
    answers = []
    for racer in racers:
        assert racer.stdout is not None
        answers.append(json.loads(racer.stdout.read()))
        racer.wait()
    assert sorted(answer["state"] for answer in answers) == ["already"] * 3 + ["started"]
    assert len({answer["pid"] for answer in answers}) == 1
    ran = bench.folder("a-1") / "out" / "ran"
    bench.until(ran.exists)
    assert ran.read_text() == "x"


def test_daemon_outlives_a_starter_killed_with_its_group(bench: Bench) -> None:
    starter = subprocess.Popen(
        ["/bin/sh", "-c", 'cat > req; "$@" < req; sleep 60', "sh", *bench.command("start", "--root", "root")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=bench.root.parent,
        env=bench.env(),
        start_new_session=True,
    )
    assert starter.stdin is not None
    starter.stdin.write(json.dumps(bench.request("a-1", "import time\ntime.sleep(2)\n")).encode())
    starter.stdin.close()
    bench.until(lambda: bench.of("a-1", "started"))
    os.killpg(starter.pid, signal.SIGHUP)
    os.killpg(starter.pid, signal.SIGKILL)
    starter.wait()
    assert bench.verb("status", "a-1")["health"] == "running"
    assert bench.ended("a-1")["code"] == 0


def test_starter_killed_at_any_moment_leaves_one_start_or_none(bench: Bench) -> None:
    for number in range(8):
        attempt = f"k-{number}"
        text = json.dumps(bench.request(attempt, shell="echo x >> out/ran; sleep 60"))
        starter = subprocess.Popen(
            bench.command("start", "--root", str(bench.root)), stdin=subprocess.PIPE, env=bench.env()
        )
        assert starter.stdin is not None
        starter.stdin.write(text.encode())
        starter.stdin.close()
        time.sleep(0.03 + number * 0.025)
        starter.kill()
        starter.wait()
        answer = bench.start(json.loads(text))
        assert answer["exit"] == 0, answer
        assert answer["health"] == "running"
        ran = bench.folder(attempt) / "out" / "ran"
        bench.until(ran.exists)
        bench.verb("stop", attempt, "--grace", "0")
        bench.ended(attempt)
        assert ran.read_text() == "x\n"


def test_folder_without_proof_is_taken_over_by_the_same_token_only(bench: Bench) -> None:
    request = bench.request("a-1", SLEEP)
    folder = bench.folder("a-1")
    folder.mkdir(parents=True)
    (folder / "attempt.json").write_text(json.dumps({"token": "token"}))
    assert bench.verb("status", "a-1")["health"] == "absent"
    assert bench.start({**request, "token": "another"})["error"]["code"] == "other-token"
    assert bench.start(request)["state"] == "started"


def test_start_in_progress_counts_as_running(bench: Bench) -> None:
    folder = bench.folder("a-1")
    folder.mkdir(parents=True)
    held = take(str(folder / "lock"))
    assert held is not None
    assert bench.verb("status", "a-1")["health"] == "running"
    os.close(held)


def test_missing_program_ends_with_a_clear_message(bench: Bench) -> None:
    request = bench.request("a-1", SLEEP, ranks=[{"argv": ["/no/such/swift", "sft"]}])
    answer = bench.start(request)
    assert answer["health"] == "ended"
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["code"], ended["signal"]) == ("exec-failed", None, None)
    assert "'/no/such/swift': No such file or directory" in str(ended["message"])


def test_program_without_permission_ends_the_gang(bench: Bench) -> None:
    request = bench.request("a-1", SLEEP)
    request["ranks"] = [{"argv": ["/bin/sleep", "60"]}, {"argv": ["./trainer.py"]}]
    bench.start(request)
    ended = bench.ended("a-1")
    assert ended["reason"] == "exec-failed"
    assert "rank 1" in str(ended["message"])
    assert "Permission denied" in str(ended["message"])


def test_missing_input_starts_nothing(bench: Bench) -> None:
    request = bench.request("a-1", SLEEP, inputs=[{"name": "start", "path": "/no/such", "digest": None}])
    answer = bench.start(request)
    assert answer["error"]["code"] == "input-missing"
    assert not bench.folder("a-1").exists()


def test_inputs_are_links_and_files_are_as_given(bench: Bench) -> None:
    inputs = [{"name": "resume/checkpoint-8", "path": str(bench.root.parent), "digest": "0" * 64}]
    bench.start(bench.request("a-1", shell="readlink inputs/resume/checkpoint-8", inputs=inputs))
    bench.ended("a-1")
    assert (bench.folder("a-1") / "logs" / "rank-0.log").read_text() == f"{bench.root.parent}\n"


def test_ranks_get_exactly_the_given_environment(bench: Bench) -> None:
    python = "import os, json\nenv = dict(os.environ)\nenv['TOKEN'] = env['TOKEN'][::-1]\nprint(json.dumps(env))\n"
    request = bench.request("a-1", python, env={"ONLY": "this"}, secrets={"TOKEN": "secret-value"})
    bench.start(request)
    bench.ended("a-1")
    seen = json.loads((bench.folder("a-1") / "logs" / "rank-0.log").read_text())
    seen.pop("LC_CTYPE", None)
    folder = scratch.path(Layout(str(bench.root), "a-1"))
    marks = {"HER_ATTEMPT": "a-1", "HER_ATTEMPT_FOLDER": str(bench.folder("a-1").resolve())}
    marks.update(TMPDIR=folder, RAY_TMPDIR=folder)
    assert seen == {"ONLY": "this", "TOKEN": "secret-value"[::-1], **marks}


def foreground(bench: Bench, request: dict[str, object]) -> subprocess.Popen[bytes]:
    program = "import sys; from her_agent.start import run_foreground as r; sys.exit(r(sys.argv[1], sys.stdin.read()))"
    runner = subprocess.Popen([sys.executable, "-c", program, str(bench.root)], stdin=subprocess.PIPE, env=bench.env())
    assert runner.stdin is not None
    runner.stdin.write(json.dumps(request).encode())
    runner.stdin.close()
    return runner


def test_foreground_returns_the_code_and_leaves_no_daemon(bench: Bench) -> None:
    request = bench.request("a-1", shell="exit 7")
    runner = foreground(bench, request)
    assert runner.wait(30) == 7
    assert bench.ended("a-1")["code"] == 7
    assert bench.agent_pid("a-1") == runner.pid
    assert foreground(bench, request).wait(30) == 7
    assert len(bench.of("a-1", "started")) == 1


def test_time_limit_signal_stops_in_order_and_spares_the_ranks(bench: Bench) -> None:
    shell = "trap 'echo saved; exit 0' TERM\necho up\nwhile :; do sleep 0.1; done"
    runner = foreground(bench, bench.request("a-1", shell=shell))
    log = bench.folder("a-1") / "logs/rank-0.log"
    bench.until(lambda: log.exists() and log.read_text())
    rank = int(str(bench.of("a-1", "started")[0]["pid"]))
    # A workload manager signals the whole step.
    os.killpg(rank, signal.SIGUSR2)
    time.sleep(0.3)
    assert not bench.gone(rank)
    runner.send_signal(signal.SIGUSR2)
    assert runner.wait(30) == 1
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["message"]) == ("time-limit", "the time limit is near")
    assert log.read_text().endswith("saved\n")

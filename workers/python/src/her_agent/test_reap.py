"""An agent that was killed: the attempt is lost, its processes are found, and one reap ends the record."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

from her_agent.conftest import Bench
from her_agent.layout import Layout
from her_agent.members import Members


def kill_agent(bench: Bench, attempt: str) -> None:
    pid = bench.agent_pid(attempt)
    os.kill(pid, signal.SIGKILL)
    bench.until(lambda: bench.gone(pid))


def test_lost_is_seen_with_its_orphans_and_reaped_once(bench: Bench) -> None:
    step = 'echo \'{"step":4,"values":{"a":1}}\' >> out/metrics.jsonl'
    shell = f"trap '' TERM\nsetsid sleep 60 &\n{step}\nsleep 60\nsleep 60"
    rank = int(str(bench.start(bench.request("a-1", shell=shell))["pid"]))
    bench.until(lambda: bench.of("a-1", "metric"))
    assert bench.verb("reap", "a-1")["error"]["code"] == "running"
    kill_agent(bench, "a-1")
    status = bench.verb("status", "a-1")
    assert status["health"] == "lost"
    assert rank in status["orphans"]
    assert len(status["orphans"]) == 2
    reaped = bench.verb("reap", "a-1", "--grace", "0.5")
    assert (reaped["health"], reaped["reason"]) == ("ended", "agent-lost")
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["code"], ended["steps"]) == ("agent-lost", None, 4)
    assert bench.gone(rank)
    again = bench.verb("reap", "a-1")
    assert again["lastSeq"] == reaped["lastSeq"]
    bench.ended("a-1")
    assert bench.start(bench.request("a-1", shell=shell))["health"] == "ended"


def test_torn_last_line_is_set_aside_and_never_shown(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="sleep 60"))
    kill_agent(bench, "a-1")
    path = bench.folder("a-1") / "events.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"seq":99,"ti')
    _code, shown = bench.run("events", "--root", str(bench.root), "--attempt", "a-1", "--from", "1")
    assert shown.encode() == whole
    bench.verb("reap", "a-1", "--grace", "0")
    bench.ended("a-1")
    assert (bench.folder("a-1") / "events.torn").read_bytes() == b'{"seq":99,"ti\n'


def test_reboot_is_seen_by_the_boot_id(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="exec sleep 60"))
    kill_agent(bench, "a-1")
    path = bench.folder("a-1") / "agent.json"
    record = json.loads(path.read_text())
    rank = record["ranks"][0]["pid"]
    path.write_text(json.dumps({**record, "bootId": "another"}))
    status = bench.verb("status", "a-1")
    assert (status["health"], status["orphans"]) == ("lost", [])
    assert bench.verb("reap", "a-1")["reason"] == "agent-lost"
    # Pids of another boot mean nothing: nobody is killed for them.
    assert not bench.gone(rank)
    os.kill(rank, signal.SIGKILL)


def test_another_machine_on_the_same_disk_proves_nothing(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="sleep 60"))
    path = bench.folder("a-1") / "agent.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "bootId": "another", "machine": ["elsewhere", ""]}))
    for verb in ("status", "reap"):
        assert "error" in bench.verb(verb, "a-1")
    assert bench.verb("status", "a-1")["error"]["code"] == "other-node"
    answer = bench.start(bench.request("a-1", shell="sleep 60"))
    assert "error" in answer, (answer, path.read_text(), bench.events("a-1"))
    assert answer["error"]["code"] == "other-node"
    path.write_text(json.dumps(record))
    bench.verb("stop", "a-1", "--grace", "0")
    assert bench.ended("a-1")["reason"] == "stopped"


def test_agent_that_died_between_its_last_event_and_the_exit_record(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="exit 3"))
    before = bench.ended("a-1")
    bench.until(lambda: bench.gone(bench.agent_pid("a-1")))
    (bench.folder("a-1") / "exit.json").unlink()
    status = bench.verb("status", "a-1")
    assert (status["health"], status["code"]) == ("ended", 3)
    assert bench.verb("reap", "a-1")["code"] == 3
    assert bench.ended("a-1") == before


def test_secrets_are_not_told_by_a_reap(bench: Bench) -> None:
    request = bench.request("a-1", shell="echo $KEY; sleep 60", secrets={"KEY": "sesame-open"})
    bench.start(request)
    bench.until(lambda: (bench.folder("a-1") / "logs/rank-0.log").read_text())
    kill_agent(bench, "a-1")
    bench.verb("reap", "a-1", "--grace", "0")
    assert b"sesame-open" not in (bench.folder("a-1") / "events.jsonl").read_bytes()


def test_agent_killed_at_any_moment_of_its_start_leaves_nothing_behind(bench: Bench) -> None:
    for number in range(6):
        attempt = f"k-{number}"
        text = json.dumps(bench.request(attempt, shell="echo x >> out/ran; sleep 60"))
        starter = subprocess.Popen(
            bench.command("start", "--root", str(bench.root)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=bench.env(),
        )
        assert starter.stdin is not None
        starter.stdin.write(text.encode())
        starter.stdin.close()
        bench.until((bench.folder(attempt) / "agent.json").exists)
        time.sleep(number * 0.003)
        kill_agent(bench, attempt)
        starter.wait()
        assert bench.verb("status", attempt)["health"] == "lost"
        bench.verb("reap", attempt, "--grace", "0")
        assert bench.ended(attempt)["reason"] == "agent-lost"
        assert Members(Layout(str(bench.root), attempt), None, set()).find() == []
        ran = bench.folder(attempt) / "out" / "ran"
        time.sleep(0.1)
        assert not ran.exists() or ran.read_text() == "x\n"
        assert bench.start(json.loads(text))["health"] == "ended"

"""Following events and logs: nothing twice, nothing missing, and an end."""

from __future__ import annotations

import json
import subprocess
import time

from her_agent.conftest import Bench


def follower(bench: Bench, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(bench.command(*args), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=bench.env())


def test_followed_events_end_by_themselves_and_equal_the_file(bench: Bench) -> None:
    step = 'echo "{\\"step\\":$i,\\"values\\":{\\"a\\":$i}}" >> out/metrics.jsonl'
    shell = f"for i in 1 2 3 4 5; do {step}; sleep 0.3; done"
    bench.start(bench.request("a-1", shell=shell))
    stream = follower(bench, "events", "--root", str(bench.root), "--attempt", "a-1", "--from", "2", "--follow")
    assert stream.stdout is not None
    out = stream.stdout.read()
    assert stream.wait() == 0
    lines = (bench.folder("a-1") / "events.jsonl").read_bytes().split(b"\n", 1)
    assert out == lines[1]


def test_events_from_every_number(bench: Bench) -> None:
    lines = "".join(f'{{"step":{n},"values":{{"a":{n}}}}}\n' for n in range(1, 300))
    bench.start(bench.request("a-1", f"open('out/metrics.jsonl', 'w').write({lines!r})\n"))
    last = int(str(bench.ended("a-1")["seq"]))
    whole = (bench.folder("a-1") / "events.jsonl").read_bytes().splitlines(keepends=True)
    for first in (0, 1, 2, 3, 57, 150, last - 1, last, last + 1):
        _code, out = bench.run("events", "--root", str(bench.root), "--attempt", "a-1", "--from", str(first))
        assert out.encode() == b"".join(whole[max(0, first - 1) :])


def test_follower_ends_when_its_reader_leaves_or_when_idle(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="sleep 60", limits={"heartbeatSeconds": 600}))
    base = ("events", "--root", str(bench.root), "--attempt", "a-1", "--from", "1", "--follow")
    closed = follower(bench, *base)
    assert closed.stdin is not None
    closed.stdin.close()
    assert closed.wait(5) == 0
    ended = follower(bench, *base)
    assert ended.stdout is not None
    ended.stdout.readline()
    ended.terminate()
    assert ended.wait(5) == 0
    idle = follower(bench, *base, "--idle", "0.5")
    assert idle.wait(5) == 0
    null = subprocess.Popen(bench.command(*base), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=bench.env())
    time.sleep(0.7)
    assert null.poll() is None
    null.terminate()
    null.wait()


def test_log_goes_on_from_a_byte_to_the_end(bench: Bench) -> None:
    shell = "for i in 1 2 3 4 5 6; do printf \"line $i\\n\"; sleep 0.2; done; printf 'no newline \\377'"
    bench.start(bench.request("a-1", shell=shell))
    stream = follower(
        bench, "log", "--root", str(bench.root), "--attempt", "a-1", "--rank", "0", "--from", "3", "--follow"
    )
    assert stream.stdout is not None
    out = stream.stdout.read()
    assert stream.wait() == 0
    whole = (bench.folder("a-1") / "logs/rank-0.log").read_bytes()
    assert whole.endswith(b"\xff")
    assert out == whole[3:]


def test_log_from_beyond_the_end_is_refused(bench: Bench) -> None:
    bench.start(bench.request("a-1", shell="true"))
    bench.ended("a-1")
    code, out = bench.run("log", "--root", str(bench.root), "--attempt", "a-1", "--from", "5")
    assert code == 2
    assert json.loads(out)["error"]["code"] == "bad-offset"

"""Secrets do not reach a log, whole or in pieces, and everything else does, soon."""

from __future__ import annotations

import os
import random
import signal
import sys

from her_agent.conftest import Bench
from her_agent.log_mask import Stream

SECRET = "a-value-that-nobody-may-see"


def test_any_cut_through_a_value_is_masked() -> None:
    values = [SECRET.encode(), b"nobody-else", b"see\nnothing"]
    text = b"see " + SECRET.encode() + b" nobody " + SECRET.encode() * 2 + b"-else see\nnothing nobody-els"
    expected = b"see *** nobody ****** ***"  # the values touch
    whole = Stream(values)
    reference = whole.feed(text) + whole.rest()
    assert SECRET.encode() not in reference
    assert reference.startswith(expected[:20])
    for seed in range(200):
        chance = random.Random(seed)
        stream, out, at = Stream(values), b"", 0
        while at < len(text):
            size = chance.randint(1, 9)
            out += stream.feed(text[at : at + size])
            at += size
        assert out + stream.rest() == reference


def test_the_end_of_a_progress_bar_does_not_wait_for_ever() -> None:
    stream = Stream([b"50% of a secret value"])
    assert stream.feed(b"\rstep 50%") == b"\rstep "
    assert stream.patience() == b"50%"
    assert not stream.waits
    assert stream.feed(b"\rstep 60%") == b"\rstep 60%"
    stream.feed(b"50%")
    stream.patience()
    # What came late is a value all the same: the rest of it is not shown.
    assert stream.feed(b" of a secret value.") == b"***."


def test_a_long_beginning_waits_for_the_rest() -> None:
    stream = Stream([SECRET.encode()])
    assert stream.feed(b"x a-value-that") == b"x "
    assert not stream.waits
    assert stream.feed(b"-nobody-may-see") == b"***"


def test_partial_lines_appear_and_pieces_are_masked(bench: Bench) -> None:
    python = (
        "import os, sys, time\ntoken = os.environ['TOKEN']\n"
        "def say(text):\n    sys.stdout.write(text)\n    sys.stdout.flush()\n"
        "say('begin ' + token[:9])\ntime.sleep(0.5)\nsay(token[9:] + '\\rstep a-')\ntime.sleep(6)\nsay('\\ndone\\n')\n"
    )
    bench.start(bench.request("a-1", python, secrets={"TOKEN": SECRET}, metrics=[]))
    log = bench.folder("a-1") / "logs/rank-0.log"
    bench.until(lambda: log.read_bytes() == b"begin ***\rstep a-", 5)
    assert bench.ended("a-1")["code"] == 0
    assert log.read_bytes() == b"begin ***\rstep a-\ndone\n"


def test_a_killed_mask_is_replaced_and_the_trainer_goes_on(bench: Bench) -> None:
    python = (
        "import os, time\nfor step in range(40):\n"
        "    print(step, os.environ['TOKEN'], flush=True)\n    time.sleep(0.1)\n"
    )
    bench.start(bench.request("a-1", python, secrets={"TOKEN": SECRET}, metrics=[]))
    log = bench.folder("a-1") / "logs/rank-0.log"
    bench.until(lambda: "5 ***" in log.read_text())
    os.kill(_mask_of(bench.agent_pid("a-1")), signal.SIGKILL)
    ended = bench.ended("a-1")
    assert (ended["code"], ended["swept"]) == (0, 0)
    text = log.read_text()
    assert SECRET not in text
    assert "39 ***" in text
    assert any("masks the logs died" in str(event["text"]) for event in bench.of("a-1", "message"))


def test_a_trainer_is_not_slowed_down(bench: Bench) -> None:
    python = (
        "import os, time\nbegun = time.monotonic()\n"
        "for _ in range(100):\n"
        "    for _ in range(16):\n        os.write(1, (b'x' * 63 + b'\\n') * 1024)\n"
        "open('out/seconds', 'w').write(str(time.monotonic() - begun))\n"
    )
    bench.start(bench.request("a-1", python, secrets={"TOKEN": SECRET}, metrics=[]))
    assert bench.ended("a-1", 60)["code"] == 0
    size = (bench.folder("a-1") / "logs/rank-0.log").stat().st_size
    assert size == 100 * 16 * 65536
    speed = size / float((bench.folder("a-1") / "out/seconds").read_text()) / 1e6
    print(f"logs through the mask: {speed:.0f} MB/s", file=sys.stderr)
    # No trainer writes a hundredth of it; a busy machine gives less than it could.
    assert speed > 5


def _mask_of(agent: int) -> int:
    """The child of the agent that has no program of its own and leads no rank."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{name}/cmdline", encoding="utf-8") as file:
                command = file.read()
        except OSError:
            continue
        if parent == agent and "her_agent" in command:
            return int(name)
    raise AssertionError("no such child")

"""Gangs of agents on one machine: how they come together, and how one end ends all."""

from __future__ import annotations

import json
import os
import signal
import socket
import time

import pytest

from her_agent.conftest import GangBench

# Shows what it was told, then waits for its end.
WAITS = (
    "import os, time\n"
    "print(os.environ['NODE_RANK'], os.environ['NNODES'], os.environ['MASTER_PORT'], time.time(), flush=True)\n"
    "time.sleep(120)\n"
)
# Dies of it when its peer does, as a rank does that talks to another one.
TALKS = """
import os, socket, sys, time
first = os.environ["NODE_RANK"] == "0"
at = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if first:
    peer, _ = socket.create_server(at).accept()
else:
    for _ in range(100):
        try:
            peer = socket.create_connection(at)
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
print("talks", flush=True)
if peer.recv(1) == b"":
    raise RuntimeError(WORDS)
"""
ECHOING = TALKS.replace("WORDS", "'Connection closed by peer'")
MUTE = TALKS.replace("WORDS", "'something went wrong'")


def test_nobody_starts_before_all_are_there(gang: GangBench) -> None:
    gang.start(gang.member(0, WAITS))
    time.sleep(1.5)
    assert gang.log(0) == ""
    gang.start(gang.member(1, WAITS))
    words = [str(gang.until(lambda node=node: gang.log(node))).split() for node in (0, 1)]
    assert [word[:3] for word in words] == [[str(node), "2", str(gang.ports[1])] for node in (0, 1)]
    assert abs(float(words[0][3]) - float(words[1][3])) < 3
    assert (gang.folder("g-1-n1") / "out").resolve() == (gang.folder("g-1") / "out").resolve()
    assert os.readlink(gang.folder("g-1-n1") / "out") == "../g-1/out"
    gang.verb("stop", "g-1", "--reason", "enough")
    for attempt in ("g-1", "g-1-n1"):
        ended = gang.ended(attempt)
        assert (ended["reason"], ended["message"]) == ("stopped", "enough")


def test_a_repeated_start_starts_nothing_twice(gang: GangBench) -> None:
    gang.start(gang.member(0, WAITS))
    assert gang.start(gang.member(0, WAITS))["state"] == "already"
    gang.start(gang.member(1, WAITS))
    gang.until(lambda: gang.log(1))
    assert [gang.start(gang.member(node, WAITS))["state"] for node in (0, 1)] == ["already", "already"]
    assert len(gang.of("g-1", "started")) == len(gang.of("g-1-n1", "started")) == 1
    gang.verb("stop", "g-1-n1")
    assert [gang.ended(attempt)["reason"] for attempt in ("g-1", "g-1-n1")] == ["stopped", "stopped"]


def test_all_end_well(gang: GangBench) -> None:
    gang.start_gang("import time\nprint('up', flush=True)\ntime.sleep(1)\n")
    for attempt in ("g-1", "g-1-n1"):
        ended = gang.ended(attempt)
        assert (ended["reason"], ended["code"]) == ("exited", 0)


@pytest.mark.parametrize("python", [ECHOING, MUTE])
@pytest.mark.parametrize("victim", [0, 1])
def test_the_first_cause_is_named_and_not_its_echo(gang: GangBench, python: str, victim: int) -> None:
    gang.start_gang(python)
    killed = time.monotonic()
    os.kill(gang.rank_pid(victim), signal.SIGKILL)
    ends = [gang.ended(attempt, 10) for attempt in ("g-1", "g-1-n1")]
    assert time.monotonic() - killed < 10
    own, other = ends[victim], ends[1 - victim]
    assert (own["reason"], own["signal"], own["rank"]) == ("signalled", "SIGKILL", 0)
    assert "by" not in own
    assert other["reason"] == "gang-ended"
    by = other["by"]
    assert (by["node"], by["rank"], by["signal"], by["host"]) == (victim, 0, "SIGKILL", socket.gethostname())
    assert f"node {victim}" in str(other["message"])


def test_three_nodes_end_by_the_code_of_one(gang: GangBench) -> None:
    python = (
        "import os, sys, time\nprint('up', flush=True)\ntime.sleep(1.5)\n"
        "print('a line before the end', flush=True)\n"
        "sys.exit(7) if os.environ['NODE_RANK'] == '2' else time.sleep(60)\n"
    )
    gang.start_gang(python, size=3)
    ended = gang.ended("g-1-n2", 15)
    assert (ended["reason"], ended["code"]) == ("exited", 7)
    assert "a line before the end" in str(ended["tails"])
    for attempt in ("g-1", "g-1-n1"):
        other = gang.ended(attempt, 10)
        assert (other["reason"], other["by"]["node"], other["by"]["code"]) == ("gang-ended", 2, 7)


def test_a_rank_that_ignores_sigterm_is_killed_in_time(gang: GangBench) -> None:
    stubborn = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(120)\n"
    gang.start_gang(stubborn, limits={"graceSeconds": 60, "heartbeatSeconds": 1})
    killed = time.monotonic()
    os.kill(gang.rank_pid(1), signal.SIGKILL)
    assert gang.ended("g-1", 10)["reason"] == "gang-ended"
    assert time.monotonic() - killed < 10
    assert gang.gone(gang.rank_pid(0))


def test_the_time_limit_gives_all_the_grace_to_save(gang: GangBench) -> None:
    saves = (
        "import os, signal, sys, time\n"
        "def save(*_):\n    time.sleep(2)\n"
        "    open('out/saved-' + os.environ['NODE_RANK'], 'w').close()\n    sys.exit(0)\n"
        "signal.signal(15, save)\nprint('up', flush=True)\ntime.sleep(120)\n"
    )
    gang.start_gang(saves, limits={"graceSeconds": 20, "heartbeatSeconds": 1})
    os.kill(gang.agent_pid("g-1"), signal.SIGUSR2)
    assert [gang.ended(attempt)["reason"] for attempt in ("g-1", "g-1-n1")] == ["time-limit", "time-limit"]
    assert sorted(os.listdir(gang.folder("g-1") / "out")) == ["saved-0", "saved-1"]


def test_who_never_comes_is_named(gang: GangBench) -> None:
    gang.start(gang.member(0, WAITS, size=3, gang={"gatherSeconds": 3}))
    gang.start(gang.member(2, WAITS, size=3, gang={"gatherSeconds": 3}))
    ended = gang.ended("g-1", 15)
    assert ended["reason"] == "cluster-incomplete"
    assert "node 1: its agent was not heard" in str(ended["message"])
    assert "node 2" not in str(ended["message"])
    assert gang.ended("g-1-n2", 15)["by"]["reason"] == "cluster-incomplete"
    assert gang.log(0) == gang.log(2) == ""


def test_node_0_never_comes(gang: GangBench) -> None:
    gang.start(gang.member(1, WAITS, gang={"gatherSeconds": 2}))
    ended = gang.ended("g-1-n1", 30)
    assert ended["reason"] == "cluster-incomplete"
    assert "node 0 (127.0.0.1:" in str(ended["message"])
    assert "Connection refused" in str(ended["message"])


def test_a_wrong_key_is_told_on_both_sides(gang: GangBench) -> None:
    gang.start(gang.member(0, WAITS, gang={"gatherSeconds": 4}))
    gang.start(gang.member(1, WAITS, gang={"gatherSeconds": 4}, gangKey="ab" * 32))
    ended = gang.ended("g-1", 15)
    assert "127.0.0.1 was refused: the other side does not know the gang's key" in str(ended["message"])
    gang.verb("stop", "g-1-n1")
    gang.ended("g-1-n1")
    for path in gang.root.rglob("*"):
        if path.is_file():
            assert gang.KEY.encode() not in path.read_bytes(), path


def test_an_occupied_port_is_named_before_anything_is_started(gang: GangBench) -> None:
    for port in gang.ports:
        with socket.create_server(("127.0.0.1", port)):
            answer = gang.start(gang.member(0, WAITS))
        assert (answer["exit"], answer["error"]["code"]) == (1, "port-taken")
        assert f"port {port} of 127.0.0.1" in answer["error"]["message"]
    assert gang.verb("status", "g-1")["health"] == "absent"
    gang.start(gang.member(0, WAITS))
    gang.start(gang.member(1, WAITS))
    gang.until(lambda: gang.log(0))
    gang.verb("stop", "g-1")
    gang.ended("g-1-n1")


def test_an_agent_that_is_killed_ends_the_gang(gang: GangBench) -> None:
    gang.start_gang(WAITS, gang={"lostSeconds": 4})
    os.kill(gang.agent_pid("g-1-n1"), signal.SIGKILL)
    ended = gang.ended("g-1", 30)
    assert (ended["reason"], ended["by"]["reason"], ended["by"]["node"]) == ("gang-ended", "peer-lost", 1)
    assert "its agent is gone" in str(ended["message"])
    assert gang.verb("reap", "g-1-n1")["reason"] == "agent-lost"


def test_the_others_end_when_node_0s_agent_is_killed(gang: GangBench) -> None:
    gang.start_gang(WAITS, gang={"lostSeconds": 4})
    os.kill(gang.agent_pid("g-1"), signal.SIGKILL)
    ended = gang.ended("g-1-n1", 30)
    assert (ended["reason"], ended["by"]["reason"], ended["by"]["node"]) == ("gang-ended", "peer-lost", 0)
    assert gang.verb("reap", "g-1")["reason"] == "agent-lost"


@pytest.mark.parametrize("silent", [0, 1])
def test_a_silent_agent_is_given_up_after_the_limit(gang: GangBench, silent: int) -> None:
    gang.start_gang(WAITS, gang={"lostSeconds": 3})
    quiet, other = (("g-1", "g-1-n1"), ("g-1-n1", "g-1"))[silent]
    agent = gang.agent_pid(quiet)
    os.kill(agent, signal.SIGSTOP)
    ended = gang.ended(other, 40)
    os.kill(agent, signal.SIGCONT)
    assert (ended["by"]["reason"], ended["by"]["node"]) == ("peer-lost", silent)
    assert "not heard of for" in str(ended["message"])
    # It finds the record of the other one's end, whose cause it is itself, and ends too.
    own = gang.ended(quiet, 20)
    assert (own["reason"], own["by"]["reason"], own["by"]["node"]) == ("gang-ended", "peer-lost", 1 - silent)


def test_strangers_neither_disturb_nor_keep_a_member_out(gang: GangBench) -> None:
    gang.start(gang.member(0, WAITS))
    at = ("127.0.0.1", gang.ports[0])
    silent = [socket.create_connection(at) for _ in range(100)]
    for made in silent[::2]:
        try:
            made.sendall(b'{"nonce": 5}\n' * 100)
        except OSError:
            continue
    gang.start(gang.member(1, WAITS))
    gang.until(lambda: gang.log(1), 25)
    with socket.create_connection(at) as late:
        late.sendall(b"\0" * 100_000)
        time.sleep(1)
    for made in silent:
        made.close()
    assert [event["up"] for event in gang.of("g-1", "link")] == [True]
    gang.verb("stop", "g-1")
    assert gang.ended("g-1-n1")["reason"] == "stopped"


def test_a_reaped_nodes_record_ends_the_others(gang: GangBench) -> None:
    gang.start_gang(WAITS)
    os.kill(gang.agent_pid("g-1-n1"), signal.SIGKILL)
    gang.verb("reap", "g-1-n1", "--grace", "0")
    ended = gang.ended("g-1", 10)
    assert (ended["by"]["reason"], ended["by"]["node"]) == ("agent-lost", 1)
    assert json.loads((gang.folder("g-1") / "exit.json").read_text())["by"]["node"] == 1

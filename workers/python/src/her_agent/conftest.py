"""A bench for tests with real processes. The trainers are small scripts that only behave like trainers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

import pytest

from her_agent.identity import look, same

SOURCE = Path(__file__).resolve().parent.parent
PATIENCE = 40.0


class Bench:
    """Runs the agent's verbs as separate processes on a root of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "her_agent", *args]

    def run(self, *args: str, stdin: str = "") -> tuple[int, str]:
        """Exit code and standard output of one verb."""
        done = subprocess.run(
            self.command(*args), input=stdin.encode(), stdout=subprocess.PIPE, env=self.env(), check=False
        )
        return done.returncode, done.stdout.decode()

    def env(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)}

    def verb(self, name: str, attempt: str, *args: str) -> dict[str, object]:
        """The JSON that a verb prints, whatever its exit code."""
        _code, out = self.run(name, "--root", str(self.root), "--attempt", attempt, *args)
        return json.loads(out)

    def request(self, attempt: str, python: str = "", shell: str = "", **over: object) -> dict[str, object]:
        """A request for one rank that runs the given program."""
        name, text = ("trainer.sh", shell) if shell else ("trainer.py", python)
        program = "/bin/bash" if shell else sys.executable
        return {
            "protocol": 1,
            "attempt": attempt,
            "token": "token",
            "job": {"id": "0123456789abcdef", "name": "a test"},
            "files": {name: text},
            "inputs": [],
            "ranks": [{"argv": [program, name]}],
            "env": {"PATH": os.environ["PATH"]},
            "secrets": {},
            "metrics": [{"format": "plain", "path": "out/metrics.jsonl"}],
            "checkpoints": None,
            "seeds": None,
            "outputs": [],
            "limits": {
                "firstStepSeconds": 60,
                "silenceSeconds": 60,
                "graceSeconds": 1,
                "heartbeatSeconds": 0.5,
            },
            **over,
        }

    def start(self, request: dict[str, object]) -> dict[str, object]:
        """Start, and the answer."""
        code, out = self.run("start", "--root", str(self.root), stdin=json.dumps(request))
        answer = json.loads(out)
        answer["exit"] = code
        return answer

    def folder(self, attempt: str) -> Path:
        return self.root / "attempts" / attempt

    def events(self, attempt: str) -> list[dict[str, object]]:
        """The events on disk now."""
        path = self.folder(attempt) / "events.jsonl"
        if not path.exists():
            return []
        lines = path.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def of(self, attempt: str, kind: str) -> list[dict[str, object]]:
        return [event for event in self.events(attempt) if event["type"] == kind]

    def until(self, what: Callable[[], object], seconds: float = PATIENCE) -> object:
        """Wait for something to be true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = what()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError("it did not happen in time")

    def ended(self, attempt: str, seconds: float = PATIENCE) -> dict[str, object]:
        """Wait for the end; the `ended` event, after a check that the numbers have no gap."""
        self.until((self.folder(attempt) / "exit.json").exists, seconds)
        events = self.events(attempt)
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert [event["type"] for event in events].count("ended") == 1
        assert events[-1]["type"] == "ended"
        return events[-1]

    def agent_pid(self, attempt: str) -> int:
        return int(json.loads((self.folder(attempt) / "agent.json").read_text())["pid"])

    def first_rank(self, attempt: str) -> int:
        return int(json.loads((self.folder(attempt) / "agent.json").read_text())["ranks"][0]["pid"])

    def gone(self, pid: int) -> bool:
        found = look(pid)
        return found is None or not found.alive

    def clean(self) -> None:
        """End what a failed test left: agents and recorded members, by pid and start time."""
        for record in self.root.glob("attempts/*/agent.json"):
            agent = json.loads(record.read_text())
            pairs = [(agent["pid"], agent["start"])] + [(r["pid"], r["start"]) for r in agent["ranks"]]
            members = record.parent / "members.json"
            if members.exists():
                pairs += [(m[0], m[1]) for m in json.loads(members.read_text())["members"]]
            for pid, start in pairs:
                if same(pid, start):
                    os.kill(pid, signal.SIGKILL)


class GangBench(Bench):
    """Several agents on this machine that are one gang over the loopback."""

    KEY = "5a" * 32

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.ports = _free_ports(2)

    def member(self, index: int, python: str, size: int = 2, **over: object) -> dict[str, object]:
        """A request for one node of the gang `g-1`."""
        attempt = "g-1" if index == 0 else f"g-1-n{index}"
        gang = {
            "index": index,
            "size": size,
            "main": "g-1",
            "address": "127.0.0.1",
            "linkPort": self.ports[0],
            "port": self.ports[1],
            "launcher": "torchrun",
            "gpusPerNode": 0,
            "cores": 2,
            "gatherSeconds": 20,
            "lostSeconds": 25,
            **(over.pop("gang", None) or {}),  # type: ignore[dict-item]
        }
        metrics = over.pop("metrics", [])
        return self.request(attempt, python, **{"gang": gang, "gangKey": self.KEY, "metrics": metrics, **over})

    def start_gang(self, python: str, size: int = 2, **over: object) -> None:
        """Start all nodes, the last first, each with the same program, and wait until all ranks run."""
        for index in reversed(range(size)):
            assert self.start(self.member(index, python, size, **over))["state"] == "started"
        for index in range(size):
            self.until(lambda index=index: self.log(index))

    def log(self, index: int) -> str:
        path = self.folder("g-1" if index == 0 else f"g-1-n{index}") / "logs/rank-0.log"
        return path.read_text() if path.exists() else ""

    def rank_pid(self, index: int) -> int:
        record = json.loads((self.folder("g-1" if index == 0 else f"g-1-n{index}") / "agent.json").read_text())
        return int(record["ranks"][0]["pid"])


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [made.getsockname()[1] for made in sockets]
    for made in sockets:
        made.close()
    return ports


@pytest.fixture
def gang(tmp_path: Path) -> Iterator[GangBench]:
    made = GangBench(tmp_path / "root")
    yield made
    made.clean()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "root")
    yield made
    made.clean()

"""All faults of a request are told at once, and nothing leads out of the attempt's folder."""

from __future__ import annotations

import json

import pytest

from her_agent.conftest import Bench
from her_agent.errors import AgentError
from her_agent.request import parse


def problems(request: dict[str, object]) -> str:
    with pytest.raises(AgentError) as caught:
        parse(json.dumps(request))
    assert caught.value.code == "bad-request"
    return "\n".join(caught.value.problems or [caught.value.message])


def test_all_faults_at_once(bench: Bench) -> None:
    request = bench.request("A_1", "", protocol=2, token="", ranks=[], surprise=1)
    request["metrics"] = [{"format": "nope", "path": "../x"}]
    request["limits"] = {"graceSeconds": "long", "silenceSeconds": -1}
    told = problems(request)
    for part in ("protocol", "attempt", "token", "ranks", "surprise", "metrics[0].format", "metrics[0].path"):
        assert part in told
    assert "limits.graceSeconds" in told
    assert "limits.silenceSeconds" in told


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "a//b", "./a", "", "a\0b", "a/.."])
def test_files_stay_inside(bench: Bench, path: str) -> None:
    assert "files" in problems(bench.request("a-1", "", files={path: "x"})) or path == ""


@pytest.mark.parametrize("path", ["events.jsonl", "lock", "inputs/x", "logs/rank-0.log", "out", "reserve"])
def test_files_spare_what_is_the_agents_own(bench: Bench, path: str) -> None:
    assert "agent's own" in problems(bench.request("a-1", "", files={path: "x"}))


def test_no_input_lies_inside_another(bench: Bench) -> None:
    inputs = [{"name": name, "path": "/tmp", "digest": None} for name in ("resume", "resume/checkpoint-8", "start")]
    assert "resume/checkpoint-8 lies inside resume" in problems(bench.request("a-1", "", inputs=inputs))
    twice = [{"name": "start", "path": "/tmp", "digest": None}] * 2
    assert "start stands twice" in problems(bench.request("a-1", "", inputs=twice))


def test_secret_in_what_reaches_the_disk_is_refused(bench: Bench) -> None:
    request = bench.request("a-1", "key = 'hush\"hush'", secrets={"KEY": 'hush"hush', "PIN": "12"})
    told = problems(request)
    assert "secrets.KEY" in told
    assert "PIN is shorter" in told
    assert "hush" not in told


def test_null_limit_never_triggers_and_absent_takes_the_default(bench: Bench) -> None:
    limits = parse(json.dumps(bench.request("a-1", "x", limits={"silenceSeconds": None}))).limits
    assert limits.silence is None
    assert (limits.first_step, limits.grace, limits.heartbeat) == (600.0, 30.0, 5.0)


def test_no_json_is_a_bad_request(bench: Bench) -> None:
    code, out = bench.run("start", "--root", str(bench.root), stdin="{")
    assert code == 2
    assert json.loads(out)["error"]["code"] == "bad-request"


def test_bad_verbs_and_ids_exit_2_and_unknown_attempts_3(bench: Bench) -> None:
    assert bench.run("dance")[0] == 2
    assert bench.run("status", "--root", str(bench.root), "--attempt", "../a")[0] == 2
    assert bench.run("status", "--root", str(bench.root), "--attempt", "none-1")[0] == 0
    for verb in ("events", "log", "stop", "reap"):
        code, out = bench.run(verb, "--root", str(bench.root), "--attempt", "none-1")
        assert code == 3
        assert json.loads(out)["error"]["code"] == "no-such-attempt"

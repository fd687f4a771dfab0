"""The verb `probe`: what this node is and has, asked side by side and within a time limit. Leaves nothing behind."""

from __future__ import annotations

import json
import shutil
import time
from functools import partial

from her_agent import PROTOCOL
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.fields import Fields
from her_agent.probe_environment import environment_facts
from her_agent.probe_folders import folder_facts, path_facts
from her_agent.probe_gpus import gpu_facts
from her_agent.probe_guard import Task, together
from her_agent.probe_machine import machine_facts
from her_agent.probe_model import model_facts
from her_agent.probe_reach import reach_facts

LONGEST = 120.0


def probe(text: str) -> dict[str, object]:
    """The facts that the request in `text` asks for. Raises AgentError `bad-request` with all its problems."""
    received = time.time_ns()
    problems: list[str] = []
    top = opened(text, problems)
    seconds = min(top.seconds("seconds", 10.0, 0.1) or 10.0, LONGEST)
    tasks: dict[str, Task] = {"machine": machine_facts, "gpus": partial(gpu_facts, top.get("quick") is True)}
    for item in top.each("folders"):
        task = partial(folder_facts, item.text("path"), item.get("write") is True)
        tasks[f"folders/{item.text('name')}"] = task
    for item in top.each("paths"):
        tasks[f"paths/{item.text('name')}"] = partial(path_facts, item.text("path"))
    for item in top.each("models"):
        tasks[f"models/{item.text('name')}"] = partial(model_facts, item.text("path"))
    for item in top.each("environments"):
        task = partial(environment_facts, item.text("path"), words(item, "packages"))
        tasks[f"environments/{item.text('name')}"] = task
    for item in top.each("reach"):
        host, port = item.text("host"), item.count("port") or 443
        tasks[f"reach/{item.text('name')}"] = partial(reach_facts, host, port, item.get("tls") is not False, seconds)
    programs = words(top, "programs") if top.get("programs") is not None else []
    tasks["programs"] = lambda: {name: shutil.which(name) for name in programs}
    refuse(problems)
    answers = together(tasks, seconds)
    return {
        "protocol": PROTOCOL,
        "received": str(received),
        **_grouped(answers),
        "answered": str(time.time_ns()),
    }


def _grouped(answers: dict[str, dict[str, object]]) -> dict[str, object]:
    groups: dict[str, dict[str, object]] = {
        name: {} for name in ("folders", "paths", "models", "environments", "reach")
    }
    for name, answer in answers.items():
        group, _, key = name.partition("/")
        if key:
            groups[group][key] = answer
    return {**{name: answer for name, answer in answers.items() if "/" not in name}, **groups}


def opened(text: str, problems: list[str]) -> Fields:
    """The request as an object of this protocol."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise AgentError("bad-request", f"the request is no JSON: {error}", "", BAD_REQUEST) from error
    top = Fields(value, "", problems)
    if top.get("protocol") != PROTOCOL:
        top.fault("protocol", f"must be {PROTOCOL}, the protocol of this agent")
    return top


def words(item: Fields, key: str) -> list[str]:
    """A list of texts."""
    value = item.get(key)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [str(one) for one in value]
    item.fault(key, "must be a list of texts")
    return []


def refuse(problems: list[str]) -> None:
    """Raises AgentError where a request has problems."""
    if problems:
        message = f"{len(problems)} problem(s) in the request: " + "; ".join(problems)
        raise AgentError("bad-request", message, "nothing was asked", BAD_REQUEST, problems)

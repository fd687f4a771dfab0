"""The start request as typed data. All its faults are found at once and told together.

Beyond the shapes: paths are confined, no name lies inside another, and no secret's value may stand in a
file, an argument or an environment entry, since the first two reach the disk and the process table.
Limits that are absent take the defaults below; a limit of null never triggers. Unknown keys are faults.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from her_agent import PROTOCOL, confine, gang
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.fields import Fields
from her_agent.gang import Gang
from her_agent.layout import ATTEMPT_ID, FOLDERS, RESERVED
from her_agent.mask import SHORTEST

DIGEST = re.compile(r"[0-9a-f]{64}\Z")
ENV_NAME = re.compile(r"[^=\0]+\Z")
UNKEPT = frozenset(("env", "secrets", "gangKey"))


@dataclass(frozen=True)
class Input:
    name: str
    path: str


@dataclass(frozen=True)
class MetricSource:
    format: str
    path: str
    max_steps: int | None


@dataclass(frozen=True)
class CheckpointSource:
    format: str
    path: str
    world_size: int


@dataclass(frozen=True)
class Output:
    name: str
    path: str


@dataclass(frozen=True)
class Limits:
    """Seconds; None means no limit."""

    first_step: float | None
    silence: float | None
    grace: float
    heartbeat: float


@dataclass(frozen=True)
class Request:
    attempt: str
    token: str
    files: dict[str, str]
    inputs: list[Input]
    ranks: list[list[str]]
    env: dict[str, str]
    secrets: dict[str, str]
    metrics: list[MetricSource]
    checkpoints: CheckpointSource | None
    seeds: str | None
    outputs: list[Output]
    limits: Limits
    kept: dict[str, object]
    """What attempt.json holds: the request without `env`, `secrets` and `gangKey`."""
    gang: Gang | None = None

    @property
    def hidden(self) -> list[str]:
        """Values that must not be read in any log or event."""
        return [*self.secrets.values(), *(self.gang.secrets if self.gang is not None else ())]


def parse(text: str) -> Request:
    """The request in `text`. Raises AgentError `bad-request` with all problems."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise AgentError("bad-request", f"the request is no JSON: {error}", "", BAD_REQUEST) from error
    problems: list[str] = []
    top = Fields(value, "", problems)
    if top.get("protocol") != PROTOCOL:
        top.fault("protocol", f"must be {PROTOCOL}, the protocol of this agent")
    attempt = top.text("attempt")
    if attempt and not ATTEMPT_ID.match(attempt):
        top.fault("attempt", "must be lower-case letters, digits and '-', at most 64, not starting with '-'")
    token = top.text("token")
    job = top.maybe("job")
    if job is not None:
        job.text("id")
        job.text("name")
    env, secrets = _environment(top)
    files = _files(top)
    checkpoints = top.maybe("checkpoints")
    seeds = top.maybe("seeds")
    limits = _limits(top)
    request = Request(
        attempt=attempt,
        token=token,
        files=files,
        inputs=_inputs(top),
        ranks=_ranks(top),
        env=env,
        secrets=secrets,
        metrics=[_metrics(item) for item in top.each("metrics")],
        checkpoints=None if checkpoints is None else _checkpoints(checkpoints),
        seeds=None if seeds is None else _only_format(seeds),
        outputs=[Output(item.text("name"), item.path("path")) for item in top.each("outputs")],
        limits=limits,
        kept={k: v for k, v in value.items() if k not in UNKEPT} if isinstance(value, dict) else {},
        gang=gang.parse(top, attempt, limits.first_step),
    )
    top.no_others()
    _no_secret_on_disk(request, problems)
    if problems:
        message = f"{len(problems)} problem(s) in the request: " + "; ".join(problems)
        raise AgentError("bad-request", message, "nothing was started", BAD_REQUEST, problems)
    return _as_member(request)


def _as_member(request: Request) -> Request:
    """Without what node 0 alone tells, judges and, under Ray, runs."""
    place = request.gang
    if place is None or place.first:
        return request
    limits = replace(request.limits, first_step=None, silence=None)
    ranks = [] if place.launcher == "ray" else request.ranks
    return replace(request, ranks=ranks, metrics=[], checkpoints=None, seeds=None, outputs=[], limits=limits)


def _environment(top: Fields) -> tuple[dict[str, str], dict[str, str]]:
    env, secrets = top.texts("env"), top.texts("secrets")
    for place, entries in (("env", env), ("secrets", secrets)):
        for name, value in entries.items():
            if not ENV_NAME.match(name) or "\0" in value:
                top.fault(place, f"the name {name!r} or its value cannot stand in an environment")
    for name in sorted((set(env) | set(secrets)) & {"HER_ATTEMPT", "HER_ATTEMPT_FOLDER"}):
        top.fault("env", f"{name} is the agent's own")
    for name in sorted(set(env) & set(secrets)):
        top.fault("secrets", f"{name} stands in env as well")
    for name in sorted(name for name, value in secrets.items() if 0 < len(value) < SHORTEST):
        top.fault("secrets", f"{name} is shorter than {SHORTEST} characters: it cannot be masked")
    return env, secrets


def _files(top: Fields) -> dict[str, str]:
    files = top.texts("files")
    for name in files:
        why = confine.fault(name)
        if why is None and (name in RESERVED or name in FOLDERS or name.split("/")[0] in ("inputs", "logs")):
            why = "is the agent's own"
        if why:
            top.fault("files", f"{name!r} {why}")
    for clash in confine.clashes(list(files)):
        top.fault("files", clash)
    return files


def _inputs(top: Fields) -> list[Input]:
    inputs = []
    for item in top.each("inputs"):
        name, path = item.path("name"), item.text("path")
        if path and not path.startswith("/"):
            item.fault("path", "must be absolute")
        digest = item.get("digest")
        if digest is not None and not (isinstance(digest, str) and DIGEST.match(digest)):
            item.fault("digest", "must be a SHA-256 in hex, or null")
        item.no_others()
        inputs.append(Input(name, path))
    names = [item.name for item in inputs]
    for clash in confine.clashes(names):
        top.fault("inputs", clash)
    for name in sorted({name for name in names if names.count(name) > 1}):
        top.fault("inputs", f"{name} stands twice")
    return inputs


def _ranks(top: Fields) -> list[list[str]]:
    ranks = []
    for item in top.each("ranks"):
        argv = item.get("argv")
        if isinstance(argv, list) and argv and argv[0] and all(isinstance(a, str) and "\0" not in a for a in argv):
            ranks.append([str(a) for a in argv])
        else:
            item.fault("argv", "must be a list of texts with the program first")
        item.no_others()
    if not ranks:
        top.fault("ranks", "must hold at least one rank")
    return ranks


def _metrics(item: Fields) -> MetricSource:
    source = MetricSource(item.choice("format", ("swift", "verl", "plain")), item.path("path"), item.count("maxSteps"))
    item.no_others()
    return source


def _checkpoints(item: Fields) -> CheckpointSource:
    source = CheckpointSource(item.choice("format", ("swift", "verl")), item.path("path"), item.count("worldSize") or 1)
    item.no_others()
    return source


def _only_format(item: Fields) -> str:
    word = item.choice("format", ("swift", "verl", "plain"))
    item.no_others()
    return word


def _limits(top: Fields) -> Limits:
    item = top.maybe("limits") or Fields({}, "limits", top.problems)
    limits = Limits(
        item.seconds("firstStepSeconds", 600.0, 0.1),
        item.seconds("silenceSeconds", 600.0, 0.1),
        item.seconds("graceSeconds", 30.0) or 0.0,
        item.seconds("heartbeatSeconds", 5.0, 0.1) or 5.0,
    )
    item.no_others()
    return limits


def _no_secret_on_disk(request: Request, problems: list[str]) -> None:
    texts = json.dumps(request.kept, ensure_ascii=False)
    if request.gang is not None and request.gang.key.hex() in texts and request.gang.key:
        problems.append("gangKey: its value stands in a part of the request that reaches the disk")
    for name, value in request.secrets.items():
        if value and (value in texts or json.dumps(value, ensure_ascii=False)[1:-1] in texts):
            problems.append(f"secrets.{name}: its value stands in a part of the request that reaches the disk")

"""`slurm-submit`: hands a batch to Slurm at most once, whoever asks and however often.

Under one lock: the record of each attempt (which batch it goes with) is on disk before sbatch runs, the job's id
after it. The child `sbatch` holds the lock too, so that a submitter that was killed leaves it locked until its sbatch
is gone. Whoever comes next finds a record without an id, and asks Slurm for a job of that name before anything else.
Should Slurm take a submission after all that it seemed to have lost, the first job to claim the attempt runs it and
the other ends at once (slurm_claim).
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from typing import cast

from her_agent import jsonfile, lock, slurm_commands
from her_agent.errors import BAD_REQUEST, AgentError, DiskFull
from her_agent.fields import Fields
from her_agent.identity import agent_digest
from her_agent.layout import ATTEMPT_ID
from her_agent.slurm_files import Files, folder, make, member

LOCK_SECONDS = 90.0
# A controller that lost the connection may have taken the job all the same.
LOOK_AGAIN_SECONDS = (1.0, 3.0, 6.0)


@dataclass(frozen=True)
class Task:
    attempt: str
    token: str
    requests: list[dict[str, object]]
    awaits: list[str]


@dataclass(frozen=True)
class Batch:
    name: str
    script: str
    tasks: list[Task]


def submit(root: str, text: str) -> dict[str, object]:
    """Submit the batch in `text`, or tell the jobs that its attempts have. An attempt without a job in the answer
    was not submitted: others of the batch were, before.
    """
    batch = _parse(text)
    files = Files(root)
    try:
        folder(files.folder)
        with Locked(files.lock) as held:
            jobs = {task.attempt: settle(files, task.attempt, task.token) for task in batch.tasks}
            if any(jobs.values()):
                return _answer(batch, "already", jobs)
            _write(files, batch)
            job = _sbatch(files, batch, held)
            return _answer(batch, "started", {task.attempt: _ref(batch, job, n) for n, task in enumerate(batch.tasks)})
    except DiskFull as error:
        raise AgentError("disk-full", f"no room for {error}", "make room on the shared folder") from error


class Locked:
    """The lock of all submissions below a root, as a descriptor."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held = -1

    def __enter__(self) -> int:
        until = time.monotonic() + LOCK_SECONDS
        while True:
            held = lock.take(self._path)
            if held is not None:
                self._held = held
                return held
            if time.monotonic() >= until:
                raise AgentError("slurm-busy", "another submission holds the lock", "ask again later")
            time.sleep(0.05)

    def __exit__(self, *_: object) -> None:
        os.close(self._held)


def settle(files: Files, attempt: str, token: str | None = None) -> str | None:
    """The job of an attempt, asked of Slurm where a submitter died before it noted it; None where it has none.

    The lock must be held. Raises AgentError `other-token`, `slurm-unreachable`.
    """
    record = jsonfile.read(files.attempt(attempt, "record.json"))
    if record is None:
        return None
    if token is not None and record.get("token") != token:
        raise AgentError(
            "other-token",
            f"attempt {attempt} was submitted under another token",
            "attach to it, or start the job's next attempt",
        )
    name, task = str(record.get("batch")), record.get("task")
    path = files.batch(name, "job.json")
    known = jsonfile.read(path)
    if known is None:
        since = record.get("at")
        found = slurm_commands.by_name(name, float(since) if isinstance(since, (int, float)) else 0.0)
        if found is None:
            return None
        known = {"job": found.job}
        jsonfile.write(path, known)
    return str(known["job"]) if task is None else f"{known['job']}_{task}"


def _write(files: Files, batch: Batch) -> None:
    folder(files.batch(batch.name))
    make(files.batch(batch.name, "script.sh"), batch.script)
    for number, task in enumerate(batch.tasks):
        place = files.attempt(task.attempt)
        folder(place)
        for index, request in enumerate(task.requests):
            jsonfile.write(os.path.join(place, f"n{index}.json"), request)
        for name in ("signal", "gang"):
            make(os.path.join(place, name), "")
        record = {
            "attempt": task.attempt,
            "token": task.token,
            "batch": batch.name,
            "task": number if len(batch.tasks) > 1 else None,
            "nodes": len(task.requests),
            "awaits": task.awaits,
            "at": time.time(),
        }
        jsonfile.write(os.path.join(place, "record.json"), record)
        jsonfile.sync_folder(os.path.dirname(place))


def _sbatch(files: Files, batch: Batch, held: int) -> str:
    script = files.batch(batch.name, "script.sh")
    begun = time.time()
    # The script has no environment: it is told where Slurm's commands are.
    where = os.path.dirname(os.path.abspath(shutil.which("sbatch") or "/usr/bin/sbatch"))
    said = slurm_commands.run(["sbatch", "--parsable", script, where], seconds=120.0, keep=(held,))
    job = said.out.strip().split("\n")[-1].split(";")[0]
    if said.code != 0 or not job.isdigit():
        if said.full:
            raise AgentError("slurm-busy", f"sbatch: {said.line}", "it is submitted once other jobs have ended")
        if said.code != 0 and not said.unreachable:
            raise AgentError("slurm-refused", f"sbatch: {said.line}", "mend what it names in the study's target")
        found = _look_again(batch.name, begun)
        if found is None:
            raise AgentError("slurm-unreachable", f"sbatch: {said.line}", "nothing was submitted; ask again later")
        job = found
    jsonfile.write(files.batch(batch.name, "job.json"), {"job": job})
    return job


def _look_again(name: str, since: float) -> str | None:
    for seconds in LOOK_AGAIN_SECONDS:
        time.sleep(seconds)
        found = slurm_commands.by_name(name, since)
        if found is not None:
            return found.job
    return None


def _ref(batch: Batch, job: str, number: int) -> str:
    return job if len(batch.tasks) == 1 else f"{job}_{number}"


def _answer(batch: Batch, state: str, jobs: dict[str, str | None]) -> dict[str, object]:
    tasks = [{"attempt": task.attempt, "job": jobs[task.attempt]} for task in batch.tasks]
    return {"state": state, "agent": agent_digest(), "tasks": tasks}


def _parse(text: str) -> Batch:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise AgentError("bad-request", f"the batch is no JSON: {error}", "", BAD_REQUEST) from error
    problems: list[str] = []
    top = Fields(value, "", problems)
    batch = Batch(top.text("name"), top.text("script"), [_task(item) for item in top.each("tasks")])
    top.no_others()
    if not batch.tasks:
        top.fault("tasks", "must hold at least one attempt")
    if problems:
        raise AgentError("bad-request", "; ".join(problems), "nothing was submitted", BAD_REQUEST, problems)
    return batch


def _task(item: Fields) -> Task:
    attempt, token = item.text("attempt"), item.text("token")
    if attempt and not ATTEMPT_ID.match(attempt):
        item.fault("attempt", "is no attempt id")
    requests = item.get("requests")
    found = [cast("dict[str, object]", one) for one in requests] if isinstance(requests, list) else []
    if not found or not all(isinstance(one, dict) for one in found):
        item.fault("requests", "must hold a request for each node")
        found = []
    for index, request in enumerate(found):
        if request.get("attempt") != member(attempt, index) or request.get("token") != token:
            item.fault("requests", f"request {index} is another attempt's")
        if request.get("secrets") or request.get("gangKey"):
            item.fault("requests", f"request {index} holds secrets, and would reach the disk")
    names = item.get("awaits")
    awaits = [str(name) for name in names] if isinstance(names, list) else []
    item.no_others()
    return Task(attempt, token, found, awaits)

"""`slurm-node`: one node's part of an attempt, inside an allocation.

This process is the task that Slurm started. It claims the attempt, gathers what the request lacks (secrets, node 0's
address), and then has the agent in a child. It stays its parent for one purpose: whatever tells the attempt to end
(the time limit, a person, Slurm's SIGTERM) comes here, and the child is told once, with the cause.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from typing import cast

from her_agent import jsonfile, lock, slurm_cause, slurm_secrets
from her_agent.clock import now
from her_agent.errors import AgentError
from her_agent.events import EventLog
from her_agent.layout import Layout
from her_agent.mask import Mask
from her_agent.slurm_bury import bury
from her_agent.slurm_claim import claim
from her_agent.slurm_files import Files, member
from her_agent.slurm_gang import Gang
from her_agent.slurm_signal import asked
from her_agent.slurm_told import MARGIN_SECONDS, Told
from her_agent.start import run_foreground

TURN_SECONDS = 0.5
# Which of the node's devices are this job's. Ranks get nothing else of Slurm's environment.
DEVICES = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
           "ZE_AFFINITY_MASK")  # fmt: skip
REFUSED = 75


@dataclass(frozen=True)
class Options:
    root: str
    attempt: str
    signal_seconds: float
    secret_seconds: float


def run(options: Options) -> int:
    """From the start of the task to its end; the exit code of the task."""
    return Member(options).run()


class Member:
    """One node of the attempt."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._index = int(os.environ.get("SLURM_PROCID", "0"))
        self._job = _job()
        self._node = os.environ.get("SLURMD_NODENAME", os.uname().nodename)
        self._place = Files(options.root).attempt(options.attempt)
        self._layout = Layout(options.root, member(options.attempt, self._index))
        self._termed = False
        self._gang: Gang | None = None

    def run(self) -> int:
        if self._refused():
            return REFUSED
        self._signals()
        try:
            text = self._request()
            if text is None:
                return 1
            self._kill_wait = slurm_cause.kill_wait()
            pid = self._fork(text)
        except AgentError as error:
            return self._end("not-started", f"{error.message} [{error.code}]")
        del text
        return self._watch(pid)

    # --- before the agent

    def _refused(self) -> bool:
        restarts = _number("SLURM_RESTART_COUNT")
        has = claim(os.path.join(self._place, "claim.json"), self._job, restarts)
        if has.job != self._job:
            print(f"attempt {self._options.attempt} belongs to job {has.job}; nothing to do", file=sys.stderr)
            return True
        if has.restarts != restarts:
            # A second life of the job is no second life of the attempt: `her` starts the next one.
            print(f"attempt {self._options.attempt} ran in this job before; it is not run again", file=sys.stderr)
            return True
        return False

    def _signals(self) -> None:
        def termed(_number: int, _frame: object) -> None:
            self._termed = True

        signal.signal(signal.SIGTERM, termed)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)

    def _request(self) -> str | None:
        """The request, complete; None where the attempt ended before its start."""
        request = jsonfile.read(os.path.join(self._place, f"n{self._index}.json"))
        record = jsonfile.read(os.path.join(self._place, "record.json")) or {}
        if request is None:
            raise AgentError("no-request", f"there is no request for node {self._index}", "")
        names = record.get("awaits")
        if isinstance(names, list) and names:
            given = self._await_secrets([str(name) for name in names])
            if given is None:
                return None
            request["secrets"] = given
        if self._over():
            return self._not_begun(*self._cause()[:2])
        env = cast("dict[str, str]", request.get("env") or {})
        request["env"] = {**{name: os.environ[name] for name in DEVICES if name in os.environ}, **env}
        gang = request.get("gang")
        if isinstance(gang, dict):
            self._gang = Gang(self._place, self._job, self._index, int(gang["size"]))
            met = self._gang.meet(self._node, self._over)
            if met is None:
                return self._not_begun(*self._cause()[:2])
            address, request["gangKey"] = met
            request["gang"] = {**gang, "address": gang.get("address") or address}
        return json.dumps(request)

    def _await_secrets(self, names: list[str]) -> dict[str, str] | None:
        path = os.path.join(self._place, f"wait-n{self._index}.json")
        seconds = self._options.secret_seconds
        self._say("waiting", **{"for": "secrets", "names": names, "node": self._node, "seconds": seconds})
        # srun knows a task of an array by its number alone.
        job = os.environ.get("SLURM_JOB_ID", "0")
        jsonfile.write(path, {"for": names, "node": self._node, "job": job, "since": now()})
        try:
            options = self._options
            given = slurm_secrets.receive(options.root, options.attempt, self._index, names, seconds, self._over)
        finally:
            os.unlink(path)
        if given is None and self._over():
            return self._not_begun(*self._cause()[:2])
        if given is None:
            return self._not_begun("no-secrets", f"nobody brought {', '.join(names)} within {seconds:.0f} s")
        return given

    def _say(self, kind: str, **fields: object) -> None:
        """An event before the agent is there to write it."""
        os.makedirs(self._layout.folder, mode=0o700, exist_ok=True)
        held = lock.take(self._layout.at("lock"))
        if held is None:
            return
        events = EventLog(self._layout.at("events.jsonl"), Mask([]))
        events.add(kind, **fields)
        events.flush()
        events.close()
        os.close(held)

    def _over(self) -> bool:
        return self._termed or bool(asked(os.path.join(self._place, "signal")))

    def _not_begun(self, reason: str, message: str) -> None:
        self._end(reason, f"{message}; it had not begun")

    def _end(self, reason: str, message: str) -> int:
        print(message, file=sys.stderr)
        bury(self._options.root, self._options.attempt, self._index, reason, message)
        if self._gang is not None:
            self._gang.tidy(over=True)
        return 1

    # --- the agent

    def _fork(self, text: str) -> int:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid != 0:
            return pid
        code = 1
        try:
            # It may come to every process of the step; the parent finds out what it means.
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
            code = run_foreground(self._options.root, text)
        except AgentError as error:
            print(error.to_json(), file=sys.stderr)
            bury(
                self._options.root, self._options.attempt, self._index, "not-started", f"{error.message} [{error.code}]"
            )
        except BaseException:
            secrets = cast("dict[str, str]", json.loads(text).get("secrets") or {})
            sys.stderr.write(Mask(list(secrets.values())).text(traceback.format_exc()))
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(min(max(code, 0), 255))

    def _watch(self, pid: int) -> int:
        told = Told(self._layout, pid)
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done == pid:
                break
            if self._gang is not None:
                self._gang.tidy()
            self._pass_on(told)
            time.sleep(TURN_SECONDS)
        if self._gang is not None:
            self._gang.tidy(over=True)
        request = os.path.join(self._place, f"n{self._index}.json")
        if os.path.exists(request):
            os.unlink(request)
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)

    def _pass_on(self, told: Told) -> None:
        # An agent that has not yet left its proof of a start would miss it, and it is told once.
        if not os.path.exists(self._layout.at("agent.json")):
            return
        words = asked(os.path.join(self._place, "signal"))
        if "stopped" in words:
            told.tell("stopped", words["stopped"].reason, words["stopped"].grace)
        elif "time-limit" in words:
            told.tell("time-limit", words["time-limit"].reason, None, self._options.signal_seconds)
        if self._termed:
            self._termed = False
            reason, message, granted = self._cause()
            seconds = granted or self._kill_wait
            told.tell(reason, message, max(1.0, seconds - MARGIN_SECONDS), seconds)
        told.hurry()

    def _cause(self) -> slurm_cause.Cause:
        words = asked(os.path.join(self._place, "signal"))
        for word in (words.get("stopped"), words.get("time-limit")):
            if word is not None:
                return slurm_cause.Cause(word.cause, word.reason)
        return slurm_cause.of_job(self._job)


def _job() -> str:
    """The job as Slurm's commands name it: `7`, or `7_2` for a task of an array."""
    array, task = os.environ.get("SLURM_ARRAY_JOB_ID"), os.environ.get("SLURM_ARRAY_TASK_ID")
    return os.environ.get("SLURM_JOB_ID", "0") if array is None or task is None else f"{array}_{task}"


def _number(name: str) -> int:
    text = os.environ.get(name, "0")
    return int(text) if text.isdigit() else 0

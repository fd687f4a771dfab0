"""Slurm's commands, as data. Nothing of the caller's environment decides what they do."""

from __future__ import annotations

import os
import subprocess
import time
from typing import NamedTuple

from her_agent.errors import AgentError

# SBATCH_*, SLURM_* and SQUEUE_* variables would override what a script says.
KEPT = ("PATH", "HOME", "USER", "LOGNAME", "SLURM_CONF", "LD_LIBRARY_PATH")
SECONDS = 60.0
# What Slurm says when it did not answer, as against saying no.
FLAWS = ("socket timed out", "unable to contact", "connection refused", "connection timed out", "zero bytes",
         "communication connection failure", "temporarily", "try again", "not responding",
         "controller", "munge")  # fmt: skip


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The last thing that it complained about."""
        lines = [line.strip() for line in self.err.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit code {self.code}"

    @property
    def unreachable(self) -> bool:
        """Whether it failed since Slurm did not answer, not since Slurm said no."""
        words = self.err.lower()
        return self.code != 0 and any(flaw in words for flaw in FLAWS)

    @property
    def full(self) -> bool:
        """Whether this user may have no more jobs for now."""
        return "MaxSubmit" in self.err


class Found(NamedTuple):
    """A job by its name: the id that Slurm gave to it."""

    job: str


def run(argv: list[str], seconds: float = SECONDS, keep: tuple[int, ...] = ()) -> Said:
    """Run one of Slurm's commands. Descriptors in `keep` stay open in it. Raises AgentError `no-slurm`."""
    env = {name: os.environ[name] for name in KEPT if name in os.environ}
    # Times as seconds since 1970, words in English.
    env.update(SLURM_TIME_FORMAT="%s", LC_ALL="C")
    try:
        done = subprocess.run(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            pass_fds=keep,
        )
    except FileNotFoundError as error:
        raise AgentError("no-slurm", f"{argv[0]} is not on this machine", "name the login node as `login`") from error
    except subprocess.TimeoutExpired:
        return Said(1, "", f"{argv[0]}: connection timed out after {seconds:.0f} s")
    return Said(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def by_name(name: str, since: float) -> Found | None:
    """The job with this name of ours, whatever became of it. Raises AgentError `slurm-unreachable`."""
    user = str(os.getuid())
    queued = run(["squeue", "--noheader", "--states=all", f"--user={user}", f"--name={name}", "--format=%F|%j"])
    if queued.code != 0:
        raise AgentError("slurm-unreachable", f"squeue: {queued.line}", "nothing was submitted; ask again later")
    found = _first(queued.out, name)
    if found is not None:
        return found
    days = int(max(0.0, time.time() - since) // 86_400) + 2
    kept = run(
        [
            *("sacct", "--noheader", "--parsable2", "--allocations", f"--user={user}", f"--name={name}"),
            *(f"--starttime=now-{days}days", "--format=JobIDRaw,JobName,JobID"),
        ]
    )
    if kept.code != 0:
        if "storage is disabled" in kept.err.lower():
            return None
        raise AgentError("slurm-unreachable", f"sacct: {kept.line}", "nothing was submitted; ask again later")
    return _first("\n".join(_array_id(line) for line in kept.out.splitlines()), name)


def _array_id(line: str) -> str:
    """`raw|name|id` as `id of the array or job|name`."""
    parts = line.split("|")
    return "|".join((parts[-1].split("_")[0], parts[1])) if len(parts) == 3 else ""


def _first(rows: str, name: str) -> Found | None:
    for row in rows.splitlines():
        job, _, named = row.strip().partition("|")
        if named == name and job.isdigit():
            return Found(job)
    return None

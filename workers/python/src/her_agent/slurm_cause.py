"""Why Slurm sent SIGTERM: a node asks the controller, since the signal itself does not say."""

from __future__ import annotations

import re
import time
from typing import NamedTuple

from her_agent import slurm_commands
from her_agent.errors import AgentError

STATES = {
    "TIMEOUT": ("time-limit", "the time limit was reached"),
    "PREEMPTED": ("preempted", "preempted by another job"),
    "CANCELLED": ("cancelled", "cancelled in Slurm"),
    "NODE_FAIL": ("node-fail", "a node of the allocation failed"),
    "DEADLINE": ("deadline", "Slurm's deadline of the job passed"),
    "OUT_OF_MEMORY": ("out-of-memory", "Slurm ended the job for want of memory"),
}
FIELD = re.compile(r"(\w+)=(\S*)")
SECONDS = 5.0
# How long accounting may take to hear of it.
ACCOUNTED_SECONDS = 5.0


class Cause(NamedTuple):
    """`seconds`: how long Slurm waits before it kills, where that is another time than KillWait."""

    reason: str
    message: str
    seconds: float | None = None


def of_job(job: str) -> Cause:
    """What the controller says of a job that was told to end."""
    try:
        said = slurm_commands.run(["scontrol", "--oneliner", "show", "job", job], SECONDS)
    except AgentError:
        return Cause("told-to-end", "the allocation was told to end")
    fields = dict(FIELD.findall(said.out))
    state = fields.get("JobState", "")
    if state == "COMPLETING":
        # So it calls whatever it is ending; only accounting says why.
        state = _accounted(job) or state
    if state != "PREEMPTED" and fields.get("PreemptTime", "None") not in ("None", "Unknown", ""):
        return Cause(*STATES["PREEMPTED"], _grace_of(fields.get("Partition", "")))
    if state in STATES:
        return Cause(*STATES[state])
    return Cause("told-to-end", f"the allocation was told to end (Slurm's state: {state or 'unknown'})")


def _accounted(job: str) -> str:
    """The state that accounting has of a job which is being ended; empty where it has none in time."""
    until = time.monotonic() + ACCOUNTED_SECONDS
    while time.monotonic() < until:
        try:
            argv = ["sacct", "--noheader", "--parsable2", "--allocations", f"--jobs={job}", "--format=State"]
            said = slurm_commands.run(argv, SECONDS)
        except AgentError:
            return ""
        state = said.out.split(" ")[0].strip()
        if state in STATES or "storage is disabled" in said.err.lower():
            return state
        time.sleep(0.5)
    return ""


def _grace_of(partition: str) -> float | None:
    """What a partition grants to jobs that are preempted, of which SIGTERM is the beginning."""
    try:
        said = slurm_commands.run(["scontrol", "--oneliner", "show", "partition", partition], SECONDS)
    except AgentError:
        return None
    grace = dict(FIELD.findall(said.out)).get("GraceTime", "")
    return float(grace) if grace.isdigit() and int(grace) > 0 else None


def kill_wait() -> float:
    """Seconds between SIGTERM and SIGKILL in this cluster."""
    try:
        said = slurm_commands.run(["scontrol", "show", "config"], SECONDS)
    except AgentError:
        return 30.0
    found = re.search(r"^KillWait\s*=\s*(\d+)", said.out, re.MULTILINE)
    return float(found.group(1)) if found else 30.0


def address_of(node: str) -> str | None:
    """How Slurm itself reaches a node: an address or a name."""
    try:
        said = slurm_commands.run(["scontrol", "--oneliner", "show", "node", node], SECONDS)
    except AgentError:
        return None
    return dict(FIELD.findall(said.out)).get("NodeAddr")

"""Whose fault the end of a rank was: its own, or an echo of a rank elsewhere.

Collective libraries tell it: a process that lost its peer says so in its last lines, torchrun names the first of
its workers that failed, with its exit code, and Ray the process behind an actor that died, with its address. A
worker that a signal killed is never taken for an echo, but for the signals that a library raises itself when a peer
is lost (SIGABRT) or that end a process in order (SIGTERM).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from her_agent.ending import signal_name

# How sure a node is that the cause was its own.
ECHO, PLAIN, PROVEN = 0, 1, 2

WORKER = re.compile(r"rank\s+:\s+(\d+)\s+\(local_rank:\s+(\d+)\)\s+exitcode\s+:\s+(-?\d+)\s+\(pid:\s+(\d+)\)")
ROOT_CAUSE = "Root Cause (first observed failure)"
ACTOR = re.compile(
    r"class_name: (?P<name>[^\n]{1,200})\n(?P<rest>(?:[^\n]*\n){0,8}?)[^\n]*\bip: (?P<ip>[0-9a-fA-F.:]+)"
)
ACTOR_PID = re.compile(r"\bpid: (\d{1,9})")
# A warning at the start, when a store is not up yet, is no loss.
WARNING = re.compile(r"^\[W|^W\d{4} |[Ww]arning:|\bWARNING\b")
LOST_PEER = re.compile(
    r"Connection closed by (?:peer|remote)|Connection (?:was )?reset by (?:peer|remote)|Broken pipe"
    r"|[Rr]emote process (?:exit|has terminated)|ncclRemoteError|NCCL communicator was aborted"
    r"|RendezvousClosedError|RendezvousConnectionError|DistNetworkError|DistStoreError"
    r"|The (?:client|server) socket (?:has failed|has timed out)|Socket Timeout|recvValue failed"
    r"|collective operation timeout|Timed out waiting \d+\s?ms for (?:recv|send) operation"
    r"|Failed to connect to GCS|GCS.{0,40}(?:unreachable|is down)"
    r"|ActorDiedError|ActorUnavailableError|NodeDiedError|node (?:was|has been) (?:terminated|marked dead)"
)
ECHO_SIGNALS = frozenset((None, "SIGTERM", "SIGABRT", "SIGINT", "SIGHUP"))


@dataclass(frozen=True)
class Worker:
    """The process that failed first: torchrun's, by its rank in the whole gang, or Ray's, by pid and address."""

    rank: int | None = None
    code: int | None = None
    signal: str | None = None
    pid: int | None = None
    name: str | None = None
    address: str | None = None


def worker_of(tail: str) -> Worker | None:
    """The worker that the last lines name as the first cause."""
    at = tail.rfind(ROOT_CAUSE)
    match = WORKER.search(tail, at) if at >= 0 else None
    if match is not None:
        code = int(match.group(3))
        return Worker(int(match.group(1)), code if code >= 0 else None, signal_name(-code) if code < 0 else None)
    # Ray repeats it in every error that follows: the first is the cause.
    actor = ACTOR.search(tail)
    if actor is None:
        return None
    pid = ACTOR_PID.search(actor.group(0))
    number = int(pid.group(1)) if pid is not None else None
    return Worker(pid=number, name=actor.group("name").strip(), address=actor.group("ip"))


def weight(tail: str, signal: str | None, worker: Worker | None) -> int:
    """How sure it is that no other node's process was lost first."""
    if signal not in ECHO_SIGNALS or (worker is not None and worker.signal not in ECHO_SIGNALS):
        return PROVEN
    lines = [line for line in tail.split("\n") if WARNING.search(line) is None]
    return ECHO if LOST_PEER.search("\n".join(lines)) is not None else PLAIN

"""Whose fault the end of a rank was: its own, or an echo of a rank elsewhere.

Collective libraries tell it: a process that lost its peer says so in its last lines, and torchrun names the first
of its workers that failed, with its exit code. A worker that a signal killed is never taken for an echo, but for
the signals that a library raises itself when a peer is lost (SIGABRT) or that end a process in order (SIGTERM).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from her_agent.ending import signal_name

WORKER = re.compile(r"rank\s+:\s+(\d+)\s+\(local_rank:\s+(\d+)\)\s+exitcode\s+:\s+(-?\d+)\s+\(pid:\s+(\d+)\)")
ROOT_CAUSE = "Root Cause (first observed failure)"
LOST_PEER = re.compile(
    r"Connection closed by (?:peer|remote)|Connection reset by (?:peer|remote)|Broken pipe"
    r"|remote process exit|ncclRemoteError|NCCL communicator was aborted"
    r"|TCPStore|RendezvousClosedError|RendezvousConnectionError|DistNetworkError|DistStoreError"
    r"|The (?:client|server) socket (?:has failed|has timed out)"
    r"|Failed to connect to GCS|GCS.{0,40}(?:unreachable|is down)"
    r"|ActorDiedError|NodeDiedError|node (?:was|has been) (?:terminated|marked dead)"
)
ECHO_SIGNALS = frozenset((None, "SIGTERM", "SIGABRT"))


@dataclass(frozen=True)
class Worker:
    """The first of torchrun's workers that failed, by its rank in the whole gang."""

    rank: int
    code: int | None
    signal: str | None

    def shown(self) -> dict[str, object]:
        return {"rank": self.rank, "code": self.code, "signal": self.signal}


def worker_of(tail: str) -> Worker | None:
    """The worker that torchrun names as the first cause in the last lines of its log."""
    at = tail.rfind(ROOT_CAUSE)
    match = WORKER.search(tail, at) if at >= 0 else None
    if match is None:
        return None
    code = int(match.group(3))
    return Worker(int(match.group(1)), code if code >= 0 else None, signal_name(-code) if code < 0 else None)


def is_echo(tail: str, signal: str | None, worker: Worker | None) -> bool:
    """Whether the last lines say that another one was lost first."""
    if signal not in ECHO_SIGNALS or (worker is not None and worker.signal not in ECHO_SIGNALS):
        return False
    return LOST_PEER.search(tail) is not None

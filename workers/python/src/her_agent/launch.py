"""Brings all ranks of an attempt up, or none of them."""

from __future__ import annotations

import os
import platform
import socket

from her_agent import jsonfile, ranks, scratch
from her_agent.clock import now
from her_agent.identity import agent_digest, boot_id, look, machine
from her_agent.layout import Layout
from her_agent.members import marks
from her_agent.ranks import Rank
from her_agent.request import Request


def launch(layout: Layout, request: Request, umask: int, into: list[Rank]) -> None:
    """Fork every rank into `into`, record them, let them exec. Raises ExecFailed, OSError or DiskFull.

    After a fault the ranks that wait will end by themselves; those that run are the caller's to stop.
    """
    env = {**request.env, **request.secrets, **scratch.make(layout), **marks(layout)}
    try:
        for number, argv in enumerate(request.ranks):
            into.append(ranks.fork(number, argv, env, layout.folder, layout.log(number), umask))
        prove(layout, request, into)
        for rank in into:
            ranks.go(rank)
    except Exception:
        for rank in into:
            ranks.abandon(rank)
        raise


def prove(layout: Layout, request: Request, running: list[Rank]) -> None:
    """Write agent.json: the proof that a start happened, and who is who. Raises DiskFull."""
    own = look(os.getpid())
    record = {
        "attempt": request.attempt,
        "pid": os.getpid(),
        "start": own.start if own else 0,
        "bootId": boot_id(),
        "machine": machine(),
        "agent": agent_digest(),
        "time": now(),
        # Whether log lines need masking by values that only this process knows.
        "masks": bool(request.secrets),
        "ranks": [rank.record for rank in running],
    }
    jsonfile.write(layout.at("agent.json"), record)


def introduction(request: Request, running: list[Rank]) -> dict[str, object]:
    """Fields of the `started` event. Of the commands it tells the programs only."""
    return {
        "pid": running[0].pid,
        "pgid": running[0].pid,
        "bootId": boot_id(),
        "host": socket.gethostname(),
        "python": platform.python_version(),
        "agentPid": os.getpid(),
        "argv0": [argv[0] for argv in request.ranks],
    }


def hash_seed(pid: int) -> str | None:
    """PYTHONHASHSEED as the kernel shows it for a rank. Read at once: titles set later may wipe it."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        return None
    for entry in entries:
        name, _, value = entry.partition(b"=")
        if name == b"PYTHONHASHSEED":
            return value.decode("ascii", "replace")
    return None

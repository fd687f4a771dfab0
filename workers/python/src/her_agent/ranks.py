"""The ranks, processes of the trainer, and the services beside them, each leading a session and a process group.

A rank is forked first and waits; only after its pid is on disk may it exec. So there is no instant at
which a trainer runs that a later reap could not find. If the agent dies meanwhile, the waiting child ends
by itself.
"""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import dataclass

from her_agent.identity import look

RESET = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGPIPE,
    signal.SIGXFSZ,
    signal.SIGCHLD,
    signal.SIGQUIT,
)


@dataclass
class Rank:
    """One rank, or a service, whose `number` is None. `status` is the wait status once it ended."""

    number: int | None
    argv: list[str]
    pid: int
    start: int
    gate: int
    verdict: int
    status: int | None = None
    group_gone: bool = False
    went: bool = False

    @property
    def name(self) -> str:
        return os.path.basename(self.argv[0]) if self.number is None else f"rank {self.number}"

    @property
    def record(self) -> dict[str, object]:
        ids = {"pid": self.pid, "pgid": self.pid, "start": self.start}
        return {"service": self.name, **ids} if self.number is None else {"rank": self.number, **ids}


class ExecFailed(Exception):
    """A rank's program could not be executed."""


def fork(number: int | None, argv: list[str], env: dict[str, str], folder: str, log_to: int, umask: int) -> Rank:
    """A rank that waits for `go`, its output to descriptor `log_to`. Before the agent has threads. Raises OSError."""
    program = _program(argv[0], env, folder)
    gate_out, gate_in = os.pipe()
    verdict_out, verdict_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(gate_in)
            os.close(verdict_out)
            os.setsid()
            if os.read(gate_out, 1) != b"1":
                os._exit(127)
            _become(program, argv, env, folder, log_to, umask)
        except OSError as error:
            os.write(verdict_in, str(error.errno or 0).encode("ascii"))
        finally:
            os._exit(127)
    os.close(gate_out)
    os.close(verdict_in)
    found = look(pid)
    return Rank(number, argv, pid, found.start if found else 0, gate_in, verdict_out)


def _become(program: str, argv: list[str], env: dict[str, str], folder: str, log_to: int, umask: int) -> None:
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log_to, 1)
    os.dup2(log_to, 2)
    os.chdir(folder)
    os.umask(umask)
    for number in RESET:
        signal.signal(number, signal.SIG_DFL)
    # Meant for the agent, but a workload manager sends it to all processes of a step.
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.execve(program, argv, env)


def _program(name: str, env: dict[str, str], folder: str) -> str:
    if "/" in name:
        return os.path.join(folder, name)
    return shutil.which(name, path=env.get("PATH", os.defpath)) or name


def go(rank: Rank) -> None:
    """Let a forked rank exec, and wait until it has. Raises ExecFailed with the reason."""
    rank.went = True
    os.write(rank.gate, b"1")
    data = os.read(rank.verdict, 16)
    abandon(rank)
    if data:
        raise ExecFailed(f"{rank.name}: cannot execute {rank.argv[0]!r}: {os.strerror(int(data))}")


def signal_group(rank: Rank, number: int) -> None:
    """Send a signal to the rank's process group, unless the group was seen empty before."""
    if rank.group_gone:
        return
    try:
        os.killpg(rank.pid, number)
    except ProcessLookupError:
        # The number may serve another group from now on, so it is never signalled again.
        rank.group_gone = rank.status is not None


def reap_children(ranks: list[Rank]) -> dict[int, int]:
    """Collect every child that ended: ranks keep their status, adopted orphans are just buried. Status by pid."""
    by_pid = {rank.pid: rank for rank in ranks}
    buried: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return buried
        if pid == 0:
            return buried
        buried[pid] = status
        if pid in by_pid:
            by_pid[pid].status = status


def group_alive(rank: Rank) -> bool:
    """Whether anything is left of the rank or its process group."""
    signal_group(rank, 0)
    return not rank.group_gone


def abandon(rank: Rank) -> None:
    """Let a rank that still waits end without exec. Does nothing to one that has run."""
    for descriptor in (rank.gate, rank.verdict):
        if descriptor >= 0:
            os.close(descriptor)
    rank.gate = rank.verdict = -1

"""Whose fault an end was, by the last lines of real launchers."""

from __future__ import annotations

import pytest

from her_agent.blame import ECHO, PLAIN, PROVEN, Worker, weight, worker_of

TORCHRUN = """torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_15:37:01
  host      : h4
  rank      : 1 (local_rank: 0)
  exitcode  : {code} (pid: 240)
  error_file: <N/A>
============================================================
"""
RAY = """ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
\tclass_name: WorkerDict
\tactor_id: 8d1e0a
\tpid: 558
\tname: abWorkerDict_0:0
\tnamespace: 2c
\tip: 10.77.0.4
The actor is dead because its worker process has died.
"""


def test_torchruns_first_worker_is_named() -> None:
    assert worker_of(TORCHRUN.format(code=-9)) == Worker(1, None, "SIGKILL")
    assert worker_of(TORCHRUN.format(code=3)) == Worker(1, 3, None)
    assert worker_of("nothing of the kind") is None


def test_rays_dead_actor_is_named_with_its_address() -> None:
    assert worker_of(RAY) == Worker(pid=558, name="WorkerDict", address="10.77.0.4")


@pytest.mark.parametrize(
    ("tail", "signal", "expected"),
    [
        ("", "SIGKILL", PROVEN),
        ("Connection closed by peer", "SIGSEGV", PROVEN),
        ("Connection closed by peer", None, ECHO),
        ("NCCL communicator was aborted on rank 0", "SIGABRT", ECHO),
        ("ValueError: lr", None, PLAIN),
        ("terminate called", "SIGABRT", PLAIN),
        (TORCHRUN.format(code=-9) + "Connection reset by peer", None, PROVEN),
        (TORCHRUN.format(code=1) + "Connection reset by peer", None, ECHO),
        ("[W1130 15:36:02 socket.cpp:207] The client socket has failed to connect\nValueError: lr", None, PLAIN),
        (RAY, None, ECHO),
    ],
)
def test_how_sure_an_end_is_of_its_own(tail: str, signal: str | None, expected: int) -> None:
    assert weight(tail, signal, worker_of(tail)) == expected

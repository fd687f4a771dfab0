"""The verb `probe-reduce`: this node's ranks of one small all_reduce, by the torch of an environment."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time

from her_agent.probe import LONGEST, opened, refuse

TAIL = 400
RANK = """
import datetime, json, os, sys, time
import torch, torch.distributed as dist
backend, seconds = sys.argv[1], float(sys.argv[2])
local = int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", local) if backend == "nccl" else torch.device("cpu")
if backend == "nccl":
    torch.cuda.set_device(device)
dist.init_process_group(backend, timeout=datetime.timedelta(seconds=seconds))
ones = torch.ones(1 << 22, device=device)
dist.all_reduce(ones)
began = time.monotonic()
dist.all_reduce(ones)
if backend == "nccl":
    torch.cuda.synchronize()
took = time.monotonic() - began
right = float(ones[0]) == float(dist.get_world_size()) ** 2
dist.destroy_process_group()
print(json.dumps({"right": right, "milliseconds": round(took * 1000, 1), "torch": torch.__version__}))
"""


def probe_reduce(text: str) -> dict[str, object]:
    """`ok`, and the time that 16 MiB took; or why it failed, with the last words of the first rank that did."""
    problems: list[str] = []
    top = opened(text, problems)
    seconds = min(top.seconds("seconds", 60.0, 1.0) or 60.0, LONGEST)
    python = os.path.join(os.path.expanduser(top.text("environment")), "bin", "python")
    backend = top.choice("backend", ("gloo", "nccl"))
    env = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": os.path.expanduser("~"),
        "MASTER_ADDR": top.text("address"),
        "MASTER_PORT": str(top.count("port")),
        "WORLD_SIZE": str(top.count("worldSize")),
        "OMP_NUM_THREADS": "1",
        "NCCL_DEBUG": "WARN",
        **top.texts("env"),
    }
    first, local = top.get("firstRank"), top.count("localRanks") or 1
    if not isinstance(first, int) or first < 0:
        top.fault("firstRank", "must be a whole number")
    refuse(problems)
    assert isinstance(first, int)
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryFile() as said:
        ranks = [
            subprocess.Popen(
                [python, "-c", RANK, backend, str(seconds)],
                env={**env, "RANK": str(first + n), "LOCAL_RANK": str(n)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                start_new_session=True,
            )
            for n in range(local)
        ]
        outcome = _outcome(ranks, deadline)
        if outcome.get("ok") is True:
            return outcome
        said.seek(0)
        words = [line for line in said.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return {**outcome, "said": words[-1][-TAIL:] if words else ""}


def _outcome(ranks: list[subprocess.Popen[bytes]], deadline: float) -> dict[str, object]:
    try:
        while any(rank.poll() is None for rank in ranks):
            if time.monotonic() > deadline:
                return {"ok": False, "why": "not done in time"}
            if any(rank.poll() not in (None, 0) for rank in ranks):
                break
            time.sleep(0.05)
        failed = next((rank for rank in ranks if rank.returncode), None)
        if failed is not None:
            return {"ok": False, "why": f"a rank ended with {failed.returncode}"}
        out = ranks[0].stdout
        answer = json.loads(out.read()) if out is not None else {}
        if not answer.pop("right", False):
            return {"ok": False, "why": "the sum is wrong"}
        return {"ok": True, **answer}
    finally:
        for rank in ranks:
            with contextlib.suppress(OSError):
                os.killpg(rank.pid, signal.SIGKILL)
            if rank.stdout is not None:
                rank.stdout.close()

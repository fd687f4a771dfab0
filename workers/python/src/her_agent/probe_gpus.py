"""The GPUs of this machine, by the tools of their makers."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess

from her_agent import probe_nvidia, probe_rocm
from her_agent.identity import user_name

PLACES = "/usr/bin:/usr/local/bin:/usr/local/nvidia/bin:/opt/rocm/bin:/usr/lib/wsl/lib"
PROBLEM_LENGTH = 300


def gpu_facts(quick: bool) -> dict[str, object]:
    """`tool` null: this machine has no GPU that a tool would know of. `problem`: a tool is there and failed."""
    nvidia = _tool("nvidia-smi")
    if nvidia is not None:
        return _owned(_nvidia(nvidia, quick))
    rocm = _tool("rocm-smi")
    if rocm is not None:
        return _owned(_rocm(rocm))
    # Hardware without the tool: a driver was half installed, or a container was not given its devices.
    devices = sorted(glob.glob("/proc/driver/nvidia/gpus/*") + glob.glob("/dev/nvidia[0-9]*"))
    problem = f"{devices[0]} is there, and nvidia-smi is not" if devices else None
    return {"tool": None, "problem": problem, "vendor": None, "driver": None, "cuda": None, "gpus": []}


def _tool(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=PLACES)


def _nvidia(tool: str, quick: bool) -> dict[str, object]:
    if not quick:
        code, out, err = _run([tool, "-q", "-x"])
        if code == 0:
            try:
                return {"tool": "nvidia-smi", "problem": None, **probe_nvidia.from_xml(out)}
            except ValueError:
                pass
    form = "--format=csv,noheader"
    code, out, err = _run([tool, f"--query-gpu={probe_nvidia.QUERY}", form])
    if code != 0:
        return _failed("nvidia-smi", code, out, err)
    apps = _run([tool, f"--query-compute-apps={probe_nvidia.APPS_QUERY}", form])
    found = probe_nvidia.from_csv(out, apps[1] if apps[0] == 0 else "")
    return {"tool": "nvidia-smi", "problem": _lost(out), **found}


def _lost(out: str) -> str | None:
    """A GPU that fell off the bus is told in a line of its own among those of the others."""
    lines = [line.strip() for line in out.splitlines() if line.startswith("Unable to determine the device handle")]
    return lines[0][:PROBLEM_LENGTH] if lines else None


def _rocm(tool: str) -> dict[str, object]:
    code, out, err = _run([tool, *probe_rocm.ARGUMENTS])
    try:
        return {"tool": "rocm-smi", "problem": None, **probe_rocm.from_json(out)}
    except ValueError:
        return _failed("rocm-smi", code, out, err)


def _failed(tool: str, code: int, out: str, err: str) -> dict[str, object]:
    said = (out.strip() or err.strip() or f"exit code {code}").splitlines()[0][:PROBLEM_LENGTH]
    return {"tool": tool, "problem": said, "vendor": None, "driver": None, "cuda": None, "gpus": []}


def _run(argv: list[str]) -> tuple[int, str, str]:
    # No time limit here: the caller's ends this process and its children together.
    env = {"PATH": os.environ.get("PATH", PLACES), "LC_ALL": "C"}
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, env=env)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def _owned(found: dict[str, object]) -> dict[str, object]:
    """Adds whose each process is; None where that cannot be seen, as from within a container."""
    gpus = found["gpus"]
    for gpu in gpus if isinstance(gpus, list) else []:
        for process in gpu["processes"]:
            process["user"] = _owner(process["pid"])
    return found


def _owner(pid: object) -> str | None:
    try:
        uid = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None
    return user_name(uid)

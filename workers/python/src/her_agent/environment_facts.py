"""What the record keeps of a node: system, processor, GPUs and their driver. Reads; starts no GPU work."""

from __future__ import annotations

import os
import platform
import re
import subprocess

PATIENCE_SECONDS = 20.0


def node_facts() -> dict[str, object]:
    """Facts of this machine. What it does not have is absent, not empty."""
    facts: dict[str, object] = {
        "host": platform.node(),
        "kernel": f"{platform.system()} {platform.release()}",
        "os": _release(),
        "arch": platform.machine(),
        "cpu": _first("/proc/cpuinfo", r"model name\s*:\s*(.+)") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memoryBytes": int(_first("/proc/meminfo", r"MemTotal:\s*(\d+) kB") or 0) * 1024,
    }
    facts.update(_nvidia())
    return facts


def _nvidia() -> dict[str, object]:
    query = "--query-gpu=name,uuid,driver_version"
    command = ["nvidia-smi", query, "--format=csv,noheader"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        driver = _first("/proc/driver/nvidia/version", r"Kernel Module\D*([\d.]+)")
        return {"driver": driver} if driver else {}
    rows = [[part.strip() for part in line.split(",")] for line in done.stdout.splitlines()]
    gpus = [row for row in rows if len(row) == 3 and row[1].startswith("GPU-")]
    if done.returncode != 0 or not gpus:
        return {}
    return {
        "driver": gpus[0][2],
        "gpus": len(gpus),
        "gpuNames": ", ".join(sorted({row[0] for row in gpus})),
        "gpuUuids": " ".join(row[1] for row in gpus),
    }


def _release() -> str:
    return (_first("/etc/os-release", r'PRETTY_NAME="?([^"\n]+)') or platform.platform()).strip()


def _first(path: str, pattern: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read())
    except OSError:
        return None
    return found[1].strip() if found else None

"""Verb `environment-uv`: which uv this node has, and for what kind of machine one could be sent."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess


def find_uv(root: str, name: str) -> dict[str, object]:
    """The uv of our own under `root/bin`, else one on PATH or where its installer puts it; or none."""
    home = os.path.expanduser("~")
    places = [
        os.path.join(root, "bin", name),
        os.path.join(root, "bin", "uv"),
        shutil.which("uv"),
        os.path.join(home, ".local", "bin", "uv"),
        os.path.join(home, ".cargo", "bin", "uv"),
    ]
    machine = {"system": platform.system(), "arch": platform.machine(), "libc": platform.libc_ver()[0]}
    for place in places:
        version = _version(place) if place else None
        if version is not None:
            return {"uv": place, "version": version, **machine}
    return {"uv": None, "version": None, **machine}


def _version(path: str) -> str | None:
    if not os.access(path, os.X_OK):
        return None
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.match(r"uv (\d+\.\d+\.\d+)", done.stdout)
    return found[1] if done.returncode == 0 and found else None

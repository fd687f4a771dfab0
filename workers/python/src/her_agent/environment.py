"""Verb `environment`: what a Python environment on this node holds, held against a uv.lock.

The environment's own interpreter is asked, isolated, and imports nothing of it: so it is the same answer for a virtual
environment, a conda one, or a system's Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from her_agent.environment_facts import node_facts
from her_agent.environment_lock import normal, wanted
from her_agent.errors import BAD_REQUEST, AgentError

OURS = frozenset(("her-workers",))
"""Comes with the bundle, not with the environment."""

PATIENCE_SECONDS = 180.0

_LOOK = """
import importlib.metadata as metadata, importlib.util, json, os, re, sys
packages = {}
for one in metadata.distributions():
    name = one.metadata["Name"]
    if name:
        packages.setdefault(name, one.version)
torch = {}
spec = importlib.util.find_spec("torch")
if spec is not None and spec.origin:
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py")) as file:
            torch = dict(re.findall(r"^(cuda|hip)(?:: [^=\\n]+)? = '([^']+)'", file.read(), re.M))
    except OSError:
        pass
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "packages": packages, "torch": torch}))
"""


def environment(path: str | None, lock: str | None) -> dict[str, object]:
    """Packages, facts, and how they differ from the lock. Without a path: of the Python that runs this."""
    if path is None:
        folder, python = sys.prefix, sys.executable
    else:
        folder = os.path.abspath(os.path.expanduser(path))
        python = os.path.join(folder, "bin", "python")
    seen = _look(folder, python)
    packages = {normal(name): str(version) for name, version in sorted(seen["packages"].items())}
    facts = {**node_facts(), "python": seen["python"], **_libraries(packages, seen["torch"])}
    answer: dict[str, object] = {"path": folder, "python": python, "packages": packages, "facts": facts}
    if lock is not None:
        answer.update(_compared(packages, lock))
    return answer


def _look(folder: str, python: str) -> dict[str, dict[str, str]]:
    if not os.path.exists(python):
        raise AgentError("no-environment", f"{folder} is no Python environment: {python} is not there", "", BAD_REQUEST)
    command = [python, "-I", "-c", _LOOK]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AgentError("environment-broken", f"{python} gave no answer within {PATIENCE_SECONDS:.0f} s") from error
    # Site hooks of an environment may print before us.
    last = done.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2]
    try:
        return json.loads(last)
    except ValueError:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise AgentError("environment-broken", f"{python} cannot list its packages: {said}") from None


def _libraries(packages: dict[str, str], torch: dict[str, str]) -> dict[str, str]:
    """Versions of what the GPUs are spoken to with, where the packages tell."""
    found = dict(torch)
    for name, version in packages.items():
        if name.startswith(("nvidia-nccl-", "nvidia-cudnn-")):
            found[name.split("-")[1]] = version
    return found


def _compared(packages: dict[str, str], lock: str) -> dict[str, object]:
    try:
        with open(lock, encoding="utf-8") as file:
            asked = wanted(file.read())
    except ValueError as error:
        raise AgentError("bad-lock", f"{lock}: {error}", "", BAD_REQUEST) from error
    missing = []
    other = []
    for name, one in asked.items():
        if name in OURS:
            continue
        text = " or ".join(sorted(one.versions))
        found = packages.get(name)
        if found is None and one.always:
            missing.append({"name": name, "wanted": text})
        elif found is not None and not any(_agrees(version, found) for version in one.versions):
            other.append({"name": name, "wanted": text, "found": found})
    extra = sorted(set(packages) - set(asked) - OURS)
    return {"missing": missing, "other": other, "extra": extra}


def _agrees(version: str, found: str) -> bool:
    """Builds of one version differ behind the `+`; a lock that names none takes any."""
    return found == version or ("+" not in version and found.split("+")[0] == version)

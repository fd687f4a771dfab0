"""How the nodes of an allocation find each other: node 0 leaves its address and a key in the attempt's folder.

The file is the owner's alone and holds the key only until every member has it.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from typing import Callable, cast

from her_agent import slurm_files
from her_agent.errors import AgentError
from her_agent.slurm_cause import address_of

SECONDS = 300.0


class Gang:
    """One node's side of it. `place` is Slurm's folder of the attempt."""

    def __init__(self, place: str, job: str, index: int, size: int) -> None:
        self._place = place
        self._job = job
        self._index = index
        self._size = size
        self._told = False

    @property
    def _path(self) -> str:
        return os.path.join(self._place, "gang")

    def meet(self, node: str, over: Callable[[], bool]) -> tuple[str, str] | None:
        """Node 0's address and the key; None where it is `over` before. Raises AgentError `gang-apart` where node 0
        says nothing.
        """
        if self._index == 0:
            told = {"job": self._job, "address": _address(node), "key": secrets.token_hex(32)}
            slurm_files.make(self._path, json.dumps(told) + "\n")
            self._told = True
            return str(told["address"]), str(told["key"])
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and not over():
            text = slurm_files.text_of(self._path)
            if text.endswith("\n"):
                found = cast("dict[str, object]", json.loads(text))
                if found.get("job") == self._job:
                    slurm_files.make(os.path.join(self._place, f"met-n{self._index}"), self._job + "\n")
                    return str(found["address"]), str(found["key"])
            time.sleep(0.2)
        if over():
            return None
        raise AgentError("gang-apart", f"node 0 left no address within {SECONDS:.0f} s", "look at its output")

    def tidy(self, over: bool = False) -> None:
        """Node 0 takes the key away once all have it, or when it is `over`."""
        if not self._told:
            return
        met = [slurm_files.text_of(os.path.join(self._place, f"met-n{n}")).strip() for n in range(1, self._size)]
        if over or all(job == self._job for job in met):
            slurm_files.make(self._path, "")
            self._told = False


def _address(node: str) -> str:
    """The address by which others reach this node: Slurm's own, else what the name means here, never a loopback."""
    for name in (address_of(node), os.environ.get("SLURM_LAUNCH_NODE_IPADDR"), socket.gethostname()):
        for found in _resolved(name or ""):
            if not (found.startswith("127.") or found == "::1"):
                return found
    raise AgentError("no-address", f"no address of {node} is known that other nodes could reach", "")


def _resolved(name: str) -> list[str]:
    if not name:
        return []
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(item[4][0]) for item in sorted(found, key=lambda item: item[0] != socket.AF_INET)]

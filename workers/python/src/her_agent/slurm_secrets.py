"""Secrets reach a node of an allocation by no file, no argument and no environment of Slurm's.

The agent's parent listens on a socket of the node that has no name in any file system. `her` runs one more process in
the allocation (`srun --overlap … slurm-secrets`) with the secrets on its standard input, which hands them over. Each
side asks the kernel who the other is, and speaks only with the same user.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import struct
import time
from typing import Callable

from her_agent.errors import AgentError
from her_agent.slurm_files import Files

MOST_BYTES = 1 << 20
CREDENTIALS = struct.Struct("3i")


def _name(root: str, attempt: str, index: int) -> bytes:
    key = f"{os.path.realpath(Files(root).folder)}\0{attempt}\0{index}\0{os.getuid()}"
    return b"\0her-secrets-" + hashlib.sha256(key.encode()).hexdigest().encode()


def _mine(peer: socket.socket) -> bool:
    found = CREDENTIALS.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
    return found[1] == os.getuid()


def receive(
    root: str, attempt: str, index: int, names: list[str], seconds: float, over: Callable[[], bool]
) -> dict[str, str] | None:
    """The secrets with these names, or None when nobody brought them in time or it is `over`."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(_name(root, attempt, index))
        listener.listen(4)
        until = time.monotonic() + seconds
        while time.monotonic() < until and not over():
            listener.settimeout(0.5)
            try:
                peer, _ = listener.accept()
            except socket.timeout:
                continue
            with peer:
                found = _taken(peer, names)
            if found is not None:
                return found
        return None
    except OSError as error:
        raise AgentError("no-secrets", f"the socket for secrets cannot be opened: {error}", "") from error
    finally:
        listener.close()


def _taken(peer: socket.socket, names: list[str]) -> dict[str, str] | None:
    if not _mine(peer):
        return None
    peer.settimeout(10.0)
    try:
        given = json.loads(_all(peer))
        whole = isinstance(given, dict) and sorted(given) == sorted(names)
        whole = whole and all(isinstance(value, str) for value in given.values())
        peer.sendall(b"1" if whole else b"0")
    except (OSError, ValueError):
        return None
    return dict(given) if whole else None


def _all(peer: socket.socket) -> bytes:
    data = b""
    while len(data) <= MOST_BYTES:
        block = peer.recv(65536)
        if not block:
            return data
        data += block
    raise ValueError("too much")


def hand_in(root: str, attempt: str, index: int, text: str) -> dict[str, object]:
    """Give the secrets in `text`, a JSON object, to the node's agent. Raises AgentError where nobody waits."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(10.0)
        try:
            peer.connect(_name(root, attempt, index))
        except OSError as error:
            raise AgentError("nobody-waits", "nobody waits for secrets on this node", "they may be there") from error
        if not _mine(peer):
            raise AgentError("other-user", "the socket for secrets is another user's", "tell the administrators")
        peer.sendall(text.encode("utf-8"))
        peer.shutdown(socket.SHUT_WR)
        if peer.recv(1) != b"1":
            raise AgentError("not-taken", "the agent did not take the secrets: they are not those it waits for", "")
    return {"taken": True}

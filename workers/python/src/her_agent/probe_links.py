"""The verb `probe-links`: whether nodes that are asked at the same time reach each other's ports and see one folder.

Each listens on all ports, connects to all of its peers, and reads the files that they wrote. A greeting with a
nonce tells a peer from whatever else may listen there.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from functools import partial

from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.fields import Fields
from her_agent.probe import LONGEST, opened, refuse
from her_agent.probe_folders import nearest_there
from her_agent.probe_guard import Task, together

PREFIX = ".her-doctor-"
STALE_SECONDS = 3600
PAUSE = 0.1


def probe_links(text: str) -> dict[str, object]:
    """`links` by peer and port; `shared` by peer. Raises AgentError `bad-request`."""
    problems: list[str] = []
    top = opened(text, problems)
    seconds = min(top.seconds("seconds", 10.0, 0.1) or 10.0, LONGEST)
    name, nonce = top.text("name"), top.text("nonce")
    peers = {item.text("name"): item.text("address") for item in top.each("peers")}
    ports = _ports(top)
    folder = top.get("folder")
    if not nonce.isalnum():
        top.fault("nonce", "must be letters and digits")
    refuse(problems)
    tasks: dict[str, Task] = {"links": partial(_links, name, nonce, ports, peers, seconds)}
    if isinstance(folder, str):
        tasks["shared"] = partial(_shared, os.path.expanduser(folder), name, nonce, list(peers), seconds)
    return together(tasks, seconds + 2)


def probe_clean(text: str) -> dict[str, object]:
    """Takes away the file that `probe-links` wrote."""
    problems: list[str] = []
    top = opened(text, problems)
    folder, name, nonce = top.text("folder"), top.text("name"), top.text("nonce")
    refuse(problems)
    return together({"removed": partial(_remove, os.path.expanduser(folder), name, nonce)}, 5.0)


def _ports(top: Fields) -> list[int]:
    value = top.get("ports")
    if isinstance(value, list) and all(isinstance(port, int) and 1024 <= port <= 65535 for port in value):
        return [int(port) for port in value]
    top.fault("ports", "must be a list of ports of at least 1024")
    return []


def _links(name: str, nonce: str, ports: list[int], peers: dict[str, str], seconds: float) -> dict[str, object]:
    deadline = time.monotonic() + seconds
    heard: set[tuple[str, int]] = set()
    busy: list[int] = []
    listeners = []
    for port in ports:
        try:
            listeners.append((port, _listener(port)))
        except OSError:
            busy.append(port)
    for port, listener in listeners:
        threading.Thread(target=_answer, args=(listener, port, name, nonce, heard), daemon=True).start()
    found: dict[str, dict[str, object]] = {peer: {} for peer in peers}
    callers = [
        threading.Thread(target=_call, args=(peer, address, port, name, nonce, deadline, found[peer]), daemon=True)
        for peer, address in peers.items()
        for port in ports
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(max(0.0, deadline + 1 - time.monotonic()))
    # Peers may have begun later: they still want an answer from here.
    wanted = {(peer, port) for peer in peers for port, _ in listeners}
    while not wanted <= set(heard) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    return {"busy": busy, "reached": found, "heard": sorted({peer for peer, _ in set(heard)})}


def _listener(port: int) -> socket.socket:
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, backlog=256, dualstack_ipv6=True)
    return socket.create_server(("", port), backlog=256)


def _answer(listener: socket.socket, port: int, name: str, nonce: str, heard: set[tuple[str, int]]) -> None:
    while True:
        connection, _ = listener.accept()
        with contextlib.suppress(OSError), connection:
            connection.settimeout(2)
            greeting = connection.recv(512).decode("utf-8", "replace").split()
            if len(greeting) == 2 and greeting[0] == nonce:
                connection.sendall(f"{nonce} {name}\n".encode())
                heard.add((greeting[1], port))


def _call(peer: str, address: str, port: int, name: str, nonce: str, deadline: float, found: dict[str, object]) -> None:
    why = "no answer"
    while time.monotonic() < deadline:
        started = time.monotonic()
        try:
            with socket.create_connection((address, port), timeout=min(2.0, deadline - started)) as connection:
                connection.sendall(f"{nonce} {name}\n".encode())
                said = connection.recv(512).decode("utf-8", "replace").split()
            if said == [nonce, peer]:
                found[str(port)] = {"milliseconds": round((time.monotonic() - started) * 1000, 1)}
                return
            why = f"{said[1]} answers at this address" if said[:1] == [nonce] else "something else listens there"
        except socket.timeout:
            why = "timed out"
        except OSError as error:
            why = error.strerror or str(error)
        time.sleep(PAUSE)
    found[str(port)] = {"why": why}


def _shared(folder: str, name: str, nonce: str, peers: list[str], seconds: float) -> dict[str, object]:
    deadline = time.monotonic() + seconds
    place = nearest_there(folder)
    _sweep(place)
    descriptor = os.open(_file(place, name, nonce), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    with os.fdopen(descriptor, "w") as file:
        file.write(nonce)
        file.flush()
        os.fsync(descriptor)
    missing = set(peers)
    while missing and time.monotonic() < deadline:
        missing = {peer for peer in missing if not _read(_file(place, peer, nonce), nonce)}
        if missing:
            # An NFS client keeps what it last saw of a folder for a while; opening it asks the server again.
            os.listdir(place)
            time.sleep(PAUSE)
    return {"place": place, "unseen": sorted(missing)}


def _read(path: str, nonce: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read() == nonce
    except OSError:
        return False


def _file(folder: str, name: str, nonce: str) -> str:
    if "/" in name or name in ("", ".", ".."):
        raise AgentError("bad-request", f"{name!r} is no name of a node", "", BAD_REQUEST)
    return os.path.join(folder, f"{PREFIX}{nonce}-{name}")


def _sweep(folder: str) -> None:
    """What a doctor that was cut off left here."""
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            if entry.name.startswith(PREFIX) and time.time() - entry.stat().st_mtime > STALE_SECONDS:
                os.unlink(entry.path)


def _remove(folder: str, name: str, nonce: str) -> bool:
    try:
        os.unlink(_file(nearest_there(folder), name, nonce))
    except FileNotFoundError:
        return False
    return True

"""`start`: at most one daemon for an attempt, whoever asks and however often.

The order makes every crash safe: lock, attempt.json (the token), the files, fork; then in the daemon
agent.json (the proof of a start), the waiting ranks, their pids on disk, exec. A folder without proof and
without a held lock may be taken over by the same token. Another token is refused always, also for an
attempt that runs or has ended: it stands for a decision that the first start did not come from.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from her_agent import gang_place, jsonfile, lock, reserve
from her_agent.daemon import daemonize, foreground
from her_agent.errors import BAD_REQUEST, AgentError, DiskFull, is_disk_full
from her_agent.events import whole_size
from her_agent.gang_place import Place
from her_agent.identity import agent_digest
from her_agent.layout import Layout
from her_agent.request import Request, parse
from her_agent.view import view

PROOFS = ("agent.json", "exit.json")
WAIT_SECONDS = 10.0


def start(root: str, text: str) -> dict[str, object]:
    """Start the attempt of the request in `text`, or tell the state of the one that was started before."""
    request = parse(text)
    layout = Layout(root, request.attempt)
    claimed = _claim(layout, request)
    if claimed is None:
        return _answer(layout, request, "already")
    daemonize(layout, request, claimed.place, claimed.lock)
    if not _proven(layout):
        raise AgentError("start-failed", "the agent's daemon did not come up", f"see {layout.at('agent.log')}")
    return _answer(layout, request, "started")


def run_foreground(root: str, text: str) -> int:
    """Start the attempt and supervise it in this process, as inside an allocation that ends with its step.

    Returns at the attempt's end: 0 where it ended with code 0, its code where it has one, else 1. An
    attempt that has ended before is told by the same number; AgentError `already-started` where one may run.
    """
    request = parse(text)
    layout = Layout(root, request.attempt)
    claimed = _claim(layout, request)
    if claimed is not None:
        foreground(layout, request, claimed.place, claimed.lock)
    else:
        _same_token(layout, request)
    found = view(layout)
    if found.health != "ended":
        raise AgentError(
            "already-started", f"attempt {layout.attempt} was started before and is {found.health}", "follow or reap it"
        )
    if found.reason == "exited" and found.code is not None:
        return found.code
    return found.code or 1


class _Claimed(NamedTuple):
    """The held lock of an attempt that is laid out and may start, and its place in a gang."""

    lock: int
    place: Place | None


def _claim(layout: Layout, request: Request) -> _Claimed | None:
    """What a start needs, or None when the attempt was started before."""
    _same_token(layout, request)
    if not _proven(layout):
        _inputs_there(request)
    try:
        for folder in (layout.root, os.path.dirname(layout.folder), layout.folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        held = _take_lock(layout)
        if held is None:
            return None
        if _proven(layout):
            os.close(held)
            return None
        _same_token(layout, request)
        place = None if request.gang is None else gang_place.take(request.gang)
        _lay_out(layout, request)
    except DiskFull as error:
        raise AgentError("disk-full", f"no room for {error}", "make room on the node and start again") from error
    except OSError as error:
        code = "disk-full" if is_disk_full(error) else "cannot-write"
        raise AgentError(code, f"the attempt's folder cannot be made: {error}", "nothing was started") from error
    return _Claimed(held, place)


def _answer(layout: Layout, request: Request, state: str) -> dict[str, object]:
    _same_token(layout, request)
    found = view(layout)
    return {
        "attempt": layout.attempt,
        "state": state,
        "health": found.health,
        "pid": found.pid,
        "bootId": found.boot_id,
        "agent": agent_digest(),
    }


def _proven(layout: Layout) -> bool:
    return any(os.path.exists(layout.at(name)) for name in PROOFS)


def _same_token(layout: Layout, request: Request) -> None:
    kept = jsonfile.read(layout.at("attempt.json"))
    if kept is not None and kept.get("token") != request.token:
        raise AgentError(
            "other-token",
            f"attempt {layout.attempt} was begun under another token",
            "attach to it with status and events, or start the job's next attempt",
        )


def _inputs_there(request: Request) -> None:
    missing = [item for item in request.inputs if not os.path.exists(item.path)]
    if missing:
        named = ", ".join(f"{item.name} ({item.path})" for item in missing)
        raise AgentError("input-missing", f"not on this node: {named}", "put the inputs first", BAD_REQUEST)


def _take_lock(layout: Layout) -> int | None:
    """The lock, or None when another start came first and has left its proof."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        held = lock.take(layout.at("lock"))
        if held is not None or time.monotonic() >= until:
            return held
        if _proven(layout) and whole_size(layout.at("events.jsonl")) > 0:
            return None
        time.sleep(0.02)


def _lay_out(layout: Layout, request: Request) -> None:
    jsonfile.write(layout.at("attempt.json"), request.kept)
    reserve.keep(layout.at("reserve"))
    for name in ("logs", "inputs"):
        os.makedirs(layout.at(name), mode=0o700, exist_ok=True)
    _out(layout, request)
    for name, text in request.files.items():
        _write(layout.at(name), text)
    for item in request.inputs:
        link = os.path.join(layout.at("inputs"), item.name)
        os.makedirs(os.path.dirname(link), mode=0o700, exist_ok=True)
        if os.path.islink(link):
            os.unlink(link)
        os.symlink(item.path, link)
    jsonfile.sync_folder(layout.folder)


def _out(layout: Layout, request: Request) -> None:
    """The folder `out`; on the other nodes of a gang a link to node 0's, whose folder it may be the first to make."""
    out = layout.at("out")
    if request.gang is None or request.gang.first:
        os.makedirs(out, mode=0o700, exist_ok=True)
        return
    os.makedirs(Layout(layout.root, request.gang.main).at("out"), mode=0o700, exist_ok=True)
    target = os.path.join(os.pardir, request.gang.main, "out")
    if not os.path.islink(out) or os.readlink(out) != target:
        if os.path.islink(out):
            os.unlink(out)
        os.symlink(target, out)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    mode = 0o700 if path.endswith(".sh") else 0o600
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with open(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(descriptor)

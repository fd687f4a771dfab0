"""Leaves a daemon behind that has nothing in common with its starter but the lock.

Two forks and a session of its own: no terminal, no job control, and the starter's process group can be
killed without touching it. Everything it will need is imported by then, so the zipapp may be replaced or
removed while it runs.
"""

from __future__ import annotations

import contextlib
import os
import select
import traceback

from her_agent.gang_place import Place
from her_agent.gang_supervise import GangSupervisor
from her_agent.layout import Layout
from her_agent.mask import Mask
from her_agent.request import Request
from her_agent.supervise import Supervisor

WAIT_SECONDS = 10.0


def daemonize(layout: Layout, request: Request, place: Place | None, lock: int) -> None:
    """Start the daemon and wait for its first event. `lock` is the held lock; the daemon takes it over."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(out)
            os.setsid()
            if os.fork() == 0:
                _live(layout, request, place, lock, into)
        finally:
            os._exit(0)
    os.close(into)
    # Closed, not unlocked: an unlock would release the daemon's lock too.
    os.close(lock)
    if place is not None and place.listener is not None:
        place.listener.close()
    os.waitpid(pid, 0)
    select.select([out], [], [], WAIT_SECONDS)
    os.close(out)


def foreground(layout: Layout, request: Request, place: Place | None, lock: int) -> None:
    """Supervise in this process, with its standard error as it is, until the attempt has ended."""
    umask = os.umask(0o077)
    here = os.getcwd()
    try:
        os.chdir(layout.folder)
        _supervisor(layout, request, place, umask, -1).run()
    finally:
        os.chdir(here)
        os.umask(umask)
        os.close(lock)


def _supervisor(layout: Layout, request: Request, place: Place | None, umask: int, ready: int) -> Supervisor:
    if request.gang is None or place is None:
        return Supervisor(layout, request, None, umask, ready)
    return GangSupervisor(layout, request, request.gang, place, umask, ready)


def _live(layout: Layout, request: Request, place: Place | None, lock: int, ready: int) -> None:
    umask = os.umask(0o077)
    try:
        os.chdir(layout.folder)
        _redirect(layout)
        listener = place.listener if place is not None else None
        _close_others((lock, ready, -1 if listener is None else listener.fileno()))
        _supervisor(layout, request, place, umask, ready).run()
    except BaseException:
        text = Mask([*request.hidden, *request.env.values()]).text(traceback.format_exc())
        os.write(2, text.encode("utf-8"))
        os._exit(1)


def _redirect(layout: Layout) -> None:
    null = os.open("/dev/null", os.O_RDWR)
    log = os.open(layout.at("agent.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(log, 2)


def _close_others(keep: tuple[int, ...]) -> None:
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        if descriptor > 2 and descriptor not in keep:
            # The listing's own descriptor is among them and closed already.
            with contextlib.suppress(OSError):
                os.close(descriptor)

"""Verb `environment-sync`: makes a trainer environment from its lock, once, however many nodes share the root.

The one that gets the lock leaves a process behind that goes on without the session that asked; everybody asks again
for how far it is. uv inherits the lock, so that it is held as long as anything still writes.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import subprocess
import time
from typing import NamedTuple, NoReturn

from her_agent import jsonfile
from her_agent.environment_tail import explain, progress
from her_agent.errors import BAD_REQUEST, AgentError, DiskFull
from her_agent.lock import held, take

READY = ".her-ready.json"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{12}\Z")


class Plan(NamedTuple):
    """What is to be made, and of what. `size` is what it may take on the disk, in bytes."""

    root: str
    name: str
    digest: str
    project: str
    uv: str
    size: int
    env: dict[str, str]

    def at(self, what: str) -> str:
        return os.path.join(self.root, "envs", f".{self.name}.{what}")

    @property
    def folder(self) -> str:
        return os.path.join(self.root, "envs", self.name)

    def check(self) -> None:
        """Raise unless the name can stand in a path."""
        if not NAME.match(self.name):
            raise AgentError("bad-request", f"{self.name!r} is no name of an environment", "", BAD_REQUEST)


def look(plan: Plan) -> dict[str, object]:
    """How far it is: ready, syncing, failed, absent."""
    plan.check()
    if _ready(plan):
        return {"state": "ready", "folder": plan.folder}
    if held(plan.at("lock")):
        begun = jsonfile.read(plan.at("begun")) or {}
        return {"state": "syncing", "host": begun.get("host", ""), **progress(plan.at("log"))}
    # It may have ended between the two questions.
    if _ready(plan):
        return {"state": "ready", "folder": plan.folder}
    failed = jsonfile.read(plan.at("failed"))
    if failed is not None:
        return {"state": "failed", **failed}
    return {"state": "absent"}


def sync(plan: Plan) -> dict[str, object]:
    """Start it unless it is ready or under way; returns at once."""
    plan.check()
    os.makedirs(os.path.join(plan.root, "envs"), mode=0o700, exist_ok=True)
    if _ready(plan):
        return {"state": "ready", "folder": plan.folder}
    lock = _take(plan.at("lock"))
    if lock is None:
        return look(plan) if held(plan.at("lock")) else {"state": "absent"}
    try:
        if not _ready(plan):
            _refuse_full_disk(plan)
            _forget(plan.at("failed"))
            jsonfile.write(plan.at("begun"), {"host": platform.node(), "pid": os.getpid(), "at": time.time()})
            with open(plan.at("log"), "wb"):
                pass
            _leave_behind(plan, lock)
    finally:
        os.close(lock)
    return look(plan)


def _take(path: str) -> int | None:
    try:
        return take(path)
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
        hint = "put `root` on a file system with flock (Lustre: mount with -o flock)"
        raise AgentError("no-locks", f"{os.path.dirname(path)} is on a file system without locks", hint) from error


def _leave_behind(plan: Plan, lock: int) -> None:
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _go_on(plan, lock)
    finally:
        os._exit(0)


def _go_on(plan: Plan, lock: int) -> NoReturn:
    try:
        log = os.open(plan.at("log"), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        # The session that asked ends only when nobody holds its pipes any more.
        for descriptor in (1, 2):
            os.dup2(log, descriptor)
        os.chdir("/")
        failure = _make(plan, lock)
        if failure is None:
            mark = {"lock": plan.digest, "host": platform.node(), "at": time.time()}
            jsonfile.write(os.path.join(plan.folder, READY), mark)
        else:
            jsonfile.write(plan.at("failed"), failure)
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
        code = "disk-full" if isinstance(error, DiskFull) else "failed"
        jsonfile.write(plan.at("failed"), {"code": code, "message": text, "hint": "", "tail": []})
    finally:
        os._exit(0)


def _make(plan: Plan, lock: int) -> dict[str, object] | None:
    """Run uv; why it failed, or None. A folder without the mark was cut off in the middle: uv would trust its parts."""
    if os.path.lexists(plan.folder):
        shutil.rmtree(plan.folder)
    command = [plan.uv, "sync", "--frozen", "--no-dev", "--no-install-package", "her-workers"]
    command += ["--compile-bytecode", "--no-progress", "--color", "never", "--project", plan.project]
    env = {
        "UV_CACHE_DIR": os.path.join(plan.root, "uv-cache"),
        "UV_PYTHON_INSTALL_DIR": os.path.join(plan.root, "pythons"),
        **{name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
        **plan.env,
        "UV_PROJECT_ENVIRONMENT": plan.folder,
    }
    done = subprocess.run(command, env=env, pass_fds=(lock,), check=False)
    return None if done.returncode == 0 else explain(plan.at("log"), done.returncode)


def _ready(plan: Plan) -> bool:
    mark = jsonfile.read(os.path.join(plan.folder, READY))
    return mark is not None and mark.get("lock") == plan.digest


def _refuse_full_disk(plan: Plan) -> None:
    info = os.statvfs(plan.root)
    free = info.f_bavail * info.f_frsize
    if free < plan.size:
        message = f"{free / 1e9:.1f} GB free in {plan.root}; the environment takes up to {plan.size / 1e9:.1f} GB"
        raise AgentError("disk-full", message, "make room on the node, or name another `root`")


def _forget(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)

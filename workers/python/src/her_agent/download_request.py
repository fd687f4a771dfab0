"""What a download is asked for: a folder below the root, and the files that come into it."""

from __future__ import annotations

import os
from typing import NamedTuple

from her_agent import confine
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.fields import Fields
from her_agent.upload_request import MOST_PARALLEL, digest_of, refuse, size_of


class Coming(NamedTuple):
    """One file. Without a hash its size alone is known."""

    path: str
    size: int
    sha256: str | None


class Download(NamedTuple):
    """The folder it becomes, once every file is whole. `replace`: what is there and differs is moved aside."""

    folder: str
    files: list[Coming]
    parallel: int
    replace: bool


def download_request(root: str, value: dict[str, object]) -> Download:
    """Read the request; nothing is written outside the root."""
    problems: list[str] = []
    top = Fields(value, "", problems)
    top.get("protocol")
    to = top.path("to")
    parallel = min(top.count("parallel") or 1, MOST_PARALLEL)
    replace = top.get("replace") is True
    files = [_coming(item) for item in top.each("files")]
    names = [item.path for item in files]
    for name in sorted({name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()):
        top.fault("files", f"{name} stands twice")
    for clash in confine.clashes(names):
        top.fault("files", clash)
    top.no_others()
    refuse(problems)
    base = os.path.abspath(root)
    folder = confine.inside(base, to)
    if folder is None:
        raise AgentError("bad-request", f"{to!r} leads out of {base}", "", BAD_REQUEST)
    return Download(folder, files, parallel, replace)


def _coming(item: Fields) -> Coming:
    sha256 = None if item.get("sha256") is None else digest_of(item, "sha256")
    coming = Coming(item.path("path"), size_of(item, "size"), sha256)
    item.no_others()
    return coming

"""What an upload is asked for: which files of a checkpoint, as they were when it was saved."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from her_agent import confine
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.fields import Fields
from her_agent.layout import Layout

DIGEST = re.compile(r"[0-9a-f]{64}\Z")
MOST_PARALLEL = 16


class Wanted(NamedTuple):
    """One file: where it is, and what it has to be. `part` is the size of its parts; None sends it whole."""

    path: str
    size: int
    sha256: str
    part: int | None


class Upload(NamedTuple):
    """The checkpoint's folder on this node, and its files."""

    folder: str
    files: list[Wanted]
    parallel: int


def upload_request(root: str, value: dict[str, object]) -> Upload:
    """Read the request; paths stay in the attempt's folder."""
    problems: list[str] = []
    top = Fields(value, "", problems)
    top.get("protocol")
    layout = Layout(root, top.text("attempt"))
    path = top.path("path")
    parallel = min(top.count("parallel") or 1, MOST_PARALLEL)
    files = [_wanted(item) for item in top.each("files")]
    top.no_others()
    refuse(problems)
    layout.require()
    folder = confine.inside(layout.folder, path)
    if folder is None:
        raise _outside(path)
    for item in files:
        if confine.inside(layout.folder, os.path.join(path, item.path)) is None:
            raise _outside(item.path)
    return Upload(folder, files, parallel)


def size_of(item: Fields, key: str) -> int:
    """A number of bytes, 0 included."""
    value = item.get(key)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    item.fault(key, "must be a number of bytes")
    return 0


def digest_of(item: Fields, key: str) -> str:
    """A SHA-256 in hex."""
    value = item.get(key)
    if isinstance(value, str) and DIGEST.match(value):
        return value
    item.fault(key, "must be a SHA-256 in hex")
    return ""


def refuse(problems: list[str]) -> None:
    """Raise for what is wrong with a request, if anything is."""
    if problems:
        message = f"{len(problems)} problem(s) in the request: " + "; ".join(problems[:20])
        raise AgentError("bad-request", message, "", BAD_REQUEST, problems)


def _outside(path: str) -> AgentError:
    return AgentError("bad-request", f"{path!r} leads out of the attempt's folder", "", BAD_REQUEST)


def _wanted(item: Fields) -> Wanted:
    wanted = Wanted(item.path("path"), size_of(item, "size"), digest_of(item, "sha256"), item.count("part"))
    item.no_others()
    return wanted

"""What uv's output says: how far it is, and why it failed."""

from __future__ import annotations

import os
import re
from re import Pattern

LAST = 256 * 1024

_REASONS: list[tuple[Pattern[str], str, str, str]] = [
    (
        re.compile(r"No space left on device|os error 28|Disk quota exceeded|os error 122"),
        "disk-full",
        "the disk became full while packages were unpacked",
        "make room on the node, or name another `root`",
    ),
    (
        re.compile(r"No interpreter found|No managed installations found|Python .*not found|only downloads? .*Python"),
        "no-python",
        "there is no Python 3.11, and none could be fetched",
        "install Python 3.11 on the node, or give it a way to the internet",
    ),
    (
        re.compile(
            r"dns error|error sending request|Failed to (?:fetch|download)|Network connectivity is disabled"
            r"|Connection refused|timed out|Temporary failure in name resolution|not found in the cache"
        ),
        "no-network",
        "packages could not be downloaded",
        "give the node a way to its package index (HTTPS_PROXY, UV_DEFAULT_INDEX), fill uv's cache on a node that has"
        " one, or name an environment that is there: `environments: { swift: { path: … } }`",
    ),
    (
        re.compile(r"hash mismatch|Hash mismatch"),
        "hash-mismatch",
        "a package is not the one that the lock names",
        "its index serves another file under that name: do not use it",
    ),
]


def explain(log: str, code: int) -> dict[str, object]:
    """Why uv failed, as one reason and its last lines."""
    lines = _lines(log)
    text = "\n".join(lines)
    tail = lines[-6:]
    for pattern, name, message, hint in _REASONS:
        if pattern.search(text):
            about = next(
                (
                    line.lstrip("\u251c\u2570\u2500\u25b6\u00d7\u2502 ").rstrip()
                    for line in lines
                    if pattern.search(line)
                ),
                "",
            )
            return {"code": name, "message": f"{message}: {about}", "hint": hint, "tail": tail}
    last = tail[-1].strip() if tail else f"uv ended with {code}"
    return {"code": "failed", "message": f"uv: {last}", "hint": "", "tail": tail}


def progress(log: str) -> dict[str, object]:
    """Packages downloaded so far and uv's last line."""
    lines = _lines(log)
    downloaded = sum(1 for line in lines if line.strip().startswith("Downloaded "))
    return {"downloaded": downloaded, "line": lines[-1].strip() if lines else ""}


def _lines(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - LAST))
            text = file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    # An index may be named with a password.
    return [re.sub(r"://[^/\s@]+@", "://***@", line) for line in text.splitlines() if line.strip()]

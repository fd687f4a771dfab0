"""Paths from a request stay inside the attempt's folder."""

from __future__ import annotations

import os


def fault(path: str) -> str | None:
    """Why this relative path is not acceptable, or None. Looks at the text only."""
    if not path or "\0" in path:
        return "is empty or holds a NUL"
    if os.path.isabs(path):
        return "is absolute"
    parts = path.split("/")
    if ".." in parts:
        return "holds '..'"
    if "" in parts or "." in parts:
        return "holds an empty or '.' part"
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "is not valid UTF-8"
    return None


def inside(folder: str, path: str) -> str | None:
    """The absolute path of `path` under `folder`, or None when a symbolic link leads it outside."""
    whole = os.path.join(folder, path)
    base = os.path.realpath(folder)
    real = os.path.realpath(whole)
    return whole if real == base or real.startswith(base + os.sep) else None


def clashes(names: list[str]) -> list[str]:
    """Names of which one lies inside another (`a` and `a/b`): the second would be written through the
    first.
    """
    found: list[str] = []
    known = set(names)
    for name in names:
        parts = name.split("/")
        found.extend(
            f"{name} lies inside {above}"
            for above in ("/".join(parts[:n]) for n in range(1, len(parts)))
            if above in known
        )
    return found

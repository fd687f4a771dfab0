"""A strict reader of the block YAML that OmegaConf writes: scalars by dotted path, nothing else of YAML.

Items of lists live under `[]`, so that a key inside a list is never taken for a key of the mapping around
it. Text that runs over several lines is skipped. Anchors, tags and tabs are refused.
"""

from __future__ import annotations

import re

_QUOTED = r"\"[^\"]*\"|'[^']*'"
_PLAIN = r"[^\s#'\"{}\[\],&*!|>%@`-][^:]*|-[^\s:][^:]*"
KEY = re.compile(rf"( *)((?:- +)*)({_QUOTED}|{_PLAIN}):(?: +(.*))?\Z")
DASH = re.compile(r"( *)-(?: |\Z)")


def scalars(text: str) -> dict[str, str]:
    """Every `key: scalar` by its path. Raises ValueError for duplicate paths and what is not understood."""
    found: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    skip = -1
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#") or stripped in ("---", "..."):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if line[indent] == "\t":
            raise ValueError(f"line {number}: a tab")
        if 0 <= skip < indent:
            continue
        skip = -1
        dash = DASH.match(line)
        if dash:
            stack = [(at, key) for at, key in stack if at < indent or (at == indent and key != "[]")]
            stack.append((indent, "[]"))
        match = KEY.match(line)
        if match is None:
            if dash:
                skip = indent
                continue
            raise ValueError(f"line {number}: neither a key nor an item of a list")
        key_at = len(match.group(1)) + len(match.group(2))
        if not dash:
            stack = [(at, key) for at, key in stack if at < key_at]
        key, value = match.group(3).strip().strip("'\""), (match.group(4) or "").strip()
        path = ".".join([key for _at, key in stack] + [key])
        if value and value[0] in "&!":
            raise ValueError(f"line {number}: an anchor or a tag")
        if value:
            if path in found and "[]" not in path:
                raise ValueError(f"line {number}: {path} stands twice")
            found[path] = value.strip("'\"")
            skip = key_at
        else:
            stack.append((key_at, key))
    return found

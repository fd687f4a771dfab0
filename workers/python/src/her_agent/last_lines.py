"""The last lines of the ranks' logs for the `ended` event: masked, and small enough for one ledger entry."""

from __future__ import annotations

import os
import re

from her_agent.layout import Layout
from her_agent.mask import Mask

LINES = 40
WINDOW = 256 * 1024
LONGEST_LINE = 2048
BUDGET = 24 * 1024
NO_SPACE = re.compile(rb"No space left on device|os error 28|StorageFull|Disk quota exceeded")


def tails(layout: Layout, ranks: int, mask: Mask, services: list[str] | None = None) -> dict[str, str]:
    """The last lines of every rank that has a log, by `rank-N`, and of the services by their names."""
    logs = {f"rank-{rank}": layout.log(rank) for rank in range(ranks)}
    logs.update({name: layout.service_log(name) for name in services or ()})
    share = max(1024, BUDGET // max(1, len(logs)))
    found = {}
    for name, path in logs.items():
        text = tail(path, mask, share)
        if text is not None:
            found[name] = text
    return found


def tail(path: str, mask: Mask, most: int, count: int = LINES) -> str | None:
    """The last `count` lines of one log within `most` bytes, None where there is no log."""
    try:
        data, cut = _window(path)
    except FileNotFoundError:
        return None
    if cut:
        # A secret may have been cut at the front and would not be recognised.
        data = data[mask.longest :]
    lines = mask.text(data.decode("utf-8", "replace")).rstrip("\n").split("\n")[-count:]
    # Of a progress bar only what a terminal would still show.
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in lines]
    text = "\n".join(line if len(line) <= LONGEST_LINE else "…" + line[-LONGEST_LINE:] for line in lines)
    while len(text.encode("utf-8")) > most:
        text = text.partition("\n")[2] if "\n" in text else text[-most // 4 :]
    return text


def _window(path: str) -> tuple[bytes, bool]:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - WINDOW))
        return file.read(), size > WINDOW


def says_no_space(layout: Layout, ranks: int) -> bool:
    """Whether a rank's last lines tell of a full disk."""
    for rank in range(ranks):
        try:
            data, _cut = _window(layout.log(rank))
        except FileNotFoundError:
            continue
        if NO_SPACE.search(b"\n".join(data.rstrip(b"\n").split(b"\n")[-LINES:])):
            return True
    return False

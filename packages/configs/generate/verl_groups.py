"""The config groups of verl: what a `group@key=option` of the command line may say."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def groups_of(folder: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """`options`: each group with its options; `defaults`: which group stands at which key, and which option of it.

    Hydra names a group from inside another one by its way there (`actor/../optim@…`), and so does its override.
    """
    root = Path(folder)
    options = {
        child.name: sorted(file.stem for file in child.glob("*.yaml"))
        for child in sorted(root.iterdir())
        if child.is_dir() and any(child.glob("*.yaml"))
    }
    defaults = {}
    for override, option in sorted(chosen.items()):
        if override.startswith("hydra/"):
            continue
        way, _, key = override.partition("@")
        group = way.rpartition("/")[2]
        defaults[override] = {"group": group, "key": key or group, "option": option}
    return {"options": options, "defaults": defaults}

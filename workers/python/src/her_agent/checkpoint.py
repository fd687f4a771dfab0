"""Checkpoints of either trainer: where they are, which step, whether whole."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from her_agent import checkpoint_swift, checkpoint_verl


class Verdict(NamedTuple):
    """Whether a checkpoint is whole, its step (None when the name tells none), and what is wrong."""

    whole: bool
    step: int | None
    why: list[str]


def step_of(form: str, name: str) -> int | None:
    """The step in the name of a checkpoint's folder; None for other names."""
    match = (checkpoint_swift.NAME if form == "swift" else checkpoint_verl.NAME).match(name)
    return int(match.group(1)) if match else None


def check(form: str, path: str, world_size: int, hashed: bool = False) -> Verdict:
    """Judge the checkpoint in folder `path`; what lies beside it does not count where it is `hashed`.

    Raises OSError when it cannot be read.
    """
    name = os.path.basename(os.path.abspath(path))
    step = step_of(form, name)
    if step is None:
        return Verdict(False, None, [f"{name} is no name of a {form} checkpoint"])
    if not _is_folder(path):
        return Verdict(False, step, [f"{name} is no folder"])
    if form == "swift":
        why = checkpoint_swift.swift_faults(path, step, world_size)
    else:
        why = [] if hashed else checkpoint_verl.tracker_faults(path, step)
        why += checkpoint_verl.verl_faults(path, world_size)
    return Verdict(not why, step, why)


def _is_folder(path: str) -> bool:
    """Unlike `isdir`, which takes any trouble for a no."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def candidates(form: str, folder: str) -> list[tuple[int, str]]:
    """Folders in `folder` that are named like checkpoints, by step. Links such as `last-checkpoint` are
    not.
    """
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [(step, name) for name in names for step in [step_of(form, name)] if step is not None]
    return sorted(found)

"""Is a `global_step_N` of verl (FSDP) whole: the actor's three files of every rank, the data state, the
tracker.

`latest_checkpointed_iteration.txt` beside the checkpoints is written last; a step beyond it is not
finished.
"""

from __future__ import annotations

import json
import os
import re

from her_agent.weights import torch_fault

NAME = re.compile(r"global_step_(\d+)\Z")
TRACKER = "latest_checkpointed_iteration.txt"
PARTS = ("model", "optim", "extra_state")


def verl_faults(path: str, world_size: int) -> list[str]:
    """What is missing or torn in the checkpoint itself."""
    why: list[str] = []
    roles = ["actor"] + (["critic"] if os.path.isdir(os.path.join(path, "critic")) else [])
    for role in roles:
        why += _role(path, role, world_size)
    fault = torch_fault(os.path.join(path, "data.pt"))
    return [*why, fault] if fault else why


def tracker_faults(path: str, step: int) -> list[str]:
    """Why verl does not say beside the checkpoint that it had finished it."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with open(os.path.join(folder, TRACKER), encoding="ascii") as file:
            text = file.read().strip()
    except FileNotFoundError:
        return [f"{TRACKER} is missing"]
    if not text.isdigit():
        return [f"{TRACKER} holds {text[:40]!r}"]
    return [] if int(text) >= step else [f"{TRACKER} says {text}, before {step}"]


def _role(path: str, role: str, world_size: int) -> list[str]:
    folder = os.path.join(path, role)
    why = []
    for rank in range(world_size):
        for part in PARTS:
            fault = torch_fault(os.path.join(folder, f"{part}_world_size_{world_size}_rank_{rank}.pt"))
            if fault:
                why.append(f"{role}: {fault}")
    try:
        with open(os.path.join(folder, "fsdp_config.json"), encoding="utf-8") as file:
            config = json.load(file)
    except FileNotFoundError:
        return [*why, f"{role}: fsdp_config.json is missing"]
    except ValueError as error:
        return [*why, f"{role}: fsdp_config.json is torn: {error}"]
    found = config.get("world_size") if isinstance(config, dict) else None
    if found is not None and found != world_size:
        why.append(f"{role}: fsdp_config.json says world size {found}, not {world_size}")
    return why

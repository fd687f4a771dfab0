"""Is a `checkpoint-N` of ms-swift whole: all that a resume needs for this world size.

The trainer writes in place and `trainer_state.json` last; a resume from a checkpoint without
`optimizer.pt` or `scheduler.pt` starts them afresh without a word, so their absence counts as torn.
"""

from __future__ import annotations

import json
import os
import re

from her_agent.weights import index_faults, safetensors_fault, torch_fault

# What transformers leaves while it saves on a signal (trainer_jit_checkpoint.py).
SAVING = "checkpoint-is-incomplete.txt"
NAME = re.compile(r"checkpoint-(\d+)\Z")


def swift_faults(path: str, step: int, world_size: int) -> list[str]:
    """What is missing or torn; empty when the checkpoint is whole."""
    names = sorted(os.listdir(path))
    why = _state(path, step)
    if SAVING in names:
        why.append(f"{SAVING} is there: it was being saved when the trainer was ended")
    why += _weights(path, names)
    why += _deepspeed(path, names, step, world_size) if _uses_deepspeed(names) else _optimizer(path)
    why += _random_state(path, world_size)
    return why


def _state(path: str, step: int) -> list[str]:
    try:
        with open(os.path.join(path, "trainer_state.json"), encoding="utf-8") as file:
            state = json.load(file)
    except FileNotFoundError:
        return ["trainer_state.json is missing"]
    except ValueError as error:
        return [f"trainer_state.json is torn: {error}"]
    found = state.get("global_step") if isinstance(state, dict) else None
    return [] if found == step else [f"trainer_state.json says global_step {found}, not {step}"]


def _weights(path: str, names: list[str]) -> list[str]:
    shards = [name for name in names if name.endswith(".safetensors")]
    why = [fault for name in shards for fault in [safetensors_fault(os.path.join(path, name))] if fault]
    indexes = [name for name in names if name.endswith(".safetensors.index.json")]
    why += [fault for name in indexes for fault in index_faults(path, name)]
    if not shards and not indexes:
        why.append("no safetensors weights")
    return why


def _optimizer(path: str) -> list[str]:
    faults = (torch_fault(os.path.join(path, name)) for name in ("optimizer.pt", "scheduler.pt"))
    return [fault for fault in faults if fault]


def _uses_deepspeed(names: list[str]) -> bool:
    return "latest" in names or any(re.match(r"global_step\d+\Z", name) for name in names)


def _deepspeed(path: str, names: list[str], step: int, world_size: int) -> list[str]:
    why = []
    try:
        with open(os.path.join(path, "latest"), encoding="utf-8") as file:
            tag = file.read().strip()
    except FileNotFoundError:
        return ["latest is missing"]
    if tag != f"global_step{step}":
        why.append(f"latest says {tag!r}, not global_step{step}")
    shards = os.path.join(path, f"global_step{step}")
    if not os.path.isdir(shards):
        return [*why, f"global_step{step}/ is missing"]
    files = sorted(os.listdir(shards))
    optimizer = [name for name in files if name.endswith("_optim_states.pt")]
    if len(optimizer) != world_size:
        why.append(f"{len(optimizer)} optimizer shards for world size {world_size}")
    zero3 = [name for name in files if name.startswith("zero_pp_rank_") and name.endswith("_model_states.pt")]
    if zero3 and len(zero3) != world_size:
        why.append(f"{len(zero3)} model shards for world size {world_size}")
    if not any(name.endswith("_model_states.pt") for name in files):
        why.append("no model states")
    whole = [os.path.join(shards, name) for name in files if name.endswith("_states.pt")]
    if "scheduler.pt" in names:
        whole.append(os.path.join(path, "scheduler.pt"))
    return why + [fault for name in whole for fault in [torch_fault(name)] if fault]


def _random_state(path: str, world_size: int) -> list[str]:
    wanted = ["rng_state.pth"] if world_size == 1 else [f"rng_state_{rank}.pth" for rank in range(world_size)]
    return [fault for name in wanted for fault in [torch_fault(os.path.join(path, name))] if fault]

"""Whether a model's folder holds all that its own index names, each file in full."""

from __future__ import annotations

import json
import os
import struct

MOST_HEADER = 100 << 20
TOKENIZERS = (("tokenizer.json",), ("tokenizer.model",), ("vocab.json", "merges.txt"), ("tiktoken.model",))
INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
LFS_START = b"version https://git-lfs"


def model_facts(path: str) -> dict[str, object]:
    """`problems` is empty for a model that a trainer can load."""
    folder = os.path.expanduser(path)
    if not os.path.isdir(folder):
        return {"path": folder, "bytes": 0, "problems": ["there is no such folder"]}
    problems: list[str] = []
    if _read_json(folder, "config.json", problems) is None and not problems:
        problems.append("config.json is missing")
    if not any(all(os.path.isfile(os.path.join(folder, one)) for one in names) for names in TOKENIZERS):
        problems.append("no tokenizer (tokenizer.json, tokenizer.model, or vocab.json with merges.txt)")
    size = sum(_checked(folder, name, problems) for name in _weights(folder, problems))
    return {"path": folder, "bytes": size, "problems": problems}


def _weights(folder: str, problems: list[str]) -> list[str]:
    for index in INDEXES:
        if not os.path.isfile(os.path.join(folder, index)):
            continue
        value = _read_json(folder, index, problems)
        names = value.get("weight_map") if isinstance(value, dict) else None
        if isinstance(names, dict):
            return sorted({str(name) for name in names.values()})
        return []
    for name in ("model.safetensors", "pytorch_model.bin"):
        if os.path.isfile(os.path.join(folder, name)):
            return [name]
    problems.append("no weights (model.safetensors, or an index of several files)")
    return []


def _checked(folder: str, name: str, problems: list[str]) -> int:
    """The size of a file of weights; notes what is wrong with it."""
    path = os.path.join(folder, name)
    if os.path.basename(name) != name:
        problems.append(f"the index names {name!r}, which lies elsewhere")
        return 0
    try:
        size = os.stat(path).st_size
        with open(path, "rb") as file:
            start = file.read(64)
            if start.startswith(LFS_START):
                problems.append(f"{name} is a Git LFS pointer, not the file")
            elif name.endswith(".safetensors"):
                _check_length(path, name, size, problems)
            elif size == 0:
                problems.append(f"{name} is empty")
    except FileNotFoundError:
        problems.append(f"{name} is missing")
        return 0
    return size


def _check_length(path: str, name: str, size: int, problems: list[str]) -> None:
    """A safetensors file says in its head how long it is: a download that was cut off is found without reading it."""
    if size < 8:
        problems.append(f"{name} is cut off after {size} bytes")
        return
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > MOST_HEADER or 8 + length > size:
            problems.append(f"{name} is cut off or is no safetensors file")
            return
        try:
            head = json.loads(file.read(length))
            ends = [int(one["data_offsets"][1]) for key, one in head.items() if key != "__metadata__"]
        except (ValueError, KeyError, TypeError, IndexError):
            problems.append(f"{name} has a damaged head")
            return
    expected = 8 + length + max(ends, default=0)
    if size != expected:
        problems.append(f"{name} has {size} bytes instead of {expected}")


def _read_json(folder: str, name: str, problems: list[str]) -> object:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return json.load(file)
    except FileNotFoundError:
        return None
    except ValueError:
        problems.append(f"{name} is no JSON")
        return None

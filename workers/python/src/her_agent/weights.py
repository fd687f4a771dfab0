"""Are files of weights and tensors whole, judged without loading them."""

from __future__ import annotations

import json
import os
import struct
import zipfile

LARGEST_HEADER = 100_000_000


def safetensors_fault(path: str) -> str | None:
    """Why this safetensors file is torn, or None: its size must be 8 + header + the highest data offset."""
    name = os.path.basename(path)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(8)
            if len(head) < 8:
                return f"{name} is torn: no header"
            length = struct.unpack("<Q", head)[0]
            if length > min(size - 8, LARGEST_HEADER):
                return f"{name} is torn: its header is cut"
            header = json.loads(file.read(length))
            ends = [tensor["data_offsets"][1] for key, tensor in header.items() if key != "__metadata__"]
            wanted = 8 + length + max(ends, default=0)
    except FileNotFoundError:
        return f"{name} is missing"
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return f"{name} is torn: its header is not understood"
    return None if size == wanted else f"{name} has {size} bytes of {wanted}"


def index_faults(folder: str, name: str) -> list[str]:
    """Shards that a safetensors index names and that are not there."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            shards = set(json.load(file)["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        return [f"{name} is torn"]
    return [
        f"{shard} is missing, named by {name}"
        for shard in sorted(str(shard) for shard in shards)
        if not os.path.isfile(os.path.join(folder, shard))
    ]


def torch_fault(path: str) -> str | None:
    """Why this file of torch.save is torn, or None: its zip directory, at the very end, must be readable."""
    name = os.path.basename(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return None if archive.namelist() else f"{name} is empty"
    except FileNotFoundError:
        return f"{name} is missing"
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return f"{name} is torn: no zip directory"

"""Whole JSON files: written to a temporary name, synced, renamed."""

from __future__ import annotations

import json
import os

from her_agent.errors import DiskFull, is_disk_full


def write(path: str, value: object, sync: bool = True) -> None:
    """Replace `path` by the JSON of `value`, durably. Raises DiskFull; the old content stays then."""
    temporary = f"{path}.{os.getpid()}.tmp"
    data = (json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temporary, path)
        if sync:
            sync_folder(os.path.dirname(path))
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        if is_disk_full(error):
            raise DiskFull(path) from error
        raise


def sync_folder(path: str) -> None:
    """Make a rename or a creation in this folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(path: str) -> dict[str, object] | None:
    """The object in the file, or None when the file is absent. Raises ValueError when it holds something
    else.
    """
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except FileNotFoundError:
        return None
    if not isinstance(value, dict):
        raise ValueError(f"{path} holds no JSON object")
    return value

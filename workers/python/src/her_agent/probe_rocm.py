"""What `rocm-smi --json` says, in the words that its versions have."""

from __future__ import annotations

import json
import re

ARGUMENTS = [
    "--showproductname",
    "--showuniqueid",
    "--showbus",
    "--showdriverversion",
    "--showmeminfo",
    "vram",
    "--showpids",
    "--json",
]


def from_json(text: str) -> dict[str, object]:
    """Driver and GPUs. Raises ValueError where it is no JSON of rocm-smi."""
    # Warnings stand before the object in some versions.
    start = text.find("{")
    if start < 0:
        raise ValueError("rocm-smi answered no JSON")
    value = json.loads(text[start:])
    if not isinstance(value, dict):
        raise ValueError("rocm-smi answered other JSON than expected")
    system = value.get("system")
    system = system if isinstance(system, dict) else {}
    cards = sorted(
        (int(key[4:]), card) for key, card in value.items() if re.fullmatch(r"card\d+", key) and isinstance(card, dict)
    )
    processes = _processes(system)
    gpus = [_gpu(index, card, processes) for index, card in cards]
    return {"vendor": "amd", "driver": _text(system, "Driver version"), "cuda": None, "gpus": gpus}


def _gpu(index: int, card: dict[str, object], processes: list[dict[str, object]]) -> dict[str, object]:
    total = _whole(card, "VRAM Total Memory (B)")
    used = _whole(card, "VRAM Total Used Memory (B)")
    return {
        "index": index,
        "name": _text(card, "Card series", "Card Series", "Device Name", "Card model", "Card Model"),
        "uuid": _text(card, "Unique ID", "PCI Bus"),
        "totalBytes": total,
        "usedBytes": used,
        "freeBytes": None if total is None or used is None else total - used,
        "uncorrectedErrors": None,
        "remapPending": False,
        "remapFailed": False,
        "mig": False,
        "persistence": None,
        # Which of several cards a process is on is not told; then none has it.
        "processes": processes,
    }


def _processes(system: dict[str, object]) -> list[dict[str, object]]:
    """`"PID19971": "python, 1, 1139888128, 0, unknown"`: name, cards, bytes, …"""
    found: list[dict[str, object]] = []
    for key, value in system.items():
        match = re.fullmatch(r"PID(\d+)", key)
        if match is None or not isinstance(value, str):
            continue
        cells = [cell.strip() for cell in value.split(",")]
        size = int(cells[2]) if len(cells) > 2 and cells[2].isdigit() else None
        if size == 0:
            continue
        found.append({"pid": int(match[1]), "name": cells[0], "graphics": False, "bytes": size})
    return found


def _text(card: dict[str, object], *names: str) -> str | None:
    for name in names:
        value = card.get(name)
        if isinstance(value, str) and value.strip() not in ("", "N/A"):
            return value.strip()
    return None


def _whole(card: dict[str, object], name: str) -> int | None:
    value = _text(card, name)
    return int(value) if value is not None and value.isdigit() else None

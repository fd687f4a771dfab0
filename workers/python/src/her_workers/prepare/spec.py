"""What `prepare.json` may say."""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

SPLITS = ("sft", "rl", "rl_val", "heldout")


@dataclass(frozen=True)
class ModelSize:
    """Shape of the Qwen3 to build. vLLM's CPU attention takes no head_dim below 32, and 64 is what was tried."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int


@dataclass(frozen=True)
class PrepareSpec:
    """`rows` and `books` count per split; a book belongs to one split only. `vocab` counts tokens at most."""

    seed: int
    vocab: int
    rows: dict[str, int]
    books: dict[str, int]
    model: ModelSize


def _exactly(what: str, given: dict[str, Any], wanted: tuple[str, ...]) -> None:
    unknown, missing = sorted(set(given) - set(wanted)), sorted(set(wanted) - set(given))
    if unknown or missing:
        raise ValueError(f"{what}: unknown keys {unknown}, missing keys {missing}")
    for key, value in given.items():
        if not isinstance(value, dict) and (type(value) is not int or value < 0):
            raise ValueError(f"{what}.{key}: expected a whole number of at least 0, got {value!r}")


def read_spec(path: Path) -> PrepareSpec:
    """Reads and checks the file. Raises ValueError naming what is wrong; there are no defaults."""
    given: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    _exactly("prepare", given, tuple(f.name for f in fields(PrepareSpec)))
    _exactly("prepare.rows", given["rows"], SPLITS)
    _exactly("prepare.books", given["books"], SPLITS)
    _exactly("prepare.model", given["model"], tuple(f.name for f in fields(ModelSize)))
    for split in SPLITS:
        if given["rows"][split] > 0 and given["books"][split] == 0:
            raise ValueError(f"prepare.books.{split}: 0 books cannot give {given['rows'][split]} rows")
    return PrepareSpec(given["seed"], given["vocab"], given["rows"], given["books"], ModelSize(**given["model"]))

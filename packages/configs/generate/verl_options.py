"""Writes verl's composed configuration as JSON: every key with the type of its default, no prose.

Run in the environment of verl: `python verl_options.py OUT.json`. Hydra composes the tree; nothing of verl is imported.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf


def kind_of(value: Any) -> str:
    """The one word for what a value must be. A null default says nothing; a whole one may stand for any number."""
    for kind, name in ((bool, "bool"), (int, "float"), (float, "float"), (str, "str"), (list, "list")):
        if isinstance(value, kind):
            return name
    return "any"


def walk(tree: DictConfig, prefix: str, options: dict[str, dict[str, Any]]) -> None:
    """Adds every key below `tree`; an interpolation or a mandatory value has no type of its own."""
    for key in tree:
        path = f"{prefix}{key}"
        if OmegaConf.is_interpolation(tree, key) or OmegaConf.is_missing(tree, key):
            options[path] = {"type": "any"}
            continue
        value = tree[key]
        if isinstance(value, DictConfig):
            options[path] = {"type": "dict"}
            walk(value, f"{path}.", options)
            continue
        value = OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
        option: dict[str, Any] = {"type": kind_of(value)}
        if value is not None:
            option["default"] = value
        options[path] = option


def main() -> None:
    spec = find_spec("verl")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("verl is not installed here")
    folder = str(Path(spec.submodule_search_locations[0], "trainer", "config"))
    with initialize_config_dir(folder, version_base=None):
        tree = compose("ppo_trainer")
    options: dict[str, dict[str, Any]] = {}
    walk(tree, "", options)
    found = {"trainer": "verl", "version": version("verl"), "options": dict(sorted(options.items()))}
    Path(sys.argv[1]).write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes verl's composed configurations as JSON: every key with what it must be, and the names verl knows. No prose.

Run in the environment of verl: `python verl_options.py OUT.json`. Hydra composes the tree of each model engine; types
that a default does not show are those of verl's own dataclasses.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from verl_groups import groups_of
from verl_registry import choices_of, registry
from verl_types import Declared, declared, target

# What `model_engine` is for each table.
engines = {"fsdp": "dp", "megatron": "megatron"}

Options = dict[str, dict[str, Any]]


def kind_of(value: Any) -> str | None:
    """The one word for what a value must be. A null default says nothing; a whole one may stand for any number."""
    for kind, name in ((bool, "bool"), (int, "float"), (float, "float"), (str, "str"), (list, "list"), (dict, "dict")):
        if isinstance(value, kind):
            return name
    return None


def followed(raw: Any, parent: str) -> str | None:
    """The key that an interpolation points at: `${a.b}`, `${.b}` or `${oc.select:a.b,default}`; a text around it points
    at nothing.
    """
    found = re.fullmatch(r"\$\{(?:oc\.select:)?\s*([\w.]+)\s*(?:,.*)?\}", str(raw))
    if found is None:
        return None
    key = found[1]
    if not key.startswith("."):
        return key
    ups = len(key) - len(key.lstrip(".")) - 1
    base = parent.split(".")
    return ".".join([*base[: len(base) - ups], key.lstrip(".")])


def resolved(tree: DictConfig, key: str) -> Any:
    """A value as verl would read it."""
    value = tree[key]
    return OmegaConf.to_container(value, resolve=True, throw_on_missing=False) if OmegaConf.is_config(value) else value


def narrowed(shown: str | None, known: Declared) -> str:
    """A type from the default and the annotation, which counts where the default says nothing or it allows more."""
    if shown is None or known.kind == "any":
        return known.kind or "any"
    if shown == "float" and known.kind in ("int", "float"):
        return known.kind
    return shown


def option_of(tree: DictConfig, key: str, path: str, known: Declared) -> dict[str, Any]:
    """One key."""
    if OmegaConf.is_missing(tree, key):
        return {"type": known.kind or "any", "required": True}
    parent = path.rpartition(".")[0]
    points = OmegaConf.is_interpolation(tree, key)
    follows = followed(tree._get_node(key)._value(), parent) if points else None
    value = str(tree._get_node(key)._value()) if points and follows is None else resolved(tree, key)
    option: dict[str, Any] = {"type": narrowed(kind_of(value), known)}
    if value is None or known.nullable:
        option["nullable"] = True
    if follows is not None:
        option["follows"] = follows
    if value is not None and (follows is None or OmegaConf.select(tree._get_root(), follows) is None):
        option["default"] = value
    return option


def walk(tree: DictConfig, prefix: str, fields: dict[str, Declared]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key below `tree`, whose own dataclass, if it has one, declares `fields`."""
    for key in tree:
        path, known = f"{prefix}{key}", fields.get(str(key), Declared())
        branch = None if OmegaConf.is_interpolation(tree, key) or OmegaConf.is_missing(tree, key) else tree[key]
        option = {"type": "dict"} if isinstance(branch, DictConfig) else option_of(tree, str(key), path, known)
        if known.choices is not None:
            option["choices"] = known.choices
        yield path, option
        if isinstance(branch, DictConfig):
            found = target(str(branch.get("_target_"))) or known.fields
            yield from walk(branch, f"{path}.", declared(found) if found else {})
    yield from hidden(tree, prefix, fields)


def hidden(tree: DictConfig, prefix: str, fields: dict[str, Declared]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Fields that a dataclass takes and its tree lacks: they can be added."""
    # `in` does not see a key whose value must be given.
    there = set(tree.keys())
    for name, known in fields.items():
        if name in there or name.startswith("_"):
            continue
        option: dict[str, Any] = {"type": known.kind or "any", "hidden": True}
        if known.nullable:
            option["nullable"] = True
        if known.choices is not None:
            option["choices"] = known.choices
        yield f"{prefix}{name}", option


def inherit(option: dict[str, Any], options: Options) -> None:
    """What an option does not say of itself, it has from the one that it follows."""
    origin = options.get(option.get("follows", ""))
    if origin is None:
        return
    inherit(origin, options)
    if option["type"] == "any":
        option["type"] = origin["type"]
    if option["type"] in ("list", origin["type"]) and "choices" not in option:
        option.update({word: origin[word] for word in ("type", "list", "choices", "extendedBy") if word in origin})


def options_of(folder: str, table: str, names: dict[str, Any]) -> tuple[Options, dict[str, Any]]:
    """The options of one model engine, and the config groups they come from."""
    with initialize_config_dir(folder, version_base=None):
        tree = compose("ppo_trainer", overrides=[f"model_engine={engines[table]}"], return_hydra_config=True)
    chosen = OmegaConf.to_container(tree.hydra.runtime.choices)
    OmegaConf.set_struct(tree, False)
    del tree["hydra"]
    options = dict(walk(tree, "", {}))
    for key, known in choices_of(table, names).items():
        if key not in options:
            raise SystemExit(f"verl has no {key} any more")
        options[key].update({"type": "str", **known})
    for option in options.values():
        inherit(option, options)
    return dict(sorted(options.items())), groups_of(folder, chosen)


def main() -> None:
    spec = find_spec("verl")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("verl is not installed here")
    folder = str(Path(spec.submodule_search_locations[0], "trainer", "config"))
    names = registry()
    both = {table: options_of(folder, table, names) for table in engines}
    found = {
        "trainer": "verl",
        "version": version("verl"),
        "tables": {table: options for table, (options, _) in both.items()},
        "registry": names,
        "groups": {
            "options": next(iter(both.values()))[1]["options"],
            "defaults": {table: groups["defaults"] for table, (_, groups) in both.items()},
        },
    }
    Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()

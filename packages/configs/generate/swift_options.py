"""Writes ms-swift's own options as JSON: what its argument parsers declare, and the names it knows. No prose.

Run in the environment of ms-swift: `python swift_options.py OUT.json` (ms-swift itself talks on standard output).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from swift.arguments import RLHFArguments, SftArguments
from swift_megatron import megatron_arguments
from swift_registry import choices_of, extended, registry
from transformers import HfArgumentParser


def kind_of(action: Any) -> str:
    """The one word for what a value must be."""
    names = {int: "int", float: "float", str: "str"}
    if getattr(action.type, "__name__", "") == "string_to_bool":
        return "bool"
    return names.get(action.type, "str" if action.choices else "any")


def plain(value: Any) -> Any:
    """A default as JSON can carry it; what is computed by the trainer is null."""
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str | int | float) for item in value):
        return list(value)
    return None


def option_of(action: Any, known: list[str] | None) -> dict[str, Any]:
    """One option, as its parser declares it; `known` is what the program takes where the parser does not say."""
    option: dict[str, Any] = {"type": kind_of(action)}
    if action.nargs in ("+", "*"):
        option["list"] = True
    if action.choices:
        option["choices"] = [str(choice) for choice in action.choices]
        if None in action.choices:
            option["nullable"] = True
    elif known:
        option["choices"] = known
        if action.dest in extended:
            option["extendedBy"] = "external_plugins"
    default = plain(action.default)
    if default is not None:
        option["default"] = default
    return option


def options_of(arguments: type, command: str, names: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The options of one command."""
    fields = {field.name for field in dataclasses.fields(arguments)}
    known = choices_of(command, names)
    options = {
        action.dest: option_of(action, known.get(action.dest))
        for action in HfArgumentParser([arguments], allow_abbrev=False)._actions
        if action.dest in fields and not isinstance(action, argparse._StoreFalseAction)
    }
    return dict(sorted(options.items()))


def main() -> None:
    names = registry()
    megatron_sft, megatron_rlhf = megatron_arguments()
    commands = {
        "sft": SftArguments,
        "rlhf": RLHFArguments,
        "megatron-sft": megatron_sft,
        "megatron-rlhf": megatron_rlhf,
    }
    tables = {command: options_of(arguments, command, names) for command, arguments in commands.items()}
    found = {"trainer": "ms-swift", "version": version("ms-swift"), "tables": tables, "registry": names}
    Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes ms-swift's own SFT options as JSON: what its argument parser declares, no prose.

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

from swift.arguments import SftArguments
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


def main() -> None:
    parser = HfArgumentParser([SftArguments], allow_abbrev=False)
    fields = {field.name: field for field in dataclasses.fields(SftArguments)}
    options: dict[str, dict[str, Any]] = {}
    for action in parser._actions:
        field = fields.get(action.dest)
        if field is None or isinstance(action, argparse._StoreFalseAction):
            continue
        option: dict[str, Any] = {"type": kind_of(action)}
        if action.nargs in ("+", "*"):
            option["list"] = True
        if action.choices:
            option["choices"] = [str(choice) for choice in action.choices]
        default = plain(action.default)
        if default is not None:
            option["default"] = default
        options[action.dest] = option
    found = {"trainer": "ms-swift", "version": version("ms-swift"), "options": dict(sorted(options.items()))}
    Path(sys.argv[1]).write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

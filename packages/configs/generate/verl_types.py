"""What verl's own dataclasses say a key must be: the class behind each `_target_` of the composed tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from source_choices import required


class Declared(NamedTuple):
    """What a field must be; `kind` is None where there is no annotation."""

    kind: str | None = None
    nullable: bool = False
    choices: list[str] | None = None
    fields: type | None = None


def target(name: str) -> type | None:
    """The dataclass of a `_target_`, where it can be imported."""
    module, _, leaf = name.rpartition(".")
    try:
        found = getattr(import_module(module), leaf)
    except (ImportError, AttributeError, ValueError):
        return None
    return found if dataclasses.is_dataclass(found) else "any"


@cache
def declared(found: type) -> dict[str, Declared]:
    """Every field of a dataclass."""
    hints = get_type_hints(found)
    demanded: dict[str, list[str]] = {}
    for base in reversed(found.__mro__):
        if "__post_init__" in vars(base):
            demanded.update(required(vars(base)["__post_init__"]))
    return {
        field.name: with_choices(declaration(hints[field.name]), demanded.get(field.name))
        for field in dataclasses.fields(found)
        if field.init
    }


def with_choices(known: Declared, choices: list[str] | None) -> Declared:
    """A field with the names that the class itself insists on."""
    return known if choices is None else known._replace(choices=choices)


def declaration(hint: Any) -> Declared:
    """An annotation in our words."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        parts = [declaration(part) for part in get_args(hint) if part is not NoneType]
        nullable = NoneType in get_args(hint)
        if len(parts) == 1:
            return parts[0]._replace(nullable=nullable)
        kinds = {part.kind for part in parts}
        return Declared("float" if kinds == {"int", "float"} else "any", nullable)
    if origin is Literal:
        names = [name for name in get_args(hint) if name is not None]
        texts = all(isinstance(name, str) for name in names)
        return Declared("str" if texts else "any", None in get_args(hint), names if texts else None)
    return Declared(kind_of(origin or hint), fields=hint if dataclasses.is_dataclass(hint) else None)


def kind_of(hint: Any) -> str:
    """The one word for a class."""
    if not isinstance(hint, type):
        return "any"
    if dataclasses.is_dataclass(hint):
        return "dict"
    for kind, name in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (Mapping, "dict")):
        if issubclass(hint, kind):
            return name
    return "list" if issubclass(hint, Sequence | set) else "any"

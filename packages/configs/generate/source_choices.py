"""Closed sets that a program spells out only in its code: read from the source, nothing is run."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def parsed(source: Any) -> ast.AST:
    """The syntax tree of a file, or of a function or class."""
    text = source.read_text(encoding="utf-8") if isinstance(source, Path) else inspect.getsource(source)
    return ast.parse(textwrap.dedent(text))


def named(node: ast.AST, name: str) -> bool:
    """Whether an expression is the variable, or the attribute, of that name."""
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)


def texts(node: ast.AST) -> list[str]:
    """The texts that an expression spells out: itself one, or a list of them."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node]
    return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def compared(source: Any, name: str) -> list[str]:
    """What a function takes `name` for, by the comparisons in it; a branch that only raises takes nothing."""
    tree = parsed(source)
    refused = {
        id(node.test) for node in ast.walk(tree) if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise)
    }
    found: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or id(node) in refused or not named(node.left, name):
            continue
        if isinstance(node.ops[0], ast.Eq | ast.In):
            found += texts(node.comparators[0])
    return list(dict.fromkeys(found))


def required(check: Any) -> dict[str, list[str]]:
    """The fields that a method wants to be one of a few texts: `assert self.x in …`, `if self.x not in …: raise`."""
    tree = parsed(check)
    lists = {
        node.targets[0].id: texts(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    found: dict[str, list[str]] = {}
    for test, wanted in demands(tree):
        if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], wanted)):
            continue
        field, allowed = test.left, test.comparators[0]
        if isinstance(field, ast.Attribute) and named(field.value, "self"):
            choices = by_name(allowed.id, lists, check) if isinstance(allowed, ast.Name) else texts(allowed)
            if choices:
                found[field.attr] = choices
    return found


def by_name(name: str, local: dict[str, list[str]], function: Any) -> list[str]:
    """The texts in a variable of a function, or of its module."""
    known = local.get(name) or function.__globals__.get(name, [])
    return sorted(known) if isinstance(known, set | frozenset) else [text for text in known if isinstance(text, str)]


def sought(source: Any, name: str) -> list[str]:
    """What is looked for in the list `name`: `"x" in name`."""
    found = {
        text
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In) and named(node.comparators[0], name)
        for text in texts(node.left)
    }
    return sorted(found)


def demands(tree: ast.AST) -> Iterator[tuple[ast.AST, type]]:
    """Each test that ends a program, and the operator that it must have for its right side to be what is allowed.

    Only those that always run: a test below another condition says nothing about the field alone.
    """
    body = next((node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), [])
    for node in body:
        if isinstance(node, ast.Assert):
            yield node.test, ast.In
        if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
            yield node.test, ast.NotIn


def keys(source: Path, name: str) -> list[str]:
    """The keys of a dictionary that a file spells out under that name."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(named(target, name) for target in targets):
                return [key.value for key in node.value.keys if isinstance(key, ast.Constant)]
    raise SystemExit(f"{source} has no dictionary {name}")


def registered(folder: Path, decorator: str, argument: int | str = 0) -> list[str]:
    """What the files of a folder register: the texts of one argument of each use of a decorator."""
    found: list[str] = []
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(parsed(file)):
            for call in getattr(node, "decorator_list", []):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == decorator:
                    found += texts(argument_of(call, argument))
    if not found:
        raise SystemExit(f"nothing below {folder} is registered by {decorator}")
    return sorted(set(found))


def argument_of(call: ast.Call, argument: int | str) -> ast.AST:
    """One argument of a call, by position or by name."""
    if isinstance(argument, int):
        return call.args[argument]
    return next((word.value for word in call.keywords if word.arg == argument), ast.Constant(None))

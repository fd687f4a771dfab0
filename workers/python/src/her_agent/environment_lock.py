"""What a uv.lock asks for, read without a TOML parser, which Python 3.9 lacks.

uv writes one shape: tables in a fixed order, one inline table a line. The packages are those that the project itself
needs, without its development groups. One that is reached only under a marker may be absent.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FIELD = re.compile(r'(name|version) = "([^"]*)"')
_DEPENDENCY = re.compile(r'\{ name = "([^"]+)"([^{}]*)\}')
_ARRAY = re.compile(r"([\w.-]+) = \[")


class Wanted(NamedTuple):
    """The versions that count as right, and whether the package must be there."""

    versions: frozenset[str]
    always: bool


class _Edge(NamedTuple):
    name: str
    extras: tuple[str, ...]
    marked: bool


class _Package:
    def __init__(self) -> None:
        self.name = ""
        self.versions: set[str] = set()
        self.project = False
        self.needs: dict[str, list[_Edge]] = {}
        """By extra; the empty one is what is always needed."""


def normal(name: str) -> str:
    """The one spelling of a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(text: str) -> dict[str, Wanted]:
    """Every package of the lock that the project needs, by normal name. Raises ValueError for what is no lock."""
    packages = _packages(text)
    projects = [package for package in packages.values() if package.project]
    if len(projects) != 1:
        raise ValueError(f"the lock names {len(projects)} projects, not one")
    always: dict[str, bool] = {}
    open_edges = [(edge, True) for edge in projects[0].needs.get("", [])]
    done: set[tuple[str, str, bool]] = set()
    while open_edges:
        edge, sure = open_edges.pop()
        sure = sure and not edge.marked
        always[edge.name] = always.get(edge.name, False) or sure
        package = packages.get(edge.name)
        if package is None:
            raise ValueError(f"the lock has no package {edge.name}")
        for extra in ("", *edge.extras):
            if (edge.name, extra, sure) not in done:
                done.add((edge.name, extra, sure))
                open_edges.extend((further, sure) for further in package.needs.get(extra, []))
    return {name: Wanted(frozenset(packages[name].versions), sure) for name, sure in sorted(always.items())}


def _packages(text: str) -> dict[str, _Package]:
    found: dict[str, _Package] = {}
    for section in re.split(r"^\[\[package\]\]$", text, flags=re.MULTILINE)[1:]:
        package = _package(section)
        if not package.name:
            raise ValueError("the lock has a package without a name")
        # A package may stand in several versions, of which markers choose one.
        known = found.setdefault(package.name, package)
        known.versions |= package.versions
        for extra, edges in package.needs.items():
            if known is not package:
                known.needs.setdefault(extra, []).extend(edges)
    return found


def _package(section: str) -> _Package:
    package = _Package()
    table, array = "", ""
    for line in section.splitlines():
        if line.startswith("["):
            table, array = line.strip("[]"), ""
            continue
        if table == "" and array == "":
            field = _FIELD.match(line)
            if field and field[1] == "name":
                package.name = normal(field[2])
            elif field:
                package.versions.add(field[2])
            elif line.startswith("source = "):
                package.project = 'virtual = "."' in line or 'editable = "."' in line
        start = _ARRAY.match(line)
        if start:
            array = start[1]
        extra = _extra(table, array)
        if extra is not None:
            package.needs.setdefault(extra, []).extend(_edges(line))
        if line.endswith("]"):
            array = ""
    return package


def _extra(table: str, array: str) -> str | None:
    if table == "" and array == "dependencies":
        return ""
    return array if table == "package.optional-dependencies" and array else None


def _edges(line: str) -> list[_Edge]:
    edges = []
    for name, more in _DEPENDENCY.findall(line):
        extras = re.search(r"extra = \[([^\]]*)\]", more)
        names = tuple(re.findall(r'"([^"]+)"', extras[1])) if extras else ()
        edges.append(_Edge(normal(name), names, "marker = " in more))
    return edges

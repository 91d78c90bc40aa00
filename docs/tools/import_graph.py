"""The import graph of the package's top level: its parts, their layers, and its size.

    python -m docs.tools.import_graph [FOLDER]   # print the figures of this version, or of the package in FOLDER

A part is a package or module directly in the package. A depends on B if any file of A imports any module of B, anywhere
in the file, except for type checking alone. The package itself, `__init__`, imports its public names when they are
used; for it, what it imports for type checking counts. The layer of a part is the length of the longest chain of
imports below it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from docs.tools.marked import ROOT

PACKAGE = ROOT / "mcp_reflect"

Graph = Mapping[str, frozenset[str]]
"""The parts that each part imports."""


def import_graph(package: Path) -> Graph:
    """The imports between the parts of a package."""
    parts = {path.stem for path in package.iterdir() if path.suffix == ".py" or _holds_python(path)}
    edges: dict[str, set[str]] = {part: set() for part in sorted(parts)}
    for file in package.rglob("*.py"):
        own = file.relative_to(package).parts[0].removesuffix(".py")
        for name in _imported_names(file, package.name):
            edges[own] |= {name if name in parts else "__init__"} - {own}
    return {part: frozenset(found) for part, found in edges.items()}


def _holds_python(path: Path) -> bool:
    return path.is_dir() and any(path.rglob("*.py"))


def _imported_names(file: Path, package: str) -> Iterator[str]:
    """The first name below the package in each import of a file."""
    for node in statements(file, for_types=file.name == "__init__.py" and file.parent.name == package):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            first, _, rest = name.partition(".")
            if first == package and rest:
                yield rest.split(".")[0]


def statements(file: Path, *, for_types: bool) -> Iterator[ast.stmt]:
    """Yield the statements of a file, however deep they stand; those for type checking alone only if asked for.

    Expressions, most of a file, are passed over: none imports anything.
    """
    waiting: list[ast.AST] = [parsed_source(file)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not for_types and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += node.orelse
            continue
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, [])
            waiting += inner if isinstance(inner, list) else []


@cache
def parsed_source(file: Path) -> ast.Module:
    """The syntax tree of a file, read once; nobody may change it."""
    return ast.parse(file.read_text(encoding="utf-8"))


def layers(graph: Graph) -> list[list[str]]:
    """The parts by layer, bottom up; parts that import each other, directly or not, share a layer."""
    below = {part: _reachable(graph, part) for part in graph}

    @cache
    def level(part: str) -> int:
        lower = [level(each) for each in below[part] if part not in below[each]]
        return 1 + max(lower, default=-1)

    levels = {part: level(part) for part in graph}
    return [sorted(part for part in graph if levels[part] == number) for number in range(max(levels.values()) + 1)]


def _reachable(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = set(graph[start])
    while waiting:
        found |= waiting
        waiting = {lower for part in waiting for lower in graph[part]} - found
    return found


def figures(graph: Graph) -> str:
    edges = sum(len(found) for found in graph.values())
    return f"{len(graph)} packages and modules, {len(layers(graph))} layers, {edges} imports between them"


def drawing(graph: Graph) -> str:
    """The layers top down, one part per line with the parts that it imports."""
    named = {part: part if part.startswith("__") or not (PACKAGE / part).is_dir() else f"{part}/" for part in graph}
    width = max(map(len, named.values()))
    lines = ["```text"]
    for level, parts in reversed(list(enumerate(layers(graph)))):
        for part in parts:
            lower = sorted(graph[part], key=lambda each: (-_level(graph, each), each))
            label = f"{level}" if part == parts[0] else ""
            lines.append(f"{label:>2}  {named[part]:<{width}}  {'→ ' if lower else ''}{', '.join(lower)}".rstrip())
    return "\n".join([*lines, "```", "", f"{figures(graph)}."])


def _level(graph: Graph, part: str) -> int:
    return next(level for level, parts in enumerate(layers(graph)) if part in parts)


def main() -> int:
    package = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PACKAGE
    print(figures(import_graph(package)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

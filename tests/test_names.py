"""One public name stands for one thing in the whole package."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from docs.tools.import_graph import parsed_source

PACKAGE = Path(__file__).resolve().parent.parent / "mcp_reflect"

EVERYWHERE = {
    "T",  # the usual type variable
    "log",  # the logger of a module
    "TYPE_CHECKING",  # that of modules for which typing itself is too slow
}

PYTHON_API = {"client/calls/results.py", "client/calls/knowledge_results.py"}
MIRRORED = {
    *("Memory", "Outcome", "QUpdate", "Retrieved", "Review", "Trace", "TraceSummary"),
    *("GuideLine", "Insights", "KnownFix", "KnownFixes", "ProjectContext", "StatusChange"),
}
"""Results of the Python API, which users see under the names of what they stand for; each once more at most."""

INTERFACES: dict[str | tuple[str, ...], set[str]] = {
    "hooks/events/": {"format_answer", "format_request", "parse_event"},  # hooks.events.ClientAdapter
    ("hooks/transcripts/clients/", "hooks/transcripts/formats/"): {
        "NAME",
        "read_turns",
        "is_session",
        "read_heads",
        "session_places",
    },
    # hooks.transcripts.clients.TranscriptReader, hooks.past_sessions.SessionFormat
    "cli/install/": {"parse_config", "put_entry", "remove_entry"},  # the same edits of JSON and of TOML
}
"""One interface in several modules of a folder, or of several folders."""

ENTRY_POINTS = {"main": {"__main__.py", "hooks/worker.py"}}
"""What `python -m` runs."""

NOT_YET: frozenset[str] = frozenset()
"""Names that still stand for two things. Nothing may be added; a name that stands for one must go from here."""


def bound_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a module binds, imports left out."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))
    elif isinstance(node, ast.If | ast.Try):
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.stmt):
                yield from bound_names(inner)


@functools.cache
def public_names() -> dict[str, set[str]]:
    """The modules, by path in the package, in which each public name is defined."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in parsed_source(file).body:
            for name in bound_names(node):
                if not name.startswith("_"):
                    found[name].add(file.relative_to(PACKAGE).as_posix())
    return found


def is_one_thing(name: str, modules: set[str]) -> bool:
    """Whether a name that several modules define stands for one thing all the same."""
    if name in MIRRORED:
        return bool(PYTHON_API & modules) and len(modules) <= 2
    if name in ENTRY_POINTS:
        return modules <= ENTRY_POINTS[name]
    return any(
        name in names and all(each.startswith(folder) for each in modules) for folder, names in INTERFACES.items()
    )


def duplicates() -> dict[str, set[str]]:
    return {
        name: modules
        for name, modules in public_names().items()
        if len(modules) > 1 and name not in EVERYWHERE and not is_one_thing(name, modules)
    }


def test_no_public_name_stands_for_two_things() -> None:
    assert {name: modules for name, modules in duplicates().items() if name not in NOT_YET} == {}


def test_no_exception_outlives_its_reason() -> None:
    names = public_names()
    assert set(duplicates()) >= NOT_YET
    assert {name for name in MIRRORED if not PYTHON_API & names[name]} == set()
    interfaces = {name for each in INTERFACES.values() for name in each}
    assert {name for name in interfaces if len(names[name]) < 2} == set()


def test_what_stands_for_two_things_is_seen() -> None:
    source = "if True:\n    Event = int\nclass Event: ...\nasync def run(): ...\na, (b, _c) = 1, (2, 3)\nx: int = 1\n"
    assert [name for node in ast.parse(source).body for name in bound_names(node)] == [
        "Event", "Event", "run", "a", "b", "_c", "x",
    ]  # fmt: skip
    assert is_one_thing("Memory", {"client/calls/results.py", "domain/models.py"})
    assert not is_one_thing("Memory", {"client/calls/results.py", "domain/models.py", "hub/owner.py"})
    assert not is_one_thing("read_turns", {"hooks/transcripts/clients/codex.py", "hooks/worker.py"})
    assert not is_one_thing("Event", {"hooks/event.py", "hub/maintenance.py"})

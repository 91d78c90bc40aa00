"""Imports run one way, heavy packages stay where they are first needed, and each vendor's types in its own adapter."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "mcp_reflect"
SOURCES = sorted(PACKAGE.rglob("*.py"))

VOCABULARY = {"errors", "models", "ids", "ports"}
CORE = VOCABULARY | {"core"}
USE_CASES = {
    "known_errors",
    "queues",
    "upkeep",
    "inputs",
    "profile",
    "memory",
    "reviewing",
    "retriever",
    "indexer",
    "lifecycle",
    "claims",
    "crediting",
    "insights",
    "looking",
    "explaining",
    "whole_file",
}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "models": {"errors"},
    "ids": set(),
    "ports": {"models"},
    "core": CORE,
    "inputs": CORE,
    "profile": CORE,
    **dict.fromkeys(USE_CASES - {"inputs", "profile"}, CORE | USE_CASES),
    "bounded_http": set(),
    "adapters": CORE | {"bounded_http"},
    "project": {"errors"},
    "settings_model": {"errors", "project"},
    "settings": {"errors", "project", "settings_model"},
    "home": {"errors"},
    "bootstrap": CORE | USE_CASES | {"adapters", "settings", "settings_model", "home"},
    "server": CORE | USE_CASES,
    "client": {"errors", "inputs", "project", "hub"},
}
"""Part of the package → parts it may import. What is not listed is a way in and may import all."""

VENDORS = {
    "chromadb": {"adapters/chroma_index.py"},
    "fastembed": {"adapters/fastembed_embedder"},
    "openai": {"adapters/openai_reflector", "adapters/openai_embedder.py", "bounded_http.py"},
    "sqlalchemy": {"adapters/sql_ledger"},
    "jinja2": {"adapters/prompts.py"},
    "detect_secrets": {"core/"},
    "tomlkit": {"install/toml_edit.py"},
    "mcp": {"server", "stdio.py", "demo", "hub"},
}


def imports(file: Path) -> Iterator[tuple[str, bool]]:
    """(module, whether it is imported when the file is): type-checking imports are left out."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    checking = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if id(node) in checking:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, id(node) in top
            if node.module == "mcp_reflect":
                yield from ((f"mcp_reflect.{alias.name}", id(node) in top) for alias in node.names)


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_run_one_way(file: Path) -> None:
    own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own not in ALLOWED:
        return
    for module, _ in imports(file):
        used = part(module) if module.startswith("mcp_reflect") else ""
        if used and used != own and used[0] != "_":
            assert used in ALLOWED[own], f"{file.name} imports {module}"


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_each_vendor_is_known_in_its_own_place_only(file: Path) -> None:
    where = file.relative_to(PACKAGE).as_posix()
    for module, _ in imports(file):
        places = VENDORS.get(module.split(".")[0])
        if places is not None:
            assert any(where.startswith(place) for place in places), f"{where} imports {module}"


@pytest.mark.parametrize("file", sorted((PACKAGE / "adapters").glob("*.py")), ids=lambda file: file.name)
def test_adapters_do_not_know_each_other(file: Path) -> None:
    for module, _ in imports(file):
        if module.startswith("mcp_reflect.adapters."):
            assert module.split(".")[2] == file.stem


@pytest.mark.parametrize("heavy", ["chromadb", "fastembed", "onnxruntime", "openai", "detect_secrets", "jinja2"])
def test_building_the_server_loads_nothing_heavy(heavy: str) -> None:
    code = f"import sys, mcp_reflect.bootstrap, mcp_reflect.server; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import mcp_reflect; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True)
    assert done.stdout.split() == ["mcp_reflect"]


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_no_pattern_repeats_a_group_possessively(file: Path) -> None:
    """Python before 3.11.5, which Debian 12 has, matches those wrongly; atomic groups are right everywhere."""
    assert not re.search(r"\)(?:[*+?]|\{[\d,]+\})\+", file.read_text(encoding="utf-8")), file

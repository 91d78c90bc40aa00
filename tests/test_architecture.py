"""Imports run down one list of layers; heavy packages and vendors stay where they belong."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.tools.import_graph import parsed_source, statements

PACKAGE = Path(__file__).resolve().parent.parent / "mcp_reflect"
SOURCES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    {"domain", "errors", "own_files"},
    {"application"},
    {"adapters", "config", "wire"},
    {"bootstrap"},
    {"server"},
    {"hub"},
    {"client", "hooks"},
    {"cli", "testing"},
    {"__init__", "__main__"},
)
"""Bottom up. A part imports from lower layers only, never from a part of its own layer."""

DOMAIN_LAYERS = (
    {"lazy_re", "field_checks", "surrogates"},
    {"record"},
    {"defaults", "ids", "limits", "models", "truncate", "values"},
    {"changes", "lesson_vectors", "vectors", "trajectory", "verdicts"},
    {"text"},
    {"redaction"},
    {"error_matching"},
    {"learning", "reflection"},
    {"lessons"},
    {"ranking", "provenance"},
    {"guide", "insights"},
)
"""The same for the folders and files of `domain/`."""

LESSON_LAYERS = (
    {"sentences"},
    {"run", "comparison"},
    {"failures", "salience"},
    {"drafting"},
)

RUN_LAYERS = (
    {"commands", "file_names", "program_text", "step"},
    {"case_values", "former_text", "printed_codes"},
    {"step_outcome"},
    {"steps"},
    {"case_data", "lookups", "passages", "run_again", "set_again", "undone_files", "utterances"},
    {"named_lines"},
    {"code_cells", "compound_commands", "followed_rules", "reviewer_pointers", "undoing", "working_tree"},
    {"call_text", "net_changes", "passage_scores"},
    {"recalled_readings"},
)

REDACTION_LAYERS = (
    {"values"},
    {"by_pattern", "by_name", "by_randomness"},
    {"by_position"},
    {"patterns", "encoded_text", "joined_text", "long_texts", "marks"},
    {"redact"},
    {"stored_text", "run_secrets"},
)

INNER_LAYERS = {
    "domain": DOMAIN_LAYERS,
    "domain.lessons": LESSON_LAYERS,
    "domain.lessons.run": RUN_LAYERS,
    "domain.redaction": REDACTION_LAYERS,
}
"""Packages inside the parts, by the order of their own folders and files."""

NARROWED = {
    "config": {"domain.defaults", "domain.field_checks", "domain.limits", "domain.record", "domain.truncate", "errors"}
    | {"own_files"},
    "wire": {"errors", "own_files"},
    "adapters": {"errors", "domain", "application.ports", "own_files"},
    "hooks": {
        "domain.lazy_re",
        "domain.lessons",
        "domain.limits",
        "domain.surrogates",
        "domain.text.recalled",
        "domain.text.recall_tags",
        "domain.trajectory",
        "domain.truncate",
        "domain.verdicts",
        "own_files",
        "wire",
    },
    "client": {
        *("application.requests", "config.load", "config.project", "domain.limits", "domain.truncate"),
        *("domain.surrogates", "application.outbox", "errors", "wire"),
    },
    "server": {"errors", "domain", "application", "wire.request_meta", "wire.version"},
}
"""Parts that may import less than everything below them."""

STANDARD_LIBRARY_ONLY = {"wire", "hooks", "own_files.py"}
"""Every client waits for these imports."""

LIGHT_EXCEPTIONS = {
    ("wire/address.py", "platformdirs"),  # where a home is; imported only where no variable names it
    ("hooks/worker.py", "filelock"),  # a detached process that nobody waits for
}

VENDORS = {
    "chromadb": {"adapters/chroma_index/"},
    "fastembed": {"adapters/fastembed_embedder"},
    "onnxruntime": {"adapters/fastembed_embedder"},
    "tokenizers": {"adapters/fastembed_embedder"},
    "openai": {"adapters/openai_reflector", "adapters/openai_embedder.py", "adapters/bounded_http.py"},
    "sqlalchemy": {"adapters/sql_ledger"},
    "jinja2": {"adapters/prompts/__init__.py", "adapters/prompts/restricted_templates.py"},
    "tomlkit": {"cli/install/toml_edit.py"},
    "mcp": {"server", "hub", "cli/demo", "testing/client.py"},
}


@functools.cache
def imported_by(file: Path, *, for_types: bool = False) -> tuple[str, ...]:
    """The modules that a file imports anywhere in it; for type checking alone only if asked for."""
    return tuple(_imported_by(file, for_types=for_types))


def _imported_by(file: Path, *, for_types: bool) -> Iterator[str]:
    for node in statements(file, for_types=for_types):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (
                f"{node.module}.{alias.name}" if is_module(f"{node.module}.{alias.name}") else node.module
                for alias in node.names
            )


@functools.cache
def is_module(name: str) -> bool:
    inside = PACKAGE.parent.joinpath(*name.split("."))
    return inside.is_dir() or inside.with_suffix(".py").is_file()


def own_imports(file: Path) -> Iterator[str]:
    """The same without the leading `mcp_reflect.`, the package itself as `__init__`; others' modules are left out.

    The package imports its public names when they are used; what it imports for types says from where.
    """
    for module in imported_by(file, for_types=file == PACKAGE / "__init__.py"):
        if module == "mcp_reflect" or module.startswith("mcp_reflect."):
            yield module.removeprefix("mcp_reflect").removeprefix(".") or "__init__"


def module_of(file: Path) -> str:
    """`mcp_reflect.wire.caller`, as imports name it."""
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def layer_of(part: str, layers: tuple[set[str], ...]) -> int:
    found = [number for number, parts in enumerate(layers) if part in parts]
    assert found, f"{part} has no place in the layers"
    return found[0]


def upward(folder: Path, layers: tuple[set[str], ...], prefix: str = "") -> list[str]:
    """The imports below `folder` that do not run down the layers."""
    wrong = []
    for file in sorted(folder.rglob("*.py")):
        own = file.relative_to(folder).parts[0].removesuffix(".py")
        if prefix and own == "__init__":
            continue
        for module in own_imports(file):
            if not module.startswith(prefix):
                continue
            part = module.removeprefix(prefix).split(".")[0]
            if part != own and layer_of(part, layers) >= layer_of(own, layers):
                wrong.append(f"{file.relative_to(PACKAGE)} imports {module}")
    return wrong


def test_imports_run_down_the_layers() -> None:
    assert not upward(PACKAGE, LAYERS)


def test_no_file_imports_itself_by_way_of_others_not_even_for_types() -> None:
    files = {file: module_of(file) for file in SOURCES}
    known = set(files.values())
    graph = {
        module: {name for name in imported_by(file, for_types=True) if name in known and name != module}
        for file, module in files.items()
    }
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("package", INNER_LAYERS)
def test_imports_inside_a_part_run_down_its_layers(package: str) -> None:
    assert not upward(PACKAGE.joinpath(*package.split(".")), INNER_LAYERS[package], f"{package}.")


def test_some_parts_import_less_than_they_might() -> None:
    wrong = []
    for part, allowed in NARROWED.items():
        for file in sorted((PACKAGE / part).rglob("*.py")):
            for module in own_imports(file):
                inside = module == part or module.startswith(f"{part}.")
                if not inside and not any(module == each or module.startswith(f"{each}.") for each in allowed):
                    wrong.append(f"{file.relative_to(PACKAGE)} imports {module}")
    assert not wrong


def test_what_clients_wait_for_imports_the_standard_library_alone() -> None:
    wrong = []
    for part in STANDARD_LIBRARY_ONLY:
        for file in [PACKAGE / part] if part.endswith(".py") else sorted((PACKAGE / part).rglob("*.py")):
            for module in imported_by(file):
                top, where = module.split(".")[0], file.relative_to(PACKAGE).as_posix()
                if top not in {*sys.stdlib_module_names, "mcp_reflect"} and (where, top) not in LIGHT_EXCEPTIONS:
                    wrong.append(f"{where} imports {module}")
    assert not wrong


def test_each_vendor_is_known_in_its_own_place_only() -> None:
    wrong = []
    for file in SOURCES:
        where = file.relative_to(PACKAGE).as_posix()
        for module in imported_by(file):
            places = VENDORS.get(module.split(".")[0])
            if places is not None and not any(where.startswith(place) for place in places):
                wrong.append(f"{where} imports {module}")
    assert not wrong


SHARED_BY_ADAPTERS = {"bounded_http", "sqlite_remedies"}


def test_adapters_do_not_know_each_other() -> None:
    wrong = []
    for file in sorted((PACKAGE / "adapters").rglob("*.py")):
        own = file.relative_to(PACKAGE / "adapters").parts[0].removesuffix(".py")
        allowed = {own, *SHARED_BY_ADAPTERS}
        others = [m for m in own_imports(file) if m.startswith("adapters.") and m.split(".")[1] not in allowed]
        wrong += [f"{file.relative_to(PACKAGE)} imports {module}" for module in others]
    assert not wrong


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python before 3.11.5, which Debian 12 has, matches those wrongly; atomic groups are right everywhere."""
    wrong = [f for f in SOURCES if re.search(r"\)(?:[*+?]|\{[\d,]+\})\+", f.read_text(encoding="utf-8"))]
    assert not wrong


def test_every_folder_says_what_it_holds() -> None:
    for inner in (path.parent for path in SOURCES if path.name == "__init__.py"):
        assert ast.get_docstring(parsed_source(inner / "__init__.py")), inner


def test_tests_stand_in_the_folder_of_what_they_test() -> None:
    """A folder of tests named like a part imports nothing above it; a memory is put together by `tests.support`."""
    wrong = []
    for number, parts in enumerate(LAYERS):
        allowed = set().union(*LAYERS[: number + 1])
        # Use cases are tried on the real ledger, and a hub by what is said to it.
        allowed |= {"adapters"} if "application" in parts else {"hub", "server"} if "wire" in parts else set()
        allowed |= {"__init__"}  # by the public names
        for part in parts:
            for file in sorted((Path(__file__).parent / part).rglob("*.py")):
                wrong += [f"{part}/{file.name}: {m}" for m in own_imports(file) if m.split(".")[0] not in allowed]
    assert not wrong

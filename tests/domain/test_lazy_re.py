"""Patterns that are compiled when they are used first: they answer as compiled ones do, and all of them compile."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mcp_reflect.domain
from mcp_reflect.domain import lazy_re
from tests.support.waiting import HANG_S

COMPILE_ALL = """
import importlib, pkgutil, re
import mcp_reflect.domain
from mcp_reflect.domain import lazy_re

lazy_re.compile = re.compile
from mcp_reflect.domain.redaction.patterns import secret_patterns
for module in pkgutil.walk_packages(mcp_reflect.domain.__path__, "mcp_reflect.domain."):
    importlib.import_module(module.name)
secret_patterns()
"""


def test_a_pattern_answers_as_the_compiled_one_does() -> None:
    lazy, compiled = (each.compile(r"(?P<word>[a-z]+)=(\d)", re.IGNORECASE) for each in (lazy_re, re))
    for text in ("A=1 b=2", "nothing"):
        assert [found.groupdict() for found in lazy.finditer(text)] == [
            {"word": each[0]} for each in compiled.findall(text)
        ]
        assert lazy.sub(r"\2", text) == compiled.sub(r"\2", text)
        assert bool(lazy.search(text)) == bool(compiled.search(text))
    assert lazy.groupindex == compiled.groupindex
    assert (lazy.flags, lazy.groups, lazy.pattern) == (compiled.flags, compiled.groups, compiled.pattern)


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    wrong = lazy_re.compile("(")
    assert wrong.pattern == "("
    with pytest.raises(re.error, match="missing \\)"):
        wrong.search("")


def test_every_pattern_of_the_domain_compiles_without_a_warning() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMPILE_ALL], check=False, timeout=HANG_S, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_modules_of_the_domain_compile_no_pattern_at_import() -> None:
    own = Path(lazy_re.__file__)
    files = {file for file in Path(*mcp_reflect.domain.__path__).rglob("*.py") if file != own}
    statements = {file: ast.parse(file.read_text(encoding="utf-8")).body for file in files}
    imports = ((file, each) for file in files for each in statements[file] if isinstance(each, ast.Import))
    assert not [file.name for file, each in imports if any(alias.name == "re" for alias in each.names)]

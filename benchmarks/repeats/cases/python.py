# ruff: noqa: E501 - files and commands as they stand in the projects
"""Sessions with tools of Python."""

from __future__ import annotations

from benchmarks.lessons.scenario import Run, Say, Scenario
from benchmarks.repeats.case import Case

_TEST = "def test_total():\n    assert 1 + 1 == 2\n"
_MANAGE = """#!/usr/bin/env python3
import argparse
parser = argparse.ArgumentParser(prog="manage.py")
commands = parser.add_subparsers(dest="command", required=True)
migrate = commands.add_parser("migrate")
migrate.add_argument("--database", choices=["default", "analytics"], default="default")
migrate.add_argument("--verbose", "-v", action="store_true")
commands.add_parser("check")
given = parser.parse_args()
print("done:", given.command)
"""
_REPORT = """import argparse
parser = argparse.ArgumentParser(prog="shop.report")
parser.add_argument("--format", choices=["html", "csv"], default="html")
parser.add_argument("--month", default="")
print("written as", parser.parse_args().format)
"""

PYTHON = (
    Case(
        Scenario(
            "py-tests-moved",
            "python",
            "Run the unit tests of the shop package.",
            "The unit tests of the shop.",
            {"src/shop/tests/test_total.py": _TEST, "README.md": "# Shop\n"},
            (Run("pytest tests/unit"), Run("ls src/shop"), Run("pytest src/shop/tests")),
            "pytest src/shop/tests",
        ),
        (
            "pytest tests/unit",
            "python -m pytest tests/unit",
            "pytest tests/unit -v",
            "uv run pytest tests/unit/",
            "cd {project} && timeout 120 pytest tests/unit 2>&1 | tail -30",
            ".venv/bin/python -m pytest -x tests/unit",
            "CI=1 pytest {project}/tests/unit",
        ),
        (
            "pytest src/shop/tests",
            "pytest src/shop/tests -v",
            "python -m pytest src/shop/tests/test_total.py",
            "mkdir -p tests/unit",
            "grep -rn 'pytest tests/unit' README.md",
            "pytest --version",
        ),
    ),
    Case(
        Scenario(
            "py-ruff-exclude",
            "python",
            "Lint everything but the migrations.",
            "Lint without migrations.",
            {"app.py": "x = 1\n", "migrations/m1.py": "import os\n"},
            (
                Run("ruff check . --exclude-dir migrations"),
                Run("ruff check --help | grep -n -- -exclude"),
                Run("ruff check . --extend-exclude migrations"),
            ),
            "--extend-exclude migrations",
            client="gemini",
        ),
        (
            "ruff check . --exclude-dir migrations",
            "python -m ruff check . --exclude-dir migrations",
            "uvx ruff check . --exclude-dir migrations",
            "cd {project} && ruff check . --exclude-dir migrations | head -50",
            "ruff check . --exclude-dir=migrations",
            "ruff check . --exclude-dir 'migrations' -q",
        ),
        (
            "ruff check . --extend-exclude migrations",
            "uvx ruff check . --extend-exclude=migrations",
            "ruff check app.py",
            "ruff format .",
            "grep -rn x . --exclude-dir migrations",
            "rm -r migrations",
        ),
    ),
    Case(
        Scenario(
            "py-mypy-src",
            "python",
            "Check the types of the shop package.",
            "Type-check shop.",
            {"src/shop/__init__.py": "", "src/shop/cart.py": "def total() -> int:\n    return 1\n"},
            (Run("mypy -p shop"), Say("The package is below src."), Run("MYPYPATH=src mypy -p shop")),
            "MYPYPATH=src mypy -p shop",
        ),
        (
            "mypy -p shop",
            "python -m mypy -p shop",
            "cd {project}; mypy -p shop 2>&1 | tail -5",
            "poetry run mypy -p shop",
            "mypy -p shop --pretty",
            "NO_COLOR=1 mypy -p 'shop'",
        ),
        (
            "MYPYPATH=src mypy -p shop",
            "MYPYPATH=src python -m mypy -p shop",
            "cd src && mypy -p shop",
            "mypy src",
            "mypy --version",
            "export MYPYPATH=src && mypy -p shop",
        ),
    ),
    Case(
        Scenario(
            "py-requirements-place",
            "python",
            "Install what the tests need.",
            "Install the requirements for development.",
            {"requirements/dev.txt": "# nothing beside the standard library\n"},
            (
                Run("pip install -r requirements-dev.txt"),
                Run("ls requirements"),
                Run("pip install -r requirements/dev.txt"),
            ),
            "requirements/dev.txt",
            client="codex",
        ),
        (
            "pip install -r requirements-dev.txt",
            "python -m pip install -r requirements-dev.txt",
            "pip3 install -q -r requirements-dev.txt",
            "uv pip install -r requirements-dev.txt",
            ".venv/bin/pip install -r requirements-dev.txt 2>&1 | tail -3",
            "pip install -r {project}/requirements-dev.txt",
        ),
        (
            "pip install -r requirements/dev.txt",
            "python -m pip install -r requirements/dev.txt -q",
            "pip install requests",
            "cat requirements-dev.in",
            "pip freeze > requirements-dev.txt",
            "pip list",
        ),
    ),
    Case(
        Scenario(
            "py-manage-database",
            "python",
            "Migrate the database for the reports.",
            "Run the migrations of the reports database.",
            {"manage.py": _MANAGE},
            (Run("python manage.py migrate --database reports"), Run("python manage.py migrate --database analytics")),
            "--database analytics",
            setup="chmod +x manage.py",
        ),
        (
            "python manage.py migrate --database reports",
            "python3 manage.py migrate --database=reports",
            "./manage.py migrate --database reports",
            "uv run python manage.py migrate --database reports",
            "poetry run python manage.py migrate --database reports --verbose",
            "cd {project} && .venv/bin/python manage.py migrate --database reports",
            "DEBUG=1 python manage.py migrate --database reports 2>/dev/null",
        ),
        (
            "python manage.py migrate --database analytics",
            "python manage.py migrate",
            "python3 manage.py migrate --database default -v",
            "python manage.py check",
            "git commit -m 'drop the alias: python manage.py migrate --database reports'",
            "sed -n 1,20p manage.py",
        ),
    ),
    Case(
        Scenario(
            "py-module-format",
            "python",
            "Write the report of May for finance.",
            "The monthly report for finance.",
            {"shop/__init__.py": "", "shop/report.py": _REPORT},
            (
                Run("python -m shop.report --format pdf --month 2026-05"),
                Say("There is no pdf; finance takes html."),
                Run("python -m shop.report --format html --month 2026-05"),
            ),
            "--format html",
        ),
        (
            "python -m shop.report --format pdf --month 2026-05",
            "python3 -m shop.report --format pdf --month '2026-05'",
            "uv run python -m shop.report --format pdf --month 2026-05",
            "timeout 30 python -m shop.report --format pdf --month 2026-05 | tail -2",
            "python -m shop.report --month 2026-05 --format pdf",
            "python -W ignore -m shop.report --format pdf --month 2026-05",
        ),
        (
            "python -m shop.report --format html --month 2026-05",
            "python -m shop.report --month 2026-05",
            "python -m shop.report --format csv --month 2026-06",
            "python -m shop.invoice --format pdf",
            "echo python -m shop.report --format pdf",
            "wc -l shop/report.py",
        ),
    ),
    Case(
        Scenario(
            "py-src-module",
            "python",
            "Start the sync once by hand.",
            "Run the sync command line.",
            {"src/depot/__init__.py": "", "src/depot/sync.py": "print('synced')\n"},
            (Run("python -m depot.sync"), Run("find . -name sync.py"), Run("PYTHONPATH=src python -m depot.sync")),
            "PYTHONPATH=src",
        ),
        (
            "python -m depot.sync",
            "cd {project} && python3 -m depot.sync",
            "LOG_LEVEL=debug python -m depot.sync",
            "timeout 60s python -m depot.sync 2>&1 | tee sync.log",
            "uv run python -m depot.sync",
            "python -u -m depot.sync",
        ),
        (
            "PYTHONPATH=src python -m depot.sync",
            "cd src && python -m depot.sync",
            "PYTHONPATH=src:lib python3 -m depot.sync",
            "env PYTHONPATH=src python -m depot.sync",
            "python src/depot/sync.py",
            "python -m depot --help",
        ),
    ),
    Case(
        Scenario(
            "py-unittest-pattern",
            "python",
            "Run the checks of the parser.",
            "Run the parser's checks.",
            {
                "checks/check_parser.py": "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n"
            },
            (
                Run("python -m unittest checks.parser"),
                Run("python -m unittest discover -s checks -p 'check_*.py'"),
            ),
            "-p 'check_*.py'",
            client="openhands",
        ),
        (
            "python -m unittest checks.parser",
            "python3 -m unittest -v checks.parser",
            "cd {project} && python -m unittest checks.parser 2>&1 | head -40",
            "poetry run python -m unittest checks.parser",
            "PYTHONWARNINGS=ignore python -m unittest checks.parser",
            "python -m unittest checks.parser || true",
        ),
        (
            'python -m unittest discover -s checks -p "check_*.py"',
            "python -m unittest checks.check_parser",
            "python -m unittest -h",
            "ls checks",
            "python checks/check_parser.py",
            "cp checks/check_parser.py checks/parser.py",
        ),
    ),
)

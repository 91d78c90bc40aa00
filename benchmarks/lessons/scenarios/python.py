"""Python: defaults, paths, time zones, encodings, imports."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Run, Say, Scenario

PYTHON = (
    Scenario(
        "py-mutable-default",
        "python",
        "test_cart fails when the whole file is run but passes alone. Find out why and fix it.",
        "A shopping cart keeps items of an earlier customer; its tests depend on their order.",
        {
            "cart.py": "def add(item, items=[]):\n    items.append(item)\n    return items\n",
            "test_cart.py": "from cart import add\n\n\ndef test_one():\n    assert add('a') == ['a']\n\n\n"
            "def test_two():\n    assert add('b') == ['b']\n",
        },
        (
            Run("python -m pytest -q test_cart.py"),
            Run("cat cart.py"),
            Edit(
                "cart.py",
                "def add(item, items=[]):\n",
                "def add(item, items=None):\n    items = [] if items is None else items\n",
            ),
            Run("python -m pytest -q test_cart.py"),
            Say("The default list was shared between calls: add() now makes a new list where none is given."),
        ),
        "def add(item, items=None):",
    ),
    Scenario(
        "py-module-path",
        "python",
        "Run the unit tests of the billing package.",
        "How do I start the billing tests in this repository?",
        {
            "src/billing/__init__.py": "def total(xs):\n    return sum(xs)\n",
            "checks/test_total.py": "from billing import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
        },
        (
            Run("python -m pytest -q checks"),
            Run("ls src"),
            Run("PYTHONPATH=src python -m pytest -q checks"),
            Say("The package lives under src/, so the tests need PYTHONPATH=src."),
        ),
        "PYTHONPATH=src python -m pytest -q checks",
    ),
    Scenario(
        "py-timezone",
        "python",
        "The invoice report crashes at month end. Make report.py work.",
        "Comparing due dates in the invoice report raises an exception.",
        {
            "report.py": "from datetime import datetime, timezone\n\nDUE = datetime(2026, 1, 31)\n\n"
            "print('late' if datetime.now(timezone.utc) > DUE else 'open')\n"
        },
        (
            Run("python report.py"),
            Edit("report.py", "datetime(2026, 1, 31)", "datetime(2026, 1, 31, tzinfo=timezone.utc)"),
            Run("python report.py"),
            Say("DUE was a naive datetime; all dates in reports must carry tzinfo=timezone.utc."),
        ),
        "tzinfo=timezone.utc",
    ),
    Scenario(
        "py-encoding",
        "python",
        "import_names.py fails on the customer file from Austria.",
        "Reading the Austrian customer list ends in a decoding error.",
        {"import_names.py": "print(open('names.csv', encoding='utf-8').read().count(';'))\n"},
        (
            Run("python import_names.py"),
            Edit("import_names.py", "encoding='utf-8'", "encoding='cp1252'"),
            Run("python import_names.py"),
            Say("The ERP exports names.csv in Windows-1252, not in UTF-8."),
        ),
        "encoding='cp1252'",
        setup="printf 'M\\374ller;Graz\\n' > names.csv",
    ),
    Scenario(
        "py-unittest-discovery",
        "python",
        "Check that the parser tests pass.",
        "Which command runs the parser's unit tests?",
        {
            "parser.py": "def parse(text):\n    return text.split(',')\n",
            "specs/__init__.py": "",
            "specs/parser_spec.py": "import unittest\nfrom parser import parse\n\n\n"
            "class ParserSpec(unittest.TestCase):\n"
            "    def test_split(self):\n        self.assertEqual(parse('a,b'), ['a', 'b'])\n",
        },
        (
            Run("python -m unittest specs.test_parser"),
            Run("ls specs"),
            Run("python -m unittest discover -s specs -p '*_spec.py' -t ."),
        ),
        "python -m unittest discover -s specs -p '*_spec.py' -t .",
    ),
    Scenario(
        "py-circular-import",
        "python",
        "python app.py fails at start since the refactoring of models.",
        "After moving code between models and services the application does not start: import error.",
        {
            "app.py": "from models import User\n\nprint(User('ann').greet())\n",
            "models.py": "from services import greeting\n\n\nclass User:\n    def __init__(self, name):\n"
            "        self.name = name\n\n"
            "    def greet(self):\n        return greeting(self)\n",
            "services.py": "from models import User\n\n\ndef greeting(user: User):\n    return f'hello {user.name}'\n",
        },
        (
            Run("python app.py"),
            Edit(
                "services.py",
                "from models import User\n",
                "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
                "    from models import User\n",
            ),
            Run("python app.py"),
            Say("services imports models for the annotation only, so the import belongs under TYPE_CHECKING."),
        ),
        "TYPE_CHECKING",
    ),
    Scenario(
        "py-json-decimal",
        "python",
        "export.py cannot write the price list as JSON.",
        "Serialising prices for the web shop fails.",
        {
            "export.py": "import json\nfrom decimal import Decimal\n\nprint(json.dumps({'price': Decimal('9.90')}))\n",
        },
        (
            Run("python export.py"),
            Edit(
                "export.py",
                "json.dumps({'price': Decimal('9.90')})",
                "json.dumps({'price': Decimal('9.90')}, default=str)",
            ),
            Run("python export.py"),
            Say("Prices go out as strings (default=str), never as floats: the shop rounds floats wrongly."),
        ),
        "default=str",
    ),
)

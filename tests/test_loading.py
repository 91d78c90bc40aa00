"""What is loaded at run time: nothing heavy where people or programs wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.config.home import Home
from tests.support.waiting import HANG_S

HEAVY = {"chromadb", "fastembed", "onnxruntime", "openai", "jinja2"}


def test_building_the_server_loads_nothing_heavy() -> None:
    code = f"import sys, mcp_reflect.bootstrap.memory, mcp_reflect.server; print(*sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG_S, capture_output=True, text=True)
    assert not done.stdout.split()


WRITING = {
    "mcp_reflect.adapters.extractive_reflector",
    "mcp_reflect.adapters.prompts",
    "mcp_reflect.application.known_errors",
    "mcp_reflect.application.use_cases",
    "mcp_reflect.domain.guide",
    "mcp_reflect.domain.lessons.drafting",
    "mcp_reflect.domain.lessons.run",
    "mcp_reflect.domain.provenance.screening",
}
"""What stores and reviews runs, and tells of errors and insights: with what it imports a hundred modules, 3 MB."""

FIRST_QUERY = """
import sys
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.config.load import load_settings
from mcp_reflect.server.app import build_server

build_server()
with open_memory(load_settings()) as memory:
    print("numpy" in sys.modules)
    memory.query(Query(task="Mend the clock"))
    memory.counts(), memory.count_waiting_errors()
    print(*(name for name in sys.argv[1:] if name in sys.modules))
    memory.submit(Submission(task="Mend the clock", review_result="pass", guidance="Wind it up."))
    print(*(name for name in sys.argv[1:] if name in sys.modules))
"""


def test_what_stores_and_reviews_runs_is_loaded_by_the_first_run_and_not_by_a_query(tmp_path: Path) -> None:
    names = sorted(WRITING | HEAVY - {"onnxruntime"})
    done = subprocess.run(
        [sys.executable, "-c", FIRST_QUERY, *names],
        env=os.environ | {"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_PROJECT": "alpha"},
        check=True,
        timeout=HANG_S,
        capture_output=True,
        text=True,
    )
    before_query, after_query, after_run = (line.split() for line in done.stdout.splitlines())
    assert before_query == ["False"]
    assert not after_query
    assert {*after_run} >= WRITING


UNREAD_PARTS = ("application.known_errors", "bootstrap.memory", "domain.redaction.redact", "domain.trajectory.parsing")
UNREAD = HEAVY | {"mcp", "numpy", "pydantic", "sqlalchemy", *(f"mcp_reflect.{name}" for name in UNREAD_PARTS)}
"""What a command that reads records does not wait for where no hub runs."""


def test_reading_the_ledger_loads_neither_the_server_nor_a_model_nor_sqlalchemy(tmp_path: Path) -> None:
    SqlLedger(Home(tmp_path).ledger_url).close()
    read = "read_records('stats'), read_records('memories', kind='all', status='all', sort='use', limit=1)"
    shown = f"print(*sorted({UNREAD!r} & set(sys.modules)))"
    code = f"import sys; from mcp_reflect.cli.records.reading import read_records; {read}; {shown}"
    environ = os.environ | {"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_HUB__ENABLED": "false"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, check=True, timeout=HANG_S, capture_output=True, text=True
    )
    assert not done.stdout.split()


PATTERNS = """
import gc
from mcp_reflect.application.requests import Query
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.config.load import load_settings
from mcp_reflect.domain import lazy_re

with open_memory(load_settings()) as memory:
    memory.query(Query(task="Mend the clock"))
pattern = type(lazy_re.compile(""))
defined = [each for each in gc.get_objects() if type(each) is pattern]
print(len(defined), sum("search" in vars(each) for each in defined))
"""


def test_a_first_query_compiles_a_few_of_the_patterns(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PATTERNS],
        env=os.environ | {"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_PROJECT": "alpha"},
        check=True,
        timeout=HANG_S,
        capture_output=True,
        text=True,
    )
    defined, compiled = map(int, done.stdout.split())
    assert defined > 300
    assert compiled < defined / 5


def test_redacting_imports_the_standard_library_only() -> None:
    """Every first query and every first run wait for it."""
    code = (
        "import sys; before = set(sys.modules); from mcp_reflect.domain.redaction.redact import redact; redact('key');"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG_S, capture_output=True, text=True)
    assert done.stdout.split() == ["mcp_reflect"]


def test_opening_the_index_loads_no_exporter_of_traces_even_where_the_environment_names_one(tmp_path: Path) -> None:
    code = (
        "import sys, numpy; from mcp_reflect.adapters.chroma_index import ChromaIndex; from pathlib import Path;"
        "index = ChromaIndex(Path(sys.argv[1]), ''); index.upsert('p', 'm', ['one'], numpy.eye(1, 4), [{'kind': 'x'}]);"
        "print(*index.nearest('p', 'm', numpy.eye(1, 4)[0], 1), 'grpc' in sys.modules)"
    )
    environ = os.environ | {"CHROMA_OTEL_GRANULARITY": "all", "CHROMA_OTEL_COLLECTION_ENDPOINT": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "index")],
        env=environ,
        check=True,
        timeout=HANG_S,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["one", "False"]


def test_stemming_loads_one_language_and_leaves_the_package_to_others() -> None:
    code = (
        "import sys; from mcp_reflect.domain.text.terms import terms; terms('running tests');"
        "print(sum(name.startswith('snowballstemmer.') and name.endswith('_stemmer') for name in sys.modules));"
        "import snowballstemmer; print(snowballstemmer.stemmer('german').stemWord('laufen'))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG_S, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "lauf"]


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import mcp_reflect; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG_S, capture_output=True, text=True)
    assert done.stdout.split() == ["mcp_reflect"]

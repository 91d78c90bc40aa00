"""A place that takes no more bytes: what the ledger and the index say of it, and that neither takes it for damage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import HANG_S

LIMITED = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from mcp_reflect.adapters.chroma_index import ChromaIndex
from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.file import SqliteFile
from mcp_reflect.errors import ReflectError

home = Path(sys.argv[1])
SqlLedger(f"sqlite:///{home / 'ledger.db'}").close()
index = ChromaIndex(home / "chroma")
index.upsert("p", "m", ["a"], np.ones((1, 8), np.float32), [{"user": "ann"}])
index.close()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
index = ChromaIndex(home / "chroma")
for act in (
    lambda: index.upsert("p", "m", ["b"], np.ones((1, 8), np.float32), [{"user": "ann"}]),
    lambda: ChromaIndex(home / "another").generation("p", "m"),
    lambda: SqliteFile(home / "ledger.db").copy_to(home / "copy.db"),
):
    try:
        act()
        print("written")
    except ReflectError as error:
        print(type(error).__name__, error)
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_the_ledger_and_the_index_say_what_to_do_where_nothing_can_be_written(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=True)
    told = done.stdout.splitlines()
    assert [line.split()[0] for line in told] == ["IndexFailure", "IndexFailure", "Unwritable"]
    assert all("the disk refused to read or write; see `mcp-reflect doctor`" in line for line in told), told
    assert not list(tmp_path.glob("*.damaged-*"))


READS_ON = """
import resource, signal, sys
from pathlib import Path
from mcp_reflect.application.requests import AugmentQuery, ErrorFix, ErrorQuery, Query, Submission
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import LedgerError
from mcp_reflect.server.views.concise import concise_memories, prompt_text, prompt_view

settings = load_settings({"MCP_REFLECT_HOME": sys.argv[1], "MCP_REFLECT_PROJECT": "p"}, Path(sys.argv[1]))
with open_memory(settings) as memory:
    run = {"task": "Deploy the shop", "trajectory": "ran it", "review_result": "pass", "guidance": "Warm the cache."}
    memory.submit(Submission.model_validate(run))
    memory.errors.record(ErrorFix(task="Deploy", mistake="OSError: socket is gone", fix="restart the proxy"))
    memory.query(Query(task="Deploy the shop"))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
    print(concise_memories(memory.query(Query(task="Deploy the shop"))))
    print(prompt_text(prompt_view(*memory.augment(AugmentQuery(task="Deploy the shop")))).splitlines()[-1])
    found = memory.errors.find(ErrorQuery(error="OSError: socket is gone"))
    print(found.retrieval_id, [list(filter(None, fix.memory.instructions)) for fix in found.fixes], found.warnings)
    try:
        memory.submit(Submission.model_validate(run))
    except LedgerError as error:
        print("refused", error)
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    print(memory.query(Query(task="Deploy the shop")).retrieval_id)
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_what_is_known_is_told_where_nothing_can_be_written(tmp_path: Path) -> None:
    command = [sys.executable, "-c", READS_ON, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=True)
    queried, augmented, fixes, submitted, later = done.stdout.splitlines()
    assert "Warm the cache." in queried
    assert "'retrieval_id': 'none'" in queried
    assert augmented.startswith("warning: not recorded, so no review can credit these memories: recording a retrieval")
    assert fixes.startswith("none [['restart the proxy']] ['not recorded")
    assert submitted.startswith("refused")
    assert later.startswith("ret_")

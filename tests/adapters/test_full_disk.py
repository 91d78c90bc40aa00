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
    assert [line.split()[0] for line in told] == ["IndexFailure", "IndexFailure", "LedgerError"]
    assert all("the disk refused to read or write; see `mcp-reflect doctor`" in line for line in told), told
    assert not list(tmp_path.glob("*.damaged-*"))

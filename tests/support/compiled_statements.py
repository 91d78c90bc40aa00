"""Lets the ledgers of one process share their compiled statements.

SQLAlchemy compiles a statement once for each engine. A test opens a ledger, runs every statement of it a few times, and
closes it: half of its time went into compiling what the test before had compiled.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite


class _Compiled(dict[Any, Any]):
    """A compiled cache whose keys name the kind of database instead of the engine's own dialect."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__((key[0].name, *key[1:]), compiled)


_compiled = _Compiled()


def share_compiled_statements() -> None:
    """From now on, every SQLite engine of this process uses the same cache."""

    def engine_created(engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=_compiled)

    SQLiteDialect_pysqlite.engine_created = staticmethod(engine_created)

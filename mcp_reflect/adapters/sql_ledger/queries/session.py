"""A session of queries alone."""

from __future__ import annotations

from mcp_reflect.adapters.sql_ledger.queries.history import (
    SqlRetrievalRecords,
    SqlReviewRecords,
    SqlUtilityEventRecords,
    SqlVectorRecords,
    SqlWitnessRecords,
)
from mcp_reflect.adapters.sql_ledger.queries.memories import SqlMemoryRecords
from mcp_reflect.adapters.sql_ledger.queries.projects import SqlProjectRecords
from mcp_reflect.adapters.sql_ledger.queries.rows import RowSource
from mcp_reflect.adapters.sql_ledger.queries.traces import SqlTraceRecords


class SqlRecordSession:
    """Implements ports.RecordSession."""

    def __init__(self, source: RowSource) -> None:
        self.traces = SqlTraceRecords(source)
        self.reviews = SqlReviewRecords(source)
        self.events = SqlUtilityEventRecords(source)
        self.memories = SqlMemoryRecords(source)
        self.witnesses = SqlWitnessRecords(source)
        self.vectors = SqlVectorRecords(source)
        self.retrievals = SqlRetrievalRecords(source)
        self.projects = SqlProjectRecords(source)

"""Ports: what the memory needs from the outside, without a third-party type in sight.

Each Protocol has one contract test in `tests/adapters/` that every implementation passes.
"""

from __future__ import annotations

from mcp_reflect.application.ports.embedding import Clock, Embedder, Progress, VectorIndex
from mcp_reflect.application.ports.ledger import Ledger, LedgerFile, Order, OutOfDate, ReadableLedger, Unwritable
from mcp_reflect.application.ports.records import (
    AuditRows,
    InsightFigures,
    LostWrites,
    MemoryOrder,
    Portable,
    PortableRow,
    ProjectCounts,
    ProjectOverview,
    RowChange,
    Taken,
    TraceSummary,
)
from mcp_reflect.application.ports.reflecting import InsightWriter, ReflectionDialogue, Reflector, Usage
from mcp_reflect.application.ports.session import ReadSession, RecordSession, WriteSession

__all__ = [
    "AuditRows",
    "Clock",
    "Embedder",
    "InsightFigures",
    "InsightWriter",
    "Ledger",
    "LedgerFile",
    "LostWrites",
    "MemoryOrder",
    "Order",
    "OutOfDate",
    "Portable",
    "PortableRow",
    "Progress",
    "ProjectCounts",
    "ProjectOverview",
    "ReadSession",
    "ReadableLedger",
    "RecordSession",
    "ReflectionDialogue",
    "Reflector",
    "RowChange",
    "Taken",
    "TraceSummary",
    "Unwritable",
    "Usage",
    "VectorIndex",
    "WriteSession",
]

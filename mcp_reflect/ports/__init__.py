"""What the memory needs from the outside, without a third-party type in sight.

Each Protocol has one contract test in `tests/contract/` that every implementation passes.
"""

from __future__ import annotations

from mcp_reflect.ports.embedding import NO_TERMS, Clock, Embedder, Keys, Progress, Terms, Vector, VectorIndex
from mcp_reflect.ports.ledger import Ledger, LedgerFile, OutOfDate
from mcp_reflect.ports.ledger_transaction import LedgerTransaction
from mcp_reflect.ports.records import (
    AuditRows,
    Changes,
    InsightFigures,
    MemoryChange,
    MemoryOrder,
    Portable,
    PortableRow,
    ProjectCounts,
    Taken,
    TaskRecord,
    TraceSummary,
    UtilityChange,
)
from mcp_reflect.ports.reflecting import InsightWriter, ReflectionDialogue, Reflector, Usage

__all__ = [
    "NO_TERMS",
    "AuditRows",
    "Changes",
    "Clock",
    "Embedder",
    "InsightFigures",
    "InsightWriter",
    "Keys",
    "Ledger",
    "LedgerFile",
    "LedgerTransaction",
    "MemoryChange",
    "MemoryOrder",
    "OutOfDate",
    "Portable",
    "PortableRow",
    "Progress",
    "ProjectCounts",
    "ReflectionDialogue",
    "Reflector",
    "Taken",
    "TaskRecord",
    "Terms",
    "TraceSummary",
    "Usage",
    "UtilityChange",
    "Vector",
    "VectorIndex",
]

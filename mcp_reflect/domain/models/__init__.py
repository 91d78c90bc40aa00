"""The nouns of the domain. Immutable: a change is a new value, written by one ledger transaction."""

from mcp_reflect.domain.models.common import Author, Metadata, Origin, Result, Scalar
from mcp_reflect.domain.models.insight import InsightDraft, Material, Observation
from mcp_reflect.domain.models.job import IngestStatus, InsightJob, Job, JobState, ReflectionJob
from mcp_reflect.domain.models.match import Match, ScoreParts
from mcp_reflect.domain.models.memory import (
    FOUND_IN_RUN,
    MEMORY_KINDS,
    ClaimMemory,
    ErrorMemory,
    InsightMemory,
    Kind,
    LogEntry,
    Memory,
    MemoryBase,
    ReflectionMemory,
    of_kind,
)
from mcp_reflect.domain.models.memory_fields import MEMORY_FIELDS, flat_fields
from mcp_reflect.domain.models.memory_status import IN_FORCE, RETRIEVABLE, Action, Status, successor_in_force
from mcp_reflect.domain.models.review import QUpdate, Review, UtilityEvent
from mcp_reflect.domain.models.trace import DRAFT_TEXTS, LESSON_FIELDS, ReflectionDraft, Retrieval, ReviewStatus, Trace
from mcp_reflect.domain.models.witness import Witness

__all__ = [
    "DRAFT_TEXTS",
    "FOUND_IN_RUN",
    "IN_FORCE",
    "LESSON_FIELDS",
    "MEMORY_FIELDS",
    "MEMORY_KINDS",
    "RETRIEVABLE",
    "Action",
    "Author",
    "ClaimMemory",
    "ErrorMemory",
    "IngestStatus",
    "InsightDraft",
    "InsightJob",
    "InsightMemory",
    "Job",
    "JobState",
    "Kind",
    "LogEntry",
    "Match",
    "Material",
    "Memory",
    "MemoryBase",
    "Metadata",
    "Observation",
    "Origin",
    "QUpdate",
    "ReflectionDraft",
    "ReflectionJob",
    "ReflectionMemory",
    "Result",
    "Retrieval",
    "Review",
    "ReviewStatus",
    "Scalar",
    "ScoreParts",
    "Status",
    "Trace",
    "UtilityEvent",
    "Witness",
    "flat_fields",
    "of_kind",
    "successor_in_force",
]

"""The tables of memories: their words, their status, what they earned, and who taught them."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from mcp_reflect.adapters.sql_ledger.schema.columns import Id, Name, metadata

memories = Table(
    "memories",
    metadata,
    Column("id", Id, primary_key=True),
    Column("project", Name, nullable=False),
    Column("user", Name, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("task", Text, nullable=False),
    Column("reflection", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("key_mistake", Text, nullable=False),
    Column("correct_action", Text, nullable=False),
    Column("guidance", Text, nullable=False),
    Column("applicable_tools", JSON, nullable=False),
    Column("tools_used", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("success", Integer),
    Column("evidence", JSON, nullable=False),
    Column("tests", JSON, nullable=False),
    Column("recurrences", Integer, nullable=False),
    Column("seen_in", JSON, nullable=False, server_default="[]"),
    Column("triggers", JSON, nullable=False, server_default="[]"),
    Column("passed_in", JSON, nullable=False, server_default="[]"),
    Column("edits", JSON, nullable=False, server_default="[]"),
    Column("importance", Double),
    Column("contradicts", JSON, nullable=False),
    Column("superseded_by", Id, nullable=False, server_default=""),
    Column("lineage", JSON, nullable=False, server_default="[]"),
    Column("unvouched", JSON, nullable=False, server_default="[]"),
    Column("error_keywords", Text, nullable=False),
    Column("error_signatures", Text, nullable=False, server_default=""),
    Column("embedded_text", Text, nullable=False),
    Column("author", String(16), nullable=False),
    Column("source_trace_id", Id, ForeignKey("traces.id"), nullable=False, index=True),
    Column("initial_q", Double, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("memories_changed", "project", "seq"),
)

memory_log = Table(
    "memory_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("memory_id", Id, ForeignKey("memories.id"), nullable=False, index=True),
    Column("action", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("status_before", String(16), nullable=False),
    Column("at", BigInteger, nullable=False),
)

utilities = Table(
    "utilities",
    metadata,
    Column("memory_id", Id, ForeignKey("memories.id"), primary_key=True),
    Column("project", Name, nullable=False),
    Column("q_value", Double, nullable=False),
    Column("reviews", Integer, nullable=False),
    Column("trials", Double, nullable=False, server_default="0"),
    Column("successes", Double, nullable=False, server_default="0"),
    Column("passes", Integer, nullable=False, server_default="0"),
    Column("last_used_at", BigInteger),
    Column("seq", BigInteger, nullable=False),
    Index("utilities_changed", "project", "seq"),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("memory_id", Id, ForeignKey("memories.id"), primary_key=True),
    Column("model", String(300), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    Column("lesson_vector", LargeBinary),  # of lesson_text; null until it is embedded, empty where there are no words
)

words = Table(
    "words",
    metadata,
    Column("memory_id", Id, ForeignKey("memories.id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("lesson", LargeBinary),
    Column("lesson_key", BigInteger),
)

utility_events = Table(
    "utility_events",
    metadata,
    Column("memory_id", Id, ForeignKey("memories.id"), primary_key=True),
    Column("review_id", Id, ForeignKey("reviews.id"), primary_key=True),
    Column("trace_id", Id, nullable=False, index=True),
    Column("project", Name, nullable=False, index=True),
    Column("seq", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("reward", Double, nullable=False),
    Column("alpha", Double, nullable=False),
    Column("halvings", Integer, nullable=False, server_default="0"),
    Column("sources", JSON, nullable=False, server_default="[]"),
    Column("q_before", Double, nullable=False),
    Column("q_after", Double, nullable=False),
)

witnesses = Table(
    "witnesses",
    metadata,
    Column("memory_id", Id, ForeignKey("memories.id"), primary_key=True),
    Column("trace_id", Id, ForeignKey("traces.id"), primary_key=True, index=True),
    Column("draft", JSON, nullable=False),
    Column("author", String(16), nullable=False),
    Column("success", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("model", String(300), nullable=False),
    Column("vector", LargeBinary),
)

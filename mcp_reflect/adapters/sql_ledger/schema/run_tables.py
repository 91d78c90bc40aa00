"""The tables of runs: what was handed in, how it was judged, and what it had been shown."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from mcp_reflect.adapters.sql_ledger.schema.columns import Id, Name, metadata

traces = Table(
    "traces",
    metadata,
    Column("id", Id, primary_key=True),
    Column("project", Name, nullable=False),
    Column("user", Name, nullable=False),
    Column("task", Text, nullable=False),
    Column("trajectory", Text, nullable=False),
    Column("final_response", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("reference_context", Text, nullable=False),
    Column("trace_key", String(200)),
    Column("retrieved_memory_ids", JSON, nullable=False),
    Column("tools_used", JSON, nullable=False),
    Column("draft", JSON, nullable=False),
    Column("feedback", Text, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("review_id", Id),
    UniqueConstraint("project", "trace_key", name="one_trace_per_key"),
    Index("traces_by_age", "project", "created_at"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("id", Id, primary_key=True),
    Column("trace_id", Id, ForeignKey("traces.id"), nullable=False, index=True),
    Column("seq", BigInteger, nullable=False),
    Column("result", String(8), nullable=False),
    Column("feedback", Text, nullable=False),
    Column("alpha", Double, nullable=False),
    Column("helpful_memory_ids", JSON, nullable=False),
    Column("harmful_memory_ids", JSON, nullable=False),
    Column("draft", JSON, nullable=False),
    Column("judged_helpful", JSON, nullable=False),
    Column("judged_harmful", JSON, nullable=False),
    Column("judged_by", String(16), nullable=False),
    Column("source", Name, nullable=False, server_default=""),
    Column("used", JSON, nullable=False, server_default="{}"),
    Column("sources", JSON, nullable=False, server_default="[]"),
    Column("withheld", JSON, nullable=False, server_default="[]"),
    Column("created_at", BigInteger, nullable=False),
)

retrievals = Table(
    "retrievals",
    metadata,
    Column("id", Id, primary_key=True),
    Column("project", Name, nullable=False),
    Column("user", Name, nullable=False),
    Column("connection", Id, nullable=False),
    Column("memory_ids", JSON, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("trace_id", Id),
    Index("retrievals_of_connection", "connection", "trace_id"),
)

reflection_jobs = Table(
    "reflection_jobs",
    metadata,
    Column("trace_id", Id, ForeignKey("traces.id"), primary_key=True),
    Column("review_id", Id, nullable=False),
    Column("project", Name, nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", BigInteger, nullable=False),
    Column("last_error", Text, nullable=False),
    Column("for_model", Boolean, nullable=False, server_default=false()),
    Index("reflection_jobs_due", "project", "state", "next_attempt_at"),
)

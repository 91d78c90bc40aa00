"""The tables of insight jobs, and of what the ledger keeps about itself and its surroundings."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from mcp_reflect.adapters.sql_ledger.schema.columns import Id, Name, metadata

properties = Table(
    "properties",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

mirrors = Table(
    "mirrors",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("digests", JSON, nullable=False),
)

exports = Table(
    "exports",
    metadata,
    Column("sha256", String(64), primary_key=True),
)

insight_jobs = Table(
    "insight_jobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("project", Name, nullable=False),
    Column("user", Name, nullable=False),
    Column("own_only", Boolean, nullable=False),
    Column("focus", Text, nullable=False),
    Column("limit", Integer, nullable=False),
    Column("author", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", BigInteger, nullable=False),
    Column("last_error", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("insight_jobs_by_age", "project", "created_at"),
)

model_usage = Table(
    "model_usage",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
)

index_positions = Table(
    "index_positions",
    metadata,
    Column("collection", String(600), primary_key=True),
    Column("generation", String(64), nullable=False),
    Column("seq", BigInteger, nullable=False),
)

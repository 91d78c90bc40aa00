"""The tables of the ledger; a change of them raises `schema_version.SCHEMA_VERSION`.

    traces ─┬─ reviews (all; traces.review_id is the one that counts)
            ├─ reflection_jobs (what is still to be written)
            └─ memories ─┬─ memory_log (why a status was changed)
                         ├─ utilities (q_value, use: rewritten often, so kept apart from the words)
                         ├─ embeddings (one per model)
                         ├─ words (the same text as counted terms; what is missing is made from the text)
                         ├─ utility_events (what moved the q_value)
                         └─ witnesses (runs with the same lesson, its source among them; none where there is one)

`seq` columns come from one counter per ledger. A row's seq says when it changed, which is how the ranking and
the index catch up; the counter is raised inside the writing transaction, so committed numbers never run backwards.
Times are microseconds since the epoch, UTC.
"""

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
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

metadata = MetaData()

Id = String(64)
Name = String(200)

properties = Table(
    "properties",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

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

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

from mcp_reflect.adapters.sql_ledger.schema.bookkeeping_tables import (
    exports,
    index_positions,
    insight_jobs,
    mirrors,
    model_usage,
    properties,
)
from mcp_reflect.adapters.sql_ledger.schema.columns import metadata
from mcp_reflect.adapters.sql_ledger.schema.memory_tables import (
    embeddings,
    memories,
    memory_log,
    utilities,
    utility_events,
    witnesses,
    words,
)
from mcp_reflect.adapters.sql_ledger.schema.run_tables import reflection_jobs, retrievals, reviews, traces

__all__ = [
    "embeddings",
    "exports",
    "index_positions",
    "insight_jobs",
    "memories",
    "memory_log",
    "metadata",
    "mirrors",
    "model_usage",
    "properties",
    "reflection_jobs",
    "retrievals",
    "reviews",
    "traces",
    "utilities",
    "utility_events",
    "witnesses",
    "words",
]

"""Fields that calls of the Python API take by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

RunResult = Literal["pass", "fail"]
TrajectoryInput = str | Sequence[Mapping[str, Any]]


class QueryOptions(TypedDict, total=False):
    """Options of a query; what is left out is as configured.

    `limit` 1 to 100; `lambda_` 0 (by relevance only) to 1 (by q_value only); `mmr_lambda` 1 (by score only) or lower
    for fewer near-duplicates; `similarity_threshold` the least relevance, 0 to 1, None as configured;
    `metadata_filter` keys that must match; `retrieval` by meaning alone, or by words too.
    """

    limit: int
    lambda_: float
    mmr_lambda: float
    similarity_threshold: float | None
    metadata_filter: Mapping[str, Any]
    retrieval: Literal["semantic", "hybrid"]


class ReflectionFields(TypedDict, total=False):
    """A reflection in one's own words: the run in a sentence, what went wrong, what works, a rule, tools, facts."""

    summary: str
    key_mistake: str
    correct_action: str
    guidance: str
    applicable_tools: Sequence[str]
    claims: Sequence[str]


class MemoryFields(ReflectionFields, total=False):
    """Fields of a memory without a run: its words, the tags it is filtered by, and a key to store it once only."""

    metadata: Mapping[str, Any]
    trace_key: str


class ReviewFields(ReflectionFields, total=False):
    """Fields of a review: evidence, the learning rate, memories that helped or misled, a reflection."""

    feedback: str
    alpha: float
    helpful_memory_ids: Sequence[str]
    harmful_memory_ids: Sequence[str]


class TraceFields(ReviewFields, total=False):
    """Fields of a run. `review_result` reviews it at once; under one `trace_key` nothing is stored twice."""

    trajectory: TrajectoryInput
    final_response: str
    retrieved_memory_ids: Sequence[str]
    retrieval_id: str
    model: str
    metadata: Mapping[str, Any]
    review_result: Literal["", "pass", "fail"]
    reference_context: str
    trace_key: str

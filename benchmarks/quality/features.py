"""The features that are measured: kinds of retrieval and rules of credit, and their queries and settings."""

from __future__ import annotations

from typing import Any, Literal

from mcp_reflect.application.requests import Query
from mcp_reflect.domain.changes import TaskWording
from mcp_reflect.domain.defaults import OPTIMISM
from mcp_reflect.domain.ranking import scoring
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Vector

SEMANTIC: Literal["semantic"] = "semantic"
HYBRID: Literal["hybrid"] = "hybrid"
DEFAULT_RETRIEVAL = ""
RETRIEVALS: tuple[Literal["semantic", "hybrid"], ...] = (SEMANTIC, HYBRID)
JUDGED = HYBRID
"""The goals hold for the kind that is the default; the other is shown beside it."""

OPTIMISMS = (0.0, OPTIMISM)

Credit = Literal["retrieved", "used", "followed", "source"]
CREDITS: tuple[Credit, ...] = ("retrieved", "used", "followed")
"""The rules of credit that a user can have."""


def asked(task: str, retrieval: Any = DEFAULT_RETRIEVAL, **more: Any) -> Query:
    """A query; an empty `retrieval` takes what is set."""
    return Query(task=task, retrieval=retrieval, **more)


def environment(**settings: str | float) -> dict[str, str]:
    """Variables for settings such as `q_learning__credit`."""
    return {f"MCP_REFLECT_{name.upper()}": str(value) for name, value in settings.items()}


def ranking_query(
    vector: Vector, lambda_: float, optimism: float = 0.0, words: str = "", task: TaskWording | None = None
) -> scoring.RankingQuery:
    """What the retriever makes of a query without a threshold: with `words` of one that goes by them too, with `task`
    of one that knows what was tried on it.
    """
    counted = terms(words) if words else None
    return scoring.RankingQuery(vector, lambda_, 0.0, terms=counted, optimism=optimism, task=task)

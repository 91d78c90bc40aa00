"""The profile of a connection: whose memories it sees, and its defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from mcp_reflect.domain import defaults
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import Retrieval

RetrievalMode = Literal["semantic", "hybrid"]
AuthorSetting = Literal["auto", "agent", "llm", "sampling", "extractive"]
CreditSetting = Literal["retrieved", "used"]


class Owned(Protocol):
    """Anything that belongs to a project and a user: a trace, a memory, a retrieval."""

    @property
    def project(self) -> str:
        """Return the project that it belongs to."""
        ...

    @property
    def user(self) -> str:
        """Return the user that it belongs to."""
        ...


@dataclass(frozen=True)
class InsightRules:
    """Limits of insights; 0 never stands for a default.

    `merge_threshold` is the least cosine of two insights that may be merged; `importance_threshold` is in [0, 1].
    """

    recent_capacity: int = defaults.RECENT_CAPACITY
    capacity: int = defaults.INSIGHT_CAPACITY
    reflect_every: int = defaults.REFLECT_EVERY
    importance_threshold: float = defaults.IMPORTANCE_THRESHOLD
    merge_threshold: float = 0.715


@dataclass(frozen=True)
class Profile:
    """Settings of a connection; both thresholds default to those of the embedding model.

    `similarity_threshold` is the least cosine; `relevance_threshold` takes its place in a hybrid query, where with
    `judges_by_lead` it depends on how far the best match leads (`domain/ranking/lead.py`). `lambda_`, `mmr_lambda`,
    `initial_q`, `alpha` and `recency_weight` are in [0, 1]. `project_origin` says what named the project.
    """

    project: str
    user: str
    scope: Literal["project", "user"]
    similarity_threshold: float
    relevance_threshold: float
    judges_by_lead: bool = False
    retrieval: RetrievalMode = "hybrid"
    limit: int = defaults.LIMIT
    lambda_: float = defaults.LAMBDA
    mmr_lambda: float = defaults.MMR_LAMBDA
    initial_q: float = defaults.INITIAL_Q
    alpha: float = defaults.ALPHA
    optimism: float | None = None
    credit: CreditSetting = "used"
    author: AuthorSetting = "auto"
    uses_model: bool = False
    recency_weight: float = 0.0
    insights: InsightRules = InsightRules()
    project_origin: str = ""
    connection: str = field(default_factory=lambda: new_id("con"))

    @property
    def visible_user(self) -> str | None:
        """The user whose traces and memories are visible; None means everyone's."""
        return self.user if self.scope == "user" else None

    def threshold(self, retrieval: RetrievalMode) -> float:
        """Return the least relevance in a query in this mode."""
        return self.relevance_threshold if retrieval == "hybrid" else self.similarity_threshold

    def optimism_for(self, retrieval: RetrievalMode) -> float:
        """Return the optimism of a query in this mode; without a setting a semantic one has none."""
        if self.optimism is not None:
            return self.optimism
        return defaults.OPTIMISM if retrieval == "hybrid" else 0.0

    def sees(self, thing: Owned) -> bool:
        """Return true where this connection may see the thing."""
        return thing.project == self.project and self.visible_user in {None, thing.user}

    def new_retrieval(self, memory_ids: Sequence[str], at: datetime) -> Retrieval:
        """Return a new record of memories that are returned to this connection at `at`."""
        return Retrieval(
            id=new_id("ret"),
            project=self.project,
            user=self.user,
            connection=self.connection,
            memory_ids=tuple(memory_ids),
            created_at=at,
        )

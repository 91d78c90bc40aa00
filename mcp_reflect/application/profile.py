"""What one connection brings along: whose memory it sees and the defaults it works with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import Retrieval

RetrievalMode = Literal["semantic", "hybrid"]
AuthorSetting = Literal["auto", "agent", "llm", "sampling", "extractive"]
CreditSetting = Literal["retrieved", "used"]

DEFAULT_OPTIMISM = 0.75
"""Of hybrid queries. Where a memory stays as it is, 0.75 to 1.5 learn alike. In use a new memory comes with every run;
there 1 earns no more than the plain q_value, and 1.5 far less: what is hoped of each untried one keeps what has proven
itself from being used (docs/quality.md).
"""


class Owned(Protocol):
    """A trace, a memory, what was shown to somebody."""

    @property
    def project(self) -> str: ...
    @property
    def user(self) -> str: ...


@dataclass(frozen=True)
class InsightRules:
    """How insights are drawn; 0 is 0, never a default. `same_bound` is the cosine from which two may be the same."""

    recent_capacity: int = 20
    capacity: int = 10
    reflect_every: int = 15
    importance_threshold: float = 0.5
    same_bound: float = 0.715


@dataclass(frozen=True)
class Profile:
    """Settings of a connection; both thresholds are already the model's own where none was set.

    `similarity_threshold` is the least cosine, `relevance_threshold` takes its place in a hybrid query.
    """

    project: str
    user: str
    scope: Literal["project", "user"]
    similarity_threshold: float
    relevance_threshold: float
    retrieval: RetrievalMode = "hybrid"
    limit: int = 10
    lambda_: float = 0.5
    mmr_lambda: float = 0.7
    initial_q: float = 0.5
    alpha: float = 0.3
    optimism: float | None = None
    credit: CreditSetting = "used"
    author: AuthorSetting = "auto"
    uses_model: bool = False
    recency_weight: float = 0.0
    insights: InsightRules = InsightRules()
    connection: str = field(default_factory=lambda: new_id("con"))

    @property
    def visible_user(self) -> str | None:
        """Whose traces and memories are visible; None means everyone's."""
        return self.user if self.scope == "user" else None

    def threshold(self, retrieval: RetrievalMode) -> float:
        """What a memory's relevance must reach in a query of that kind."""
        return self.relevance_threshold if retrieval == "hybrid" else self.similarity_threshold

    def hope(self, retrieval: RetrievalMode) -> float:
        """The optimism of a query of that kind; a semantic one keeps to the plain rule where nothing is set."""
        if self.optimism is not None:
            return self.optimism
        return DEFAULT_OPTIMISM if retrieval == "hybrid" else 0.0

    def sees(self, thing: Owned) -> bool:
        """Whether a thing belongs to what this connection may know of."""
        return thing.project == self.project and self.visible_user in {None, thing.user}

    def shown(self, memory_ids: Sequence[str], at: datetime) -> Retrieval:
        """The record of memories that this connection is given."""
        return Retrieval(
            id=new_id("ret"),
            project=self.project,
            user=self.user,
            connection=self.connection,
            memory_ids=tuple(memory_ids),
            created_at=at,
        )

"""What the installed version offers, asked in this one place, so that the measuring need not know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mcp_reflect.core import ranking
from mcp_reflect.core.trajectory import Trajectory
from mcp_reflect.inputs import Query
from mcp_reflect.models import Match, Memory
from mcp_reflect.ports import UtilityChange, Vector
from mcp_reflect.profile import Profile
from mcp_reflect.settings import setting_rows

SEMANTIC, HYBRID = "semantic", "hybrid"
DEFAULT_RETRIEVAL = ""

Credit = Literal["retrieved", "used", "followed", "source"]


def retrievals() -> tuple[str, ...]:
    """The kinds of retrieval that a query can ask for."""
    return (SEMANTIC, HYBRID) if "retrieval" in Query.model_fields else (SEMANTIC,)


def judged(retrieval: str) -> bool:
    """Whether the goals hold for it: for the best that there is; another kind is shown beside it."""
    return retrieval == retrievals()[-1]


def asked(task: str, retrieval: str = DEFAULT_RETRIEVAL, **more: Any) -> Query:
    """A query; an empty `retrieval` takes what is set."""
    kind: dict[str, Any] = {"retrieval": retrieval} if HYBRID in retrievals() else {}
    return Query(task=task, **kind, **more)


def relevance(match: Match) -> float:
    """What the threshold is held against: the relevance, where there is one beside the cosine."""
    value: float = getattr(match, "relevance", match.similarity)
    return value


def default_threshold(profile: Profile, retrieval: str) -> float:
    """What a query of that kind holds relevance against where it names no threshold."""
    of_kind = getattr(profile, "threshold", None)
    value: float = profile.similarity_threshold if of_kind is None else of_kind(retrieval)
    return value


def has_setting(key: str) -> bool:
    return any(row.key == key for row in setting_rows())


def environment(**settings: str | float) -> dict[str, str]:
    """Variables for settings such as `q_learning__credit`, without those that this version does not have."""
    return {
        f"MCP_REFLECT_{name.upper()}": str(value)
        for name, value in settings.items()
        if has_setting(name.replace("__", "."))
    }


def credit_rules() -> tuple[Credit, ...]:
    """The rules of credit that a user can have."""
    return ("retrieved", "used", "followed") if has_setting("q_learning.credit") else ("retrieved", "followed")


def optimisms() -> tuple[float, ...]:
    return (0.0, 1.0) if has_setting("q_learning.optimism") else (0.0,)


def ranking_query(vector: Vector, lambda_: float, optimism: float = 0.0, words: str = "") -> ranking.Query:
    """What the retriever makes of a query without a threshold; with `words` of one that goes by them too."""
    known = {field.name for field in fields(ranking.Query)}
    more: dict[str, Any] = {"optimism": optimism} if "optimism" in known else {}
    if words:
        from mcp_reflect.core.words import terms  # noqa: PLC0415 - not every version has it

        more["terms"] = terms(words)
    return ranking.Query(vector, lambda_, 0.0, **more)


def relevances(ranked: ranking.Ranked) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = getattr(ranked, "relevance", ranked.similarity)
    return found


def moved(memory_id: str, q: float, reward: float, weight: float) -> UtilityChange:
    """What the ledger tells the ranking's table after a review moved a memory."""
    del reward, weight
    return UtilityChange(memory_id, q)


def weights_used(memories: Sequence[Memory], task: str, trajectory: Trajectory) -> Mapping[str, float]:
    """How much of alpha each memory gets where the trace has to tell, by id; only with the setting for it."""
    from mcp_reflect.core.following import followed  # noqa: PLC0415 - not every version has it

    return followed(memories, task, trajectory)

"""A connection's own defaults for requests, where the caller gives none."""

from __future__ import annotations

from typing import Any

from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import AugmentQuery
from mcp_reflect.domain.limits import MAX_LIMIT

_IN_A_PROMPT: int = AugmentQuery.model_fields["limit"].default


def query_defaults(profile: Profile) -> dict[str, Any]:
    """Return the defaults of a query in the connection's settings."""
    return {"limit": profile.limit, "lambda_": profile.lambda_, "mmr_lambda": profile.mmr_lambda}


def augment_defaults(profile: Profile) -> dict[str, Any]:
    """Return the defaults for prompts: fewer memories than in a list; a configured limit can make it shorter still."""
    return query_defaults(profile) | {"limit": min(profile.limit, _IN_A_PROMPT)}


def reflect_defaults(profile: Profile) -> dict[str, Any]:
    """Return the defaults of reflect in the connection's settings."""
    return {"limit": min(max(profile.insights.recent_capacity, 1), MAX_LIMIT)}

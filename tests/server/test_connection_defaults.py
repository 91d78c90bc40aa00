"""Defaults that are settings too say the same in the settings, in a connection's profile and in a tool's schema."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import AugmentQuery, MemoryQuery, Query, ReflectRequest, make_request
from mcp_reflect.config.settings import Settings
from mcp_reflect.server.connection_defaults import augment_defaults, query_defaults, reflect_defaults

PROFILE = Profile(project="alpha", user="ann", scope="project", similarity_threshold=0.0, relevance_threshold=0.0)
CONFIGURED = ("limit", "lambda_", "mmr_lambda")


@pytest.mark.parametrize("name", CONFIGURED)
def test_a_setting_a_profile_and_a_schema_have_the_same_default(name: str) -> None:
    told = Query.model_fields[name].default
    assert Settings.model_fields["memory"].default.model_dump()[name] == told
    assert getattr(PROFILE, name) == told


def test_a_connection_that_configures_nothing_changes_no_request() -> None:
    for kind, filled_in in ((MemoryQuery, query_defaults), (AugmentQuery, augment_defaults)):
        assert make_request(kind, task="go", **filled_in(PROFILE)) == kind(task="go")
    assert make_request(ReflectRequest, **reflect_defaults(PROFILE)) == ReflectRequest()


@pytest.mark.parametrize(("limit", "listed", "in_a_prompt"), [(2, 2, 2), (5, 5, 5), (40, 40, 5)])
def test_a_configured_limit_lengthens_a_list_and_can_only_shorten_a_prompt(
    limit: int, listed: int, in_a_prompt: int
) -> None:
    profile = replace(PROFILE, limit=limit, lambda_=0.25, mmr_lambda=1.0)
    shared: dict[str, Any] = {"lambda_": 0.25, "mmr_lambda": 1.0}
    assert query_defaults(profile) == {"limit": listed, **shared}
    assert augment_defaults(profile) == {"limit": in_a_prompt, **shared}


@pytest.mark.parametrize(("capacity", "limit"), [(0, 1), (20, 20), (500, 100)])
def test_the_runs_that_reflect_looks_at_are_those_that_are_remembered(capacity: int, limit: int) -> None:
    profile = replace(PROFILE, insights=replace(PROFILE.insights, recent_capacity=capacity))
    assert reflect_defaults(profile) == {"limit": limit}

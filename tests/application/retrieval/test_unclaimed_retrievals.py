"""A run that comes over another connection than its query is credited where its task tells which one it was."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mcp_reflect.application.profile import Profile
from mcp_reflect.application.retrieval.unclaimed_retrievals import KEPT_FOR, UnclaimedRetrievals
from tests.support.values import START

BUILD = "Fix the build of the billing package"
DEPLOY = "Deploy the search service to the second cluster"


def profile(connection: str, project: str = "p", user: str = "ann") -> Profile:
    return Profile(project, user, "project", 0.0, 0.0, connection=connection)


@pytest.fixture
def unclaimed() -> UnclaimedRetrievals:
    """One query for each of two tasks, whose connections are over."""
    made = UnclaimedRetrievals()
    for connection, task in (("con_a", BUILD), ("con_b", DEPLOY)):
        made.add(profile(connection), [f"mem_{connection}"], task, START)
        made.end(connection)
    return made


@pytest.mark.parametrize("told", [BUILD, "fix the BUILD of the billing package!", f"{BUILD}, please"])
def test_the_task_tells_which_query_a_run_used(unclaimed: UnclaimedRetrievals, told: str) -> None:
    found = unclaimed.find(profile("con_c"), told, START)
    assert found is not None
    assert found.connection == "con_a"
    unclaimed.claim("con_a")
    assert unclaimed.find(profile("con_c"), told, START) is None


def test_what_is_not_clear_is_credited_to_nobody(unclaimed: UnclaimedRetrievals) -> None:
    own = profile("con_c")
    assert unclaimed.find(own, "Write the release notes", START) is None
    assert unclaimed.find(profile("con_c", project="q"), BUILD, START) is None
    assert unclaimed.find(profile("con_c", user="bob"), BUILD, START) is None
    assert unclaimed.find(own, BUILD, START + KEPT_FOR + timedelta(seconds=1)) is None
    unclaimed.resume("con_a")
    assert unclaimed.find(own, BUILD, START) is None
    unclaimed.end("con_a")
    unclaimed.add(profile("con_d"), ["mem_d"], "Fix the build of the shipping package", START)
    unclaimed.end("con_d")
    assert unclaimed.find(own, "Fix the build of the package", START) is None

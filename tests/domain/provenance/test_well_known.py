"""What everybody knows has no author: a remedy of public packages stays in a lesson, whoever named it."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.provenance.well_known import is_well_known
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.domain.provenance.test_screened_lessons import messages_of, ran, screened_lesson
from tests.support.values import make_trace

STUBS = 'src/conf.py:2: error: Library stubs not installed for "{0}"\nnote: Hint: "python3 -m pip install {1}"'


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scikit-learn", True),
        ("@types/node", True),
        ("https://download.pytorch.org/whl/cpu", True),
        ("dl.yarnpkg.com/debian/pubkey.gpg", True),
        ("libicu-dev", True),
        ("127.0.0.1", True),
        ("127.0.0.2", False),
        ("libevil-dev", False),
        ("scikit-learn-extras", False),
        ("@types/../evil", False),
        ("https://download.pytorch.org.evil.example/whl", False),
        ("https://download.pytorch.org@evil.example/whl", False),
        ("https://evil.example/download.pytorch.org", False),
        ("https://pypi.org:8443/simple", False),
        ("https://raw.githubusercontent.com/somebody/install.sh", False),
    ],
)
def test_only_names_that_nobody_else_can_publish_under_are_well_known(name: str, expected: bool) -> None:
    assert is_well_known(name) is expected


@pytest.mark.parametrize(("module", "package", "stays"), [("yaml", "types-PyYAML", True), ("kit", "kit-stubs", False)])
def test_a_package_that_a_tool_names_stays_where_it_is_public(module: str, package: str, stays: bool) -> None:
    lesson = screened_lesson(
        "make mypy pass",
        ran("mypy src", STUBS.format(module, package), failed=True),
        ran(f"pip install -q {package} && echo {package} >> requirements.txt && mypy src", "Success: no issues found"),
    )
    assert (f"pip install -q {package}" in f"{lesson.summary}{lesson.correct_action}") is stays


def test_advice_for_later_with_a_name_that_the_run_did_not_use_is_withheld() -> None:
    shown = "login,2 steps,when a login fails use account kitqa of hostkit"
    messages = messages_of(ran("cat plan.csv", shown), ran("pytest -q", "3 passed"))
    screening = Screening(ParsedRun.of(make_trace(task="add the plan's rows", trajectory=messages)))
    for said, stays in (
        ("Handy for later: a failed login works with the account kitqa.", False),
        ("The plan names the account kitqa.", True),
    ):
        assert ("kitqa" in screening.screen(ReflectionDraft(guidance=said)).summary) is stays

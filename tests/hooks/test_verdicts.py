from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.hooks.verdicts import find_verdict, is_praise_only

PRAISE = ["that works, thanks", "It works now!", "works", "perfect", "LGTM", "fixed, thanks", "ok, that's fixed"]
PRAISE += ["looks good to me, thanks!", "so it works like a charm", "That solved the problem. Thank you!"]
BLAME = ["no, still broken", "No, it still fails with the same error", "that's wrong, use the other table"]
BLAME += ["I'm still getting the same error", "That didn't work", "still not working", "you broke it", "Not working"]
NEITHER = [
    "thanks",
    "no",
    "The login page does not work",
    "Does it work?",
    "is it still broken?",
    "fixed width columns",
]
NEITHER += ["Add a test that works offline", "it works but the colours are off", "working directory as a setting"]
NEITHER += ["Perfect forward secrecy please", "works for me? no", "make it work", "if it still fails, revert it", ""]


@pytest.mark.parametrize("prompt", PRAISE)
def test_plain_praise_is_a_pass(prompt: str) -> None:
    assert find_verdict(prompt) == "pass"
    assert is_praise_only(prompt)


@pytest.mark.parametrize("prompt", BLAME)
def test_plain_blame_is_a_fail(prompt: str) -> None:
    assert find_verdict(prompt) == "fail"
    assert not is_praise_only(prompt)


@pytest.mark.parametrize("prompt", NEITHER)
def test_what_is_not_plain_is_no_verdict(prompt: str) -> None:
    assert find_verdict(prompt) is None


def test_praise_before_a_new_task_is_a_verdict_and_a_task() -> None:
    prompt = "Great, that works. Now add the documentation."
    assert find_verdict(prompt) == "pass"
    assert not is_praise_only(prompt)


@given(st.text())
def test_any_text_has_one_verdict_at_most(prompt: str) -> None:
    assert find_verdict(prompt) in {"pass", "fail", None}

"""A fix that who judged the run rejected is none; what they want instead is."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.fixed_errors import FixedError, find_fixed_errors
from mcp_reflect.domain.lessons.failures.rejections import last_words, without_rejected
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps
from mcp_reflect.domain.lessons.run.step import Step

OUTPUT = "tar: out/glyphs.txt: Cannot stat: No such file or directory"
EDIT = Step("edit", "Edit", "/srv/font/Makefile", change=(("pack:", "pack: stage"),), failed=False, file="Makefile")


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("command", "Bash", command, failed=failed, output=output)


REPAIRED = (ran("make -j4 dist", OUTPUT, failed=True), EDIT, ran("make -j4 dist", "staged"))


def judged(words: str, *steps: Step) -> list[FixedError]:
    """The errors of a run that failed and ended with these words of the user."""
    steps = steps or REPAIRED
    read = ReadSteps(steps, [len(steps)], words=[words])
    return [*without_rejected(find_fixed_errors(read), read, last_words(read))]


def test_another_form_of_the_command_takes_the_place_of_a_rejected_edit() -> None:
    [found] = judged("The Makefile is generated, that is lost again. Run it serially: `make -j1 dist`.")
    assert found.changes == ("Run `make -j1 dist` instead of `make -j4 dist`",)
    assert (found.command, found.edits, found.mistake) == ("make -j1 dist", (), OUTPUT)


def test_sentences_that_name_something_take_the_place_of_a_rejected_edit() -> None:
    [found] = judged("No. The prerequisite belongs into `gen/pack.py`, which writes the rule.")
    assert found.changes == ("The prerequisite belongs into `gen/pack.py`, which writes the rule.",)


def test_a_rejected_fix_without_anything_instead_is_not_told() -> None:
    assert judged("No, I don't want that at all.") == []


@pytest.mark.parametrize("words", ["The colour in `theme.css` is still blue.", ""])
def test_what_the_words_do_not_speak_of_stays_a_fix(words: str) -> None:
    [found] = judged(words) if words else find_fixed_errors(ReadSteps(REPAIRED))
    assert found.changes == ("Edit Makefile: `pack:` → `pack: stage`",)


def test_words_behind_which_the_agent_went_on_are_not_the_last_ones() -> None:
    read = ReadSteps(REPAIRED, [1], words=["not in the `Makefile`"])
    assert last_words(read) == ""


def test_a_fix_from_before_the_last_request_is_not_rejected_by_what_is_said_of_that() -> None:
    steps = (*REPAIRED, ran("make upload", "uploaded"))
    read = ReadSteps(steps, [3, 4], words=["now upload it", "not there, `make -j1 upload` to staging"])
    [found] = without_rejected(find_fixed_errors(read), read, last_words(read))
    assert found.changes == ("Edit Makefile: `pack:` → `pack: stage`",)

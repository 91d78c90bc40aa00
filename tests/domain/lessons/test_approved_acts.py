"""What the reviewer of a failed run calls right is told as that, and not as what was wrong."""

from __future__ import annotations

import pytest

from tests.domain.lessons.test_lessons import bash, edit, lesson

RIGHT = "Right, says the reviewer: "
REBASE = "git rebase --onto main old-base topic"
RUN = [
    *bash("git rebase main", "CONFLICT (content): app.py", failed=True),
    *bash(f"git rebase --abort && {REBASE}", "Successfully rebased"),
    *bash("git push --force origin topic", "forced update"),
]


def test_a_command_that_the_reviewer_calls_right_by_its_name() -> None:
    told = lesson(RUN, "fail", feedback="The rebase itself is right, but you overwrote a commit by --force.")
    assert f"{RIGHT}`git rebase --abort && {REBASE}`" in told.guidance


@pytest.mark.parametrize(
    "feedback",
    [
        "The rebase is not right, and you overwrote a commit by --force.",
        "You overwrote a commit by --force. A rebase would be fine if nobody else worked on it.",
        "Everything is right but the push by --force.",
    ],
)
def test_nothing_is_right_that_the_reviewer_does_not_call_so(feedback: str) -> None:
    assert RIGHT not in lesson(RUN, "fail", feedback=feedback).guidance


def test_an_edit_that_the_reviewer_calls_right_is_not_what_was_wrong() -> None:
    run = [
        *edit("src/blit.rs", "x as u8", "u8::try_from(x).unwrap_or(u8::MAX)"),
        *edit("src/lib.rs", "mod blit;", "#![allow(clippy::all)]\nmod blit;"),
    ]
    told = lesson(run, "fail", feedback="Never allow a lint for the whole of lib.rs. The try_from edit is fine.")
    assert "try_from(x)" not in told.key_mistake
    assert f"{RIGHT}editing src/blit.rs" in told.guidance


def test_an_edit_by_a_command_is_told_as_the_command_whose_option_is_right() -> None:
    run = [*bash("sed -i --follow-symlinks 's/8080/9080/' sites/a.conf", "")]
    told = lesson(run, "fail", feedback="--follow-symlinks is what we want, but a.conf was not the only one.")
    assert "`sed -i --follow-symlinks 's/8080/9080/' sites/a.conf`" in told.guidance


def test_what_the_reviewer_says_had_worked_is_found_by_what_they_say_of_it() -> None:
    chain = "cat certs/leaf.pem certs/issuing.pem > /tmp/chain.pem && openssl s_server -cert /tmp/chain.pem"
    run = [
        *bash(chain, "ACCEPT"),
        *bash("python3 client.py --verify", "ok"),
        *edit("client.py", "ctx = default()", "ctx = default(); ctx.load('certs/issuing.pem')"),
    ]
    feedback = (
        "The server has to send the leaf plus the issuing certificate. You even had that working. Undo client.py."
    )
    assert f"{RIGHT}`{chain}`" in lesson(run, "fail", feedback=feedback).guidance
    other = "You even had a plan for that. The server has to send the leaf plus the issuing certificate."
    assert RIGHT not in lesson(run, "fail", feedback=other).guidance


CONFIG = [
    *edit("eslint.config.mjs", "export default [base]", 'export default [{ ignores: ["dist/**"] }, base]'),
    *edit("eslint.config.mjs", '{ ignores: ["dist/**"] }, base', '{ ...base, ignores: ["dist/**"] }'),
]


def test_an_act_that_the_reviewer_calls_right_by_its_number() -> None:
    told = lesson(
        CONFIG, "fail", feedback="`npx eslint .` still fails. Your first version was right, the tidied one is not."
    )
    assert f"{RIGHT}editing eslint.config.mjs (`export default [base]`" in told.guidance
    other = lesson(CONFIG, "fail", feedback="`npx eslint .` still fails. Your fourth version was right.")
    assert RIGHT not in other.guidance


def test_the_check_whose_output_the_reviewer_speaks_of() -> None:
    check = 'for b in feat/export feat/ical; do echo "$b: $(git cherry main $b)"; done'
    run = [
        *bash(check, "feat/export: - 1a2b\nfeat/ical: + 3c4d"),
        *bash("git branch -D feat/export feat/ical", "Deleted branch feat/ical"),
    ]
    feedback = "You deleted feat/ical although your own check printed + for it. A + means keep and list it."
    assert f"{RIGHT}`{check}`" in lesson(run, "fail", feedback=feedback).guidance

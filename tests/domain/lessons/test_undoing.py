"""A step that a run took back is not what worked, nor is the step that took it back."""

from __future__ import annotations

from tests.domain.lessons.test_rework import FAILED, lesson, ran


def test_a_setting_that_was_taken_back_after_a_failure_is_not_told() -> None:
    told = lesson(
        ran("git config protocol.file.allow always"),
        ran("git submodule update --init", "fatal: transport 'file' not allowed", failed=True),
        ran("git -c protocol.file.allow=always submodule update --init"),
        ran("git config --unset protocol.file.allow; git status --short"),
    )
    assert told.correct_action.startswith("`git -c protocol.file.allow=always submodule update --init`")
    assert "git config" not in told.correct_action


def test_a_package_that_was_removed_again_had_no_part_in_the_repair() -> None:
    told = lesson(FAILED, ran("cpanm Shop"), ran("cpanm --uninstall Shop"), ran("cpanm Shop::Price"), ran("prove t"))
    assert "`cpanm Shop::Price`" in told.correct_action
    assert "`cpanm Shop`" not in told.correct_action
    assert "--uninstall" not in told.correct_action


def test_what_was_only_cleaned_up_in_the_end_is_told_without_the_cleaning_up() -> None:
    told = lesson(ran("docker compose up -d db"), ran("make seed"), ran("docker compose down"))
    assert told.correct_action == "`docker compose up -d db`; `make seed`"


def test_of_a_command_that_ran_in_another_form_later_the_last_form_is_told() -> None:
    told = lesson(ran("go test ./..."), ran("go test -tags=integration ./store"))
    assert told.correct_action == "`go test -tags=integration ./store`"


def test_of_commands_that_change_something_each_is_told() -> None:
    told = lesson(ran("npm install left-pad"), ran("npm install right-pad"))
    assert told.correct_action == "`npm install left-pad`; `npm install right-pad`"

"""A lesson keeps sentences that would guide the next run: rules, names, values, reasons, in any language."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_reflect.domain.lessons.drafting.extraction import extract_lesson
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import count_words, names_something, term_weights
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.support.linear_time import takes_linear_time
from tests.support.values import make_review, make_trace

Messages = list[dict[str, Any]]


def said(role: str, text: str) -> Messages:
    return [{"role": role, "content": text}]


def ran(command: str, output: str = "", *, failed: bool = False) -> Messages:
    use = {"type": "tool_use", "id": command, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": command, "content": output, "is_error": failed}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def told(messages: Messages, task: str, result: str = "pass", feedback: str = "") -> str:
    trajectory = parse([*said("user", task), *messages])
    trace = make_trace(task=task, trajectory=trajectory.text, tools_used=trajectory.tools_used)
    review = make_review(trace, 1, result=result, feedback=feedback)
    return render_reflection(extract_lesson(ParsedRun(trace, trajectory).reviewed(review)))


@pytest.mark.parametrize("report", ["All 3 tests pass.", "Migrations run again.", "Config check is green again."])
def test_how_things_stand_after_a_run_is_no_lesson(report: str) -> None:
    run = [*ran("alembic merge heads"), *said("assistant", f"{report} Two heads had the same parent `3f1a`.")]
    lesson = told(run, "Make the migrations run")
    assert "Two heads had the same parent `3f1a`." in lesson
    assert report not in lesson


def test_what_a_state_depends_on_is_a_lesson() -> None:
    run = [*ran("make test"), *said("assistant", "All 12 tests pass once PYTHONPATH names src.")]
    assert "once PYTHONPATH names src" in told(run, "Run the tests")


def test_what_worked_stands_before_why() -> None:
    run = [
        *ran("prove t", "Result: FAIL", failed=True),
        *ran("prove -lr t"),
        *said("assistant", "Plain `prove` never looks into folders below t. The rounding tests are in t/rounding."),
    ]
    assert told(run, "Run the tests").startswith("What worked: `prove -lr t`. `prove t` failed")


def test_what_the_user_ruled_stands_before_what_worked() -> None:
    run = [
        *ran("npm --prefix api test"),
        *said("user", "ok but never use --prefix here, it makes lock files in the packages"),
        *ran("npm test -w @shop/api"),
        *said("assistant", "The workspace is called `@shop/api`, which is the name in its package.json."),
    ]
    lesson = told(run, "Run the tests of the API")
    assert lesson.startswith("ok but never use --prefix here")
    assert "What worked: `npm test -w @shop/api`" in lesson


def test_what_the_user_had_taken_back_is_not_told_as_what_worked() -> None:
    run = [
        *ran("uv add --dev pytest"),
        *said("user", "bitte nimm das zurück, pytest steht schon in einer eigenen Gruppe"),
        *ran("git checkout -q pyproject.toml uv.lock"),
        *ran("uv run --group qa pytest"),
    ]
    lesson = told(run, "Run the tests with uv")
    assert "What worked: `uv run --group qa pytest`" in lesson
    assert "uv add" not in lesson
    assert "git checkout" not in lesson


def test_a_change_of_branch_takes_nothing_back() -> None:
    run = [*ran("make release"), *said("user", "now go back to main"), *ran("git checkout main")]
    assert "`make release`" in told(run, "Build the release")


def test_a_conversation_with_more_to_say_than_fits_leaves_out_what_is_about_nothing_special() -> None:
    facts = [f"The `{name}` cache keeps {n} entries of {name} for region {n}." for n, name in enumerate("abcdefgh" * 5)]
    talk = [turn for fact in facts for turn in said("user", f"{fact} That kind of test would cement the behavior.")]
    asked, done = said("assistant", "How do the caches work?"), said("assistant", "Done, with a cache for each region.")
    lesson = told([*asked, *talk, *done], "Set up the caches.")
    assert "entries of b" in lesson
    assert "cement" not in lesson


CHAT = [
    "I vaguely recall that the `Cache` class felt like a grab bag, which is a pity.",
    "It was such a relief that `a8fad5e` and `7bd0d48` really made the whole thing so much nicer for us.",
    "Did the `pyupgrade` pass catch all of the old formatting, or mostly the print statements in `tests`?",
]


def test_a_conversation_with_much_to_say_keeps_rules_and_leaves_out_who_says_how_they_find_things() -> None:
    rule = "For 3.13+, we loosen the comparison of tracebacks to structural correctness, not pixel-perfect replication."
    facts = [f"The `{name}` parser reads {n} tokens of {name} in mode {n}." for n, name in enumerate("abcdefgh" * 5)]
    talk = [turn for fact in facts for turn in said("assistant", fact)]
    chat = [turn for text in CHAT for turn in said("assistant", text)]
    lesson = told([*talk[:20], *chat, *said("assistant", rule), *talk[20:]], "How is text parsed?")
    assert rule in lesson
    assert not [text for text in CHAT if text in lesson]


def test_a_run_that_says_little_keeps_a_short_fact() -> None:
    run = [*ran("sqlite3 shop.db < fix.sql"), *said("assistant", "The translation had lost %d.")]
    assert "The translation had lost %d." in told(run, "Repair the catalogue")


def test_a_commit_is_no_name_that_a_later_run_needs() -> None:
    assert not names_something("That was fixed back then (commit 75cd86b).")
    assert term_weights("Fixed in `a8fad5e`, not in `8fa1d78`.").keys() == {"fix"}
    assert names_something("Use port 1234567.")


def test_a_reason_given_after_sympathy_is_a_policy() -> None:
    booked = {"function": {"name": "get_booking", "arguments": '{"id": "Q7XK2M"}'}, "id": "a", "type": "function"}
    run = [
        {"role": "assistant", "content": None, "tool_calls": [booked]},
        {"role": "tool", "tool_call_id": "a", "content": '{"fare": "saver"}'},
        *said("user", "I was promised more than that."),
        *said("assistant", "I understand your concern, but the compensation policy is set at $100 per passenger."),
    ]
    assert "The compensation policy is set at $100 per passenger." in told(run, "I want a refund")


@pytest.mark.parametrize("praise", ["nice work", "Good work, thanks a lot", "Looks good!"])
def test_praise_is_no_lesson(praise: str) -> None:
    assert told(said("assistant", "Done."), "Write a haiku", feedback=praise) == ""


def test_a_reviewer_who_names_something_is_kept_in_few_words() -> None:
    assert "Reviewer: use pnpm" in told(said("assistant", "Done."), "Install it", feedback="use pnpm")


RULES = {
    "German": "Ändere die Datei `db/schema.rb` nie von Hand, sondern erzeuge sie mit der Migration neu.",
    "Russian": "Всегда запускай линтер перед коммитом, иначе сервер отклонит изменения.",
    "Chinese": "请始终使用 pnpm 安装依赖，不要提交其他锁文件，否则流水线会失败。",
    "Japanese": "依存関係の更新後は必ず生成コードを再作成し、差分を確認してください。",
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_is_kept_in_any_language(rule: str) -> None:
    run = [*ran("make build"), *said("user", rule), *ran("make all")]
    assert rule in told(run, "Build the project")


def test_sentences_end_in_any_script() -> None:
    assert list(split_sentences("请始终使用 pnpm 而不是 npm。不要提交锁文件！")) == [
        "请始终使用 pnpm 而不是 npm。",
        "不要提交锁文件！",
    ]
    told = ["Всегда запускай тесты.", "Это правило проекта."]
    assert list(split_sentences(" ".join(told))) == told


def test_words_are_counted_in_any_script() -> None:
    assert count_words("不对") == 1
    assert count_words("не то") == 2
    assert term_weights("Überprüfe das, it's here").keys() >= {"überprüfe"}
    assert not term_weights("that's it, don't you've")


@pytest.mark.parametrize(
    "command", ["lua -v; ls /usr/bin/lua*", "openssl version; openssl pkcs12 -help 2>&1 | grep legacy"]
)
def test_looking_at_several_things_is_only_reading(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize("command", ["ls -a && uv run pytest", "cat a.sh | sh", "test -f a && rm a"])
def test_looking_before_doing_is_not_only_reading(command: str) -> None:
    assert not only_reads(command)


def test_a_rejected_edit_is_the_mistake_and_what_the_user_wants_instead_is_the_guidance() -> None:
    edit = {"file_path": "tsconfig.json", "old_string": '"strict": true', "new_string": '"strict": false'}
    use = {"type": "tool_use", "id": "e", "name": "Edit", "input": edit}
    done = {"type": "tool_result", "tool_use_id": "e", "content": "done"}
    run = [
        *ran("tsc -p .", "src/chart.ts(1,23): error TS7016: Could not find a declaration file", failed=True),
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [done]},
        *ran("tsc -p ."),
        *said("assistant", "The check passes now."),
        *said("user", "No, that hides it. Declare the module in types/tickmark.d.ts for now. I am off to lunch."),
    ]
    lesson = told(run, "The type check is red.", "fail")
    assert 'Mistake: Wrong or incomplete: editing tsconfig.json (`"strict": true` → `"strict": false`)' in lesson
    assert "after editing" not in lesson
    assert "tsc -p ." not in lesson  # what made the check pass was the mistake
    assert "Declare the module in types/tickmark.d.ts for now." in lesson
    assert "lunch" not in lesson
    reviewed = told(run, "The type check is red.", "fail", feedback="strict has to stay on")
    assert reviewed.startswith("Mistake: strict has to stay on\n  Wrong or incomplete: editing tsconfig.json")


def test_what_a_user_names_in_a_talk_that_failed_is_no_correction_of_work() -> None:
    talk = [*said("assistant", "Which card?"), *said("user", "The rest goes on the MasterCard of Ann.")]
    assert "MasterCard" not in told(talk, "Book a flight.", "fail")


def test_what_is_too_weak_to_be_told_leaves_no_room_for_remarks() -> None:
    rule = "The cache of `parse_date` must never hold more than 512 entries, because each keeps its whole input."
    plan = "We could add a test of `parse_date` with a broken zone, it would be good for maintainability. "
    remark = "The old tests were a light update."
    lesson = told(said("assistant", f"{rule} {remark} {plan * 12}"), "How are dates cached?")
    assert rule in lesson
    assert "maintainability" not in lesson
    assert remark not in lesson


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("Never use that phrase. du-form in German mails", "du-form in German mails"),
        ("use esc_html_e pls, plain echo is never accepted. text domain = plugin slug!", "text domain = plugin slug!"),
    ],
)
def test_what_a_user_says_beside_a_correction_is_told_with_it(words: str, kept: str) -> None:
    run = [
        *said("user", "Write the German mails of the plugin."),
        *said("assistant", "Here they are."),
        *said("user", words),
        *ran("make mails", "done"),
        *said("assistant", "Changed."),
    ]
    assert kept in told(run, "Write the German mails of the plugin.")


def test_thanks_and_what_points_back_are_not_told_beside_a_correction() -> None:
    words = "Never use that phrase. We tried it. Done?"
    run = [*said("user", "Write the mails."), *said("assistant", "Here."), *said("user", words)]
    lesson = told([*run, *ran("make mails", "done")], "Write the mails.")
    assert "We tried it" not in lesson
    assert "Done?" not in lesson


def test_what_an_agent_admits_in_the_end_of_a_failed_run_is_told() -> None:
    admits = "The lock was only three minutes old, so I should not have removed it."
    run = [*ran("terraform force-unlock 6b1f", "unlocked"), *said("assistant", f"The apply failed. {admits}")]
    assert admits in told(run, "Apply the change", "fail")
    earlier = [*said("assistant", admits), *ran("terraform apply", "done"), *said("assistant", "It is applied.")]
    assert admits not in told(earlier, "Apply the change", "fail")


def test_the_rows_of_a_table_are_sentences_of_their_own_and_its_head_is_none() -> None:
    rows = ["first | src/quote.ts, line 9", "second | src/main.ts, line 7"]
    text = "| bundle | source |\n|---|---|\n" + "".join(f"| {row} |\n" for row in rows)
    assert list(split_sentences(f"{text}\nThat is all.")) == [*rows, "That is all."]


def test_a_wide_row_of_a_table_takes_linear_time() -> None:
    assert takes_linear_time(lambda times: split_sentences(f"|{' ' * times}x"), 1_000)


@pytest.mark.parametrize(
    ("feedback", "is_first"),
    [("App team of the hall confirms that the build parses it", False), ("use pnpm here, never npm", True)],
)
def test_a_reviewer_who_only_says_how_it_went_stands_behind_what_was_learned(feedback: str, *, is_first: bool) -> None:
    cause = "R8 strips generic signatures from classes without a keep rule, so ApiResponse needs `-keep class Api`."
    run = [*ran("./gradlew :app:release --keep"), *said("assistant", cause)]
    lesson = told(run, "The release build crashes", feedback=feedback)
    assert (lesson.index(f"Reviewer: {feedback}") < lesson.index("R8 strips")) is is_first


@pytest.mark.parametrize(
    ("feedback", "is_told"),
    [
        ("ran 24 h on the bench, no hang", False),
        ("row counts fine over the weekend, thanks", False),
        ("ran it overnight, but never without --locked", True),
        ("Good again. Rule for the repo: no import path with dist in it.", True),
        ("ran fine since we set `LANG=C`", True),
        ("It holds since the cache is cleared daily", True),
        ("no errors again: the staging namespace is called stg-eu", True),
        ("Right: the staging namespace is called stg-eu, staging is the old cluster.", True),
    ],
)
def test_what_only_says_how_it_stood_later_is_not_told(feedback: str, *, is_told: bool) -> None:
    lesson = told([*ran("./gradlew :app:release --keep")], "The release build crashes", feedback=feedback)
    assert ("Reviewer: " in lesson) is is_told


def test_a_number_behind_its_abbreviation_ends_no_sentence() -> None:
    assert list(split_sentences("No build args for tokens, that was finding no. 2 in the pentest of May.")) == [
        "No build args for tokens, that was finding no. 2 in the pentest of May."
    ]

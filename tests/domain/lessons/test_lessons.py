"""A lesson quotes what a run decided, mended and did, and is empty where it did none of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.domain.lessons.drafting.extraction import LESSON_CHARS, extract_lesson
from mcp_reflect.domain.lessons.drafting.feedback import is_bare_verdict
from mcp_reflect.domain.lessons.failures import repairs
from mcp_reflect.domain.lessons.failures.failure_text import decisive_error
from mcp_reflect.domain.lessons.failures.repairs import find_repairs
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.lines import normalised, program_of
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.sentences.candidates import Turn
from mcp_reflect.domain.lessons.sentences.evidence import find_candidates
from mcp_reflect.domain.lessons.sentences.selection import select_sentences
from mcp_reflect.domain.lessons.sentences.splitting import LONGEST_SENTENCE, split_sentences
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.support.effort import examples
from tests.support.values import make_review, make_trace

Messages = list[dict[str, Any]]


def call(tool: str, arguments: dict[str, Any], output: str, *, failed: bool = False) -> Messages:
    use = {"type": "tool_use", "id": f"{tool}{arguments}", "name": tool, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": use["id"], "content": output, "is_error": failed}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def bash(command: str, output: str = "", *, failed: bool = False) -> Messages:
    return call("Bash", {"command": command, "description": "a step"}, output, failed=failed)


def edit(path: str, old: str, new: str) -> Messages:
    return call("Edit", {"file_path": path, "old_string": old, "new_string": new}, "done")


def said(*turns: tuple[str, str]) -> Messages:
    return [{"role": role, "content": text} for role, text in turns]


def lesson(
    messages: Messages | str, result: str = "pass", task: str = "Fix the login test", **fields: str
) -> ReflectionDraft:
    feedback = fields.pop("feedback", "")
    trajectory = parse(messages)
    trace = make_trace(task=task, trajectory=trajectory.text, tools_used=trajectory.tools_used, **fields)
    review = make_review(trace, 1, result=result, feedback=feedback)
    return extract_lesson(ParsedRun(trace, trajectory).reviewed(review))


# -- commands and repairs


def test_a_command_gives_way_to_one_that_ran_it_again_beside_what_it_had_lacked() -> None:
    """Its failure has no mark that is known here, so that it passes for a command that worked."""
    first = bash("pod install", "You have out-of-date source repos")
    found = lesson([*first, *bash("pod repo update && pod install", "Pod installation complete!")])
    assert found.correct_action == "`pod repo update && pod install`"


def test_commands_that_change_something_stay_beside_other_ones() -> None:
    found = lesson([*bash("npm install left-pad", "added 1 package"), *bash("npm install right-pad && npm test", "ok")])
    assert found.correct_action == "`npm install left-pad`; `npm install right-pad && npm test`"


def test_different_commands_that_worked_are_different_lessons() -> None:
    commands = ["docker compose up -d db", "uv sync --frozen", "make clean build"]
    texts = [render_reflection(lesson(bash(command), task="Set up the environment")) for command in commands]
    assert len(set(texts)) == len(commands)
    assert all(command in text for command, text in zip(commands, texts, strict=True))


def test_a_failed_command_is_told_with_its_error_and_the_edit_that_mended_it() -> None:
    run = [
        *bash(
            "pytest tests/test_auth.py", 'E   ImportError: cannot import name "jwt" from "auth"\n1 failed', failed=True
        ),
        *bash("grep -rn jwt src", "src/auth.py:3"),
        *edit("src/auth.py", "import jose", "from jose import jwt"),
        *bash("cd /repo && pytest tests/test_auth.py 2>&1 | tail -3", "3 passed"),
    ]
    told = lesson(run).correct_action
    assert 'ImportError: cannot import name "jwt" from "auth"' in told
    assert "src/auth.py (`import jose` → `from jose import jwt`)" in told
    assert "grep" not in told


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("all:\n    echo", "all:\n\techo", "(`    echo` → `\\techo`)"),
        ("import a\nimport b\n", "import b\nimport a\n", "(moving `import b` up)"),
    ],
)
def test_an_edit_of_blanks_or_of_the_order_is_told_as_such(old: str, new: str, told: str) -> None:
    run = [*bash("make", "Makefile:2: *** missing separator.", failed=True), *edit("Makefile", old, new), *bash("make")]
    assert told in lesson(run).correct_action


def test_a_failed_command_is_told_with_the_variant_that_worked() -> None:
    run = [*bash("npm test", 'npm ERR! Missing script: "test"', failed=True), *bash("npm run test:unit", "12 passing")]
    told = lesson(run).correct_action
    assert told.startswith("`npm run test:unit`. `npm test` failed: npm ERR! Missing script")


def test_a_failed_command_is_told_with_the_command_that_prepared_its_success() -> None:
    run = [
        *bash("pytest -q", "psycopg.OperationalError: connection refused", failed=True),
        *bash("docker compose up -d db", "started"),
        *bash("pytest -q", "8 passed"),
    ]
    assert lesson(run).correct_action == (
        "`pytest -q` after `docker compose up -d db`; before that it failed: "
        "psycopg.OperationalError: connection refused"
    )


def test_a_failure_that_nothing_mended_is_no_repair() -> None:
    run = [*bash("cargo build", "error[E0382]: use of moved value", failed=True), *bash("cargo --version", "1.95")]
    assert not list(find_repairs(find_steps(parse(run))))
    assert "E0382" in lesson(run[:2], "fail").key_mistake


def test_other_tools_are_told_with_the_values_that_worked() -> None:
    run = [
        *call(
            "update_flight",
            {"cabin": "economy", "flights": ["HAT290"]},
            "Error: not enough seats on HAT290",
            failed=True,
        ),
        *call("update_flight", {"cabin": "economy", "flights": ["HAT003"]}, '{"ok": true}'),
    ]
    told = lesson(run, task="Change my flight").correct_action
    assert "not enough seats on HAT290" in told
    assert 'flights=["HAT003"]' in told


def test_a_heading_in_a_log_is_no_command_of_root() -> None:
    printed = "# Handbook\nThe run folder needs its label.\n"
    mine = find_steps(parse(f"$ cat README\n{printed}$ make test\nok"))
    roots = find_steps(parse(f"# cat README\n{printed}# make test\nok"))
    assert [step.subject for step in mine] == [step.subject for step in roots] == ["cat README", "make test"]


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("env | grep PATH", True),
        ("kill %1 2>/dev/null; grep -n parent pom.xml", True),
        ("kill 4711; grep -n parent pom.xml", False),
        ("sudo env PATH=/opt/tex:$PATH tlmgr install biber 2>&1 | tail -4", False),
        ("env CI=1 make", False),
        ("dpkg -l | grep biber; kpsewhich biblatex.sty", True),
        ("ssh app-2 'grep -c x /etc/app.conf; cat deploy.sh' | tail -3", True),
        ("ssh app-2 'systemctl restart app'", False),
        ("for h in a b; do echo $h; ssh root@$h 'ip -br link | grep wg0; wg show'; done", True),
        ("for f in *.py; do sed -i s/a/b/ $f; done", False),
        ("pid=$(pidof broker); ls /proc/$pid/fd | wc -l; systemctl cat broker", True),
        ("path=$(make package); echo $path", False),
        ("git -C lib remote -v; git config --global --get-regexp url", True),
        ("git -C lib remote set-url origin a", False),
        ("git --no-pager -C lib log", True),
        ("sudo -u www-data cat /etc/app.conf", True),
        ("sudo ip link set wg0 mtu 1412", False),
        ("bash -c 'make install'", False),
        ("tar -tzf backup.tar.gz", True),
        ("tar -xzf backup.tar.gz", False),
        ("git shortlog -sn | head -40", True),
        ("ls migrations && cat migrate.sh && sqlite3 dev.db .schema", True),
        ("sqlite3 dev.db 'DROP TABLE invoices'", False),
        ("npm run", True),
        ("npm run build", False),
        ("rake -T", True),
        ("./gradlew tasks --all", True),
        ("python3 -m pip show flask", True),
        ("python3 -m pip install flask", False),
        ("git stash list", True),
        ("git stash", False),
        ("terraform providers 2>&1 | tail -12", True),
        ("terraform providers lock", False),
        ("docker buildx imagetools inspect app:v1", True),
        ("docker buildx build -t app:v1 .", False),
    ],
)
def test_commands_that_list_what_is_there_only_read(command: str, reads: bool) -> None:
    assert only_reads(command) is reads


def test_a_file_that_a_log_writes_by_a_here_document_is_told_as_an_edit() -> None:
    tox = "$ tox -e docs\ndocs: failed with sphinx-build is not allowed\nexit code: 1\n"
    log = f"{tox}$ cat >> tox.ini <<'EOF'\nallowlist_externals = sphinx-build\nEOF\n\n$ tox -e docs\ndocs: OK\n"
    assert "`tox -e docs` after editing tox.ini (+ `allowlist_externals = sphinx-build`)" in lesson(log).correct_action


def test_the_commands_of_a_log_are_read_behind_its_prompts() -> None:
    log = "$ make test\nValueError: unknown flag\n$ make test FLAGS=-v\n12 passed"
    told = lesson(log).correct_action
    assert "`make test` failed: ValueError: unknown flag" in told
    assert told.startswith("`make test FLAGS=-v`. ")


@pytest.mark.parametrize(
    ("errors", "decisive"),
    [
        (["Exit code: 1", "error[E0382]: use of moved value: `x`"], "error[E0382]: use of moved value: `x`"),
        (["FAILED tests/test_a.py::test_b", "E   KeyError: 'id'"], "KeyError: 'id'"),
        (["exit code 1"], ""),
        ([], ""),
    ],
)
def test_the_decisive_error_is_no_exit_code_and_no_summary(errors: list[str], decisive: str) -> None:
    assert decisive_error(errors) == decisive


def test_a_command_is_compared_without_what_only_arranges_it() -> None:
    assert normalised("cd /repo && pytest -q 2>&1 | tail -5") == "pytest -q"
    assert program_of("FOO=1 uv run pytest -q") == "pytest"
    assert program_of("python3 -m pytest -q") == "pytest"


# -- what was said

DECISION = said(
    ("user", "Exports to the ERP are corrupt. Can you look at the quoting?"),
    ("assistant", "I'll quote every field with standard CSV quotes."),
    (
        "user",
        'No, the ERP strips zeros even from quoted values. Values with a leading zero must be written as ="00042".',
    ),
    ("assistant", "Understood. And line endings?"),
    ("user", "Rows must end with CRLF, never with a bare newline."),
    ("assistant", 'Final rule: leading-zero values as ="..." text, minimal quoting for the rest, CRLF row endings.'),
    ("user", "Thanks, have a great day!"),
)


def test_decisions_are_kept_and_rejected_proposals_and_courtesies_are_not() -> None:
    text = render_reflection(lesson(DECISION, task="Exports to the ERP are corrupt. Can you look at the quoting?"))
    assert '="00042"' in text
    assert "CRLF" in text
    assert "minimal quoting" in text
    assert "quote every field" not in text
    assert "great day" not in text


def test_the_conclusion_of_a_passed_run_is_kept_and_that_of_a_failed_one_is_called_wrong() -> None:
    final = "The cache key lacked the tenant id, because normalize_key() dropped it."
    assert "tenant id" in render_reflection(lesson("", final_response=final))
    failed = lesson("", "fail", final_response=final)
    assert failed.key_mistake.startswith("Wrong or incomplete answer: ")
    assert "tenant id" in failed.key_mistake
    assert not failed.guidance


@pytest.mark.parametrize("result", ["pass", "fail"])
def test_the_reviewers_words_are_kept_verbatim(result: str) -> None:
    feedback = "Use `--no-cache`;  the flag\n--fast does not exist."
    assert feedback in "\n".join(
        lesson(DECISION, result, feedback=feedback).model_dump(include={"key_mistake", "guidance"}).values()
    )


def test_code_blocks_are_no_sentences_and_long_ones_are_split() -> None:
    text = "Run it so:\n```\nrm -rf build\n```\n- first item of the list\n" + "; ".join(
        ["a clause of some length"] * 40
    )
    sentences = list(split_sentences(text))
    assert "first item of the list" in sentences
    assert not any("rm -rf" in each for each in sentences)
    assert all(len(each) <= LONGEST_SENTENCE for each in sentences)


# -- what always holds

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300)


@settings(max_examples=examples(60), deadline=None)
@given(
    result=st.sampled_from(["pass", "fail"]),
    turns=st.lists(st.tuples(st.sampled_from(["user", "assistant"]), WORDS), max_size=6),
    commands=st.lists(st.tuples(WORDS, WORDS, st.booleans()), max_size=4),
    feedback=WORDS,
)
def test_any_run_gives_the_same_bounded_lesson_twice(
    result: str, turns: list[tuple[str, str]], commands: list[tuple[str, str, bool]], feedback: str
) -> None:
    run = said(*turns)
    for command, output, failed in commands:
        run += bash(command, output, failed=failed)
    first = lesson(run, result, feedback=feedback)
    assert first == lesson(run, result, feedback=feedback)
    without_feedback = lesson(run, result)
    assert len(render_reflection(without_feedback)) <= 3 * LESSON_CHARS
    assert first.is_empty <= (not feedback.strip() or is_bare_verdict(feedback.strip()))


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), WORDS), max_size=8), st.integers(0, 1_000))
def test_selected_sentences_keep_their_order_and_the_budget(turns: list[tuple[str, str]], budget: int) -> None:
    candidates = list(find_candidates([Turn(role, text) for role, text in turns]))
    chosen = select_sentences(candidates, "a task", budget)
    assert sum(len(each.text) + 1 for each in chosen) <= budget
    places = [candidates.index(each) for each in chosen]
    assert places == sorted(places)


def test_a_task_said_again_is_nothing_to_learn() -> None:
    task = "Please fix the flaky login test in the auth package."
    assert lesson(json.loads(json.dumps(said(("user", task)))), task=task).is_empty


def test_what_worked_is_told_as_such_where_nothing_went_wrong() -> None:
    assert render_reflection(lesson(bash("uv sync --frozen"))).startswith("What worked: `uv sync --frozen`")
    failed = lesson(
        [*bash("uv sync", "error: no lock", failed=True), *bash("uv sync --frozen")],
        "fail",
        feedback="It takes too long.",
    )
    told = render_reflection(failed)
    assert told.startswith("Mistake: It takes too long.")
    assert told.endswith("`uv sync` failed: error: no lock. Then ran through, rightly or not: `uv sync --frozen`"), (
        "not that it mends that"
    )


def test_a_failed_run_with_feedback_keeps_the_error_it_ended_in() -> None:
    run = bash("cargo build", "error[E0382]: use of moved value", failed=True)
    told = lesson(run, "fail", feedback="It does not build.")
    assert told.key_mistake == "It does not build."
    assert "`cargo build` failed: error[E0382]: use of moved value" in told.guidance


def test_a_long_run_of_failures_compares_each_with_those_near_it_only(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    is_retry = repairs.is_retry
    monkeypatch.setattr(repairs, "is_retry", lambda *steps: compared.append(1) or is_retry(*steps))
    run = [part for n in range(400) for part in bash(f"tool{n} build alpha{n}", f"error: {n}", failed=True)]
    assert not list(find_repairs(find_steps(parse(run))))
    assert len(compared) <= 400 * 60


@pytest.mark.parametrize(
    "feedback",
    [
        "reward 0.0",
        "Failed.",
        "score: 1/5",
        "the run passed",
        "0",
        "no",
        "Nope!",
        "Falsch.",
        "неверно",
        "不对",
        "that's wrong",
    ],
)
def test_a_verdict_said_again_is_no_lesson(feedback: str) -> None:
    assert is_bare_verdict(feedback)
    assert lesson([], "fail", feedback=feedback).is_empty


@pytest.mark.parametrize(
    "feedback",
    ["", "run 12", "no such region", "failed: 3 of 5 in test_total", "reward 0.0, wrong flag", f"failed {'1' * 90} x"],
)
def test_words_beside_a_verdict_are_kept(feedback: str) -> None:
    assert not is_bare_verdict(feedback)


def test_what_somebody_has_or_feels_is_no_lesson() -> None:
    turns = [
        ("user", "I want to change the date of my flight."),
        ("assistant", "Which reservation is it?"),
        ("user", "I don't have the reservation ID on me right now, my user ID is ann_1."),
        ("assistant", "Basic economy tickets cannot be changed, only cancelled within 24 hours of the booking."),
        ("user", "Unfortunately, I was out of town. Thank you for your help."),
    ]
    said: Messages = [{"role": role, "content": text} for role, text in turns]
    words = render_reflection(lesson([*said[:3], *bash("find-booking ann_1", "ECONOMY"), *said[3:]]))
    assert "cannot be changed" in words
    assert "on me right now" not in words
    assert "out of town" not in words
    assert "Thank you" not in words


def test_what_a_user_rules_out_and_what_they_want_instead_stand_together() -> None:
    correction = (
        "stop. never edit a migration that is already on main, staging has run it. "
        "add a new revision with alembic revision -m instead"
    )
    told = lesson(
        [
            *edit("migrations/c41f.py", "nullable=False", "nullable=True"),
            *said(("assistant", "I made the column nullable in c41f."), ("user", correction)),
            *bash("git checkout migrations/c41f.py && alembic revision -m 'phone nullable'", "Generating e19b.py"),
            *edit("migrations/e19b.py", "pass", 'op.alter_column("contacts", "phone", nullable=True)'),
            *bash("alembic upgrade head && pytest -q tests/test_contacts.py", "9 passed"),
            *said(("assistant", "The column becomes nullable in the new revision e19b.")),
        ],
        task="the phone column on contacts should be nullable",
    )
    assert correction.removeprefix("stop. ") in f"{told.summary}\n{told.guidance}"

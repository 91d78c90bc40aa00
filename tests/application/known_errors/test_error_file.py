"""The lines of reflexion.jsonl: nothing is lost on the way in and out, and broken lines say what is wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.application.known_errors.importing import errors_in, import_errors, matched, plan
from mcp_reflect.application.known_errors.records import MOST_EVIDENCE, compose_error, with_edit, with_recurrence
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import ErrorFix
from mcp_reflect.domain.error_matching.reflexion_file import render_line
from mcp_reflect.domain.error_matching.reflexion_lines import BrokenLine, ErrorLine, has_merge_conflict, read_lines
from mcp_reflect.domain.models import Memory
from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.values import Vector
from tests.support.composition import small_memory
from tests.support.values import moment

PROFILE = Profile(project="alpha", user="ann", scope="project", similarity_threshold=0.0, relevance_threshold=0.0)

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30).filter(
    lambda each: redact(each) == each
)
# ["PW", "000000A0"] names a secret
texts = st.lists(text, max_size=3).filter(lambda each: redact_json(each) == each)
value = st.one_of(text, st.integers(-9, 9), st.booleans(), st.none(), texts)
lines = st.fixed_dictionaries(
    {
        "ts": st.one_of(
            st.datetimes(timezones=st.just(UTC)).map(lambda t: t.isoformat()),
            st.just("2025-10-30T14:23:45+09:00"),
            st.just("yesterday"),
        ),
        "task": text.filter(bool),
        "mistake": text.filter(str.strip),
        "evidence": text,
        "rule": text,
        "fix": text,
        "tests": texts,
        "status": st.sampled_from(["adopted", "active", "deprecated", "proposed"]),
    },
    optional={"owner": value, "nested": st.dictionaries(text, value, max_size=2), "severity": st.integers(0, 5)},
)


def read_one(line: dict[str, Any] | str) -> ErrorLine:
    found = [each for _, each in read_lines(line if isinstance(line, str) else json.dumps(line))]
    assert len(found) == 1
    assert isinstance(found[0], ErrorLine), found
    return found[0]


def stored(line: ErrorLine) -> Memory:
    return compose_error(line, PROFILE, "trace_1", moment(), "import")


def said(line: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(line)
    return fields


@given(lines)
def test_a_line_comes_out_as_it_went_in(line: dict[str, Any]) -> None:
    assert said(render_line(stored(read_one(line)), with_id=False)) == line


@given(lines)
def test_what_was_written_is_read_as_the_same_error(line: dict[str, Any]) -> None:
    memory = with_recurrence(stored(read_one(line)), read_one(line | {"fix": "another", "evidence": "more to say"}))
    again = read_one(render_line(memory, with_id=True))
    assert again.memory_id == memory.id
    assert with_edit(memory, again) == memory


@given(lines, lines)
def test_a_recurrence_loses_nothing(first: dict[str, Any], later: dict[str, Any]) -> None:
    known, again = stored(read_one(first)), read_one(later)
    memory = with_recurrence(known, again)
    assert memory.recurrences == known.recurrences + 1
    assert memory.correct_action == (again.fix or known.correct_action)
    assert any(known.correct_action in kept for kept in (memory.correct_action, *memory.evidence))
    assert any(known.guidance in kept for kept in (memory.guidance, *memory.evidence))
    assert set(known.evidence) <= set(memory.evidence)
    assert set(memory.tests) == set(known.tests) | set(again.tests)


def test_a_memory_shows_its_first_evidence_and_the_latest() -> None:
    memory = stored(read_one({"mistake": "m", "evidence": "the first"}))
    names = [chr(ord("a") + n) * 5 for n in range(26)]
    for name in names:
        memory = with_recurrence(memory, read_one({"mistake": "m", "evidence": name}))
    assert memory.evidence == ("the first", *names[-(MOST_EVIDENCE - 1) :])


def test_evidence_that_differs_in_numbers_only_is_kept_once() -> None:
    memory = stored(read_one({"mistake": "m", "evidence": "timeout after 3 s at /a/b.py:7"}))
    memory = with_recurrence(memory, read_one({"mistake": "m", "evidence": "timeout after 9 s at /c/d.py:1"}))
    assert memory.evidence == ("timeout after 3 s at /a/b.py:7",)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ('"text"', "no JSON object"),
        ('{"task": "t"}', "mistake is missing"),
        ('{"mistake": " "}', "mistake is missing"),
        ('{"mistake": 3}', "mistake is no text"),
        ('{"mistake": "m", "tests": {"a": 1}}', "tests is no list"),
        ('{"mistake": "m", "tests": [1]}', "tests is no list"),
        ('{"mistake": "m", "status": 1}', "status is no text"),
        ('{"mistake": "m", "recurrences": -1}', "recurrences"),
        ('{"mistake": "m", "metadata": {"a": {"b": 1}}}', "metadata"),
        ('{"mistake": "m", "x": NaN}', "no JSON"),
        ('{"mistake": "m", "x": 1e999}', "too large"),
        ('{"mistake": "m\\u0000"}', "NUL"),
        ('{"mistake": "\\ud800"}', "surrogate"),
        (json.dumps({"mistake": "m", "x": "y" * 20_000}), "16 kB"),
        (json.dumps({"mistake": "m" * 20_000}), "16,000 are allowed"),
        ("[" * 100_000, "no JSON"),
        ('{"mistake": "m", "x": ' + "[" * 600 + "]" * 600 + "}", "nested deeper than 100 levels"),
    ],
)
def test_a_broken_line_is_told_by_its_number(line: str, problem: str) -> None:
    found = list(read_lines(f'\n{{"mistake": "fine"}}\r\n{line}\n'))
    assert [number for number, _ in found] == [2, 3]
    broken = found[1][1]
    assert isinstance(broken, BrokenLine)
    assert (broken.number, broken.text) == (3, line)
    assert problem in broken.problem


def test_hand_written_lines_may_leave_out_what_is_obvious() -> None:
    line = read_one('\ufeff{"mistake": "m", "tests": "run it", "evidence": null, "status": null}')
    assert (line.task, line.tests, line.evidence, line.status, line.created_at) == (
        "m",
        ("run it",),
        (),
        "active",
        None,
    )


def test_secrets_in_a_line_are_replaced() -> None:
    line = read_one({"mistake": "m", "fix": "export GITHUB_TOKEN=ghp_" + "a1B2" * 9, "note": "password=hunter2hunter2"})
    assert "ghp_" not in line.fix
    assert "hunter2hunter2" not in str(line.metadata)


def test_unfinished_merges_are_seen() -> None:
    assert has_merge_conflict('{"mistake": "a"}\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n')
    assert not has_merge_conflict('{"mistake": "a", "evidence": "<<<<<<< HEAD"}\n')


@given(st.lists(lines, max_size=8))
def test_importing_the_same_lines_again_stores_nothing(many: list[dict[str, Any]]) -> None:
    read = [read_one(line) for line in many]
    first = [each.memory for each in plan(read, matched(read, []), PROFILE, moment(), "import")]
    assert len(first) == len(many)
    assert plan(read, matched(read, first), PROFILE, moment(9), "import") == []


@given(st.lists(lines, min_size=1, max_size=6, unique_by=lambda line: (line["ts"], line["task"], line["mistake"])))
def test_a_line_that_was_edited_is_the_same_error(many: list[dict[str, Any]]) -> None:
    read = [read_one(line) for line in many]
    memories = [each.memory for each in plan(read, matched(read, []), PROFILE, moment(), "import")]
    again = [read_one(many[0] | {"fix": "something else", "status": "deprecated"}), *read[1:]]
    if again[0].created_at is None:
        return
    planned = plan(again, matched(again, memories), PROFILE, moment(9), "import")
    changed = [each for each in planned if each.before is None]
    assert changed == []
    assert [each.memory.correct_action for each in planned] == ["something else"]


def test_an_import_sees_what_was_recorded_while_it_embedded(tmp_path: Path) -> None:
    fields = {"task": "deploy", "mistake": "the disk was full", "fix": "rotate the logs"}
    with small_memory(tmp_path) as parts:
        embed, said = parts.embedder.embed, [ErrorFix(**fields)]

        def interrupted(texts: Sequence[str]) -> Vector:
            if said:
                parts.memory.record_error(said.pop())
            return embed(texts)

        parts.embedder.embed = interrupted  # type: ignore[method-assign]
        profile = parts.memory.profile
        done = import_errors(json.dumps(fields), parts.ledger, parts.embedder, profile, lambda: moment(99))
        assert (done.added, done.changed, done.unchanged) == (0, 0, 1)
        with parts.ledger.reading() as session:
            assert len(errors_in(session, profile)) == 1

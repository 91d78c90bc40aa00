"""A secret that one part of a run tells goes from all of its words."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.redaction.run_secrets import redact_run, redact_trajectory
from mcp_reflect.domain.trajectory.parsing import parse

SECRET = "two!Penguins"


def messages(output: str, last: str) -> list[dict[str, object]]:
    return [
        {"role": "user", "content": "Mend the sync"},
        {"role": "tool", "tool_call_id": "c", "content": output},
        {"role": "assistant", "content": last},
    ]


@pytest.mark.parametrize("secret", [SECRET, "otter-velvet-saddle-thunder", "aZ3kQ9vLm2XsT7bWc5Rd", "kP9-xw2T.qZ7"])
@pytest.mark.parametrize("as_text", [False, True])
def test_a_named_secret_goes_from_words_that_do_not_name_it(secret: str, as_text: bool) -> None:
    run = messages(f"DB_PASSWORD={secret}\nDB_HOST=db1", f"I logged in with {secret}, and it works.")
    given = parse(json.dumps(run) if not as_text else f"cat .env\nDB_PASSWORD={secret}\nThen {secret} worked.")
    words = {"task": f"See whether {secret} works", "metadata": {"note": [secret], f"k {secret}": 1}}
    redacted = redact_run(given, words)
    assert secret not in redacted.trajectory.text
    assert secret not in json.dumps(redacted.words)
    assert parse(redacted.trajectory.text) == redacted.trajectory
    assert redacted.words["task"] == "See whether [redacted:secret] works"


def test_a_secret_in_other_words_goes_from_the_trajectory() -> None:
    given = parse(messages("connected", f"I typed {SECRET} there."))
    assert SECRET not in redact_run(given, {"feedback": f"the password is {SECRET}"}).trajectory.text


@pytest.mark.parametrize("word", ["postgres", "admin", "changeme", "hunter2", "build/output/file123.json", "12345678"])
def test_a_word_that_is_a_secret_only_beside_its_name_stays_elsewhere(word: str) -> None:
    run = redact_trajectory(parse(messages(f"DB_PASSWORD={word}", f"The image {word} is up.")))
    assert f"The image {word} is up." in run.text


def test_a_short_secret_stays_inside_of_other_words() -> None:
    run = redact_trajectory(parse(messages("DB_PASSWORD=two!Owls7", "See two!Owls77x and two!Owls7.")))
    assert "two!Owls77x and [redacted:secret]." in run.text


def test_a_run_without_secrets_is_given_back_as_it_is() -> None:
    given = parse(messages("ok", "done"))
    words = {"task": "Mend", "alpha": 0.3, "claims": ("a",)}
    assert redact_run(given, words) == (given, words)

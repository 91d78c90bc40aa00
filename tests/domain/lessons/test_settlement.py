"""What a talk settles is told, and what was only considered, replaced or explained in it is not."""

from __future__ import annotations

import pytest

from tests.domain.lessons.test_talk import lesson_of

TASK = "The nightly export is too slow. Make it faster."


def test_a_short_answer_is_told_with_its_question() -> None:
    lesson = lesson_of(
        TASK,
        "Does the critical alert wait for 30 minutes, too?",
        "no, 5m",
        "Applied to all nodes?",
        "only role=broker.",
    )
    assert "Does the critical alert wait for 30 minutes, too? no, 5m" in lesson
    assert "Applied to all nodes? only role=broker." in lesson


def test_of_a_proposal_it_tells_what_was_accepted() -> None:
    lesson = lesson_of(
        TASK,
        "Batches are the usual way. I propose batches of 500 rows with `COPY`.",
        "ok do it. And never lock the table.",
        "Done, `export.py` writes batches of 500 rows.",
    )
    assert "`export.py` writes batches of 500 rows." in lesson
    assert "Never lock the table." in lesson


@pytest.mark.parametrize(
    ("answer", "settled"),
    [
        ("no, make it 200 rows, 500 locks up the standby.", "200 rows"),
        ("200 rows and not 500, please: the standby lags.", "200 rows and not 500"),
    ],
)
def test_a_value_that_the_user_replaced_is_not_told_as_settled(answer: str, settled: str) -> None:
    lesson = lesson_of(TASK, "I propose batches of 500 rows, should I?", answer, "OK, batches of 200 rows.")
    assert settled in lesson
    assert "I propose batches of 500" not in lesson


def test_an_earlier_ruling_gives_way_to_its_amendment() -> None:
    lesson = lesson_of(
        TASK,
        "Which timeout does the exporter need?",
        "Lower the timeout to 500 ms.",
        "The checksum alone takes 640 ms without a pause.",
        "Ah. Then make it 800 ms.",
        "The timeout is 800 ms now.",
    )
    assert "The timeout is 800 ms now." in lesson
    assert "500 ms" not in lesson


def test_who_of_several_users_rules_is_a_user() -> None:
    lesson = lesson_of(
        "Mara: the address column is to be split",
        "I'd backfill in batches of 10k. How long a pause?",
        "Olek: 5k rows with a pause of 200 ms",
        "Batches of 5k rows with a pause of 200 ms.",
    )
    assert "Batches of 5k rows with a pause of 200 ms." in lesson


def test_who_speaks_of_themselves_is_named() -> None:
    lesson = lesson_of(
        "Bence: anybody may merge a change to `data/pricing/`",
        "I can add an owner of `data/pricing/`. Who should own it?",
        "Ingrid: I sign off every price that moves more than 25 percent",
        "Added to CONTRIBUTING.",
    )
    assert "Ingrid: I sign off every price that moves more than 25 percent" in lesson


def test_who_begins_with_an_amount_may_begin_sentences_small() -> None:
    lesson = lesson_of(TASK, "Polling every 10 s? Who may run it?", "10 s is fine. only from CI, never from a laptop")
    assert "only from CI, never from a laptop" in lesson


@pytest.mark.parametrize(
    "talk",
    [
        (
            "When does Postgres use an index?",
            "The planner compares costs; `random_page_cost` is 4 by default. An index only helps where few rows match.",
            "And a partial index?",
            "`CREATE INDEX ON jobs (id) WHERE NOT done` must never hold more rows than are open.",
            "Awesome, learned something today.",
        ),
        (
            "Should we move to a monorepo?",
            "Every change would be atomic across services. You could use Bazel, which only pays for many languages.",
            "Bazel scares me.",
            "Turborepo can run any script with a cache, but never knows the graph of Go.",
            "Hmm. Let's sleep on it until Monday.",
        ),
        (
            "Rate limit the public API, 50 requests a second.",
            "I'd use a token bucket with 50 requests a second, always per key. Should I?",
            "yes, 50 per key",
            "Done: 50 requests per key in `gateway.yml`.",
            "hm, forget what I said. nothing changes for now.",
        ),
    ],
    ids=["explained", "left open", "taken back"],
)
def test_a_talk_that_settles_nothing_makes_no_memory(talk: tuple[str, ...]) -> None:
    assert lesson_of(*talk) == ""


def test_what_was_explained_gives_way_to_what_was_settled() -> None:
    explained = (
        "In general a queue always decouples a producer from its consumers, and the broker keeps what is unread."
    )
    lesson = lesson_of(
        TASK, f"{explained} RabbitMQ or Kafka?", "Kafka, we have it already", "Kafka, then. Added `export.q`."
    )
    assert "Kafka" in lesson
    assert explained not in lesson

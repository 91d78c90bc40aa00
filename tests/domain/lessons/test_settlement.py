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


def test_what_a_user_excepts_from_a_proposal_is_not_told_as_settled() -> None:
    lesson = lesson_of(
        "How should the importer log?",
        "One line per file, with its size. I'd also mask half of the file names.",
        "fine except the masking, the harbours look for names.",
        "Added to importer.py: one line per file, all names as they are.",
    )
    assert "one line per file, all names as they are." in lesson
    assert "I'd also mask half" not in lesson


def test_a_name_that_the_user_wants_left_out_is_not_told_as_settled() -> None:
    lesson = lesson_of(
        "Wie heißen die Tags?",
        "Vorschlag: z. B. `release/2024-05`.",
        "Ohne release/. Nur `v2024-05`, sonst findet der Mirror sie nicht.",
        "Also: `v2024-05`, ohne Präfix.",
        "passt",
    )
    assert "`v2024-05`, ohne Präfix." in lesson
    assert "release/2024-05" not in lesson


def test_a_decision_to_stay_is_told_and_what_it_takes_back_is_not() -> None:
    lesson = lesson_of(
        "I think all reports should move from Jasper to LaTeX.",
        "LaTeX sets tables better. How many reports are there?",
        "about 9. ok, new ones in LaTeX",
        "New reports are written in LaTeX from now on, the 9 old ones stay.",
        "wait, only Jasper runs at the customer's. forget it, we stay with Jasper.",
        "Nothing changes then: Jasper for all reports.",
    )
    assert "we stay with Jasper." in lesson
    assert "only Jasper runs at the customer's." in lesson
    assert "written in LaTeX" not in lesson


def test_an_answer_is_told_without_a_question_that_it_does_not_answer() -> None:
    lesson = lesson_of(
        "In which format do we export the berths?",
        "GeoJSON is read by every map, GML by the authority. Do you need heights, too?",
        "GeoJSON then. And never round the positions.",
        "So: GeoJSON, positions are not rounded.",
    )
    assert "GeoJSON, positions are not rounded." in lesson
    assert "heights" not in lesson


def test_a_yes_or_no_is_told_with_its_question() -> None:
    lesson = lesson_of(
        TASK,
        "May the export be started by the website?",
        "no, via cron and by hand is enough",
        "OK. Added to export.md: started by cron and by hand only.",
    )
    assert "May the export be started by the website? no, via cron and by hand is enough" in lesson


def test_what_is_recorded_at_the_end_is_told() -> None:
    lesson = lesson_of(
        "who signs the harbour permits now?",
        "The handbook names Wilma.",
        "she left. Jonte does it, with a scan",
        "Updated handbook.md: permits are signed by Jonte, with a scan.",
        "good. never trust a handbook, haha",
    )
    assert "permits are signed by Jonte" in lesson
    assert "never trust" not in lesson


def test_a_fact_of_the_project_that_the_user_takes_up_is_told() -> None:
    lesson = lesson_of(
        "what do I call to reset my test data?",
        "The Makefile has a target for it: make reset-berths, which takes 20 seconds.",
        "ok so make reset-berths it is, never the SQL by hand again",
        "Agreed.",
    )
    assert "make reset-berths" in lesson


def test_no_name_of_a_speaker_is_read_into_a_label() -> None:
    lesson = lesson_of(
        "Which level for a lost berth?",
        "Warning: I'd say, because a retry finds it. Or an error?",
        "error, somebody has to look. `level=error` in berths.yml",
        "Done: berths.yml has level=error for a lost berth.",
    )
    assert "Done: berths.yml has level=error for a lost berth." in lesson
    assert "Warning: I'd say" not in lesson


def test_what_was_settled_before_somebody_thought_better_of_it_is_not_told() -> None:
    lesson = lesson_of(
        "Agree on an on-call rotation for the platform team.",
        "Follow the sun: Manila takes 00:00-08:00 UTC, Porto the rest, weekly shifts.",
        "sounds good, go with it",
        "Settled: follow the sun, Manila 00:00-08:00 UTC every day, weekly handover on Monday.",
        "hm, I talked to Manila: HR says max one week in four. So that's off.",
        "Then a single weekly rotation across all 7.",
        "Good. Final: weekly rotation over all 7, handover Tuesday 09:00 UTC.",
        "Final: weekly rotation over all 7, handover Tuesday 09:00 UTC.",
    )
    assert "weekly rotation over all 7, handover Tuesday 09:00 UTC" in lesson
    assert "follow the sun" not in lesson.lower()


def test_after_all_in_a_confirmation_takes_nothing_back() -> None:
    lesson = lesson_of(
        "Name the flag for the row limit.",
        "I'd call the flag --max-rows, as in the importer.",
        "yes. --max-rows must be kept as it is: it is a public name after all.",
        "Then --max-rows stays, and it is documented in docs/flags.md.",
    )
    assert "--max-rows must be kept as it is" in lesson

"""What an agent says right before it does something is told better by what it did."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.sentences.announcements import announces, guesses, without_announcement


@pytest.mark.parametrize(
    "said",
    [
        "Let me run the tests.",
        "First suspicion: the keys differ in staging.",
        "First quick idea: keep tests of one file together.",
        "Logs and lag first.",
        "Next try: create the folder inside the recipe and drop it as a prerequisite.",
        "Quick try with autoescape=True.",
        "Then pad the array to four fields.",
        "Comparing with the role's trust policy.",
        "Now removing it for this location.",
        "Ich schaue mir den Fehler an.",
        "Zuerst lese ich die Struktur.",
        "Je vérifie d'abord la configuration.",
        "Vou pegar o stack trace do aparelho.",
        "Primero pruebo la opción recomendada.",
        "Leggo prima la notifica di scarto.",
        "Spróbuję najpierw z pipelining.",
        "healthcheck を追加します。",
    ],
)
def test_what_is_done_next_is_announced(said: str) -> None:
    assert announces(said)


@pytest.mark.parametrize(
    "said",
    [
        "Restart the API instead, because the cache is read once.",
        "Ich lasse die Spalte weg, weil sie doppelt zählt.",
        "Restarting the pod clears the cache.",
        "Never deploying it on Fridays.",
        "Der Port ist belegt.",
        "Je garde la version 2, car la 3 ne démarre pas.",
        "列は utf8mb3 のままです。",
        "The default charset only holds for new columns.",
    ],
)
def test_what_was_found_or_has_a_reason_is_not(said: str) -> None:
    assert not announces(said)


@pytest.mark.parametrize(
    "said", ["A fresher index might have a revision.", "Peut-être un cache de vues.", "Maybe assetPrefix is missing."]
)
def test_what_an_agent_takes_for_possible_is_a_guess(said: str) -> None:
    assert guesses(said)


@pytest.mark.parametrize("said", ["Orders may have several shipments.", "Only one of them may run.", "It is missing."])
def test_what_may_be_is_none(said: str) -> None:
    assert not guesses(said)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Saver is non-refundable; trying an ordinary cancellation first.", "Saver is non-refundable."),
        ("The option has nothing to do with it, removing it.", "The option has nothing to do with it."),
        ("Touching is wrong; ignoring by name would mute other sites.", None),
        ("The share goes to store credit; nothing to the card.", None),
        ("It fails when started by cron, missing its path.", None),
    ],
)
def test_the_end_of_a_sentence_that_announces_is_left_out(said: str, left: str | None) -> None:
    assert without_announcement(said) == (left or said)


@pytest.mark.parametrize(
    "title",
    ["Considering feature unification between builds", "Verifying the lock file.", "Recalculate with LibreOffice."],
)
def test_titles_of_thoughts_say_nothing(title: str) -> None:
    assert announces(title)


@pytest.mark.parametrize("said", ["Checking twice costs nothing: use a lock.", "Verifying is done by the hub only."])
def test_what_states_something_is_no_title(said: str) -> None:
    assert not announces(said)

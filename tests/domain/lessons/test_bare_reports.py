"""How things stand at the end of one run guides no other: a short report that names nothing to act on is left out."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.sentences.reports import (
    is_bare_report,
    remarks_only,
    reports_no_change,
    restates_change,
)
from tests.domain.lessons.test_lessons import bash, call, edit, lesson, said

CAUSE = "The pool was closed by the proxy after a minute, so `idle_timeout` is set to 50."
TASK = "Make `bin/serve` stay up"


@pytest.mark.parametrize(
    "report",
    [
        "It is up in 3.4 s.",
        "300 requests in a row are green again.",
        "`bin/serve` stays up now.",
        "All else is as it should be.",
        "The change is committed.",
    ],
)
def test_a_short_report_of_the_final_answer_is_left_out(report: str) -> None:
    run = [*edit("proxy.toml", "idle_timeout = 90", "idle_timeout = 50"), *said(("assistant", f"{CAUSE} {report}"))]
    told = lesson(run, task=TASK).guidance
    assert CAUSE in told
    assert report not in told


@pytest.mark.parametrize(
    "sentence",
    [
        "Never reload it by hand.",
        "Stays up once `keepalive` is on.",
        "Stays up because the proxy is warm.",
        "`keepalive` is on.",
        "The value is in conf/proxy.toml.",
        "It is up; the pool stays below the limit of the proxy.",
        "The file has a mark at its head: read it as text.",
        "The proxy closed the pool.",
        "There was no room on the disk.",
        "The package is in pool-extras.",
        "Der Server ist jetzt wieder erreichbar.",
        "It now stays up for as long as the proxy in front of it does.",
        "The default port is 8080.",
        "Deploys go to staging first.",
        "Pin numpy to version 1.26 for this.",
        "Restart the worker now, and after each change.",
        "The limit is 100 requests per minute.",
        "Refunds over 50 EUR go to the team lead.",
        "Dates are in UTC.",
        "Port 5432 is taken by another database.",
        "Python 3.12 drops the distutils module.",
        "The root cause is a missing index on orders.",
        "Flush the cache before running the tests.",
        "The server rejects dates with slashes.",
        "It works with Node 18, fails with Node 20.",
        "Tours over 4 hours are booked with lunch.",
        "Rooms 10 to 19 are on the quiet side.",
        "De limiet is 100 verzoeken per minuut.",
        "Raja on 100 pyyntöä minuutissa.",
        "Après chaque changement on redémarre le serveur.",
        "Si has cambiado la clave, reinicia el servidor.",
        "Limita are 100 de cereri pe minut.",
    ],
)
def test_what_rules_explains_or_names_something_is_no_bare_report(sentence: str) -> None:
    assert not is_bare_report(sentence, TASK)


def test_what_is_said_on_the_way_is_no_report() -> None:
    run = [
        *said(("assistant", "The proxy limits idle sockets to a minute.")),
        *edit("proxy.toml", "idle_timeout = 90", "idle_timeout = 50"),
        *said(("assistant", CAUSE)),
    ]
    assert "The proxy limits idle sockets to a minute." in lesson(run, task=TASK).guidance


def test_the_answer_to_a_question_is_no_report() -> None:
    run = [*bash("cat proxy.toml", "keep = 30"), *said(("assistant", "30 daily copies are kept."))]
    assert "30 daily copies are kept." in lesson(run, task="How long do we keep backups?").guidance


def test_what_another_sentence_hangs_on_stays() -> None:
    run = [
        *said(("user", TASK)),
        *bash("bin/serve", "closed"),
        *said(
            (
                "assistant",
                "The proxy closes idle connections. It does that after `idle_timeout` seconds, so it stays open.",
            )
        ),
    ]
    assert "The proxy closes idle connections." in lesson(run, task=TASK).guidance


def test_of_one_case_the_result_is_left_out_and_what_holds_for_others_stays() -> None:
    run = [
        *said(("user", "Please register the parcel of room 12")),
        *call("register_parcel", {"shelf": "cold", "room": "12"}, '{"parcel": "P-7781"}'),
        *said(
            (
                "assistant",
                "The parcel is registered as P-7781. Food goes to the cold shelf, and nothing heavier than 5 kg does.",
            )
        ),
    ]
    told = lesson(run, task="Please register the parcel of room 12").guidance
    assert "P-7781" not in told
    assert "Food goes to the cold shelf" in told


def test_of_one_case_a_report_without_a_number_may_say_how_such_cases_end() -> None:
    run = [
        *said(("user", "Please end my plan")),
        *call("end_plan", {"at": "period_end"}, "ok"),
        *said(("assistant", "The plan is kept to the end of the month.")),
    ]
    assert "kept to the end of the month" in lesson(run, task="Please end my plan").guidance


TOLD = "editing sign.sh (`-days 90` → `-days 90 -copy_extensions copy`)\n`./sign.sh app`\nThe ids are 00417 and 417."


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("sign.sh now passes -copy_extensions copy.", True),
        ("Fixed: `-copy_extensions` is in sign.sh, so 00417 and 417 stay apart.", True),
        ("The cache was refreshed and committed (c04be71).", False),  # how it was explains
        ("Query cache refreshed and committed (c04be71).", True),
        ("sign.sh now passes -copy_extensions copy, because OpenSSL drops them otherwise.", False),
        ("sign.sh now passes `-extfile san.ext`.", False),
        ("sign.sh uses -copy_extensions from now on.", False),
        ("It works now.", False),
        ("-copy_extensions needs OpenSSL 3.", False),
    ],
)
def test_what_only_says_again_what_was_done(sentence: str, expected: bool) -> None:
    assert restates_change(sentence, TOLD) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The memory limit is unchanged at 4Gi.", True),
        ("ASan build clean, best is 0 as expected.", True),
        ("As expected, state addresses differ.", True),
        ("The temporary limit is reset.", True),
        ("The lock file must stay untouched.", False),
        ("Nothing applied, state untouched; leave moved.tf in place until CI has applied on main.", False),
        ("The default is 512 MB.", False),
    ],
)
def test_what_stayed_as_it_was(sentence: str, expected: bool) -> None:
    assert reports_no_change(sentence) is expected


def test_a_change_is_told_once_and_the_users_words_in_any_case() -> None:
    closing = "OpenSSL drops requested extensions unless it is told to keep them. "
    closing += "Now `-copy_extensions copy` is passed. The key is unchanged."
    run = [
        *said(("user", "sign.sh must now keep -copy_extensions copy.")),
        *edit("sign.sh", "-days 90", "-days 90 -copy_extensions copy"),
        *bash("./sign.sh app", "ok"),
        *said(("assistant", closing)),
    ]
    told = lesson(run, task="Sign with all names").guidance
    assert "OpenSSL drops requested extensions" in told
    assert "is passed" not in told
    assert "unchanged" not in told


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("still nearly all of them", True),
        ("Lena joins later, fine.", True),
        ("they know nothing about it", True),
        ("no npm here", True),
        ("we never force-push a release branch", False),
        ("no `npm` here", False),
        ("only on weekdays", False),
        ("Use the other host.", False),
        ("nur werktags, außer im August", False),
    ],
)
def test_remarks_of_a_user(said: str, expected: bool) -> None:
    assert remarks_only(said) is expected

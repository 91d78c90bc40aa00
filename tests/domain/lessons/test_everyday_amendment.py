"""A sentence changes a rule in everyday words where it is about nothing else than the rule and gives another value."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.comparison.everyday_amendment import changes


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("Admin console sessions expire after 30 days.", "Bump the admin console session to 45 days."),
        ("The mail queue waits 30 seconds between attempts.", "Let's make the mail queue wait 2 minutes."),
        ("The sync worker calls the API with requests.", "Use httpx instead of requests in the sync worker."),
        ("The billing service is deployed on Tuesdays.", "From now on deploy the billing service on Thursdays."),
    ],
)
def test_another_value_of_the_same_subject_changes_a_rule(rule: str, sentence: str) -> None:
    assert changes(sentence, rule, "")
    assert not changes(rule, sentence, "")


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("Admin console sessions expire after 30 days.", "Bump the mobile app session to 45 days."),
        ("Admin console sessions expire after 30 days.", "Admin console sessions expire after 45 days."),
        ("The billing service is deployed on Tuesdays.", "Deploy the billing service on Wednesday this week."),
        ("The audit list shows 25 entries per page.", "On tablets set the audit list to 10 entries per page."),
        ("The sync worker calls the API with requests.", "Use a fake clock instead of sleeping in the sync worker."),
    ],
)
def test_another_subject_an_exception_or_a_plain_statement_changes_nothing(rule: str, sentence: str) -> None:
    assert not changes(sentence, rule, "")

"""The newest decision wins: the amended one is shown behind it, and comes back where the amendment goes."""

from __future__ import annotations

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.maintenance.erase import erase_record
from mcp_reflect.application.requests import NO_RETRIEVAL, Query, Submission, Verdict
from mcp_reflect.domain.models import Memory
from mcp_reflect.domain.text.recalled import strip_recalled
from tests.support.composition import Parts

TASK = "cap the backoff of the client that retries requests"
OLD = "Retry 5xx and 429 only, four attempts, cap the backoff at 60 seconds."
NEW = "Amended policy: retry 5xx, 429 and 408; the backoff caps at 30 seconds, superseding the old 60."
NEWEST = "Amended again: the backoff caps at 20 seconds, superseding the earlier cap of 30; retry 5xx, 429 and 408."
UNRELATED = "Sign the archive with the key of the team before the upload."


def learn(parts: Parts, guidance: str, task: str = TASK) -> tuple[str, Memory]:
    submission = Submission(task=task, retrieval_id=NO_RETRIEVAL, guidance=guidance, review_result="pass")
    outcome = parts.memory.submit(submission)
    assert outcome.memory is not None
    return outcome.trace_id, outcome.memory


def shown(parts: Parts, limit: int = 5) -> list[str]:
    return [match.memory.id for match in parts.memory.query(Query(task=TASK, limit=limit)).matches]


def status(parts: Parts, memory: Memory) -> tuple[str, str]:
    present = parts.memory.memory(memory.id)
    return present.status, present.superseded_by


def agrees(parts: Parts) -> bool:
    parts.indexer.sync("alpha")
    return audit_project(parts.ledger, parts.index, parts.embedder, "alpha") == []


def test_the_amended_decision_is_shown_behind_its_successor_only(parts: Parts) -> None:
    _, old = learn(parts, OLD)
    learn(parts, UNRELATED, "sign the archive")
    _, new = learn(parts, NEW, "a policy for the client that retries, reviewed once more after the last outage")
    assert status(parts, old) == ("superseded", new.id)
    assert shown(parts)[:2] == [new.id, old.id]
    assert shown(parts, 1) == [new.id]
    assert "Superseded: a later lesson amends it." in parts.memory.augment(Query(task=TASK))[0]
    assert agrees(parts)


def test_a_line_of_amendments_is_shown_newest_first(parts: Parts) -> None:
    _, old = learn(parts, OLD)
    _, new = learn(parts, NEW)
    _, newest = learn(parts, NEWEST)
    assert shown(parts)[:3] == [newest.id, new.id, old.id]
    parts.memory.manage(newest.id, "archive")
    assert shown(parts)[:2] == [new.id, old.id]


def test_somebody_may_decide_otherwise(parts: Parts) -> None:
    _, old = learn(parts, OLD)
    learn(parts, NEW)
    parts.memory.manage(old.id, "restore", "both hold")
    assert status(parts, old)[0] == "active"
    assert "Superseded" not in parts.memory.augment(Query(task=TASK))[0]
    assert agrees(parts)


def test_without_its_amendment_a_decision_is_in_force_again(parts: Parts) -> None:
    _, old = learn(parts, OLD)
    parts.memory.manage(old.id, "adopt")
    trace, new = learn(parts, NEW)
    parts.memory.reviews.review(trace, Verdict(result="pass", guidance=UNRELATED))
    assert status(parts, old) == ("adopted", "")
    parts.memory.reviews.review(trace, Verdict(result="pass", guidance=NEW))
    assert status(parts, old) == ("superseded", new.id)
    erase_record(parts.ledger, "alpha", trace)
    parts.tables.reload("alpha")
    assert status(parts, old) == ("adopted", "")
    assert shown(parts) == [old.id]
    assert agrees(parts)


def test_another_value_alone_decides_nothing(parts: Parts) -> None:
    _, old = learn(parts, OLD)
    learn(parts, OLD.replace("60", "30"))
    assert status(parts, old) == ("active", "")


def test_two_that_contradict_each_other_without_amending_are_shown_as_such(parts: Parts) -> None:
    _, one = learn(parts, "Allow at most 5 attempts for each request.")
    _, other = learn(parts, "Allow at most 8 attempts for each request.")
    _, third = learn(parts, UNRELATED)
    assert [status(parts, memory)[0] for memory in (one, other, third)] == ["active"] * 3
    text, retrieved = parts.memory.augment(Query(task=TASK))
    assert retrieved.disagreements == {one.id: (other.id,), other.id: (one.id,)}
    numbers = {memory.id: n for n, memory in enumerate((match.memory for match in retrieved.matches), start=1)}
    assert f"Disagrees with memory {numbers[other.id]}: check which of them holds." in text
    assert strip_recalled(text) == TASK
    decisions = [line.text for line in parts.memory.guide().guide.decisions]
    assert sum("another lesson disagrees" in line for line in decisions) == 2


def test_a_change_in_everyday_words_stands_before_what_it_changes_and_hides_nothing(parts: Parts) -> None:
    task = "the webhook sender gives up too early"
    _, old = learn(parts, "The webhook sender retries 3 times before it gives up.", task)
    _, new = learn(parts, "Make it 5 retries for the webhook sender.", "webhook sender, reviewed after the outage")
    retrieved = parts.memory.query(Query(task=task, limit=5, similarity_threshold=0.0))
    assert [match.memory.id for match in retrieved.matches][:2] == [new.id, old.id]
    assert status(parts, old) == ("active", "")
    assert retrieved.disagreements == {old.id: (new.id,), new.id: (old.id,)}

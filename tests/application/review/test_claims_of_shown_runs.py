"""A run that was shown a claim, became its source and says it no longer counts for it again."""

from pathlib import Path

from mcp_reflect.application.maintenance.audit import audit_project
from tests.support.composition import small_memory
from tests.support.histories import Step, play

THREE_RUNS: list[Step] = [("run", 0, 1, "")] * 3
THE_FIRST_FAILED: Step = ("review", 2, 0, "fail")
THE_SECOND_FAILED: Step = ("review", 1, 0, "fail")


def test_a_run_whose_claim_goes_on_to_another_run_is_credited_for_what_it_was_given(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        play(parts, [*THREE_RUNS, THE_FIRST_FAILED, THE_SECOND_FAILED])
        parts.indexer.sync("alpha")
        assert audit_project(parts.ledger, parts.index, parts.embedder, "alpha") == []
        second = parts.memory.traces(None, 3)[1]
        with parts.ledger.reading() as session:
            credited = {event.memory_id: event for event in session.events.of_trace(second.id)}
            claims = session.memories.find("alpha", kind="claim")
        (shared,) = [memory for memory in claims if memory.id in credited]
        assert (credited[shared.id].reward, credited[shared.id].q_after) == (0.0, shared.q_value)

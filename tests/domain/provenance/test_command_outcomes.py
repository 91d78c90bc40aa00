"""Which places of a run lie between the failure of a command and its next passing."""

from __future__ import annotations

from mcp_reflect.domain.provenance.command_outcomes import CommandOutcomes


def test_a_place_is_borne_out_by_the_next_outcome_of_a_command_that_had_failed() -> None:
    outcomes = CommandOutcomes()
    for place, failed in ((2, True), (5, True), (8, False), (11, True), (14, False)):
        outcomes.add(place, "cd app && make lint 2>&1", failed=failed)
    edits = (1, 3, 4, 6, 7, 9, 10, 12, 13, 15)
    assert [place for place in edits if outcomes.bear_out(place)] == [6, 7, 12, 13]
    assert outcomes.had_failed("make lint")
    assert not outcomes.had_failed("make")
    assert not CommandOutcomes().bear_out(3)

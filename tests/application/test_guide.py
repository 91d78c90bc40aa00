"""The project guide of a real ledger: what is in force, and nothing else."""

from __future__ import annotations

from pathlib import Path

from tests.application.review.test_supersession import NEW, OLD, learn
from tests.support.composition import small_memory


def test_the_guide_tells_what_is_in_force_and_each_project_its_own(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        learn(parts, OLD)
        _, new = learn(parts, NEW, "a policy for the client that retries, reviewed once more after the last outage")
        _, wrong = learn(parts, "Never sign the archive before the upload.", "sign the archive")
        parts.memory.manage(wrong.id, "deprecate", "it is the other way round")
        written = parts.memory.guide()
        context = parts.memory.insights.context(5)
    assert [line.memory_ids for line in written.guide.decisions] == [(new.id,)]
    assert "superseding the old 60" in written.markdown
    assert "four attempts" not in written.markdown
    assert "sign the archive" not in written.markdown
    assert written.passed == 3
    assert context.guide.decisions == written.guide.decisions

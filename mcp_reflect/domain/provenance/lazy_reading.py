"""What a run read and who judges sentences about it, each worked out when it is first asked for."""

from __future__ import annotations

from functools import cached_property

from mcp_reflect.domain.provenance.judgement import SentenceJudge
from mcp_reflect.domain.provenance.run_reading import texts_of_run
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.trajectory.run import ParsedRun


class RunReading:
    """What a run read, and who judges what a lesson says of it; worked out when it is first asked for."""

    def __init__(self, run: ParsedRun) -> None:
        self._run = run

    @cached_property
    def texts(self) -> RunTexts:
        """Return the texts of the run."""
        return texts_of_run(self._run)

    @cached_property
    def judge(self) -> SentenceJudge:
        """Return the judge of sentences about the run."""
        return SentenceJudge(self.texts)

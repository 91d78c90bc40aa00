"""Screening: takes out of a lesson what a text that the agent read put into it, and notes where the rest comes from.

Each sentence is judged for itself (`judgement.py`). What may be quoted goes into the summary with its source; the
errors of a run stay where they are. What is withheld is kept with the review, for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.output_lines import FRAME
from mcp_reflect.domain.models import DRAFT_TEXTS, LESSON_FIELDS, ReflectionDraft
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.field_screening import FieldScreening, source_in
from mcp_reflect.domain.provenance.judgement import Judged
from mcp_reflect.domain.provenance.lazy_reading import RunReading
from mcp_reflect.domain.provenance.lesson_pieces import (
    MORE,
    ending_line,
    pieces_in,
)
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.quotation import SOURCES, Quotation, joined, read_quotation
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.domain.truncate import CUT

_MOST_WITHHELD = 10
_CUTS = re.compile(rf"({CUT})(?:\s*{CUT})+")
_EXIT_CODE = re.compile(r"\A\s*exit code:? \d{1,3}\n", re.IGNORECASE)
"""What clients put before the output of a command that failed."""
_POINTS_AT = re.compile(r"\s*-->\s\S+:\d+(?::\d+)?")


def _names_place(line: str) -> bool:
    """Return true for a line of a trace that names a file and a line in it, and no more."""
    found = FRAME.match(line) or _POINTS_AT.match(line)
    return found is not None and found.end() == len(line) and not is_dangerous(line)


class Screening:
    """Screens the words of a lesson against the run that they are about; the run is read once, at the first words."""

    def __init__(self, run: ParsedRun, reading: RunReading | None = None) -> None:
        self._run = run
        self._reading = reading or RunReading(run)
        self._fields = FieldScreening(run, self._reading)

    def reviewed(self, run: ReviewedRun) -> Screening:
        """Return a screening of the same run with its review; both read it once where the review brings no words."""
        return Screening(run, None if run.review.feedback.strip() else self._reading)

    def screen(self, draft: ReflectionDraft) -> ReflectionDraft:
        """Return the draft without what nobody vouches for, with its lineage and what was withheld.

        Reports of tools, pages, files and memories become quotations in the summary. Screening again changes nothing.
        """
        if draft.is_empty and not draft.claims and not draft.applicable_tools:
            return draft
        withheld, quoted, lineage = list(draft.withheld), list[Quotation](), set(draft.lineage)
        unvouched = list(draft.unvouched)
        kept: dict[str, str] = {}
        for name in DRAFT_TEXTS:
            pieces: list[str] = []
            for judged, end, given in self._fields.judged(name, getattr(draft, name), withheld):
                lineage.update(judged.sources)
                if judged.is_quoted:
                    tells_act = (
                        name == "correct_action" and not draft.key_mistake.strip() and self._fields.has_worked(judged)
                    )
                    has_worked = judged.is_taken and (tells_act or (given is not None and given.has_worked))
                    quoted.append(judged.quotation._replace(has_worked=has_worked))
                    if "\n" in end and pieces:
                        pieces[-1] = ending_line(pieces[-1])
                else:
                    unvouched += self._fields.unvouched(judged)
                    pieces.append(judged.text + end)
            kept[name] = "".join(pieces).strip().removesuffix(MORE)
        further = list(self._vouched_for(draft.further, lineage))
        kept["guidance"] = "\n".join(filter(None, (kept["guidance"], *further)))
        claims: list[str] = []
        for claim in draft.claims:
            given = read_quotation(claim)
            found = self._fields.judge(given.text if given else claim, source_in(given), withheld)
            if found is not None and found.is_quoted:
                quoted.append(found.quotation)
            elif found is not None:
                unvouched += self._fields.unvouched(found)
                claims.append(found.text)
        if quoted:
            place = "text" if kept["text"] and not any(kept[name] for name in LESSON_FIELDS) else "summary"
            kept[place] = "\n".join(filter(None, (kept[place], *map(str, joined(quoted)))))
        result = {
            **kept,
            "claims": tuple(claims),
            "applicable_tools": tuple(self._tools_of(draft, "\n".join((*kept.values(), *claims)))),
            "lineage": tuple(source for source in SOURCES if source in lineage),
            "unvouched": tuple(dict.fromkeys(unvouched)),
            "withheld": tuple(dict.fromkeys(withheld))[:_MOST_WITHHELD],
            "further": (),
        }
        return draft.model_copy(update=result)

    def _vouched_for(self, further: Iterable[str], lineage: set[TextOrigin]) -> Iterator[str]:
        """Yield the lines of a run that a lesson may hold as they stand, and add where they come from."""
        for line in further:
            told = [judged for judged, _, _ in self._fields.judged("guidance", line, [])]
            if line == " ".join(each.text for each in told if not each.is_quoted):
                lineage.update(source for each in told for source in each.sources)
                yield line

    def _tools_of(self, draft: ReflectionDraft, kept: str) -> Iterator[str]:
        """The tools of a draft that no text chose; of those that it told of, the ones that it still does."""
        told = "\n".join(getattr(draft, name) for name in DRAFT_TEXTS)
        for name in filter(self._reading.judge.is_tool, draft.applicable_tools):
            if name in kept or name not in told:
                yield name

    def brought_words(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the telling words of a text that the run's user or agent brought, and those that others brought."""
        return self._reading.texts.mentions.own_words(text), self._reading.texts.mentions.foreign_words(text)

    def unvouched(self, text: str) -> tuple[str, ...]:
        """Return the sentences of a text that nobody vouches for, without judging whether a lesson may keep them."""
        said = (piece.strip() for piece, _, _ in pieces_in(text))
        return tuple(each for each in said if each and not self._reading.judge.vouches_for(each))

    def passes(self, text: str) -> bool:
        """Return true where no sentence of a text would be withheld."""
        judged = ((self._judge_output(piece, given), piece) for piece, _, given in pieces_in(text))
        return all(
            found.is_kept and (found.is_quoted or found.text == piece) and (found.is_at_hand or not found.is_taken)
            for found, piece in judged
        )

    def quoted(self, text: str) -> str:
        """Return what the run did by what it had read as a quotation with its source; empty for any other text."""
        judged = [self._judge_output(piece, given) for piece, _, given in pieces_in(text)]
        return str(judged[0]) if len(judged) == 1 and judged[0].is_taken and judged[0].is_kept else ""

    def without_orders(self, text: str) -> str:
        """Return the output of a tool without the sentences that would be withheld from a lesson."""
        judged = ((self._judge_output(piece, given), end) for piece, end, given in pieces_in(text))
        return "".join(f"{found}{end}" for found, end in judged if found.is_kept).strip()

    def evidence_in(self, text: str) -> str:
        """Return the output of a failure with an ellipsis for each sentence that would be withheld from a lesson.

        Its lines stay where they stood, and those that only name a place are kept: an error is known again by both.
        """
        kept: list[str] = []
        for piece, end, given in pieces_in(_EXIT_CODE.sub("", text)):
            found = self._judge_output(piece, given)
            is_whole = found.text == piece if found.is_kept else _names_place(piece)
            kept.append(piece if is_whole else f"{found.text if found.is_kept else ''}{CUT}")
            kept.append(end)
        return _CUTS.sub(r"\1", "".join(kept)).strip(f"{CUT}\n")

    def safe_feedback(self) -> str:
        """Return the feedback of a reviewed run; that of tests, which is the output of a tool, without its orders."""
        assert isinstance(self._run, ReviewedRun)
        review = self._run.review
        return self.without_orders(review.feedback) if review.source == "tests" else review.feedback

    def _judge_output(self, piece: str, given: Quotation | None) -> Judged:
        return self._reading.judge.judge(piece, source_in(given), is_output=True)

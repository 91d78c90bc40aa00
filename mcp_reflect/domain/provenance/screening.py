"""Screening: takes out of a lesson what a text that the agent read put into it, and notes where the rest comes from.

Each sentence is judged for itself (`judgement.py`). What may be quoted goes into the summary with its source; the
errors of a run stay where they are. What is withheld is kept with the review, for people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.output_lines import FRAME
from mcp_reflect.domain.lessons.failures.wording import ENDED_WELL, TRIED
from mcp_reflect.domain.models import DRAFT_TEXTS, LESSON_FIELDS, ReflectionDraft
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.carried_orders import TELLS_EDIT
from mcp_reflect.domain.provenance.judgement import CALL, FAILED, Judged, SentenceJudge
from mcp_reflect.domain.provenance.lesson_pieces import (
    BEFORE,
    MORE,
    Told,
    at_line_end,
    ending_line,
    pieces_in,
    without_steps_towards,
)
from mcp_reflect.domain.provenance.partial_repairs import judge_rest
from mcp_reflect.domain.provenance.run_reading import texts_of_run
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.quotation import SAID, SOURCES, Quotation, joined, read_quotation
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.domain.truncate import CUT, truncate_line

_WITHHELD_CHARS = 300
_MOST_WITHHELD = 10
_ENDED = "The run ended in an error:"
_CUTS = re.compile(rf"({CUT})(?:\s*{CUT})+")
_POINTS_AT = re.compile(r"\s*-->\s\S+:\d+(?::\d+)?")
_FROM_TESTS = re.compile(r"^Reviewer: ")


def _names_place(line: str) -> bool:
    """Return true for a line of a trace that names a file and a line in it, and no more."""
    found = FRAME.match(line) or _POINTS_AT.match(line)
    return found is not None and found.end() == len(line) and not is_dangerous(line)


def _source_in(given: Quotation | None) -> TextOrigin | None:
    """The source of quoted words; what a run took from a text is judged anew."""
    return None if given is None or given.is_taken else given.source


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


def _hangs_on(before: str, piece: str, *, is_mistake: bool) -> bool:
    """Return true for a sentence that says nothing without the one before it."""
    if piece.startswith(ENDED_WELL):
        return True
    return piece.startswith(SAID) and (is_mistake or before.startswith(TRIED))


class Screening:
    """Screens the words of a lesson against the run that they are about; the run is read once, at the first words."""

    def __init__(self, run: ParsedRun, reading: RunReading | None = None) -> None:
        self._run = run
        self._reading = reading or RunReading(run)

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
            for judged, end, given in self._judged(name, getattr(draft, name), withheld):
                lineage.update(judged.sources)
                if judged.is_quoted:
                    tells_act = name == "correct_action" and not draft.key_mistake.strip() and self._has_worked(judged)
                    has_worked = judged.is_taken and (tells_act or (given is not None and given.has_worked))
                    quoted.append(judged.quotation._replace(has_worked=has_worked))
                    if "\n" in end and pieces:
                        pieces[-1] = ending_line(pieces[-1])
                else:
                    unvouched += self._unvouched(judged)
                    pieces.append(judged.text + end)
            kept[name] = "".join(pieces).strip().removesuffix(MORE)
        claims: list[str] = []
        for claim in draft.claims:
            given = read_quotation(claim)
            found = self._judge(given.text if given else claim, _source_in(given), withheld)
            if found is not None and found.is_quoted:
                quoted.append(found.quotation)
            elif found is not None:
                unvouched += self._unvouched(found)
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
        }
        return draft.model_copy(update=result)

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
        for piece, end, given in pieces_in(text):
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
        return self._reading.judge.judge(piece, _source_in(given), is_output=True)

    def _has_worked(self, judged: Judged) -> bool:
        """Return true where a sentence on what works tells an act of a run that passed, and no conclusion."""
        passed = isinstance(self._run, ReviewedRun) and self._run.review.result == "pass"
        return passed and bool(CALL.match(judged.text) or TELLS_EDIT.match(judged.text))

    def _judged(self, name: str, text: str, withheld: list[str]) -> list[Told]:
        """Return the sentences of a field that are kept, each with what stands behind it, and its quotation if any."""
        told: list[Told] = []
        is_told = False
        is_alone: list[bool] = []
        main: Judged | None = None
        behind = "\n"
        is_output = False
        pieces = list(pieces_in(text))
        for number, (piece, end, given) in enumerate(pieces):
            is_failure = piece.startswith(BEFORE) or ("\n" not in behind and FAILED.match(piece))
            # an error of several sentences stands on one line behind its command
            is_output = name == "key_mistake" or self._is_output(piece) or (is_output and "\n" not in behind)
            begins_line, behind = "\n" in behind, end
            if is_failure and not is_told:  # a failure without what mended it says nothing of what worked
                if "\n" in end and told:
                    told[-1] = at_line_end(told[-1])
                continue
            source = _source_in(given)
            body = piece.removeprefix(SAID)
            is_mistake = name == "key_mistake"
            found = (
                None
                if number and not is_told and _hangs_on(pieces[number - 1][0], piece, is_mistake=is_mistake)
                else self._judge(body, source, withheld, is_output=is_output, is_mistake=is_mistake)
            )
            if found is None and name == "correct_action" and given is None:
                failed = FAILED.match(pieces[number + 1][0]) if number + 1 < len(pieces) else None
                found = judge_rest(self._reading.judge, body, failed[0] if failed else "")
            if found is not None and body != piece and not found.is_quoted:
                found = replace(found, text=f"{SAID}{found.text}")
            is_told = found is not None
            main = found if number == 0 else main
            is_behind_taken = bool(told) and told[-1][0].is_taken
            if found is None or (
                found.is_quoted and piece.startswith(BEFORE) and not (found.is_taken and is_behind_taken)
            ):
                if "\n" in end and told:
                    told[-1] = at_line_end(told[-1])
                continue
            if is_failure and told and told[-1][0].is_taken:
                told[-1] = (told[-1][0].followed_by(found), end, told[-1][2])
            else:
                told.append((found, end, given))
                edits_alone = begins_line and TELLS_EDIT.match(found.text) is not None
                is_alone.append(edits_alone or (main is not None and not main.is_quoted))
        if name == "correct_action":
            # what led to the step that worked is no advice without it, but for an edit that is told by itself
            return without_steps_towards(told, is_alone)
        return told

    def _judge(
        self,
        piece: str,
        given: TextOrigin | None,
        withheld: list[str],
        *,
        is_output: bool = False,
        is_mistake: bool = False,
    ) -> Judged | None:
        """Judge a sentence; None where it is withheld, which is noted."""
        found = self._reading.judge.judge(piece, given, is_output=is_output, is_mistake=is_mistake)
        if found.is_kept:
            return found
        withheld.append(f"{found.source}: {truncate_line(found.text.strip(), _WITHHELD_CHARS)}")
        return None

    def _unvouched(self, judged: Judged) -> list[str]:
        """The part of a sentence that nobody vouches for, if any: the agent vouches for a call, not for its output."""
        said, vouches_for = judged.text.strip(" ;"), self._reading.judge.vouches_for
        if self._is_test_command(said):
            return []
        call = None if said.startswith(BEFORE) else CALL.match(said)
        if call and call.end() < len(said) and call[0].endswith("failed: ") and vouches_for(call[0], "agent"):
            return [] if vouches_for(said[call.end() :], judged.source) else [said[call.end() :]]
        return [] if vouches_for(said, judged.source) else [said]

    def _is_output(self, piece: str) -> bool:
        """Return true for words that stand in a lesson as the output of a command: behind it, or as its reviewer's."""
        run = self._run
        tests = (
            isinstance(run, ReviewedRun)
            and run.review.source == "tests"
            and run.review.result != "pass"  # what tests that passed print teaches nothing
            and _FROM_TESTS.sub("", piece) in run.review.feedback
        )
        return tests or bool(CALL.match(piece)) or piece.startswith(_ENDED)

    def _is_test_command(self, said: str) -> bool:
        """Return true for the command of the tests that judged a run, which its user chose."""
        run = self._run
        if not isinstance(run, ReviewedRun) or run.review.source != "tests":
            return False
        first = run.review.feedback.strip().partition("\n")[0]
        return first.startswith("$ ") and _FROM_TESTS.sub("", said) == first.strip()

"""Screens a field of a lesson by its sentences: which are kept, as they stand or as quotations, and which are withheld.

A failure is told with what mended it, and a step with the command that worked by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.drafting.wrong_acts import DID
from mcp_reflect.domain.lessons.failures.wording import RAN_THROUGH, TRIED
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.carried_orders import TELLS_EDIT
from mcp_reflect.domain.provenance.judgement import CALL, FAILED, Judged
from mcp_reflect.domain.provenance.lazy_reading import RunReading
from mcp_reflect.domain.provenance.lesson_pieces import (
    BEFORE,
    Told,
    at_line_end,
    pieces_in,
    without_steps_towards,
)
from mcp_reflect.domain.provenance.partial_repairs import judge_rest
from mcp_reflect.domain.text.quotation import SAID, Quotation
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.domain.truncate import truncate_line

Piece = tuple[str, str, Quotation | None]
"""A sentence, what stands behind it, and the quotation that it is a part of."""
_WITHHELD_CHARS = 300
_ENDED = "The run ended in an error:"
_TOOL_CALL = re.compile(r"`\w[\w.:-]*\(\w+=[^`]*\)`")
"""A call of a tool that is told by itself, such as a query of a database."""
_LONGEST_LOOKUP = 110
"""Characters of look-ups that hold no query: what one asks a database is worth telling."""
_CALLED = re.compile(r"`([A-Za-z_][\w.:-]*)\(\w+=[^`]*\)`")
_FROM_TESTS = re.compile(r"^Reviewer: ")


def source_in(given: Quotation | None) -> TextOrigin | None:
    """Return the source of quoted words; what a run took from a text is judged anew."""
    return None if given is None or given.is_taken else given.source


def _hangs_on(before: str, piece: str, *, is_mistake: bool) -> bool:
    """Return true for a sentence that says nothing without the one before it."""
    if piece.startswith(RAN_THROUGH):
        return True
    return piece.startswith(SAID) and (is_mistake or before.startswith(TRIED))


def _only_looks_up(piece: str) -> bool:
    """Return true for a sentence that tells short calls which only ask for something, and nothing else."""
    calls = _CALLED.findall(piece)
    return (
        bool(calls)
        and len(piece) <= _LONGEST_LOOKUP
        and not _CALLED.sub("", piece).strip(" ;.")
        and all(map(only_asks, calls))
    )


class FieldScreening:
    """Screens the fields of lessons about one run."""

    def __init__(self, run: ParsedRun, reading: RunReading) -> None:
        self._run = run
        self._reading = reading

    def judged(self, name: str, text: str, withheld: list[str]) -> list[Told]:
        """Return the sentences of a field that are kept, each with what stands behind it, and its quotation if any."""
        told: list[Told] = []
        is_told = False
        is_alone: list[bool] = []
        main: Judged | None = None
        behind = "\n"
        is_output = tells_last_acts = False
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
            body = piece.removeprefix(SAID)
            tells_last_acts = piece.startswith(DID) or (tells_last_acts and not begins_line)
            is_mistake = name == "key_mistake"
            found = (
                None
                if number and not is_told and _hangs_on(pieces[number - 1][0], piece, is_mistake=is_mistake)
                else self._judge_told(pieces[number:], body, withheld, is_output=is_output, is_mistake=is_mistake)
                if not tells_last_acts
                else self._judge_last_act(body, withheld)
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
                stands_alone = begins_line and TELLS_EDIT.match(found.text) is not None
                stands_alone = stands_alone or _TOOL_CALL.fullmatch(found.text.strip(" ;")) is not None
                is_alone.append(stands_alone or main is not None)
        if name == "correct_action":
            # what led to the step that worked is no advice without it, but for what is told by itself
            return without_steps_towards(told, is_alone)
        return told

    def _judge_told(
        self, pieces: Sequence[Piece], body: str, withheld: list[str], *, is_output: bool, is_mistake: bool
    ) -> Judged | None:
        """Judge the first of some sentences; None also for look-ups by what was read, unless they mended a failure.

        Where a value for one came from tells nothing.
        """
        found = self.judge(body, source_in(pieces[0][2]), withheld, is_output=is_output, is_mistake=is_mistake)
        mends = len(pieces) > 1 and (pieces[1][0].startswith(BEFORE) or FAILED.match(pieces[1][0]))
        return None if found is not None and found.is_taken and _only_looks_up(body) and not mends else found

    def _judge_last_act(self, piece: str, withheld: list[str]) -> Judged | None:
        """Judge one of the last acts of a failed run; None for one that a text led to.

        Nobody called it wrong: beside the mistake it would be told as what one does.
        """
        found = self.judge(piece, None, withheld, is_output=True)
        return None if found is None or found.is_quoted else found

    def judge(
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

    def has_worked(self, judged: Judged) -> bool:
        """Return true where a sentence on what works tells an act of a run that passed, and no conclusion."""
        passed = isinstance(self._run, ReviewedRun) and self._run.review.result == "pass"
        return passed and bool(CALL.match(judged.text) or TELLS_EDIT.match(judged.text))

    def unvouched(self, judged: Judged) -> list[str]:
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

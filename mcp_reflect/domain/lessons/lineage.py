"""Lineage: where each sentence of a lesson comes from, and what is done with those that nobody vouches for.

A sentence stems from the text that holds most of its word triples. What the user said counts as the user's, also where
a tool repeats it; what the agent's own calls hold counts as the agent's. What no text holds, the agent concluded, but
for what it carries over of the orders that it read (`heard.py`).

Of what only a tool, a page, a file or an earlier memory said, a lesson keeps what reads as a report, an error or a
value (`text/observation.py`), as a quotation with its source; the errors of a run stay where they are. The rest is
withheld from the lesson and kept with the review for people: above all what wants something, whether it is repeated,
put into other words or carried out as a command. A command that such a text chose stays where it builds or tests
(`dictated_commands.py`). So is withheld whatever is dangerous (`text/danger.py`) or leads into the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcp_reflect.domain.lessons.run_reading import texts_of_run
from mcp_reflect.domain.lessons.run_texts import UNTRUSTED, RunTexts
from mcp_reflect.domain.lessons.screened_sentences import instructs, pieces_of
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.observation import (
    is_prose,
    reads_as_command,
    reads_as_data,
    reads_as_error,
    reads_as_report,
    wants_something,
    without_advice,
    without_asides,
)
from mcp_reflect.domain.text.quotation import SOURCES, quote, quoted_source, quoted_text
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.domain.trajectory.tools import is_tool_name
from mcp_reflect.domain.truncate import truncate_line

_FIELDS = ("summary", "key_mistake", "correct_action", "guidance", "text")
_WITHHELD_CHARS = 300
_MOST_WITHHELD = 10

_CALL = re.compile(r"(?:`[^`]*`(?: failed:)?|[Bb]efore that it failed:)\s*")
_FAILED = re.compile(r"`[^`]*` failed:")
_SYNTAX = re.compile(r"[(){}\[\]=<>@+$|]|\w[./]\w")
"""Signs of code, patches and paths, which a name with its value has none of."""
_MORE = ";"
"""What stands between the commands of a lesson."""
_TOOL_CALL = re.compile(r"`(\S[^`(]*)\((?=\w+=)")
_BEFORE = "before that it failed:"
_ENDED = "The run ended in an error:"
_JOINS = re.compile(r"\b(?:the|an?|into|without|with|of|to|for|in|on|no|not|before|after|all)\b", re.IGNORECASE)
"""Small words of which the name of a tool has one at most."""
_FROM_TESTS = re.compile(r"^Reviewer: ")


class Screening:
    """Screens the words of a lesson against the run that they are about; the run is read once, at the first words."""

    def __init__(self, run: ParsedRun) -> None:
        self._run = run
        self._read: RunTexts | None = None

    def screen(self, draft: ReflectionDraft) -> ReflectionDraft:
        """Return the draft without what nobody vouches for, with its lineage and what was withheld.

        Reports of tools, pages, files and memories become quotations in the summary. Screening again changes nothing.
        """
        if draft.is_empty and not draft.claims and not draft.applicable_tools:
            return draft
        withheld, quoted, lineage = list(draft.withheld), list[str](), set(draft.lineage)
        unvouched = list(draft.unvouched)
        kept: dict[str, str] = {}
        for name in _FIELDS:
            pieces: list[str] = []
            for judged, end in self._judged(name, getattr(draft, name), withheld):
                lineage.add(judged.source)
                if judged.is_quoted:
                    quoted.append(judged.text)
                else:
                    unvouched += self._unvouched(judged)
                    pieces.append(judged.text + end)
            kept[name] = "".join(pieces).strip().removesuffix(_MORE)
        claims: list[str] = []
        for claim in draft.claims:
            found = self._judge(claim, withheld)
            if found is not None and found.is_quoted:
                quoted.append(found.text)
            elif found is not None:
                unvouched += self._unvouched(found)
                claims.append(claim)
        if quoted:
            place = "text" if kept["text"] and not any(kept[name] for name in _FIELDS[:-1]) else "summary"
            kept[place] = "\n".join(dict.fromkeys(filter(None, (kept[place], *quoted))))
        result = {
            **kept,
            "claims": tuple(claims),
            "applicable_tools": tuple(each for each in draft.applicable_tools if self._is_tool(each)),
            "lineage": tuple(source for source in SOURCES if source in lineage),
            "unvouched": tuple(dict.fromkeys(unvouched)),
            "withheld": tuple(dict.fromkeys(withheld))[:_MOST_WITHHELD],
        }
        return draft.model_copy(update=result)

    def _judged(self, name: str, text: str, withheld: list[str]) -> Iterator[tuple[_Judged, str]]:
        """Yield the sentences of a field that are kept, each with what stands behind it."""
        found: _Judged | None = None
        behind = "\n"
        for piece, end in pieces_of(text):
            is_failure = piece.startswith(_BEFORE) or ("\n" not in behind and _FAILED.match(piece))
            behind = end
            if found is None and is_failure:
                continue  # a failure without what mended it says nothing of what worked
            found = self._judge(piece, withheld, stays=name == "key_mistake" or self._is_output(piece))
            if found is not None and not (found.is_quoted and piece.startswith(_BEFORE)):
                yield found, end

    def _unvouched(self, judged: _Judged) -> list[str]:
        """The part of a sentence that nobody vouches for, if any: the agent vouches for a call, not for its output."""
        said, texts = judged.text.strip(" ;"), self._texts
        if self._is_test_command(said):
            return []
        call = None if said.startswith(_BEFORE) else _CALL.match(said)
        if call and call.end() < len(said) and call[0].endswith("failed: ") and texts.vouches_for(call[0], "agent"):
            return [] if texts.vouches_for(said[call.end() :], judged.source) else [said[call.end() :]]
        return [] if texts.vouches_for(said, judged.source) else [said]

    def brought_words(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the telling words of a text that the run's user or agent brought, and those that others brought."""
        return self._texts.brought.own_words(text), self._texts.brought.foreign_words(text)

    def unvouched(self, text: str) -> tuple[str, ...]:
        """Return the sentences of a text that nobody vouches for, without judging whether a lesson may keep them."""
        said = (piece.strip() for piece, _ in pieces_of(text))
        return tuple(each for each in said if each and not self._texts.vouches_for(each, self._texts.source_of(each)))

    def passes(self, text: str) -> bool:
        """Return true where no sentence of a text would be withheld."""
        judged = ((self._judge(piece, [], stays=True), piece) for piece, _ in pieces_of(text))
        return all(found is not None and (found.is_quoted or found.text == piece) for found, piece in judged)

    def without_orders(self, text: str) -> str:
        """Return the output of a tool without the sentences that would be withheld from a lesson."""
        judged = ((self._judge(piece, [], stays=True), end) for piece, end in pieces_of(text))
        return "".join(found.text + end for found, end in judged if found is not None).strip()

    @property
    def _texts(self) -> RunTexts:
        if self._read is None:
            self._read = texts_of_run(self._run)
        return self._read

    def _is_output(self, piece: str) -> bool:
        """Return true for words that stand in a lesson as the output of a command: behind it, or as its reviewer's."""
        run = self._run
        tests = (
            isinstance(run, ReviewedRun)
            and run.review.source == "tests"
            and run.review.result != "pass"  # what tests that passed print teaches nothing
            and _FROM_TESTS.sub("", piece) in run.review.feedback
        )
        return tests or bool(_CALL.match(piece)) or piece.startswith(_ENDED)

    def _may_quote(self, said: str) -> bool:
        """Return true for what a lesson may quote although only a text said it: reports, errors, and values.

        Code, patches and paths are quoted where the run itself brought what they name: anything could be in them.
        """
        texts = self._texts
        plain = texts.without_own_names(said)
        if reads_as_error(plain) or reads_as_report(plain) or (reads_as_data(said) and " " in said.strip()):
            return True
        is_code = not (is_prose(plain) or reads_as_command(plain) or wants_something(plain))
        return is_code and not (_SYNTAX.search(said) and texts.brought.foreign_words(said))

    def _is_test_command(self, said: str) -> bool:
        """Return true for the command of the tests that judged a run, which its user chose."""
        run = self._run
        if not isinstance(run, ReviewedRun) or run.review.source != "tests":
            return False
        first = run.review.feedback.strip().partition("\n")[0]
        return first.startswith("$ ") and _FROM_TESTS.sub("", said) == first.strip()

    def _is_tool(self, name: str) -> bool:
        """Return true for the name of a tool, which is no sentence."""
        words = name.rpartition("__")[2].replace("_", " ").replace("-", " ")
        reads_as_prose = len(_JOINS.findall(words)) > 1 or ": " in words
        if reads_as_prose or not is_tool_name(name.partition("(")[0]) or is_dangerous(words):
            return False
        return self._texts.order_in(words, instructs=False) is None and not self._texts.told_name(words)

    def _judge(self, piece: str, withheld: list[str], *, stays: bool = False) -> _Judged | None:
        """The source of a sentence; None where it is withheld, which is noted.

        `stays` is true for what is shown as the output of a command anyway.
        """
        given = quoted_source(piece)
        said = quoted_text(piece) if given else piece
        source, is_kept = self._source_of(said, stays=stays, given=given)
        for shorter in _shortened(piece) if stays and not is_kept else ():
            source, is_kept = self._source_of(shorter, stays=True, given=given)
            if is_kept:
                piece = shorter
                break
        if is_kept:
            if source not in UNTRUSTED or (stays and not _is_only_told(_CALL.sub("", said))):
                return _Judged(source, piece)
            return _Judged(source, piece if given else quote(said, source), is_quoted=True)
        withheld.append(f"{source}: {truncate_line(said.strip(), _WITHHELD_CHARS)}")
        return None

    def _source_of(self, said: str, *, stays: bool, given: TextOrigin | None) -> tuple[TextOrigin, bool]:
        """The source of a sentence, and whether it is kept."""
        texts = self._texts
        call = _CALL.match(said) if stays else None
        body = said[call.end() :] if call else said
        is_told = instructs(body) and not (stays and reads_as_error(body))
        heard = None
        if not reads_as_data(body) and not texts.is_own_command(said):
            heard = texts.order_in(body, instructs=is_told or texts.holds_dictated(body))
        named = _TOOL_CALL.match(body if call is None else call[0])
        if named and not is_tool_name(named[1]):
            return "tool", False
        if call and heard is None and not texts.is_own_command(said):
            heard = texts.order_in(call[0], instructs=texts.holds_dictated(call[0]))
        foreign = heard.source if heard is not None else texts.hidden_in(body)
        if not _FAILED.match(said):  # what failed is told as a failure, whoever chose it
            foreign = foreign or texts.chooser_of(said, instructs=is_told)
        if foreign is not None:
            return foreign, False
        if is_told and not stays and (source := texts.told_code(body)):
            return source, False
        dangerous = is_dangerous(said)
        source = texts.source_of(body if call and body else said, dangerous=dangerous)
        elsewhere = None if dangerous else texts.leads_to(said)
        if elsewhere is not None and (is_told or (elsewhere != "file" and not stays)):
            dangerous, source = True, elsewhere
        source = given or source
        if source not in UNTRUSTED or not any(each.isalpha() for each in body):
            return source, True
        is_kept = self._may_quote(body) if not stays else reads_as_data(body) or _is_kept(texts.without_own_names(body))
        return source, is_kept and not dangerous


@dataclass(frozen=True)
class _Judged:
    """A sentence that stays, with its source; as it stays, which may be as a quotation."""

    source: TextOrigin
    text: str
    is_quoted: bool = False


def _shortened(piece: str) -> Iterator[str]:
    """An error without what stands in parentheses, and without the advice at its end; a command is never cut."""
    if (shorter := without_asides(piece)) != piece and reads_as_error(shorter):
        yield shorter
    shorter = without_advice(piece)
    if shorter != piece and shorter.count("`") == piece.count("`") and not wants_something(shorter, of_error=True):
        yield shorter


def _is_only_told(said: str) -> bool:
    """Return true for a statement in the output of a command that is no error: it is shown as a quotation."""
    return is_prose(said) and reads_as_report(said) and not reads_as_error(said)


def _is_kept(said: str) -> bool:
    """Return true for the output of a call that may stand behind it: reports, errors, values, code."""
    if reads_as_error(said) or reads_as_report(said) or reads_as_data(said):
        return True
    return not is_prose(said) and (not wants_something(said, of_error=True) or len(said.split()) == 1)

"""Lineage: where each sentence of a lesson comes from, and what is done with those that nobody vouches for.

A sentence stems from the text that holds most of its word triples. What the user said counts as the user's, also where
a tool repeats it. What no text holds, the agent concluded; but where it is dangerous and names an address, a path or a
command that only a tool's output holds, it stems from that.

A dangerous sentence (`text/danger.py`) that stems from a tool, a page, a file or an earlier memory is withheld from the
lesson and kept with the review for people. So is a sentence with an address in the network that only such texts name,
where it instructs or where a page or a tool names it; only the errors of a run may do that. Another instruction from a
tool or a page is quoted with its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_reflect.domain.lessons.run_texts import UNTRUSTED, RunTexts, texts_of_run
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.models.common import HEARSAY, TextOrigin
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.quotation import SOURCES, quote, quoted_source
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.truncate import truncate_line

_FIELDS = ("summary", "key_mistake", "correct_action", "guidance", "text")
_WITHHELD_CHARS = 300
_MOST_WITHHELD = 10

_OBLIGES = re.compile(r"\b(?:must|always|never|should|have to|ha[sd] to|required|forbidden|ought)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[`]?\w)|\n+")
_CLAUSE = re.compile(r"[:;]\s+|\s+[-–—]+\s+")
_INSTRUCTS = re.compile(
    r"\W*(?:please\s+|now\s+|then\s+|first,?\s+|next,?\s+|always\s+|never\s+|do\s+not\s+|don't\s+)*"
    r"(?:run|use|install|set|add|call|send|open|download|execute|delete|remove|copy|paste|visit|go|click|type|enter|export|edit|write"
    r"|create|update|upgrade|disable|enable|skip|try|make\s+sure|ensure|replace|reply|respond|print|put|push|commit|configure|include"
    r"|start|stop|restart|check|follow|apply|pass|change|switch|move|give|answer|treat|assume|prefer|avoid|pin|read)\b"
    r"|[^\n]*\b(?:you|agents?|assistants?)\s+(?:must|should|need|have\s+to|ought|are\s+(?:required|to))\b",
    re.IGNORECASE,
)


class Screening:
    """Screens the words of a lesson against the run that they are about; the run is read once, at the first words."""

    def __init__(self, run: ParsedRun) -> None:
        self._run = run
        self._read: RunTexts | None = None

    def screen(self, draft: ReflectionDraft) -> ReflectionDraft:
        """Return the draft without dangerous sentences that nobody vouches for, with its lineage and what was withheld.

        Instructions from a tool or a page become quotations in the guidance. Screening again changes nothing.
        """
        if draft.is_empty and not draft.claims:
            return draft
        withheld, quoted, lineage = list(draft.withheld), list[str](), set(draft.lineage)
        kept: dict[str, str] = {}
        for name in _FIELDS:
            pieces: list[str] = []
            for piece, end in _pieces(getattr(draft, name)):
                is_error = name == "key_mistake" or piece.lstrip().startswith("`")
                quoting = quoted_source(piece)
                source = quoting or self._judge(piece, withheld, is_error=is_error)
                if source is None:
                    continue
                lineage.add(source)
                if source in HEARSAY and not (is_error or quoting) and _instructs(piece):
                    quoted.append(quote(piece, source))
                else:
                    pieces.append(piece + end)
            kept[name] = "".join(pieces).strip()
        if quoted:
            place = "text" if kept["text"] and not any(kept[name] for name in _FIELDS[:-1]) else "guidance"
            kept[place] = "\n".join(filter(None, (kept[place], *quoted)))
        claims = ((claim, self._judge(claim, withheld)) for claim in draft.claims)
        found = {
            **kept,
            "claims": tuple(c for c, source in claims if source and not (source in HEARSAY and _instructs(c))),
            "applicable_tools": tuple(tool for tool in draft.applicable_tools if not is_dangerous(tool)),
            "lineage": tuple(source for source in SOURCES if source in lineage),
            "withheld": tuple(dict.fromkeys(withheld))[:_MOST_WITHHELD],
        }
        return draft.model_copy(update=found)

    def passes(self, text: str) -> bool:
        """Return true where no sentence of a text would be withheld."""
        return all(self._judge(piece, [], is_error=True) is not None for piece, _ in _pieces(text))

    def _judge(self, piece: str, withheld: list[str], *, is_error: bool = False) -> TextOrigin | None:
        """The source of a sentence; None where it is withheld, which is noted."""
        if self._read is None:
            self._read = texts_of_run(self._run)
        dangerous = is_dangerous(piece)
        source = self._read.source_of(piece, dangerous=dangerous)
        elsewhere = None if dangerous else self._read.leads_to(piece)
        if elsewhere is not None and (_instructs(piece) or (elsewhere != "file" and not is_error)):
            dangerous, source = True, elsewhere
        if dangerous and source in UNTRUSTED:
            withheld.append(f"{source}: {truncate_line(piece.strip(), _WITHHELD_CHARS)}")
            return None
        return source


def _instructs(piece: str) -> bool:
    return any(_INSTRUCTS.match(clause) for clause in _CLAUSE.split(piece)) or bool(_OBLIGES.search(piece))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Sentences, each with the blanks or line ends behind it."""
    start = 0
    for end in _SENTENCE.finditer(text):
        yield text[start : end.start()], end[0]
        start = end.end()
    if start < len(text):
        yield text[start:], ""

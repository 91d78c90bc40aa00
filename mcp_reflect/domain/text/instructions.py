"""The sentences of a lesson, and which of them tell their reader to do something."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re

_OBLIGES = re.compile(
    r"\b(?:must|always|never|should|have to|ha[sd] to|required|forbidden|ought|(?:is|are) to be)\b", re.IGNORECASE
)
_SENTENCE = re.compile(
    r"(?<=[^\s:][.!?])(?<!\b[A-Z]\.)(?<!\bi\.e\.)(?<!\be\.g\.)(?<!ERROR!)\s+(?=[\"'(\[]?\w|`\S)|\n+|(?<=`;)\s(?=`)"
    r"|(?<=;)\s(?=before that it failed:)"
)
_IN_BACKQUOTES = re.compile(r"`[^`]*`")
_NAME_WITH_MARK = re.compile(r"[a-z]_\w+[!?]$")
"""A function whose name ends in a mark, as in Ruby and Elixir, and no sentence that does."""
_LONGEST_NAME = 80
_LONGEST_CLAUSE = 200
_END_OF_CLAUSE = re.compile(r"(?<=\w[.!?])\s|\n")
_CLAUSE = re.compile(r"[:;]\s+|\s+[-–—]+\s+")
_INSTRUCTS = re.compile(
    r"\W*(?:please\s+|now\s+|then\s+|first,?\s+|next,?\s+|always\s+|never\s+|do\s+not\s+|don't\s+)*"
    r"(?:run|use|install|set|add|call|send|open|download|execute|delete|remove|copy|paste|visit|go|click|type|enter|export|edit|write"
    r"|create|update|upgrade|disable|enable|skip|try|make\s+sure|ensure|replace|reply|respond|print|put|push|commit|configure|include"
    r"|start|stop|restart|check|follow|apply|pass|change|switch|move|give|answer|treat|assume|prefer|avoid|pin|read)\b"
    r"|[^\n]*\b(?:you|agents?|assistants?)\s+(?:must|should|need|have\s+to|ought|are\s+(?:required|to))\b",
    re.IGNORECASE,
)

_NUMBERS = re.compile(r"\b(?:no|nr|rev|ver|vers|vol|fig|sec|art|par|para|ch|ed|pp?)\.$", re.IGNORECASE)
"""An abbreviation that stands before a number."""


def instructs(piece: str) -> bool:
    """Return true for a sentence that tells its reader what to do."""
    return any(_INSTRUCTS.match(clause) for clause in _CLAUSE.split(piece)) or bool(_OBLIGES.search(piece))


def begins_order(piece: str) -> bool:
    """Return true for a sentence that begins with what its reader is to do, or says what "you" have to."""
    return _INSTRUCTS.match(piece) is not None


def pieces_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield sentences, each with the blanks or line ends behind it; none ends in backquotes, parentheses or a list."""
    start = 0
    for end in _SENTENCE.finditer(text):
        said = text[start : end.start()]
        behind = said.rpartition("]")[2]
        prose = _IN_BACKQUOTES.sub("", said)  # code that is quoted may open a parenthesis and close none
        inside = "`" in prose or prose.count("(") > prose.count(")") or "['" in behind or '["' in behind
        goes_on = (said.endswith("...") or _NAME_WITH_MARK.search(said[-_LONGEST_NAME:])) and _goes_on(
            text[end.end() : end.end() + _LONGEST_CLAUSE]
        )
        is_number = _NUMBERS.search(said[-_LONGEST_NAME:]) is not None and text[end.end() : end.end() + 1].isdigit()
        if not (inside or goes_on or is_number) or "\n" in end[0]:
            yield said, end[0]
            start = end.end()
    if start < len(text):
        yield text[start:], ""


def _goes_on(rest: str) -> bool:
    """Return true where a sentence goes on behind a mark: with a small letter, and with no order anywhere in it."""
    words = _END_OF_CLAUSE.split(rest, maxsplit=1)[0].split()
    return rest[:1].islower() and not any(_INSTRUCTS.match(" ".join(words[place:])) for place in range(len(words)))

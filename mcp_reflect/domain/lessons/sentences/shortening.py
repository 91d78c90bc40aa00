"""A long lesson in few characters, for answers that hold many: the command or decision first, then what adds most."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain.lessons.sentences.candidates import AGENT, Candidate
from mcp_reflect.domain.lessons.sentences.selection import select_sentences
from mcp_reflect.domain.lessons.sentences.self_contained import points_back
from mcp_reflect.domain.lessons.sentences.wording import wording_factor
from mcp_reflect.domain.text.quotation import FOLLOWING
from mcp_reflect.domain.text.recalled import LABELS
from mcp_reflect.domain.truncate import truncate

_MISTAKE, _CORRECT, _GUIDANCE, _TOOLS, _WORKED, _QUOTED = LABELS
_FIELD_FACTORS = {_CORRECT: 3.0, _WORKED: 3.0, _MISTAKE: 1.0, _GUIDANCE: 1.2, "": 1.3, _QUOTED: 1.3, _TOOLS: 0.0}
"""Worth of a line by the field it stands in; "" is the summary. A field's later lines count as much as its wording."""

_MARK = " …"


def shorten_lesson(reflection: str, limit: int) -> str:
    """Return a rendered reflection (`rendering.render_reflection`) as at most `limit` characters.

    A lesson that fits is returned as it is. Of a longer one the line stays that says what works, cut at its end where
    it alone is too long, and beside it the lines that say most by evidence and new words. Where none fits, the one with
    the most evidence is cut. Lines keep their order and their labels; the list of tools goes. `…` marks what is
    shortened.
    """
    if len(reflection) <= limit:
        return reflection
    lines = _scored(reflection)
    room = limit - len(_MARK)
    works = next((line for line in lines if line.text.startswith((_CORRECT, _WORKED, FOLLOWING))), None)
    known = "" if works is None else works.text
    kept = [] if works is None else [works]
    if len(known) < room:
        others = [line for line in lines if line is not works]
        kept += select_sentences(others, f"{known} {' '.join(LABELS)}", room - len(known), of_lesson=True)
    if not kept or len(known) > room:
        best = works or max(lines, key=lambda line: line.evidence, default=None)
        return truncate(" ".join(reflection.split()) if best is None else best.text, limit)
    kept.sort(key=lambda line: line.turn)
    return " ".join(line.text for line in kept) + _MARK


def _scored(reflection: str) -> Sequence[Candidate]:
    """The lines of a reflection; `turn` is a line's number, `evidence` the worth of its field times its wording."""
    field = ""
    scored: list[Candidate] = []
    for number, line in enumerate(reflection.splitlines()):
        label = next((each for each in LABELS if line.startswith(each)), None)
        field = label if label is not None else field
        factor = _FIELD_FACTORS[_WORKED if line.startswith(FOLLOWING) else field]
        if factor and line.strip():
            continued = label is None and field in {_CORRECT, _WORKED}
            factor = (1.0 if continued else factor) * wording_factor(line)
            told = line.strip()
            behind = number - 1 if scored and label is None and points_back(told) else None
            scored.append(Candidate(told, AGENT, number, factor, is_rule=True, place=number, behind=behind))
    return scored

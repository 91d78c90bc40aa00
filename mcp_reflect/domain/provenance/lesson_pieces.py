"""The sentences of a lesson as they are screened, and how they are put together again where some are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from mcp_reflect.domain.provenance.carried_orders import tells_calls
from mcp_reflect.domain.provenance.judgement import Judged
from mcp_reflect.domain.text.instructions import pieces_of
from mcp_reflect.domain.text.quotation import Quotation, read_quotation

MORE = ";"
"""What stands between the commands of a lesson."""
BEFORE = ("before that it failed:", "At first it failed:", "Accepted, rightly or not:")
Told = tuple[Judged, str, Quotation | None]
"""A sentence that is kept, what stands behind it, and the quotation that it is a part of."""


def pieces_in(text: str) -> Iterator[tuple[str, str, Quotation | None]]:
    """Yield the sentences of a text, each with what stands behind it, and the quotation that it is a part of."""
    for is_quoted, lines in groupby(text.splitlines(keepends=True), lambda line: read_quotation(line) is not None):
        for part in lines if is_quoted else ["".join(lines)]:
            given = read_quotation(part)
            for piece, end in pieces_of(part if given is None else f"{given.text}\n"):
                yield piece, end, given


def without_steps_towards(told: Sequence[Told], is_alone: Sequence[bool]) -> list[Told]:
    """The sentences on what worked without calls that do not stand alone, and without the failures behind these."""
    kept: list[Told] = []
    is_left_out = False
    for each, alone in zip(told, is_alone, strict=True):
        text = each[0].text
        is_left_out = not (alone or each[0].is_quoted) and (
            tells_calls(text) or (is_left_out and text.startswith(BEFORE))
        )
        kept += [] if is_left_out else [each]
    return kept


def ending_line(text: str) -> str:
    """The end of a sentence behind which the rest of its line is left out."""
    return text.rstrip(f"{MORE} \n") + "\n"


def at_line_end(told: Told) -> Told:
    """A sentence behind which the rest of its line is left out."""
    judged, end, given = told
    return replace(judged, text=judged.text.removesuffix(MORE)), ending_line(end), given

"""Signatures of errors as a memory stores them: each group that belongs to one text is one JSON text.

It begins with the version of what signatures are made of. Of an error that was stored with another one they are made
anew where it is looked up: its text is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from mcp_reflect.domain.error_matching.signatures import ErrorSignature, SignatureGroup, error_signatures

SIGNATURES_VERSION = 5
"""Raised where the same text has other signatures than before. Version 1 stored no number and no required versions,
version 2 knew no lines with the reason of another, no brackets and no warnings, version 3 few frames of logs, and no
files but the innermost one, version 4 took what stood around a gap for code."""
BEGINNING = f"[{SIGNATURES_VERSION},"
"""How what is stored under this version begins."""


def stored_signatures(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the signatures of texts as a memory stores them: one JSON text per text that has any."""
    groups = dict.fromkeys(error_signatures(text) for text in texts)
    return tuple(_dumped(group) for group in groups if group)


def memory_signatures(mistake: str, evidence: Iterable[str]) -> tuple[str, ...]:
    """Return the stored signatures of an error: of its mistake, and of each piece of its evidence.

    A mistake that only repeats a line of the evidence has none of its own: the evidence knows the place.
    """
    stored = stored_signatures(evidence)
    known = {each.key for group in stored for each in read_signatures(group)}
    own = error_signatures(mistake)
    repeats = bool(own) and all(each.key in known for each in own)
    return stored if repeats or not own else (_dumped(own), *stored)


def _dumped(group: SignatureGroup) -> str:
    rows = [
        [
            each.key,
            each.named,
            each.outside,
            each.file,
            each.function,
            *map(sorted, (each.source, each.details, each.paths, each.files)),
        ]
        for each in group
    ]
    return json.dumps([SIGNATURES_VERSION, *rows], ensure_ascii=False, separators=(",", ":"))


def read_signatures(stored: str) -> SignatureGroup:
    """Return the signatures that `stored_signatures` wrote as one text, in whatever version."""
    rows = (row for row in json.loads(stored) if isinstance(row, list))
    return tuple(
        ErrorSignature(key, named, outside, file, function, *map(frozenset, words))  # paths and files came later
        for key, named, outside, file, function, *words in rows
    )

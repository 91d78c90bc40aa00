"""Quotations of several sentences: those behind the first say nothing of their own of who quotes them."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences

_QUOTED = re.compile(
    r"(?:(?<=[\s(\[:])|\A)[\"“„«](?=\w)(?P<text>[^\"“”„«»\n]{1,600}[.!?…] [^\"“”„«»\n]{1,600})[\"”“»](?!\w)"
)
"""A quotation in one line; within backquotes or words such marks quote nothing."""


def quoted_further(text: str) -> frozenset[str]:
    """Return the sentences of a text that go on with a quotation which one before them has begun."""
    quoted = (list(split_sentences(quotation["text"])) for quotation in _QUOTED.finditer(text))
    return frozenset(sentence for sentences in quoted for sentence in sentences[1:])

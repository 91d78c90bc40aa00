"""Texts of a lesson without the sentences that nobody vouches for, as the guide shows them."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_reflect.domain import lazy_re as re

_PUT_OUT = re.compile(r"; before that it failed: |\. At first it failed: |(?<= failed): ")
"""What stands between a call that failed and what it put out; with what only says again that the step itself failed."""

_LEFT = re.compile(r"( failed):(?=\s*(?:[;.]|$))")
"""What is left of a call whose output went."""


def without_sentences(text: str, sentences: Iterable[str]) -> str:
    """Return a text of a lesson without these sentences of it; a call stays without what it put out."""
    for said in sorted(sentences, key=len, reverse=True):
        if said in text:
            text = re.sub(rf"(?<!\w){re.escape(said)}(?!\w)", "", text)
    return "\n".join(filter(None, map(_tidy, text.splitlines())))


def without_steps(text: str, sentences: Iterable[str]) -> str:
    """Return the lines of what to do without those that such a sentence is part of: half of a step is another step.

    What a call put out when it failed is no part of the step: without it the line stays. The first line is what worked
    in the end: without it the others, which led there, are left out, too.
    """
    said = tuple(sentences)
    main, *others = (_whole_step(line, said) for line in text.splitlines() or [""])
    return "\n".join(filter(None, (main, *others))) if main else ""


def _whole_step(line: str, sentences: Iterable[str]) -> str:
    put_out = _PUT_OUT.search(line)
    step = line[: put_out.start()] if put_out else line
    places = [line.find(said) for said in sentences if said in line]
    if any(place < len(step) for place in places):
        return ""
    return step if places else line


def _tidy(line: str) -> str:
    left = _LEFT.sub(r"\1", " ".join(line.split())).strip(" ;")
    return left if any(each.isalnum() for each in left) else ""

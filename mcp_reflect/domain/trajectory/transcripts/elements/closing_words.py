"""Words of an agent behind an output, where a transcript has no mark between both."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re

_OPENING = re.compile(r"(?:I|I'll|I'm|Let me|Let's|Now|Next,?) [a-z]")
_WORDS = re.compile(r"[\"'`*(\[]{0,3}[^\W\d_].{0,2000}[.:?!…)`]\s{0,9}\Z", re.DOTALL)
_CODE = re.compile(r"[{}();=<>]\s{0,3}$", re.MULTILINE)


def split_closing_words(lines: Sequence[str], *, may_be_all: bool) -> tuple[str, str]:
    """Return the output of a call, and the agent's words behind it: paragraphs at the end that read like sentences.

    The first paragraph is always the output unless `may_be_all` is true.
    """
    paragraphs = [each for each in "\n".join(lines).strip("\n").split("\n\n") if each.strip()]
    first = 0 if may_be_all else 1
    place = len(paragraphs)
    while place > first and _reads_like_words(paragraphs[place - 1][:2_000]):
        place -= 1
    return "\n\n".join(paragraphs[:place]), "\n\n".join(paragraphs[place:])


def _reads_like_words(paragraph: str) -> bool:
    is_sentence = _WORDS.match(paragraph) is not None or _OPENING.match(paragraph) is not None
    return is_sentence and not _CODE.search(paragraph)

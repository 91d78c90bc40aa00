r"""Finding the block of memories that `augment_task` put below a task, so that memory never feeds on itself.

The block may stand in the middle of a log, several times, and inside JSON strings, where its line ends are written as
`\n` (a string in a string: `\\n`). What belongs to it is decided by its grammar alone:

    block      = "Relevant memories:" blank section+
    section    = ("Successful" | "Failed" | "Other") " memories:" blank entry (blank entry)*
    entry      = "--- Memory " number " ---" nl "Past task:" nl task blank "Reflection:" nl reflection
    task       = any text up to the first `blank "Reflection:" nl`
    reflection = line (nl line that is indented by two spaces or begins with a label)*

A block that begins another one's text before it is complete is not a block: the search goes on at the inner one. Hence
each character is looked at a bounded number of times.

What hooks add to a conversation has no such grammar; it stands between the tags that `recall_tags.marked` writes.
"""

from __future__ import annotations

from functools import lru_cache

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.quotation import QUOTED
from mcp_reflect.domain.text.recall_tags import CLOSING, OPENING, TAG

LABELS = ("Mistake: ", "Do instead: ", "Guidance: ", "Tools: ", "What worked: ", QUOTED)
"""How a field of a reflection begins, and the quotations behind the fields."""

_TITLE = "Relevant memories:"
_MARKS = ((OPENING, CLOSING), ("&lt;mcp-reflect-recall&gt;", "&lt;/mcp-reflect-recall&gt;"))
"""As they are written, and as Gemini CLI escapes them."""
_SECTION = r"(?:Successful|Failed|Other) memories:"
_ENTRY = r"--- Memory \d{1,9} ---"
_HEADER = re.compile(
    rf"{_TITLE}(?P<nl>\r?\n|(?:\\{{1,8}}r)?\\{{1,8}}n)(?P=nl){_SECTION}(?P=nl){{2}}{_ENTRY}(?P=nl)Past task:(?P=nl)"
)


def may_hold_recalled(text: str) -> bool:
    """Return false for a text without anything that `strip_recalled` would look at, in whatever JSON it stands."""
    return TAG in text or _TITLE in text


def _without_marked(text: str) -> str:
    for opening, closing in _MARKS:
        text = _without(text, opening, closing)
    return text


def _without(text: str, opening: str, closing: str) -> str:
    if opening not in text:
        return text
    kept: list[str] = []
    done = 0
    while (start := text.find(opening, done)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[done:start])
        done = end + len(closing)
    return "".join([*kept, text[done:]])


def strip_recalled(text: str) -> str:
    """Return the text without the memories that were recalled into it: blocks of `augment_task`, and what is `marked`.

    All else is kept byte for byte.

    `strip_recalled(render_augmented(task, memories)) == task` for every task that holds no block. Linear in time.
    """
    if not may_hold_recalled(text):
        return text
    text = _without_marked(text)
    if _TITLE not in text:
        return text
    kept: list[str] = []
    done = 0
    position = 0
    while header := _HEADER.search(text, position):
        line_end = header["nl"]
        block = _block(line_end).match(text, header.start())
        position = header.end()
        if block:
            kept.append(text[done : _start(text, header.start(), line_end, done)])
            done = position = block.end()
    kept.append(text[done:])
    return "".join(kept)


def _start(text: str, title: int, line_end: str, floor: int) -> int:
    """Return where the block begins: the blank line before its title belongs to it."""
    start = title - 2 * len(line_end)
    if start < floor or not text.startswith(line_end * 2, start):
        return title
    if line_end[0] == "\\":
        # Inside a string the first of these backslashes may be the second half of an escaped one.
        before = start
        while before > floor and text[before - 1] == "\\":
            before -= 1
        if (start - before) % (2 * _run(line_end)):
            return title
    return start


def _run(line_end: str) -> int:
    """Length of the run of backslashes that `line_end` begins with."""
    return len(line_end) - len(line_end.lstrip("\\"))


@lru_cache(maxsize=32)
def _block(line_end: str) -> re.Pattern[str]:
    """The grammar for one way of writing a line end."""
    # Atomic groups, not possessive quantifiers of groups: Python before 3.11.5 matches those wrongly.
    nl = re.escape(line_end)
    plain, unit, any_unit = _units(line_end, nl)
    reflection_end = rf"{nl}{nl}Reflection:{nl}(?={unit})"
    header = rf"{_TITLE}{nl}{nl}{_SECTION}{nl}{nl}{_ENTRY}{nl}Past task:{nl}"
    past_task = rf"(?>(?:{plain}|(?!{reflection_end}|{header}){any_unit})*)"
    labels = "|".join(map(re.escape, LABELS))
    line = rf"(?:{plain}|{unit})"
    reflection = rf"(?>{line}+)(?>(?:{nl}(?:  |{labels})(?>{line}*))*)"
    entry = rf"{_ENTRY}{nl}Past task:{nl}{past_task}{reflection_end}{reflection}"
    section = rf"{_SECTION}{nl}{nl}{entry}(?>(?:{nl}{nl}{entry})*)"
    return re.compile(rf"{_TITLE}(?>(?:{nl}{nl}{section})+)", re.DOTALL)


def _units(line_end: str, nl: str) -> tuple[str, str, str]:
    r"""Patterns for many plain characters, for one of a line, and for one of a text, as written where the block stands.

    Plain ones begin neither a line end nor a title; taken together, they keep the number of steps small. In a JSON
    string within k strings a line end is written as 2**(k-1) backslashes and an n, a backslash as twice as many, a
    quote as one less than that and the quote; a quote with fewer ends the string, and the block with it.
    """
    if line_end[0] != "\\":
        return rf"[^\r\n{_TITLE[0]}]++", rf"(?:(?!{nl})[^\n])", "."
    run = _run(line_end)
    if run & (run - 1):
        return "(?!)", "(?!)", "(?!)"  # no string is written like that
    one = rf"(?:[^\\\"\n]|\\{{{2 * run}}}|\\{{{2 * run - 1}}}\"|(?!{nl})\\{{{run}}}[^\\\"\nn])"
    return rf"[^\\\"\n{_TITLE[0]}]++", one, rf"(?:{one}|{nl}|\\{{{run}}}n)"

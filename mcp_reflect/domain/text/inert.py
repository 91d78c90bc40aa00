"""Makes text that comes out of memory inert for its reader: it can neither end its frame nor hide or steer anything.

`visible` takes out characters that are not seen but act: escape sequences, control characters, bidirectional and
zero-width characters, tag characters and stray variation selectors. Joiners and selectors stay where a script or an
emoji needs them. `inert` also defuses what looks like the frames that this project writes (the sections of
`augment_task`, the tags of the hooks) or like the markers that chat formats are built of, in whatever look-alike
characters: a line is quoted, the bracket of a tag becomes a parenthesis. Both functions give back their own results
unchanged, and harmless text byte for byte.

JSON is data: `inert_json` is for values that a model or a program is given, whose frame is JSON itself, and
`escaped_json` for documents that are written to files and terminals, from which nothing may get lost.
"""

from __future__ import annotations

import json
import unicodedata

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.already_inert import HEADINGS, is_already_inert, is_visible_ascii
from mcp_reflect.domain.text.look_alikes import plain_letters, skeleton_of

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from typing import Any

_SEQUENCE = re.compile(
    # CSI; OSC, DCS, SOS, PM, APC up to their end or the line's; two-character escapes. ESC may be written as C1.
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_UNUSUAL_LINE_END = re.compile("[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\U0001d173-\U0001d17a"
    "\U0001bca0-\U0001bca3\U00013430-\U0001343f]"
)
_JOINING = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_ACTING = re.compile(_UNSEEN.pattern[:-1] + "\r\x0b\x0c\x85\u2028\u2029" + _JOINING.pattern[1:-1])
"""All that `visible` may take out; it begins the sequences, too."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

_EDGE = r"[\s*#_`~]*"
_HEADINGS = "|".join(re.escape(each.lower()) for each in HEADINGS)
_FRAME_LINE = re.compile(
    rf"{_EDGE}(?:relevant memories ?:|(?:successful|failed|other) memories ?:"
    r"|[-=]{2,} ?memory ?[#(]?(?:\d+|[ivxlc]{1,8})[.):]? ?[-=]{2,}|past task ?:|reflection ?:"
    rf"|{_HEADINGS}){_EDGE}"
)
_FENCED = ("memor", "task", "reflection", *(max(each.lower().split(), key=len) for each in HEADINGS))
"""One word of each frame."""


def _spread(*words: str) -> str:
    """Words with a few blanks, also line ends, between their letters, which a reader passes over."""
    return r"[\s._-]{0,24}".join(r"\s{0,12}".join(word) for word in words)


_NAME_OF_MARKER = r"/?[A-Za-z_\u2581][\w\u2581.:/-]{0,60}"
_TOLD_MARKER = (
    rf"(?=[^|>]{{0,60}}[A-Za-z][_\u2581-][A-Za-z]|(?i:system|user|assistant|tool|end|eot|bos|eos|pad|sep)\s?\|)"
    rf"{_NAME_OF_MARKER}"
)
"""The name in a marker with blanks around it; between operators of F# stands a name of one word."""
_TAG = re.compile(
    rf"(?:<|&(?:lt|#0{{0,4}}60|#x0{{0,4}}3c);)(?=(?:\s{{0,20}}/)?\s{{0,20}}"
    rf"(?i:{_spread('mcp', 'reflect', 'recall')}|{_spread('system', 'reminder')})(?!\w))"
    # Markers of chat formats: <|im_start|>, <start_of_turn>, </s>, <<SYS>>, [INST]
    rf"|<(?=\|{_NAME_OF_MARKER}\||\|\s{_TOLD_MARKER}\s?\|\s?>)"
    r"|<(?=/?(?:start|end)_of_(?:turn|text|image|audio)>|/s>)"
    r"|<(?=<\s?/?\s?SYS>>)"
    # An index of a table in C is none: followed by a sign, behind a name
    r"|\[(?=\s?/?\s?INST\s?\])(?!(?<=[\w)\]]\[)INST\][ ]?[\[=;,.)\]+*/<>&|?:-])",
)
_MAY_BE_TAG = re.compile(r"[<\[&]|[^\x00-\x7f]")
_QUOTED = "> "


def visible(text: str) -> str:
    """Return the text without what is not seen; only line feeds end a line. For terminals and files."""
    if is_visible_ascii(text):
        return text
    while _ACTING.search(text):
        before = text
        text = _UNSEEN.sub("", _LINE_END.sub("\n", _SEQUENCE.sub("", text)))
        text = _JOINING.sub(lambda found: _kept(found, text), text)  # noqa: B023 - called at once
        if text == before:
            break
    return text


def inert(text: str) -> str:
    """Return the visible text with nothing in it that could be taken for a frame.

    For whatever a model or a page is shown.
    """
    return text if is_already_inert(text) else _without_frames(text, ())


def inert_below_headings(text: str) -> str:
    """Return what hooks render of memories as `inert` does; their own headings in it stay."""
    return _without_frames(text, HEADINGS)


def _without_frames(text: str, own: tuple[str, ...]) -> str:
    text = visible(text)
    while True:
        after = "\n".join(line if line in own else _quoted(line) for line in _without_tags(text).split("\n"))
        if after == text:
            return text
        text = after


def skeleton(text: str) -> str:
    """Return the visible text in plain lower-case letters, with look-alikes as what they imitate."""
    text = visible(text)
    return (text if text.isascii() else _NOT_ASCII.sub(lambda found: plain_letters(found[0]), text)).lower()


def inert_json(value: Any) -> Any:
    """Return the JSON value with each string and key visible, and without tags that a model could take for ours."""
    if isinstance(value, str):
        return _without_tags(visible(value))
    if isinstance(value, dict):
        return {inert_json(key): inert_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [inert_json(item) for item in value]
    return value


def escaped_json(document: str) -> str:
    """Return a JSON document with what `visible` would take out written as escapes: it means the same."""
    document = _UNSEEN.sub(_escaped, _UNUSUAL_LINE_END.sub(_escaped, document))
    return _JOINING.sub(lambda found: found[0] if _kept(found, document) == found[0] else _escaped(found), document)


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if found[0] != "\x7f" else "\\u007f"


def _kept(found: re.Match[str], text: str) -> str:
    """A joiner between letters of a script that joins, or in an emoji; one selector after what it can select for."""
    run, before, after = found[0], text[: found.start()][-1:], text[found.end() :][:1]
    if not before or (before.isascii() and before not in "0123456789#*"):
        return ""
    selects = unicodedata.category(before) in {"So", "Sm", "Po"} or after == "\u20e3"
    selector = run[0] if run[0] in "\ufe0e\ufe0f" and selects else ""
    if "\U000e0100" <= run[0] <= "\U000e01ef" and unicodedata.name(before, "").startswith("CJK"):
        return run[0]
    joiner = next((each for each in run if each in "\u200c\u200d"), "")
    joins = bool(joiner) and bool(after) and not before.isascii() and not after.isascii() and _joins(before, after)
    return selector + (joiner if joins else "")


def _joins(before: str, after: str) -> bool:
    kinds = {unicodedata.category(before), unicodedata.category(after)}
    emoji = kinds <= {"So", "Sk", "Sm", "Po"}
    # Scripts with cursive or conjunct forms: Arabic and relatives, the Indic ones.
    return emoji or all("\u0590" <= each <= "\u1fff" or "\ua800" <= each <= "\uabff" for each in (before, after))


def _quoted(line: str) -> str:
    plain = skeleton_of(line).text.lower()
    if not any(word in plain for word in _FENCED) or not _FRAME_LINE.fullmatch(" ".join(plain.split())):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}{_QUOTED}{line[len(indent) :]}"


def _without_tags(text: str) -> str:
    """Return the text with the bracket of each tag and marker as a parenthesis; they may go on over line ends."""
    if not _MAY_BE_TAG.search(text):
        return text
    plain = skeleton_of(text)
    places = sorted({plain.place_of(found.start()) for found in _TAG.finditer(plain.text)})
    if not places:
        return text
    starts = [0, *(place + 1 for place in places)]
    return "(".join(text[start:end] for start, end in zip(starts, [*places, len(text)], strict=True))

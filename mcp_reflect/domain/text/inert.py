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
from functools import lru_cache

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.already_inert import is_already_inert, is_visible_ascii

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
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\U0001d173-\U0001d17a]"
)
_JOINING = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_ACTING = re.compile(_UNSEEN.pattern[:-1] + "\r\x0b\x0c\x85\u2028\u2029" + _JOINING.pattern[1:-1])
"""All that `visible` may take out; it begins the sequences, too."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

_DASHES = "‐‑‒–—―−﹘﹣－─━╌╍⸺⸻ー﹉⁃˗֊"
_LOOKALIKES = str.maketrans(
    "‹〈⟨＜﹤˂ᐸ❮❰≺〈⧼🞀›〉⟩＞﹥˃ᐳ❯❱≻〉⧽🞂∕⁄／⧸╱⟋：﹕∶ː꞉׃։｜│∣ǀ" + _DASHES
    + "аеорсухіјѕһԁӏмтквнгυνοαερτικиπАВЕКМНОРСТХІЈЅУΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡɩɪʀɴɛо",
    "<<<<<<<<<<<<<>>>>>>>>>>>>>//////:::::::||||" + "-" * len(_DASHES)
    + "aeopcyxijshdlmtkbhruvoaeptiknnabekmhopctxijsyabezhikmnoptyxiagiirneo",
)  # fmt: skip

_FRAME_LINE = re.compile(
    r"[\s*#_`~]*(?:relevant memories ?:|(?:successful|failed|other) memories ?:|-{2,} ?memory ?\d+ ?-{2,}"
    r"|past task ?:|reflection ?:)[\s*#_`~]*"
)
_TAG = re.compile(r"<(?=\s*/?\s*(?:mcp[-_ ]?reflect[-_ ]?recall|system[-_ ]?reminder)\b|\|[a-z_]{2,40}\|)")
_FENCED = ("memor", "task", "reflection", "recall", "remind", "|")
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
    if is_already_inert(text):
        return text
    text = visible(text)
    while True:
        lines = [_defused(line) for line in text.split("\n")]
        after = "\n".join(lines)
        if after == text:
            return text
        text = after


def skeleton(text: str) -> str:
    """Return the visible text in plain lower-case letters, with look-alikes as what they imitate."""
    text = visible(text)
    return (text if text.isascii() else _NOT_ASCII.sub(lambda found: _plain(found[0]), text)).lower()


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


def _defused(line: str) -> str:
    skeleton = line.lower() if line.isascii() else _skeleton(line)[0]
    if not any(word in skeleton for word in _FENCED):
        return line
    line = _defused_tags(line)
    if _FRAME_LINE.fullmatch(" ".join(skeleton.split())):
        indent = line[: len(line) - len(line.lstrip())]
        return f"{indent}{_QUOTED}{line[len(indent) :]}"
    return line


def _without_tags(text: str) -> str:
    return text if text.isascii() and "<" not in text else "\n".join(_defused_tags(line) for line in text.split("\n"))


def _defused_tags(line: str) -> str:
    skeleton, places = _skeleton(line)
    tags = {places[found.start()] for found in _TAG.finditer(skeleton)}
    return "".join("(" if place in tags else each for place, each in enumerate(line)) if tags else line


def _skeleton(line: str) -> tuple[str, list[int]]:
    """The line in plain lower-case letters as a reader may see it, and where in the line each of them stands."""
    if line.isascii():
        return line.lower(), list(range(len(line)))
    letters: list[str] = []
    places: list[int] = []
    for place, each in enumerate(line):
        for letter in _plain(each):
            letters.append(letter)
            places.append(place)
    return "".join(letters), places


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    folded = character.translate(_LOOKALIKES)
    decomposed = unicodedata.normalize("NFKD", folded).translate(_LOOKALIKES).lower()
    return "".join(each for each in decomposed if unicodedata.category(each) not in {"Mn", "Me", "Cf"})

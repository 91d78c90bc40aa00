"""Marks at the beginning of lines, and lines that tell an exit code, in whatever notation a transcript has."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.command_text import looks_like_command
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import AGENT_NAMES, USER_NAMES, foreign_words

_MOST_BEFORE = 60
"""Characters before a command in its line."""
_MOST_WORDS_BEFORE = 3
_BEGINS = re.compile(r"(?:^|(?<=[\s\"'`(:=|>$%»→]))(?=[\w./~])")
_DIGITS = re.compile(r"\d+")
_GAPS = re.compile(r"[ \t]+")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_CLOSERS = {"(": ")", "{": "}", "[": "]", '"': '"', "'": "'", "`": "`"}
_TAG = re.compile(r"<([A-Za-z_][\w.-]{0,40})(?: [^<>\n]{0,80})?>[ \t]{0,3}$")
_IN_FOLDER = re.compile(r"(?<=['\"`])[ \t]in [~/.]\S{0,200}$")
_TIMED = re.compile(
    r"[^\w\n]{0,4}(?P<word>succeeded|passed|failed)(?: in \d[\d.,]{0,8} ?m?s(?:ec(?:onds?)?)?)?[:.)\]]{0,3}",
    re.IGNORECASE,
)
_EXIT = re.compile(
    r"^(?:\[\w{1,20}\] )?[^\w\n]{0,8}"
    r"(?:(?:process|command|cmd|bash|sh|shell|tool|done|finished|failed|ok|returned)[ ,:;–—-]{1,3}){0,2}"
    r"(?:exit(?:ed)?(?:[ _-]?(?:code|status))?(?: (?:with|code|status)){0,2}|exitcode|rc"
    r"|ret(?:urn)?(?:ed)?(?:[ _]?code)?"
    r"|status(?: code)?|code)[^\w\n-]{0,4}(?P<code>-?\d{1,3})\b(?!\.\d)(?P<rest>[^\n]{0,40})$",
    re.IGNORECASE,
)
_BEHIND_CODE = re.compile(
    r"[^\w\n]{0,4}(?:</?\w{1,20}>|\(?\d[\d.,]{0,8} ?m?s(?:ec(?:onds?)?)?\)?|in \d[\d.,]{0,8} ?m?s|ok|error"
    r"|failed|failure|success)?[^\w\n]{0,6}",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"^(?P<mark>[^\w\s]{0,5}[ \t]{0,2}(?P<label>[^\W\d_][\w-]{0,28}(?:[ :/][\w#-]{1,20}){0,2}?)[ \t]{0,2}"
    r"(?:[:>\])}|»]|[*_=~-]{2}|(?:=|-)>)[^\w\s]{0,4})(?:[ \t]{1,4}(?P<said>\S.*))?$"
)
_HEADED = re.compile(r"^(?P<mark>(?:#{1,6}|[*_=~-]{2,12})[ \t]{1,3}(?P<label>[^\W\d_][\w-]{0,28}))[ \t]{0,3}\W{0,12}$")
_SIGNED = re.compile(r"^(?P<mark>[^\w\s\"'`(\[{<]{1,4})[ \t]{1,4}(?P<said>\S.*)$")
_SPEAKERS_TAG = re.compile(r"<(?P<name>[A-Za-z]{2,20})>(?P<said>.*)$")
_USER_WORDS = USER_NAMES | foreign_words("task") | frozenset(("task", "prompt", "request", "goal", "issue", "ticket"))
_AGENT_WORDS = AGENT_NAMES | frozenset(
    """
    thought thoughts think thinking reasoning reason plan note notes comment says said reply final summary answer
    conclusion done message reflection rationale explanation narration analysis
    """.split()  # noqa: SIM905 - as words they can be read
)
RESULT_WORDS = frozenset(
    """
    out output outputs stdout stderr result results observation observed obs response returned returns got shell
    terminal console log printed prints answer answered
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Words of labels under which stands what a call gave."""
_JOINTS = re.compile(r"[\s:/_-]+")


class Begun(NamedTuple):
    """A line that a command may stand in: the mark before it, without digits, and where the command begins."""

    mark: str
    begin: int


class MarkedLine(NamedTuple):
    """A line with the mark of somebody who speaks: the mark, whose it is as by `role_of`, and what is said."""

    mark: str
    role: str
    said: str


def commands_in(line: str) -> list[Begun]:
    """Return the places of a line at which a command may begin, each with the mark before it."""
    found = []
    for begins in _BEGINS.finditer(line[: _MOST_BEFORE + 1]):
        place = begins.start()
        before = line[:place]
        if len(_WORD.findall(before)) <= _MOST_WORDS_BEFORE and looks_like_command(unclosed(line[place:], before)):
            found.append(Begun(normal_mark(before), place))
    return found


def normal_mark(text: str) -> str:
    """Return a mark in the form in which equal marks are equal: with numbers as 0, and one blank for many."""
    return _GAPS.sub(" ", _DIGITS.sub("0", text))


def unclosed(text: str, mark: str) -> str:
    """Return what stands behind a mark, without what closes the quotes, brackets and tag that the mark opens."""
    text = text.rstrip()
    if tag := _TAG.search(mark):
        return text.removesuffix(f"</{tag[1]}>").rstrip()
    opened: list[str] = []
    for sign in mark:
        if opened and sign == opened[-1]:
            opened.pop()
        elif sign in _CLOSERS:
            opened.append(_CLOSERS[sign])
    if opened and (place := _IN_FOLDER.search(text)):
        text = text[: place.start()]
    for closer in opened:
        text = text.removesuffix(closer).rstrip()
    return text


def exit_code_in(line: str) -> int | None:
    """Return the exit code that a line tells which tells nothing else; None for any other line."""
    if len(line) > 2 * _MOST_BEFORE:
        return None
    if timed := _TIMED.fullmatch(line.strip()):
        return int(timed["word"].lower() == "failed") if "in " in line or line.rstrip().endswith(":") else None
    told = _EXIT.match(line)
    return int(told["code"]) if told and _BEHIND_CODE.fullmatch(told["rest"]) else None


def spoken_in(line: str) -> MarkedLine | None:
    """Return what a line shows of who speaks in it; None for a line that begins with no mark."""
    line = line.rstrip()
    if tag := _SPEAKERS_TAG.match(line):
        role = role_of(tag["name"])
        return (
            MarkedLine(f"<{tag['name']}>", role, tag["said"].removesuffix(f"</{tag['name']}>").strip())
            if role
            else None
        )
    labelled = _LABELLED.match(line) or _HEADED.match(line)
    if labelled is not None:
        role, said = role_of(labelled["label"]), (labelled.groupdict().get("said") or "").strip()
        return MarkedLine(normal_mark(labelled["mark"]), role, said) if role or said else None
    signed = _SIGNED.match(line)
    return MarkedLine(signed["mark"], "", signed["said"]) if signed else None


def role_of(label: str) -> str:
    """Return whom a label names: `user`, `agent`, or `observed` for what a tool gave; empty for any other."""
    words = [word for word in _JOINTS.split(label.lower()) if word]
    if not words:
        return ""
    if words[-1] in RESULT_WORDS and words[-1] not in _AGENT_WORDS:
        return "observed"
    if words[0] in _USER_WORDS:
        return "user"
    return "agent" if words[0] in _AGENT_WORDS or words[-1] in _AGENT_WORDS else ""

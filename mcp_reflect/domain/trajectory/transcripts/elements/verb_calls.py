"""Calls that are told by a verb and what it is done to: `run make`, `read app.conf`, `write app.conf` with its text."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit
from mcp_reflect.domain.trajectory.told_wording import BEGINS_WITH_PROGRAM
from mcp_reflect.domain.trajectory.tools import SHELLS, is_instrument, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import is_patcher
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import foreign_words

_GENERAL = "|".join(map(re.escape, sorted({"tool", "call", *foreign_words("tool"), *foreign_words("call")})))
_CALL = re.compile(
    rf"(?:(?:{_GENERAL})[: ][ \t]{{0,4}})?(?P<call>(?P<verb>[A-Za-z_][\w.-]{{0,60}})"
    r"(?:(?P<brackets>\(.*\))|:?[ \t]{1,4}(?P<given>\S.*?))?)[ \t]{0,9}",
    re.IGNORECASE,
)
_RUNS = SHELLS - {"command", "cmd", "console"}
_WRITES = frozenset({"write", "save", "create", "overwrite"})
_READS = {
    **dict.fromkeys(("read", "open", "view", "show", "list"), "path"),
    **dict.fromkeys(("search", "query", "lookup"), "query"),
    **dict.fromkeys(("fetch", "browse", "visit", "goto", "download", "get"), "url"),
}
_BEHIND_PATH = re.compile(r"[`'\"]?(?P<path>[^\s`'\"(]{1,200})[`'\"]?(?:[ \t].{0,60})?")
_TOLD_ENDING = re.compile(
    r"(?:ok(?:ay)?|done|saved|written|created|success\w*|wrote\b.*|(?:error|fail\w*|denied|no such)\b.*"
    r"|\d{1,9} (?:lines?|bytes?|chars?|characters?)\b.*)[.!]?",
    re.IGNORECASE,
)
"""What an editor answers: no text of a file."""


def read_verb_call(text: str) -> re.Match[str] | None:
    """Return the call that a text tells by its verb; None for any other text, such as a sentence."""
    told = _CALL.fullmatch(text)
    if told is None:
        return None
    verb, is_code = told["verb"].lower(), told["brackets"] is not None
    is_known = verb in _RUNS | _WRITES or verb in _READS or is_patcher(verb) or is_instrument(verb)
    is_named = is_tool_name(told["verb"]) and ("_" in verb or "." in verb)
    is_program = not is_code and BEGINS_WITH_PROGRAM.match(told["call"]) is not None
    is_given = bool(told["given"]) or is_code
    return told if is_program or (is_given and (is_known or is_named or is_code)) else None


def add_verb_call(found: CollectedMessages, told: re.Match[str], lines: Sequence[str]) -> None:
    """Add the call that a text tells, with the lines below it: what was written or changed, else what came of it."""
    verb, given, below = told["verb"].lower(), told["given"] or "", "\n".join(lines)
    inside = told["brackets"].strip("()").strip("\"'`") if told["brackets"] else ""
    file = _BEHIND_PATH.fullmatch(given or inside)
    is_text = bool(below.strip()) and not (len(lines) == 1 and _TOLD_ENDING.fullmatch(lines[0].strip()))
    if file and is_text and _adds_text(found, verb, file["path"], below):
        return
    before = found.calls
    if told["brackets"]:
        add_noted_call(found, "", told["call"])
    elif verb in _RUNS:
        found.run(given)
    elif verb in _READS:
        found.call(verb, {_READS[verb]: given.strip("`'\"")})
    elif file and (verb in _WRITES or is_patcher(verb)):
        found.call(verb, {"file_path": file["path"]})
    elif BEGINS_WITH_PROGRAM.match(told["call"]):
        found.run(told["call"])
    else:
        add_noted_call(found, told["verb"], given)
    if found.calls > before and lines:
        found.answer(below)


def add_written(found: CollectedMessages, call: str, lines: Sequence[str]) -> bool:
    """Add a call that writes the lines below it into a file; return false for any other call, or an answer below it."""
    told = read_verb_call(call)
    file = _BEHIND_PATH.fullmatch(told["brackets"].strip("()").strip("\"'`")) if told and told["brackets"] else None
    is_answer = len(lines) == 1 and _TOLD_ENDING.fullmatch(lines[0].strip())
    if told is None or file is None or is_answer or not re.search(r"[./]", file["path"]):
        return False
    return _adds_text(found, told["verb"].lower(), file["path"], "\n".join(lines))


def add_text_below(found: CollectedMessages, tool: str, text: str) -> bool:
    """Add a call whose text is a file and, below it, what was written or changed there; return false for any other."""
    first, _, below = text.partition("\n")
    file = _BEHIND_PATH.fullmatch(first.strip())
    if (
        file is None
        or not below.strip()
        or not re.search(r"[./]", file["path"])
        or _TOLD_ENDING.fullmatch(below.strip())
    ):
        return False
    return _adds_text(found, tool.lower(), file["path"], below)


def _adds_text(found: CollectedMessages, verb: str, path: str, text: str) -> bool:
    """Add what was written into a file, or changed in it; return false where a call tells neither."""
    words = set(re.split(r"[\W_]+", verb))
    if change := read_signed_edit(text, path) if is_patcher(verb) else None:
        found.patch([change])
    elif verb in _WRITES or (is_instrument(verb) and verb not in SHELLS) or words & (_WRITES - {"create"}):
        found.write(path, text)
    elif words & {"append", "insert"}:
        found.edit(path, ("", text))
    else:
        return False
    return True

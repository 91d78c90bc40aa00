"""Extraction of the lines in which tools and logs report errors.

These are heuristics on free text: memories and error matching use them, rewards do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.truncate import truncate_line

MAX_ERRORS = 20
MAX_ERROR_CHARS = 300
_MAX_LINE = 2_000
"""Characters of a line that are searched; the error is at its beginning."""

_HINTS = (
    *("err", "exception", "fail", "fatal", "panic", "abort", "critical", "exit", "return"),
    *("not found", "no such", "denied", "segmentation"),
    *("unable to", "undefined", "cannot find symbol", "missing separator", "can't", "explicit package"),
)
"""A cheap first test: nearly all lines of a log contain none of these."""

# Possessive quantifiers: the time is linear in the length of any line.
_ERROR_LINE = re.compile(
    r"""
    (?:Error|Exception|\berror|\bERROR)(?:\[\w++\])?\s{0,3}:        # ValueError: …, a.c:3: error: …
        (?!\s*+(?:none|null|nil|false|no\b|0\b|""|''|\[\]|\{\}))
    | ^\s*+[\w.]++(?:(?<=Error)|(?<=Exception))\s*+$                # an exception without a message
    | ^(?:\S++\s++){0,4}?[\[(<|]?(?:ERROR|FATAL|CRITICAL)[\])>|]?[\s:]++\S      # the level of a log line
    | ^\s*+(?:---\s)?FAIL(?:ED|URE)?\b(?!\s*+[:=]\s*+0)
    | \bnpm\s(?:ERR!|error\s(?!code\b|path\b|syscall\b|errno\b|A\scomplete))
    | \bundefined\s(?:reference\sto|symbols?\b) | \bpanicked\sat\b | \bcannot\sfind\ssymbol\b
    | ^\s*+[\w./-]++:\s(?:\w++\s){0,4}?returned\s(?:exit\s)?(?:status|code)\s[1-9]
    | ^\s*+Unable\sto\s(?:build|connect|create|find|install|load|locate|open|parse|read|resolve|start)\b
    | \*\*\*\smissing\sseparator | \bCan't\slocate\s | \brequires\sexplicit\spackage\sname\b | ^can't\s(?:find|read)\s
    | ^\s*+(?:fatal|panic|abort(?:ed)?|failed|failure)\s?:
    | \b(?:command\snot\sfound|No\ssuch\sfile\sor\sdirectory|Permission\sdenied|Segmentation\sfault)\b
    | (?i:\bexit(?:ed)?[\s_-]?(?:with\s)?(?:code|status)?|\breturn[\s_]?code)[\s:='"]{1,4}-?[1-9]\d{0,9}\b
    """,
    re.VERBOSE,
)
_REFUSAL = re.compile(
    r"""\W{0,4}(?:error|exception|fail(?:ed|ure)|fatal|invalid|could\snot|couldn't|cannot|can't|unable\sto|no\ssuch
    |not\sfound|unknown\s(?:tool|command|function|action|option|argument)|access\sdenied|permission\sdenied|timed\sout
    |time-?out)\b(?!\s*+[:=]?\s*+(?:none|null|false|0)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""The beginning of a tool's answer that refuses a request."""
_CELL_ERROR = re.compile(r"#(?:NAME\?|REF!|VALUE!|DIV/0!|NUM!|NULL!)")
"""What a cell of a spreadsheet shows whose formula went wrong."""
_EXIT_CODES = frozenset({"exit_code", "exitcode", "exit_status", "returncode", "return_code"})
_TRACEBACK = "Traceback (most recent call last)"


def errors_in_text(text: str) -> Iterator[str]:
    """Yield the lines of a log that report an error; of a Python traceback its last line."""
    whole = text.lower()
    hints = [hint for hint in _HINTS if hint in whole]
    if not hints and _TRACEBACK not in text:
        return
    in_traceback = False
    for whole_line in text.splitlines():
        line = whole_line[:_MAX_LINE]
        if _TRACEBACK in line:
            in_traceback = True
            continue
        if in_traceback:
            # Frames are indented; test runners put a mark such as "E   " before each line of it.
            if not line.strip() or line[0].isspace():
                continue
            in_traceback = False
            yield error_line(line)
            continue
        lowered = line.lower()
        if any(hint in lowered for hint in hints) and _ERROR_LINE.search(line):
            yield error_line(line)


def errors_in_result(text: str, *, failed: bool | None) -> Iterator[str]:
    """Yield the errors in a tool's answer. `failed` is the error flag of the message, None where it has none."""
    answer = _json_object(text)
    found = list(errors_in_text(text) if answer is None else _in_answer(answer))
    if cell := _CELL_ERROR.search(text[:_MAX_LINE]):
        found.append(error_line(cell[0]))
    refused = answer is None and _REFUSAL.match(text.lstrip()[:_MAX_LINE])
    if not found and (failed or refused):
        found = [error_line(text) or "the tool reported an error without a text"]
    yield from found


def _in_answer(answer: dict[str, Any]) -> Iterator[str]:
    for key, value in answer.items():
        name = key.lower()
        if name in {"error", "errors", "exception"} and value:
            yield error_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        elif _is_bad_status(name, value):
            yield error_line(f"{key}: {value}")
        elif isinstance(value, str):
            yield from errors_in_text(value)


def _is_bad_status(name: str, value: Any) -> bool:
    if name == "status":
        return isinstance(value, str) and value.lower() in {"error", "failed", "failure"}
    return name in _EXIT_CODES and isinstance(value, int) and value != 0


def _json_object(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def error_line(text: str) -> str:
    """Return the text in one line of at most MAX_ERROR_CHARS characters."""
    return truncate_line(text, MAX_ERROR_CHARS)

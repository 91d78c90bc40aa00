"""Extraction of the lines in which tools and logs report errors.

These are heuristics on free text: memories and error matching use them, rewards do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.trajectory.tool_json import parse_json_object
from mcp_reflect.domain.truncate import truncate_line

MAX_ERRORS = 20
MAX_ERROR_CHARS = 300
_MAX_LINE = 2_000
"""Characters of a line that are searched; the error is at its beginning."""

_HINTS = (
    *("err", "exception", "fail", "fatal", "panic", "abort", "critical", "exit", "return"),
    *("not found", "no such", "denied", "segmentation"),
    *("could", "unable to", "undefined", "cannot find symbol", "missing separator", "can't", "explicit package"),
    *("installation candidate", "unmet dep", "release file", "is not signed"),
    *("ora-", "pls-", "sp2-", "tns-", "sqlstate[", ", level"),
)
"""A cheap first test: nearly all lines of a log contain none of these."""

# Possessive quantifiers: the time is linear in the length of any line.
_ERROR_LINE = re.compile(
    r"""
    (?:Error|Exception|\berror|\bERROR)(?:\[\w++\])?\s{0,3}:        # ValueError: …, a.c:3: error: …
        (?!\s*+(?:none|null|nil|false|no\b(?!\s+such)|0\b|""|''|\[\]|\{\}))
    | ^\s*+[\w.]++(?:(?<=Error)|(?<=Exception))\s*+$                # an exception without a message
    | ^(?:\S++\s++){0,4}?[\[(<|]?(?:ERROR|FATAL|CRITICAL)[\])>|]?[\s:]++\S      # the level of a log line
    | ^\s*+(?:---\s)?FAIL(?:ED|URE)?\b(?!\s*+[:=]\s*+0)
    | (?<=[\s:.])(?<!\b0\s)(?<!\b[Nn]o\s)FAIL(?:ED|URE)?\s*+$               # a check, with its verdict behind it
    | (?:^|[.:]\s++)Could(?:n't|\snot)\s(?:connect|create|find|install|load|locate|open|parse|read|resolve|start)\b
    | \bnpm\s(?:ERR!|error\s(?!code\b|path\b|syscall\b|errno\b|A\scomplete))
    | \bundefined\s(?:reference\sto|symbols?\b) | \bpanicked\sat\b | \bcannot\sfind\ssymbol\b
    | ^\s*+[\w./-]++:\s(?:\w++\s){0,4}?returned\s(?:exit\s)?(?:status|code)\s[1-9]
    | ^\s*+Unable\sto\s(?:build|connect|create|find|install|load|locate|open|parse|read|resolve|start)\b
    | ^\W{0,3}(?:\w++:?\s)?\d++\s(?:examples?|tests?|specs?|assertions?)\b[^\n]{0,60}?
        \b[1-9]\d*+\s(?:failures?|failed|errors?)\b
    | ^An\serror\soccurred\s\(\w++\)\swhen\scalling\s                        # the AWS command line
    | \*\*\*\smissing\sseparator | \bCan't\slocate\s | \brequires\sexplicit\spackage\sname\b | ^can't\s(?:find|read)\s
    | ^\s*+(?:fatal|panic|abort(?:ed)?|failed|failure)\s?:
    | ^E:\s[A-Z]                                                       # apt
    | ^\s*+(?:ORA|PLS|SP2|TNS)-\d{4,5}:\s | \bSQLSTATE\[ | ^\s*+Msg\s\d++,\sLevel\s\d        # databases
    | \b(?:command\snot\sfound|No\ssuch\sfile\sor\sdirectory|Permission\sdenied|Segmentation\sfault)\b
    | (?i:\bexit(?:ed)?[\s_-]?(?:with\s)?(?:code|status)?|\breturn[\s_]?code)[\s:='"]{1,4}-?[1-9]\d{0,9}\b
    """,
    re.VERBOSE,
)
_REFUSAL = re.compile(
    r"""[45]\d\d:\s[a-z]|\W{0,4}(?:error|err(?=\W?\d{1,5}\b)|exception|fail(?:ed|ure)|fatal|invalid|could\snot|couldn't|cannot|can't|unable\sto|no\ssuch
    |not\sfound|unknown\s(?:tool|command|function|action|option|argument)|access\sdenied|permission\sdenied|timed\sout
    |time-?out)\b(?!\s*+[:=]?\s*+(?:none|null|false|0)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""The beginning of a tool's answer that refuses a request."""
_CELL_ERROR = re.compile(r"#(?:NAME\?|REF!|VALUE!|DIV/0!|NUM!|NULL!)")
"""What a cell of a spreadsheet shows whose formula went wrong."""
_FAILED = ("error", "failed", "failure")
_BAD_STATUS = frozenset({*_FAILED, "rejected", "refused", "not_allowed"})
_ERRORS = tuple(
    """
    error errors exception fehler erreur erreurs errore errori erro erros blad błąd bledy błędy fout ошибка 错误
    錯誤 エラー 오류 에러
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Names of the field that holds an error, in several languages."""
_WORDS = ("message", "messages", "detail")
_ISSUES = ("issues", "problems", "violations")
"""Lists of what is wrong with something that was handed in."""
_NOT_TAKEN = frozenset({*_BAD_STATUS, "blocked", "declined", "denied", "invalid", "suppressed"})
"""What a status says of something that was handed in, where it lists what is wrong with it."""
_STATUS_CODES = frozenset({"status", "status_code", "statuscode", "http_status"})
_REFUSED = range(400, 600)
"""What HTTP says of a request that was not served."""
_TELLING_CODE = re.compile(
    r"(?!(?:BAD_REQUEST|(?:INTERNAL|SERVER|VALIDATION)_ERROR|ERROR|FAILED|FAILURE|INVALID|REJECTED|REFUSED)$)"
    r"(?=.{5})[A-Z][A-Z\d]*(?:[_-][A-Z\d]+)*"
)
"""A code that says what went wrong."""
_ERROR_NAMES = ("message", "detail", "reason", "title", "code", "type", "name")
"""Fields by which an error that is an object is known."""
_CODES = ("code", "error_code", "success", "ok")
_SUCCESS = frozenset({"success", "ok"})
_TROUBLE = re.compile(
    r"\b(?:cannot|can't|could not|denied|errors?|failed|failure|fatal|forbidden|invalid|missing|no such"
    r"|not (?:a|found)|refused|undefined|unable|unknown|violat\w+)\b",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    r"\s*(?:[=#>*-]{1,4}>|[>#$\[{<(]|\d{1,4}[-:/%. ]\d|\d+%|(?:INFO|DEBUG|TRACE)\b"
    r"|(?:[A-Z][a-z]+ing)\b[^:]{0,60}(?:\.\.\.|…)?$)"
)
_MOST_LOOKED_AT = 40
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
    answer = parse_json_object(text)
    found = list(errors_in_text(text) if answer is None else _in_answer(answer))
    if cell := _CELL_ERROR.search(text[:_MAX_LINE]):
        found.append(error_line(cell[0]))
    refused = answer is None and _REFUSAL.match(text.lstrip()[:_MAX_LINE])
    if not found and (failed or refused):
        found = [error_line(_from_trouble(text)) or "the tool reported an error without a text"]
    yield from found


def _from_trouble(text: str) -> str:
    """A text without the lines of progress and data that it begins with, where one behind them tells of trouble."""
    lines = text[: _MOST_LOOKED_AT * MAX_ERROR_CHARS].splitlines()
    begin = next((place for place, line in enumerate(lines) if not _PROGRESS.match(line) or _TROUBLE.search(line)), 0)
    if not any(map(_TROUBLE.search, lines[begin:])):
        begin = 0
    return "\n".join(lines[begin:])


def _in_answer(answer: dict[str, Any]) -> Iterator[str]:
    told: list[str] = []
    statuses: list[str] = []
    for key, value in answer.items():
        name = key.lower()
        if (name in _ERRORS and value) or (name in _ISSUES and _was_not_taken(value, answer)):
            told.append(error_line(_error_text(value)))
        elif _is_bad_status(name, value) and _is_refusal(name, value, answer):
            code = str(answer.get("code") or answer.get("error_code") or "")
            is_told = _TELLING_CODE.fullmatch(code) and not code.isalpha()
            statuses.append(error_line(code if is_told else f"{key}: {value}"))
        elif isinstance(value, str):
            told += errors_in_text(value)
    yield from told or statuses


def _was_not_taken(issues: Any, answer: dict[str, Any]) -> bool:
    """Return true for a list of issues, told in words, beside a status that says what they led to."""
    if not isinstance(issues, list) or not issues or not isinstance(issues[0], dict):
        return False
    is_told = any(isinstance(issues[0].get(name), str) for name in _ERROR_NAMES)
    return is_told and str(answer.get("status", "")).lower() in _NOT_TAKEN


def _is_refusal(name: str, value: Any, answer: dict[str, Any]) -> bool:
    """Return true for a bad status that is one by itself, or beside a reason."""
    return name in _EXIT_CODES or str(value).lower() in _FAILED or _gives_reason(answer)


def _gives_reason(answer: dict[str, Any]) -> bool:
    """Return true where an answer says in words why something was refused: a status alone may be what was asked for."""
    names = {name.lower() for name, value in answer.items() if value not in (None, "", [], {})}
    is_number = any(isinstance(value, int) for name, value in answer.items() if name.lower() in _STATUS_CODES)
    has_code = is_number or not names.isdisjoint(_CODES)
    return not names.isdisjoint(_ERRORS) or (not names.isdisjoint(_WORDS) and has_code)


def _error_text(error: Any) -> str:
    """What an error says that is a text, an object with a code or a message, or a list of these."""
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict):
        texts = {name: value for name, value in error.items() if isinstance(value, str) and value}
        code, said = texts.get("code", ""), next((texts[n] for n in _ERROR_NAMES if n in texts), "")
        error = code if _TELLING_CODE.fullmatch(code) else said or error
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)


def _is_bad_status(name: str, value: Any) -> bool:
    if name in _STATUS_CODES and isinstance(value, int) and not isinstance(value, bool):
        return value in _REFUSED
    if name in _SUCCESS:
        return value is False
    if name == "status":
        return isinstance(value, str) and value.lower() in _BAD_STATUS
    return name in _EXIT_CODES and isinstance(value, int) and value != 0


def error_line(text: str) -> str:
    """Return the text in one line of at most MAX_ERROR_CHARS characters, without halves of characters."""
    return replace_surrogates(truncate_line(text, MAX_ERROR_CHARS))

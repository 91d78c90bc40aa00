"""Parts of private keys: lines of one above its last line, and lines that a command shows of a file with a key.

The first line of a whole key tells what it is (`by_pattern/format_patterns.py`); `tail` and `sed` show the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.text_lines import line_at, next_line
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.secret_values import MARK

_END = re.compile(r"-{4,5}[ ]?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}")
_PREFIX = r"[ \t]{0,40}(?:\d{1,7}(?:→|\t|[:|-][ \t]?|[ ]{1,2}))?[ \t>+|\"'*-]{0,40}"
"""Numbers of lines, marks of quotations and of a diff, and quotes."""
_BEFORE_END = re.compile(_PREFIX)
_LINE = re.compile(rf"{_PREFIX}(?:\.{{3}}|…)?(?P<data>[A-Za-z0-9+/]{{2,4000}}={{0,2}})[ \t\"',+\\]{{0,8}}")
_FIRST_LINE = re.compile(
    r"(?=[A-Za-z+/]{0,4000}\d)(?=[a-z\d+/]{0,4000}[A-Z])(?=[A-Z\d+/]{0,4000}[a-z])[A-Za-z0-9+/]{40,4000}={0,2}"
)
"""Data of a key: longer than a word, of letters in both cases and digits, and so no checksum."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_FURTHER_LINE = re.compile(r"[A-Za-z0-9+/]{16,4000}={0,2}|[A-Za-z0-9+/]{2,15}={1,2}")

_FILES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".key", "_key", "-key", ".pem", ".ppk", ".pk8", ".p8")
_FILE = re.compile(
    r"(?:\bid_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[_.-](?!pub\b)\w{1,30}){0,3}"
    r"|(?:\.(?:key|ppk|pk8|p8)|[_-]key(?:\.pem)?|key\.pem|priv[\w-]{0,30}\.pem)"
    r"(?:\.(?:bak|backup|old|orig|save|\d)|~)?)"
    r"(?![\w-]|\.\w)"
)
"""Names of files that hold a private key, but no `id_rsa.pub`."""
_SHOWS = re.compile(
    r"\b(?:cat|head|tail|tac|sed|awk|less|more|bat|batcat|e?grep|rg|cut|nl|fold|strings|type|dd|Get-Content|gc|view|Read"
    r"|read_file|file_path|path)\b"
)
_SUMS = re.compile(r"\b(?:wc|(?:sha\d*|md5|ck|b2)sum|shasum|md5|-pubout|ssh-keygen|openssl)\b")
_SOUGHT = re.compile(
    r"\b(?:[efz]?grep|rg|ag|ack)\b(?:[ ]{1,4}-[\w-]{1,40}(?:=\S{0,80})?(?:[ ]{1,4}\d{1,4}(?=[ ]))?){0,8}[ ]{1,4}"
    r"(?:\\{0,8}\"[^\"]{0,200}\"|'[^']{0,200}'|[^\s\"']{1,200})|\"pattern\\{0,8}\":[ ]?\\{0,8}\"[^\"]{0,200}\""
)
"""A search with what it looks for, which is no name of a file: `rg api_key`."""
_COMMAND = re.compile(r"[$#❯>] (?P<command>[^\n\\]{4,400}?)(?=\r?\n|(?:\\{1,8}r)?\\{1,8}n)")
_MOST_LINES = 400


def redact_key_parts(text: str) -> str:
    """Return the text without lines of private keys whose first line is missing."""
    return _redact_ends(_redact_shown(text))


def shown_key_lines(command: str, output: str) -> Iterator[str]:
    """Yield the lines of a private key with which a command answers, that shows a part of a file with one."""
    if _shows_key(command):
        for _, _, line in _lines_of_key(f"\n{output}", 0):
            yield line


def _redact_ends(text: str) -> str:
    if "PRIVATE KEY" not in text:
        return text
    done: list[str] = []
    copied = 0
    for end in _END.finditer(text):
        start = _start_of_lines(text, end.start(), copied)
        if start < end.start():
            done += (text[copied:start], f"{MARK}private-key]")
            copied = end.end()
    return "".join((*done, text[copied:])) if done else text


def _start_of_lines(text: str, end: int, floor: int) -> int:
    """Return where the lines of data begin that stand directly above a key's last line; `end` without any."""
    line = line_at(text, end)
    if not _BEFORE_END.fullmatch(text, line.start, end):
        return end
    start = end
    while line.start > floor:
        line = line_at(text, line.start - 1 - (text[line.start - 1] in "nr"))
        found = _LINE.fullmatch(line.text)
        if found is None or line.start < floor:
            break
        start = line.start + found.start("data")
    return start


def _redact_shown(text: str) -> str:
    if not any(name in text for name in _FILES):
        return text
    done: list[str] = []
    copied = 0
    for command in _COMMAND.finditer(text):
        lines = list(_lines_of_key(text, command.end())) if _shows_key(command["command"]) else []
        if lines and lines[0][0] >= copied:
            done += (text[copied : lines[0][0]], f"{MARK}private-key]")
            copied = lines[-1][1]
    return "".join((*done, text[copied:])) if done else text


def _shows_key(command: str) -> bool:
    command = _SOUGHT.sub("grep", command)
    return _FILE.search(command) is not None and _SHOWS.search(command) is not None and not _SUMS.search(command)


def _lines_of_key(text: str, position: int) -> Iterator[tuple[int, int, str]]:
    """Yield where the lines of data stand that follow the end of a line, each with its data."""
    for number in range(_MOST_LINES):
        start = next_line(text, position)
        line = line_at(text, start) if start >= 0 else None
        found = _LINE.fullmatch(line.text) if line else None
        if line is None or found is None or not (_FURTHER_LINE.fullmatch if number else _begins_key)(found["data"]):
            return
        position = line.start + len(line.text)
        yield line.start + found.start("data"), line.start + found.end("data"), found["data"]


def _begins_key(data: str) -> bool:
    """Return true for a line of drawn letters: paths and names of tests may be as long, but are made of words."""
    return _FIRST_LINE.fullmatch(data) is not None and sum(map(random_bits, _WORD.findall(data))) > 0

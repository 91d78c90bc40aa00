"""Frames of logs around the lines of an output: times, hosts and units, containers, jobs, and labels of task runners.

What a runner puts before each line, or around it, differs from run to run and says nothing of the error.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_ERASED = re.compile(r"[^\n\r]*\r\x1b\[0?K")
"""What a terminal shows no more: the line was erased and written anew."""
_CLOCK = (
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|\s?[+-]\d\d:?\d\d)?\]?"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?|[A-Z][a-z]{2}\s[\s\d]\d\s\d\d:\d\d:\d\d(?=\s)"
)
_DECORATION = re.compile(
    rf"(?:{_CLOCK})(?:[ \t]\d\d[OE]\b\+?)?[ \t]?"  # with the stream, as GitLab has it
    r"(?:(?:[\w.-]++[ \t][A-Za-z][\w.@/-]*+\[\d++\]|[a-z]++\[[a-z]++\.\d++\]):(?:[ \t]|$))?"  # of syslog: host and unit
    r"|#\d+\s(?!\S+(?:\(\d+\):|\s(?:at|in)\s)|\{main\})(?:\d+\.\d+(?:\s|$))?"  # docker build: `#12 0.345 `
    r"|(?:##\[\w+\])"  # a CI's marks
    r"|[│╷╵┃║]\s?"
    r"|E\s{2,}(?=\S)"  # pytest
    r"|npm\s(?:ERR!|error)(?:\s(?=\S)|$)"
    r"|\[pod/[\w./-]+\][ \t]?"
)
"""What runners put before each line; as often as it stands there."""

_COLUMN = re.compile(
    r"[A-Za-z][\w.-]*[._-]\d+\s+\|(?:[ \t]|$)"  # containers and processes: `worker-1  | `
    r"|(?:[^\t]{1,80}\t){1,2}(?=\d{4}-\d\d-\d\dT\d\d:)"  # a job and its step
)
"""What stands in columns before each line."""
_STEP_HEADER = re.compile(r"(?m)^.*##\[group\]Run (?:.*\n){1,60}?.*##\[endgroup\].*$")
"""What GitHub prints of a step before it runs."""

_LEAST_LINES = 3
_SHARE = 2 / 3
"""Least share of the lines that have a label."""
_LEVEL = re.compile(r"(?:INFO|DEBUG|TRACE|NOTICE|VERBOSE)\b")
"""Levels at which programs log what others print."""
_LABEL = re.compile(
    r"(?![\w.+-]+(?:\[\d+\])?:\s)(?=[\w@\[<(])"
    r"(?:(?!\b(?:error|fatal|warn\w*|fail\w*|exception|traceback)\b)[^\n]){1,80}?[:|\]>][ \t]",
    re.IGNORECASE,
)
"""What may be a label of a runner: not an absolute path, a program alone, or anything with a severity."""
_LEVEL_ALONE = re.compile(r"\W*(?:info|debug|trace|note|notice|verbose|log)\W*", re.IGNORECASE)
_LOCATION = re.compile(r"\.\w{1,8}(?::\d|\(\d)|\bline\s\d")
_LABEL_CHARS = 100

_TEXT_KEYS = ("log", "msg", "message", "event", "short_message", "@m")
_LOG_KEYS = frozenset(("time", "ts", "timestamp", "@timestamp", "@t", "stream", "level", "severity", "levelname"))
_LEVEL_KEYS = ("level", "severity", "levelname", "@l")
_LOGFMT = re.compile(
    r"""(?=(?:time|ts|t|level|lvl|severity)=)(?:[\w.]+=(?:"(?:[^"\\]|\\.)*"|\S*)\s+)*?msg="((?:[^"\\]|\\.)*)\""""
)
_LOGFMT_LEVEL = re.compile(r"\b(?:level|lvl|severity)=\"?(\w+)")


def unframed_lines(text: str) -> list[str]:
    """Return the lines of a log without colours and without what stands before each, or around it."""
    printed = _ANSI.sub("", _ERASED.sub("", text) if "\x1b" in text else text).replace("\r\n", "\n").replace("\r", "\n")
    if "##[group]Run " in printed:
        printed = _STEP_HEADER.sub("", printed)
    lines = printed.split("\n")
    if '{"' in printed or "msg=" in printed:
        lines = [part for line in lines for part in _entry_lines(line)]
    in_columns = " |" in printed or "\t" in printed
    bare = [_bare(line, in_columns=in_columns) for line in lines]
    label = _common_label(bare)
    if label:
        blank = label.rstrip()
        bare = [_bare(line[len(label) :]) if line.startswith(label) else "" if line == blank else line for line in bare]
    return bare


def _bare(line: str, *, in_columns: bool = False) -> str:
    while ((mark := _DECORATION.match(line)) and mark.end()) or (in_columns and (mark := _COLUMN.match(line))):
        line = line[mark.end() :]
    return line.rstrip()


def _entry_lines(line: str) -> Sequence[str]:
    """The lines of the message of an entry in a structured log, or of what other JSON a line holds."""
    if '{"' in line:
        return _json_message(line).replace(r"\n", "\n").split("\n")
    if "msg=" in line and (found := _LOGFMT.match(line)):
        level = _LOGFMT_LEVEL.search(line)
        return [_with_level(level[1] if level else "", found[1].replace('\\"', '"'))]
    return [line]


def _json_message(line: str) -> str:
    begin = line.find('{"')
    if not line.rstrip().endswith("}"):
        return line
    try:
        entry = json.loads(line[begin:])
    except ValueError:
        return line
    if not isinstance(entry, dict) or _LOG_KEYS.isdisjoint(entry):
        return line
    message = next((entry[key] for key in _TEXT_KEYS if isinstance(entry.get(key), str)), None)
    if message is None:
        return line
    level = next((entry[key] for key in _LEVEL_KEYS if isinstance(entry.get(key), str)), "")
    return _with_level(level, message.rstrip("\n"))


def _with_level(level: str, message: str) -> str:
    return f"{level}: {message}" if level else message


def _common_label(lines: Sequence[str]) -> str:
    """The label that a runner put before nearly all lines, in whatever form; empty where there is none."""
    told = [line for line in lines if line]
    if not told or (len(told) < _LEAST_LINES and not _LEVEL.match(told[0])):
        return ""
    probes = [told[len(told) * n // 4] for n in (1, 2, 3)]
    if not probes[0][:1] == probes[1][:1] == probes[2][:1]:
        return ""
    shared = _shared_beginning([f"{line} " for line in probes])  # of blank lines the end was cut off
    found = _LABEL.match(shared)
    if found is None or _LEVEL_ALONE.fullmatch(found[0]) or _LOCATION.search(found[0]):
        return ""
    label = found[0]
    having = sum(line.startswith(label) or line == label.rstrip() for line in told)
    return label if having >= _SHARE * len(told) else ""


def _shared_beginning(lines: Sequence[str]) -> str:
    low, high = min(lines)[:_LABEL_CHARS], max(lines)[:_LABEL_CHARS]
    length = next((n for n, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:length]

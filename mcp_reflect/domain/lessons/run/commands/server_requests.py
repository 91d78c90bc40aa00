"""Commands that ask a server or a database for something and leave nothing behind."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads, writes_file
from mcp_reflect.domain.lessons.run.commands.lines import blanked, setup_of

_MOST_CHARS = 2_000
"""Characters up to which a command line is taken apart."""
_JOINED = re.compile(r"&&|\|\|?|;|\n")
_ELSEWHERE = re.compile(r"ssh (?:-\S+ )*[\w.@-]+ (?:'([^']*)'|\"([^\"]*)\"|([^'\"]*))$")
"""A command that another machine runs."""
_DATABASE = re.compile(
    r"(?:sudo (?:-u \S+ )?)?(?:docker(?: compose|-compose)? exec (?:-\S+ )*\S+ )?"
    r"(?:psql|mysql|mariadb|sqlite3|duckdb|clickhouse-client)\s"
)
_STATEMENT = re.compile(r"'[^']*'|\"[^\"]*\"")
_GIVEN = re.compile(r"\s(?:-c|-q|-e|--command|--query|--execute)(?=[\s=])")
_ASKS = re.compile(r"[\"']\s*(?:select|show|describe|explain)\b", re.IGNORECASE)
_CHANGES = re.compile(
    r";\s*\w|\b(?:insert|update|delete|alter|drop|create|truncate|into|call|setval|nextval|pg_\w*(?:terminate|cancel|reload|kill)\w*)\b"
    r"|\s-f\b",
    re.IGNORECASE,
)
_SENDS = re.compile(r"\s(?:-\w*(?:[XdFTO]|o(?! ?/dev/null))|--(?:data|form|json|output|remote|request|upload))")
_GETS = re.compile(r"\s(?:-[a-zA-Z]*G|--get)\b")
_DATA = re.compile(r"\s(?:-d|--data(?:-urlencode)?)(?=[\s=])")
"""What `curl` sends as a body, unless it is told to put it into the address."""
_ACTS = re.compile(r"/(?:build|deploy\w*|trigger|re?start|run|stop|reindex|refresh|reload|cancel|delete)\b|token=")
_STATUS = re.compile(r"/api/\S*json|/(?:health\w*|status|version|ready\w*|ping|metrics)\b")
_PROBE = re.compile(r"(?:pg_isready|nc -z\w*|ping)\b")


def only_asks_server(command: str) -> bool:
    """Return true where each part of a command line only reads, or gets something from a server and shows it."""
    line = command.strip()[len(setup_of(command)) :]
    covered = blanked(line)
    if len(line) > _MOST_CHARS or writes_file(covered):
        return False
    ends = [found.span() for found in _JOINED.finditer(covered)]
    starts = [0, *(end for _, end in ends)]
    parts = [line[start:end].strip() for start, end in zip(starts, [*(at for at, _ in ends), len(line)], strict=True)]
    return all(_asks(part, is_shown=len(parts) > 1) for part in parts if part)


def only_gets(part: str) -> bool:
    """Return true for one command that asks a server, whatever is made of the answer."""
    return len(part) <= _MOST_CHARS and not writes_file(blanked(part)) and _asks(part.strip(), is_shown=True)


def _asks(part: str, *, is_shown: bool) -> bool:
    """Return true for a part that asks; what is got by `curl` must be shown, or be a status."""
    if elsewhere := _ELSEWHERE.match(part):
        return only_asks_server(next(filter(None, elsewhere.groups()), ""))
    if part.startswith("curl "):
        told = _DATA.sub(" ", part) if _GETS.search(part) else part
        return not (_SENDS.search(told) or _ACTS.search(part)) and (is_shown or _STATUS.search(part) is not None)
    if _DATABASE.match(part):
        statements = _STATEMENT.findall(part)
        is_each_quoted = len(statements) == max(1, len(_GIVEN.findall(part)))
        asks = is_each_quoted and all(map(_ASKS.match, statements)) and not _CHANGES.search(part)
        return asks and (" from " in part.lower() or "(" not in part)
    return bool(_PROBE.match(part)) or only_reads(part)

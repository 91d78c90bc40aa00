"""Programs in a command line that only print what they find, as `python -c "print(...)"`."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import asks_database, only_reads

_MOST_CHARS = 8_000
"""Characters up to which a command line is taken apart."""
_INTERPRETER = r"(?:(?:uv|poetry|pipenv) run )?(?:\S+/)?(?:python|node|ruby|perl|php)[\d.]*"
_INLINE = re.compile(
    rf"{_INTERPRETER}\s+(?:-\s*|-X\s\S+\s)?(?:"
    r"<<-?\s{0,3}(?P<mark>['\"]?)(?P<end>\w{1,40})(?P=mark)[^\n]*\n(?P<body>.*?)\n[ \t]*(?P=end)\b"
    r"|-[ce]\s+(?P<quote>['\"])(?P<code>(?:(?!(?P=quote))[^\\]|\\.)+)(?P=quote))",
    re.DOTALL,
)
_PRINTS = re.compile(r"\b(?:print|puts|echo|say|console\.log|var_dump|pprint|printf)\b")
_ACTS = re.compile(
    r"\bopen\([^)]*,\s*(?:mode=)?['\"][rb+]*[wax]|\.write\w*\(|write_\w+\(|\bwriteFile|appendFile|\.to_\w+\(|\.save\w*\("
    r"|\bsubprocess\b|\bshutil\b|\bos\.(?!path\b|environ\.get|environ\[|getcwd|listdir|walk|stat|cpu_count|sep\b)"
    r"|\.(?:post|put|patch|delete|send\w*|commit|execute\w*|unlink|rename|replace_with|mkdir|rmdir|touch|upload\w*"
    r"|publish|apply|submit|push|insert\w*|update\w*|create\w*|remove|drop\w*|run|start|set\w*)\(|\bsystem\(|\bexec\w*\("
    r"|\bspawn\w*\(|\bpopen\b|\bunlink\w*\(|\brm\w*\(|\bfork\(",
    re.IGNORECASE,
)
"""What may change something beside what is printed; a method's name alone tells."""


def only_prints(command: str) -> bool:
    """Return true for a command line with a program in it that only prints, beside commands that only read."""
    if len(command) > _MOST_CHARS:
        return False
    found = list(_INLINE.finditer(command))
    programs = [each["body"] or each["code"] or "" for each in found]
    if not programs or not all(_PRINTS.search(each) and not _ACTS.search(each) for each in programs):
        return False
    return only_reads(_INLINE.sub("echo", command))


def only_shows(command: str) -> bool:
    """Return true for a command line that only shows how things stand: it reads, asks a database, or only prints."""
    return asks_database(command) or only_prints(command)

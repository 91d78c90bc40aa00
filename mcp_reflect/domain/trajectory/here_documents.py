"""Files that a shell command writes by a here-document: `cat > FILE <<'EOF'`, the text, `EOF`."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_OPENING = re.compile(
    r"\s*(?:cat\s*>{1,2}\s*(?P<file>[\w./~@-]+)\s*<<|cat\s*<<|tee\s+(?:-a\s+)?(?P<teed>[\w./~@-]+)(?:\s*>\s*/dev/null)?\s*<<)"
    r"-?\s*['\"]?(?P<end>\w+)['\"]?(?:\s*>{1,2}\s*(?P<behind>[\w./~@-]+))?[ \t]*\n"
)


class WrittenFile(NamedTuple):
    """A file that a command writes, or appends to, with the text."""

    path: str
    text: str


def file_written_by(command: str) -> WrittenFile | None:
    """Return the file that a command writes by a here-document; None where it does anything else, or more."""
    opening = _OPENING.match(command)
    if opening is None:
        return None
    path = opening["file"] or opening["teed"] or opening["behind"]
    text, found, rest = command[opening.end() - 1 :].partition(f"\n{opening['end']}")
    return WrittenFile(path, text[1:]) if path and found and not rest.strip() else None

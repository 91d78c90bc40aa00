"""Here-documents of a shell command: files that it writes (`cat > FILE <<'EOF'`), scripts and patches."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_OPENING = re.compile(
    r"\s*(?:cat\s*>{1,2}\s*(?P<file>[\w./~@-]+)\s*<<|cat\s*<<"
    r"|(?:sudo\s+)?tee\s+(?:-a\s+)?(?P<teed>[\w./~@-]+)(?:\s*>\s*/dev/null)?\s*<<"
    r"|(?P<python>(?:uv\s+run\s+)?python[\d.]*)\s*(?:-\s*)?<<"
    r"|(?P<patch>(?:git\s+apply|patch)(?:\s+-{1,2}[\w=-]+(?:\s\d)?)*(?:\s+-)?)\s*<<)"
    r"(?P<dash>-?)\s*['\"]?(?P<end>\w+)['\"]?(?:\s*>{1,2}\s*(?P<behind>[\w./~@-]+))?[ \t]*(?P<next>&&[^\n]*)?\n"
)


_APPENDS = re.compile(r">>|\btee\s+-a\b")
_DOCUMENT = re.compile(
    r"(?<!<)<<(?!<)-?\s*(['\"]?)([A-Za-z_]\w*)\1([^\n]*)(?:\n(?:.*?^[ \t]*\2$|.*\Z))?", re.DOTALL | re.MULTILINE
)


class HereDocument(NamedTuple):
    """A here-document at the beginning of a command: the file that it writes, the text, and what the command does then.

    `path` is empty for a Python script and a patch; `appends` is true where the file keeps what it held.
    """

    path: str
    text: str
    rest: str
    appends: bool = False


class WrittenFile(NamedTuple):
    """A file that a command writes, or appends to, with the text."""

    path: str
    text: str
    appends: bool = False


def leading_document(command: str) -> HereDocument | None:
    """Return the here-document that a command begins with; None where it begins otherwise."""
    opening = _OPENING.match(command)
    if opening is None:
        return None
    path = opening["file"] or opening["teed"] or opening["behind"] or ""
    lines = command[opening.end() :].split("\n")
    body = [line.lstrip("\t") for line in lines] if opening["dash"] else lines
    # The mark ends a document only as a whole line: text may well have a line that begins with it.
    end = next((place for place, line in enumerate(body) if line == opening["end"]), None)
    if end is None or bool(path) == bool(opening["python"] or opening["patch"]):
        return None
    then, rest = (opening["next"] or "").removeprefix("&&").strip(), "\n".join(lines[end + 1 :]).strip()
    appends = _APPENDS.search(opening[0]) is not None
    return HereDocument(path, "\n".join(body[:end]), "\n".join(filter(None, (then, rest))), appends)


def without_documents(command: str) -> str:
    """Return a command without its here-documents: what stands in them is no part of the command line."""
    return _DOCUMENT.sub(r"\3", command)


def file_written_by(command: str) -> WrittenFile | None:
    """Return the file that a command writes by a here-document; None where it does anything else, or more."""
    document = leading_document(command)
    if document is None or not document.path or document.rest:
        return None
    return WrittenFile(document.path, document.text, document.appends)

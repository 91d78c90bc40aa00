"""Edits that a shell command makes: `sed -i` and `perl -pi`, here-documents, Python scripts, and what is appended.

What an agent changes by a script is an edit as much as what it changes by its editor, and the test that it runs in the
same command line is the same test. Read is only what can be read with certainty; anything else stays a command.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.here_documents import leading_document
from mcp_reflect.domain.trajectory.patches import FilePatch

_MOST_CHARS = 8_000
_LIKELY = re.compile(r"\bsed\s+-\S*i|\bperl\s+-\S*i|<<|>>")
_BEFORE_DOCUMENT = re.compile(r"\s*(?:&&|;|\n)\s*(?=(?:cat|tee|python[\d.]*|uv)\s[^\n]*\Z)")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\([^()]*\)")
_SCRIPT = re.compile(r"[()`{}]|\|\||(?:^|[;&\s])(?:for|if|while|until|case|do)\s")
"""What makes a script of a command line, of which each part runs or not."""
_JOINT = re.compile(r"\s*(?:&&|;|\n)\s*")
_FOLDER = re.compile(r"cd\s+\S+|set\s+-\S+(?:\s+pipefail)?")
_CHANGES_FOLDER = re.compile(r"\s*cd\s+([\w./@-]+)\s*&&")
_STREAM_EDIT = re.compile(
    r"(?:sed\s+(?:-[nrEsz]+\s+)*-[nrEsz]*i(?:\.\w+|\s+'')?|perl\s+-[0-9]*p[0-9]*i(?:\.\w+)?)\s+(?:-[rEe]+\s+)*"
    r"(?P<quote>['\"])(?P<script>.+?)(?P=quote)\s+(?P<files>[^\s'\"|<>&;-]\S*)",
    re.DOTALL,
)
_APPENDS = re.compile(
    r"(?:printf|echo)\s+(?P<quote>['\"])(?P<text>.*?)(?P=quote)\s*>>\s*(?P<file>[\w./~@-]+)", re.DOTALL
)
_SUBSTITUTES = re.compile(
    r"\s*(?:(?P<line>\d+(?:,\d+)?)|(?:\d+,)?/(?P<at>(?:[^/\\]|\\.)+)/(?:,\S+?)?)?\s*s(?P<mark>[/#|,@%!])"
    r"(?P<old>(?:\\.|(?!(?P=mark))[^\\])*)(?P=mark)(?P<new>(?:\\.|(?!(?P=mark))[^\\])*)(?P=mark)[gIim0-9]*"
    r"\s*(?:;|\n|\Z)",
    re.DOTALL,
)
"""A backslash only begins an escape: were it a character by itself too, each escape would double the ways to read."""
_INSERTS = re.compile(r"\s*\d+\s*[ia](?:\s*\\\n|\s*\\(?=\s)|\s)\s*(?P<new>[^\n\\;]+)\Z")
_DELETES = re.compile(r"\s*/(?P<old>(?:[^/\\]|\\.)+)/d\s*(?:;|\n|\Z)")
_ESCAPED = re.compile(r"\\(n|t|.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r"\\([\\\"$`])")
_BLANKS = {"n": "\n", "t": "\t"}
_WHOLE_MATCH = re.compile(r"(?<!\\)&")
_PATTERN = re.compile(r"(?<!\\)[*\[]|\\[(0-9wWsSdD+?|{]")
_EXTENDED_PATTERN = re.compile(r"(?<!\\)[*+?\[(|{]|\\[0-9wWsSdD]")
"""What makes a pattern of the text that is replaced, in a basic and in an extended regular expression."""
_EXTENDED = re.compile(r"\s-[nizs]*[rE]")
_EDGE_OF_WORD = re.compile(r"(?<!\\)\\[bB<>]")
_REFERENCE = re.compile(r"\\\d|(?<!\\)&")
_ESCAPED_MARK = re.compile(r"\\(?=[/#,@%!])")


def read_scripted_edits(command: str) -> tuple[FilePatch | str, ...]:
    """Return a command line as the edits and the other commands that it makes, in order; nothing without an edit.

    Commands that no edit parts stay together. The result of the whole is that of its last part.
    """
    if len(command) > _MOST_CHARS or not _LIKELY.search(command):
        return ()
    made: list[FilePatch | str] = []
    rest = command.strip()
    head = _masked(rest.partition("<<")[0])
    if (joint := _BEFORE_DOCUMENT.search(head)) and leading_document(rest[joint.end() :]):
        made, rest = _parts_of(rest[: joint.start()]), rest[joint.end() :]
    while (document := leading_document(rest)) is not None:
        edits = [FilePatch(document.path, (("", document.text),))] if document.path else _replaced_by(document.text)
        if not edits:
            made.append(rest)
            rest = ""
            break
        made += edits
        rest = document.rest.strip()
    made += _parts_of(rest) if rest else []
    if not any(isinstance(each, FilePatch) for each in made):
        return ()
    folder = _CHANGES_FOLDER.match(command)
    return tuple(_in_folder(each, folder[1]) if folder else each for each in made)


def _in_folder(made: FilePatch | str, folder: str) -> FilePatch | str:
    """An edit with the path of its file as the tool would have named it, which began in another folder."""
    if isinstance(made, str):
        return made
    return made._replace(path=posixpath.normpath(posixpath.join(folder, made.path)))


def _replaced_by(script: str) -> list[FilePatch]:
    from mcp_reflect.domain.trajectory.replacing_scripts import replacements_in  # noqa: PLC0415 - few runs hold one

    return replacements_in(script)


def _masked(command: str) -> str:
    return _QUOTED.sub(lambda found: "_" * len(found[0]), command)


def _parts_of(command: str) -> list[FilePatch | str]:
    masked = _masked(command)
    if _SCRIPT.search(masked) or "<<" in masked:
        return [command]
    made: list[FilePatch | str] = []
    joint, start = "", 0
    for end, after in [*(found.span() for found in _JOINT.finditer(masked)), (len(command), len(command))]:
        part = command[start:end].strip()
        edits = _edits_of(part)
        if edits or not part:
            made += edits
        elif made and isinstance(made[-1], str):
            made[-1] += f"{joint}{part}"
        else:
            made.append(part)
        joint, start = command[end:after].replace("\n", "; "), after
    return [each for each in made if not (isinstance(each, str) and _FOLDER.fullmatch(each))]


def _edits_of(part: str) -> list[FilePatch]:
    if appended := _APPENDS.fullmatch(part):
        return [FilePatch(appended["file"], (("", _plain(appended["text"])),))]
    found = _STREAM_EDIT.fullmatch(part)
    changes = list(_changes(_script_of(found["quote"], found["script"]), _pattern_of(part))) if found else []
    return [FilePatch(found["files"], tuple(changes))] if found and changes and all(map(any, changes)) else []


def _script_of(quote: str, script: str) -> str:
    """The script as the shell hands it on."""
    return script if quote == "'" else _ESCAPED_IN_QUOTES.sub(r"\1", script)


def _pattern_of(command: str) -> re.Pattern[str]:
    return _EXTENDED_PATTERN if command.startswith("perl") or _EXTENDED.search(command) else _PATTERN


def _changes(script: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The replacements of a `sed` script, in order; an empty one at the end for what cannot be read."""
    place = 0
    while script[place:].strip():
        found = _SUBSTITUTES.match(script, place) or _DELETES.match(script, place) or _INSERTS.match(script, place)
        if found is None:
            yield ("", "")
            return
        groups = found.groupdict()
        old, new = groups.get("old") or groups.get("at") or "", groups.get("new") or ""
        old = _EDGE_OF_WORD.sub("", old)
        is_text = not pattern.search(old)
        if is_text:
            old = old.removeprefix("^").removesuffix("$")
            # The same text may stand in other lines, too: where it was changed is a part of what was.
            at = f" (line {groups['line'].replace(',', '-')})" if old and groups.get("line") else ""
            yield f"{_plain(old)}{at}", _plain(old.join(_WHOLE_MATCH.split(new)))
        else:  # without its escapes a pattern would be the name of something that never existed
            yield _ESCAPED_MARK.sub("", old), new if _REFERENCE.search(new) else _plain(new)
        place = found.end()


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: _BLANKS.get(found[1], found[1]), text)

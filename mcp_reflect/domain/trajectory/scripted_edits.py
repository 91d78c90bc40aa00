"""Edits that a shell command makes: `sed -i`, `perl -pi`, here-documents, Python scripts, patches, what is appended.

What an agent changes by a script is an edit as much as what it changes by its editor, and the test that it runs in the
same command line is the same test. Read is only what can be read with certainty; anything else stays a command.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.here_documents import leading_document
from mcp_reflect.domain.trajectory.patches import FilePatch, read_patch

_MOST_CHARS = 8_000
_LIKELY = re.compile(r"\bsed\s+-\S*i|\bperl\s+-\S*i|<<|>>|\|\s*(?:sudo\s+)?tee\s")
_PLAIN_JOINT = re.compile(r"&&|;|\n")
_BEGINS_DOCUMENT = re.compile(r"\s*(?P<command>(?:sudo\s+)?(?:cat|tee|python[\d.]*|uv|patch|git\s+apply)\s[^\n]*)\Z")
_LEAVES = re.compile(r"\b(?:exit|return)\b")
"""What may end a command line before its here-document is read."""
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\([^()]*\)")
_SCRIPT = re.compile(r"[()`{}]|\|\||(?:^|[;&\s])(?:for|if|while|until|case|do|then|else)\s")
"""What makes a script of a command line, of which each part runs or not."""
_JOINT = re.compile(r"\s*(?:&&|;|\n)\s*")
_FOLDER = re.compile(r"cd\s+\S+|set\s+-\S+(?:\s+pipefail)?")
_CHANGES_FOLDER = re.compile(r"cd\s+(\S+)")
_GOES = re.compile(r"(?:builtin\s+)?(?:cd|pushd|popd)\b")
_GOES_ANYWHERE = re.compile(r"\b(?:cd|pushd|popd)\b")
_PLAIN_FOLDER = re.compile(r"[\w./@][\w./@-]*")
_STREAM_EDIT = re.compile(
    r"(?:sudo\s+)?(?:sed\s+(?:-[nrEsz]+\s+)*-[nrEsz]*i(?:\.\w+|\s+'')?|perl\s+-[0-9]*p[0-9]*i(?:\.\w+)?)\s+(?:-[rEe]+\s+)*"
    r"(?P<quote>['\"])(?P<script>.+?)(?P=quote)\s+(?P<files>[^\s'\"|<>&;-]\S*)",
    re.DOTALL,
)
_APPENDS = re.compile(
    r"(?P<program>printf|echo)\s+(?:-[en]{1,2}\s+)?(?P<quote>['\"])(?P<text>.*?)(?P=quote)\s*"
    r"(?:>>\s*(?P<file>[\w./~@-]+)"
    r"|\|\s*(?:sudo\s+)?tee\s+(?P<appends>-a\s+)?(?P<teed>[\w./~@-]+)(?:\s*>\s*/dev/null)?)",
    re.DOTALL,
)
_SUBSTITUTES = re.compile(
    r"\s*(?:(?P<line>\d+(?:,\d+)?)|(?:\d+,)?/(?P<at>(?:[^/\\]|\\.)+)/(?:,\S+?)?)?\s*s(?P<mark>[/#|,@%!])"
    r"(?P<old>(?:\\.|(?!(?P=mark))[^\\])*)(?P=mark)(?P<new>(?:\\.|(?!(?P=mark))[^\\])*)(?P=mark)[gIim0-9]*"
    r"\s*(?:;|\n|\Z)",
    re.DOTALL,
)
"""A backslash only begins an escape: were it a character by itself too, each escape would double the ways to read."""
_INSERTS = re.compile(
    r"\s*(?:(?:\d+|\$|/(?:[^/\\]|\\.)+/)\s*[ia]|(?:\d+|/(?P<old>(?:[^/\\]|\\.)+)/)\s*c)"
    r"(?:\s*\\\n|\s*\\(?![nt])|\s)\s*(?P<new>(?:[^\n\\]|\\n)+)\Z"
)
"""A line that is put in before or behind another one, or in its place."""
_DELETES = re.compile(r"\s*/(?P<old>(?:[^/\\]|\\.)+)/(?:,(?:\$|/(?:[^/\\]|\\.)+/))?d\s*(?:;|\n|\Z)")
"""Lines that are taken out: each that matches, or all from there to another one or the end."""
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

    Commands that no edit parts stay together. The result of the whole is that of its last part. Files are named as from
    the folder in which the command line began.
    """
    if len(command) > _MOST_CHARS or not _LIKELY.search(command):
        return ()
    reading = _Reading()
    rest = command.strip()
    before, mark, _ = rest.partition("<<")
    head = _masked(before) if mark else ""
    joints = list(_PLAIN_JOINT.finditer(head))
    begun = _BEGINS_DOCUMENT.match(head, joints[-1].end()) if joints else None
    if begun is not None and leading_document(rest[begun.start("command") :]) is not None:
        if _SCRIPT.search(head) or _LEAVES.search(head):
            return ()
        reading.follow(rest[: joints[-1].start()])
        rest = rest[begun.start("command") :]
    while (document := leading_document(rest)) is not None:
        if document.path:
            reading.edit(FilePatch(document.path, (("", document.text),), writes=not document.appends))
        elif edits := read_patch(document.text.splitlines()) or _replaced_by(document.text):
            for edit in edits:
                reading.edit(edit)
        else:
            reading.run(rest)
            rest = ""
            break
        rest = document.rest.strip()
    reading.follow(rest)
    return tuple(reading.made) if any(isinstance(each, FilePatch) for each in reading.made) else ()


def _masked(command: str) -> str:
    return _QUOTED.sub(lambda found: "_" * len(found[0]), command)


def _replaced_by(script: str) -> list[FilePatch]:
    from mcp_reflect.domain.trajectory.replacing_scripts import replacements_in  # noqa: PLC0415 - few runs hold one

    return replacements_in(script)


class _Reading:
    """What a command line made so far, and the folder that it is in; None where that is not known."""

    def __init__(self) -> None:
        self.made: list[FilePatch | str] = []
        self._folder: str | None = ""

    def edit(self, patch: FilePatch) -> None:
        """Add an edit, of a file as it is named from the folder of now."""
        is_plain = self._folder and not patch.path.startswith(("/", "~", "$"))
        path = posixpath.normpath(posixpath.join(self._folder, patch.path)) if self._folder and is_plain else patch.path
        self.made.append(patch._replace(path=path))

    def run(self, command: str) -> None:
        """Add another command."""
        self.made.append(command)

    def follow(self, command: str) -> None:
        """Add the parts of a list of commands; all of it as one where its parts may not have run."""
        command = command.strip()
        masked = _masked(command)
        if _SCRIPT.search(masked) or "<<" in masked:
            self.made.append(command)
            self._folder = self._folder if _GOES_ANYWHERE.search(masked) is None else None
            return
        made: list[FilePatch | str] = []
        joint, start = "", 0
        for end, after in [*(found.span() for found in _JOINT.finditer(masked)), (len(command), len(command))]:
            part = command[start:end].strip()
            edits = _edits_of(part)
            if edits or not part:
                self._add(made)
                made = []
                for edit in edits:
                    self.edit(edit)
            elif made:
                made[-1] = f"{made[-1]}{joint}{part}"
            else:
                made.append(part)
            if _GOES.match(part):
                changed = _CHANGES_FOLDER.fullmatch(part)
                self._enter(changed[1] if changed else "-")
            joint, start = command[end:after].replace("\n", "; "), after
        self._add(made)

    def _add(self, made: list[FilePatch | str]) -> None:
        self.made += [each for each in made if not (isinstance(each, str) and _FOLDER.fullmatch(each))]

    def _enter(self, folder: str) -> None:
        is_known = self._folder is not None and _PLAIN_FOLDER.fullmatch(folder) is not None
        self._folder = posixpath.normpath(posixpath.join(self._folder or "", folder)) if is_known else None


def _edits_of(part: str) -> list[FilePatch]:
    if appended := _APPENDS.fullmatch(part):
        text = _plain(appended["text"])
        text = text.replace("%%", "%") if appended["program"] == "printf" else text
        path, writes = appended["file"] or appended["teed"], bool(appended["teed"]) and not appended["appends"]
        return [FilePatch(path, (("", text),), writes=writes)]
    found = _STREAM_EDIT.fullmatch(part)
    changes = list(_changes(_script_of(found["quote"], found["script"]), _pattern_of(part))) if found else []
    return [FilePatch(found["files"], tuple(changes))] if found and changes and all(map(any, changes)) else []


def _script_of(quote: str, script: str) -> str:
    """The script as the shell hands it on."""
    return script if quote == "'" else _ESCAPED_IN_QUOTES.sub(r"\1", script)


def _pattern_of(command: str) -> re.Pattern[str]:
    options = re.split(r"['\"]", command, maxsplit=1)[0]
    return _EXTENDED_PATTERN if command.startswith("perl") or _EXTENDED.search(options) else _PATTERN


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

"""Commands that take back what a run did before: files that it wrote, and what an earlier command put in or set.

Such a command is a step back and not what worked: a word of it says so, and it names nothing that the earlier lacks.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.command_lines import only_reads, parts_of
from mcp_reflect.domain.lessons.run.git_words import plain_git
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.text.memoize import memoize_short
from mcp_reflect.domain.trajectory.here_documents import without_documents

_UNDOES = re.compile(
    r"-{0,2}(?:un(?:do|hold|install|link|load|lock|mask|mount|pin|register|set|stage|track)"
    r"|remove|rm|delete|del|drop|disable|down|stop|reset|revert|rollback)",
    re.IGNORECASE,
)
_CANCELS = re.compile(r"(?:^|_)(?:cancel|delete|discard|remove|revert|revoke|rollback|undo|void|withdraw)(?:_|$)")
"""Tools that take back what another one made."""
_DATABASES = frozenset({"duckdb", "mariadb", "mysql", "psql", "sqlite3"})
_LASTS = re.compile(r"\b(?:install|add|ci|sync|pull|fetch|login|exec|create|up|start)\b")
"""Commands that do more than to make files of the repository."""
_SETS_UP = frozenset({"cd", "export", "set"})
_CHANGERS = frozenset({"cp", "mv", "rm", "tee", "truncate"})
_IN_PLACE = {"sed": re.compile(r"--in-place|-[nEsruz]*i"), "perl": re.compile(r"-[0-9]*[npw]*[0-9]*i(?:\.\w+)?\Z|-pi")}
_NAMED_FILE = re.compile(r"[\w./@-]*\w\.\w[\w.]*|\.\w[\w.]*|[\w@-]+/[\w./@-]*")
_MADE = re.compile(
    r"\b(?:creat(?:ed?|ing)|generat(?:ed?|ing)|wrote|writ(?:ten|ing))\b[^\n]{0,80}?([\w.-]+/[\w./-]*\w\.\w+)",
    re.IGNORECASE,
)
_MOST_LOOKED_AT = 5_000
_VERB = re.compile(
    r"add|book|cancel|create|delete|discard|file|get|make|new|open|order|place|post|put|remove|request|revert|revoke"
    r"|rollback|schedule|send|submit|undo|void|withdraw"
)
_LEAST_ID = 3
_MOST_CANCELLED = 10
_MOST_VALUES = 4
"""The last of such calls that are looked at, and values of each that are looked for."""
_MOST_CHARS = 8_000
_JOINS = re.compile(r"[();<>|&\n]+")
_RESTORES = re.compile(r"(?:cd\s+\S+\s*&&\s*)?git\s+(?:checkout|restore|reset\s+--hard)\b")
_RESTORED = re.compile(r"^Updated \d+ paths? from\b", re.MULTILINE)
_FILE = re.compile(r".*\.\w+|\.")
"""A name behind `git checkout` that is no branch."""


def undone_files(command: str) -> tuple[str, ...]:
    """Return the files and folders that a command line removes or restores, as it names them; `.` stands for all."""
    return tuple(name for words in commands_of(command) for name in files_undone_by(words))


def files_undone_by(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that one command removes or restores, as it names them; `.` stands for all."""
    return tuple(name.removeprefix("./") or "." for name in _taken_back(plain_git(words)[0]) if name)


def only_removes(command: str) -> bool:
    """Return true where a command line does nothing but remove files, apart from what only reads."""
    return all(part.startswith(("rm ", "rmdir ")) for part in parts_of(command))


def only_takes_back(command: str) -> bool:
    """Return true where a command line does nothing but to take something back, apart from what only reads."""
    return all(any(map(_takes_back, commands_of(part))) for part in parts_of(command))


def find_unmade(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands that made or changed files, all of which a later one restored or removed, with that one.

    What a command makes is known where it says so: "Created new merge migration a/0018_merge.py".
    """
    done = [step for step in steps if step.kind == "command" and not step.failed]
    undoing = [(place, step, files) for place, step in enumerate(done) if (files := undone_files(step.subject))]
    for place, earlier in enumerate(done) if undoing else ():
        left = {*_changed_in_place(earlier), *_MADE.findall(earlier.output[:_MOST_LOOKED_AT])}
        for later, step, files in undoing if left else ():
            left = {name for name in left if later <= place or not is_among(name, files)}
            if not left:
                yield earlier, step
                break


def files_changed_by(command: str) -> tuple[str, ...]:
    """Return the files that a command line names to `sed -i`, `mv` and the like, which change them."""
    return tuple(
        word.removeprefix("./")
        for words in commands_of(command)
        if words[0] in _CHANGERS or _is_in_place(words)
        for word in words[-1 if words[0] in {"cp", "mv"} else 1 :]
        if _NAMED_FILE.fullmatch(word)
    )


def _is_in_place(words: tuple[str, ...]) -> bool:
    option = _IN_PLACE.get(words[0])
    return option is not None and any(map(option.match, words[1:]))


def _changed_in_place(step: Step) -> tuple[str, ...]:
    """The files that `sed -i` and the like change, where a command line does nothing else."""
    commands = [words for words in commands_of(step.subject) if words[0] not in _SETS_UP]
    return files_changed_by(step.subject) if commands and all(map(_is_in_place, commands)) else ()


def has_restored(output: str) -> bool:
    """Return true where git says that it restored files."""
    return _RESTORED.search(output) is not None


def find_discarded(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands whose output files version control then restored, each with the command that did.

    No edit of the run had changed these files, so what the last command had made there was not wanted.
    """
    acted: Step | None = None
    is_edited = False
    for step in steps:
        if step.kind == "edit":
            is_edited = True
        elif step.kind == "command" and not step.failed:
            if acted is not None and not is_edited and has_restored(step.output) and _RESTORES.match(step.subject):
                yield acted, step
            if not only_reads(step.subject):
                acted = None if _LASTS.search(step.subject) else step


def is_among(path: str, undone: tuple[str, ...]) -> bool:
    """Return true where a file is one of those that a command takes back (`undone_files`), or lies in one of them."""
    return any(name == "." or f"/{name.strip('/')}/" in f"/{path}/" for name in undone)


def find_undone(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands that a later one took back, as `npm uninstall x` an install, each with that one."""
    commands = [(step, commands_of(step.subject)) for step in steps if step.kind == "command"]
    for place, (later, parts) in enumerate(commands):
        undoing = [] if later.failed else [words for words in parts if _is_undoing(words)]
        for earlier, before in commands[:place] if undoing else ():
            if any(_undoes(words, each) for words in undoing for each in before):
                yield earlier, later


def find_cancelled(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the calls that made something which a later call cancelled or deleted, each with that one.

    It is known by a value that the later call is given, and that nothing named before the earlier one returned it.
    """
    cancelling = [place for place, step in enumerate(steps) if _cancels(step) and not step.failed]
    for place in cancelling[-_MOST_CANCELLED:]:
        later = steps[place]
        values = map(str, later.arguments.values())
        named = [value for value in values if len(value) >= _LEAST_ID and any(map(str.isdigit, value))][:_MOST_VALUES]
        for value in named:
            first = next((step for step in steps[:place] if value in step.subject or value in step.output), None)
            if first is None or value in first.subject or first.kind != "call" or first.failed:
                continue
            if not (_cancels(first) or only_asks(first.tool)) and _is_same_thing(first.tool, later.tool):
                yield first, later


def _is_same_thing(one: str, other: str) -> bool:
    """Return true for two tools that are named after the same thing, apart from what they do with it."""
    return _nouns_of(one) == _nouns_of(other)


def _nouns_of(tool: str) -> set[str]:
    return {word for word in tool.lower().rpartition("__")[2].split("_") if not _VERB.fullmatch(word)}


def _cancels(step: Step) -> bool:
    return step.kind == "call" and _CANCELS.search(step.tool) is not None


def _taken_back(words: tuple[str, ...]) -> Iterator[str]:
    named = [word for word in words if not word.startswith("-")]
    match named:
        case ["rm", *files]:
            yield from files
        case ["git", "rm", *files] if "--cached" not in words:
            yield from files
        case ["git", ("checkout" | "restore"), *_] if "--theirs" in words or "--ours" in words:
            return
        case ["git", "restore", *files] if "--staged" not in words or "--worktree" in words:
            yield from files
        case ["git", "checkout"] if "-f" in words or "--force" in words:
            yield "."
        case ["git", "switch", *_] if "--discard-changes" in words:
            yield "."
        case ["git", "checkout", *files]:
            yield from (files if "--" in words else filter(_FILE.fullmatch, files))
        case ["git", "reset", *_] if "--hard" in words:
            yield "."
        case ["git", "stash"] | ["git", "stash", "push", *_]:
            yield "."


def _takes_back(words: tuple[str, ...]) -> bool:
    return bool(files_undone_by(words)) or _is_undoing(words)


def _is_undoing(words: tuple[str, ...]) -> bool:
    return any(map(_UNDOES.fullmatch, _statement(words)[1:]))


def _undoes(later: tuple[str, ...], earlier: tuple[str, ...]) -> bool:
    left = {word for word in _statement(later) if not (word.startswith("-") or _UNDOES.fullmatch(word))}
    return len(left) > 1 and left <= set(_statement(earlier)) and not _is_undoing(earlier)


def _statement(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command, for a database those of its statement too: `psql -c "drop index a"`."""
    if words[0].rpartition("/")[2] not in _DATABASES:
        return words
    return tuple(part.strip(";") for word in words for part in word.split())


@memoize_short(entries=2_048, chars=8_000)
def commands_of(line: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands of a line, each as its words without quotes; none of a line that is too long to be read."""
    if len(line) > _MOST_CHARS:
        return ()
    found: list[list[str]] = [[]]
    lexer = shlex.shlex(without_documents(line).replace("\\\n", " "), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace_split, lexer.commenters, lexer.whitespace = True, "", " \t\r"
    try:
        for word in lexer:
            if _JOINS.fullmatch(word):
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:  # an open quote: nothing is known of what stands in it
        return ()
    return tuple(tuple(words) for words in found if words)

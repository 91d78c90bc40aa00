"""The form of a command by which it is known again, however somebody writes it.

Of a command line the words count: the program, its options and operands. What stands around it and changes no outcome
by itself does not: variables, programs that run another one (`timeout 60`, `uv run`, `python -m`), the folder of a
program and the number of its version, options that only say how much is printed, and where the output goes. All that
is kept beside the words, since it may be what made a command work.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.option_names import long_name
from mcp_reflect.domain.lessons.failures.output_options import output_option
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.lines import normalised
from mcp_reflect.domain.lessons.run.commands.wrappers import split_wrappers
from mcp_reflect.domain.text.memoize import memoize_short

_OPERATORS = frozenset(";&|()")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.ASCII | re.DOTALL)
_ATTACHED = re.compile(r"-[A-Z]\w{2,}", re.ASCII)
"""An option of an interpreter with its value, as in `-Ilib`."""
_OPTION = re.compile(r"--?[A-Za-z]\S*")
_OPTION_WITH_VALUE = re.compile(r"(--?[A-Za-z][\w-]*)=(.*)", re.DOTALL)
_BUNDLE = re.compile(r"-[A-Za-z]{2,4}")
_TAR = re.compile(r"[A-Za-z]{1,5}")
_FOLDER_OPTIONS = frozenset({"-C", "--chdir", "-chdir", "--cwd", "--directory", "--prefix"})
_VERSIONED = re.compile(r"(python|pip|pytest|node|ruby|perl|php)[\d.]+")
_PROGRAM_FOLDERS = frozenset({"bin", ".bin", "sbin", "Scripts"})
_GAPS = re.compile(r"\s*([|,;()])\s*")
_NOTHING: tuple[list[str], ...] = ([], [":"], ["true"])
_SOURCES = (["source"], ["."])
_SHELL = (r"(?:.*/)?(?:ba|z)?sh", r"-l?c", r".*\s.*")
_HERE = re.compile(r"(?:\$PWD|\$\{PWD\}|\$\(pwd\))/")
_SUBSTITUTED = re.compile(r"\$\(([^()]*)\)")
_NOT_WORD = re.compile(r"\W+")

Segment = tuple[list[str], list[str]]
"""A command of a line, and the operator behind it if any."""


CHANGED_FOLDER = "PWD"
"""The variable that stands for a change into another folder before a command."""


class CommandForm(NamedTuple):
    """The words of a command in an order of their own and as they were written, and what stood beside them.

    `beside` holds names of variables, wrappers, folders and versions of programs, and options of the output; `values`
    are the telling words of what variables and options of an interpreter were set to.
    """

    words: tuple[str, ...]
    written: tuple[str, ...] = ()
    beside: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()

    @property
    def operands(self) -> tuple[str, ...]:
        """Return the words but for options and what looks like a variable."""
        return tuple(word for word in self.words if not is_optional(word))


def is_optional(word: str) -> bool:
    """Return true for an option, and for an argument such as `V=1`."""
    assigned = _ASSIGNMENT.match(word)
    return assigned[1].isupper() if assigned else bool(_OPTION.fullmatch(word))


@memoize_short(entries=1_024, chars=8_000)
def command_form(command: str) -> CommandForm:
    """Return the form of a command on one line; one whose quotes do not close is split at white space."""
    words: list[str] = []
    written: list[str] = []
    beside: list[str] = []
    values: list[str] = []
    for segment, operator in _acting(_without_outputs(_tokens(command)), beside):
        called = _without_assignments(segment, beside, values)
        around, called = split_wrappers(called)
        beside += around
        values += [word[2:] for word in around if _ATTACHED.fullmatch(word)]
        own = _script_called([*_arguments(called, beside)])
        words += [*_ordered(own), *operator]
        written += [*own, *operator]
    return CommandForm(tuple(words), tuple(written), frozenset(beside), frozenset(values))


def _tokens(command: str) -> list[str]:
    """The words and operators of a line, without a comment; of what a shell is given as one text (`bash -c`), its."""
    command = _SUBSTITUTED.sub(lambda found: "$" + _NOT_WORD.sub("_", found[1]), _HERE.sub("", command))
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()<>")
    lexer.commenters, lexer.whitespace_split = "", True
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = command.split()
    comment = next((at for at, token in enumerate(tokens) if token.startswith("#")), len(tokens))
    if len(tokens) == len(_SHELL) and all(map(re.fullmatch, _SHELL, tokens)):
        return _tokens(normalised(tokens[-1]))
    return tokens[:comment]


def _without_outputs(tokens: Sequence[str]) -> list[str]:
    """Tokens without files into which the output goes."""
    kept: list[str] = []
    skipped = False
    for token in tokens:
        if skipped:
            skipped = False
        elif token and set(token) <= set("<>&") and ">" in token:
            skipped = True
            if kept and kept[-1] in {"1", "2"}:
                kept.pop()
        else:
            kept.append(token)
    return kept


def _acting(tokens: Sequence[str], beside: list[str]) -> list[Segment]:
    """The commands of a line without those around them that change nothing but the shell, or only read."""
    segments = [each for each in _segments(tokens) if any(each)]
    while len(segments) > 1 and segments[0][0][:1] in _SOURCES:
        beside += segments.pop(0)[0]
    if len(segments) > 1 and segments[0][0][:1] == ["cat"] and segments[0][1] == ["|"]:
        (_, *read), _ = segments.pop(0)
        segments[0][0].extend(read)
    while len(segments) > 1 and (segments[-1][0] in _NOTHING or only_reads(shlex.join(segments[-1][0]))):
        segments.pop()
    return [*segments[:-1], (segments[-1][0], [])] if segments else []


def _segments(tokens: Sequence[str]) -> Iterator[Segment]:
    """The commands of a line, each with the operator behind it."""
    segment: list[str] = []
    for is_operator, group in groupby(tokens, lambda token: bool(token) and set(token) <= _OPERATORS):
        if is_operator:
            yield segment, list(group)
            segment = []
        else:
            segment = list(group)
    yield segment, []


def _without_assignments(segment: Sequence[str], beside: list[str], values: list[str]) -> list[str]:
    for at, word in enumerate(segment):
        if found := _ASSIGNMENT.match(word):
            beside.append(word if found[1] == CHANGED_FOLDER else f"{found[1]}=")
            values += [value for value in re.findall(r"\w+", found[2]) if _tells(value)]
        elif word != "env":
            return list(segment[at:])
    return []


def _tells(value: str) -> bool:
    """Whether a value says more than on or off, or how much."""
    return len(value) > 2 and not value.isdecimal() and value.lower() not in {"true", "false"}  # noqa: PLR2004


def _arguments(called: Sequence[str], beside: list[str]) -> Iterator[str]:
    """The program and its arguments, options apart from their values, without what belongs beside them."""
    at, program = 0, ""
    while at < len(called):
        word = long_name(program, _GAPS.sub(r"\1", called[at])) if at else _program(called[at], beside)
        program = program or word
        at += 1
        if called[0] == "tar" and at == 2 and _TAR.fullmatch(word):  # noqa: PLR2004 - behind the program
            word = f"-{word}"
        if printing := output_option(word, called[at] if at < len(called) else ""):
            beside.append(word)
            at += printing - 1
        elif found := _OPTION_WITH_VALUE.fullmatch(word):
            yield from () if _is_folder(found[1], found[2]) else (long_name(program, found[1]), found[2])
        elif _is_folder(word, called[at] if at < len(called) else ""):
            at += 1
        elif _BUNDLE.fullmatch(word):
            yield from filter(lambda letters: letters != "-", [_unbundled(word, beside)])
        elif word != "--":
            yield _plain_path(word.rstrip(";") or word)


def _script_called(words: list[str]) -> list[str]:
    """The words of a command with the script of a package called in the one way."""
    program, verb, *script = words if len(words) > 2 else ["", "", *words]  # noqa: PLR2004 - program, verb, script
    if verb not in {"run", "run-script"} or program not in {"npm", "pnpm", "yarn", "bun"}:
        return words
    return [program, "run", *script] if program == "npm" else [program, *script]


def _program(word: str, beside: list[str]) -> str:
    folder, _, name = word.rpartition("/")
    if folder.rpartition("/")[2] not in _PROGRAM_FOLDERS or not name:
        name = _plain_path(word)
    else:
        beside.append("/".join(folder.split("/")[-2:]))
    if found := _VERSIONED.fullmatch(name):
        beside.append(name)
        return found[1]
    return name


def _plain_path(word: str) -> str:
    return word.removeprefix("./").rstrip("/") or word


def _is_folder(option: str, value: str) -> bool:
    """Whether an option and its value change to a folder that stands whole, as `cd` does before a command."""
    return option in _FOLDER_OPTIONS and (value == "." or value.startswith(("/", "~")))


def _unbundled(word: str, beside: list[str]) -> str:
    """Short options in one word in the order of the alphabet, without the one for more output."""
    if "v" in word:
        beside.append("-v")
    return "-" + "".join(sorted(word[1:].replace("v", "")))


def _ordered(arguments: Iterable[str]) -> Iterator[str]:
    """The words that stand behind no option, in their order, and then the options in theirs, each with its value."""
    free: list[str] = []
    groups: list[list[str]] = []
    for word in arguments:
        if _OPTION.fullmatch(word):
            groups.append([word])
        elif groups and len(groups[-1]) == 1:
            groups[-1].append(word)
        else:
            free.append(word)
    yield from free
    for group in sorted(groups):
        yield from group

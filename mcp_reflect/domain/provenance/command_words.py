"""The words of command lines, and which of them choose the code that is run: programs, packages, plugins, modules."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.programs import (
    COMMON_WORDS,
    COMPILERS,
    FETCHING_WORDS,
    HAVE_OTHER_INSTALLS,
    INSTALLING_WORDS,
    KNOWN_PROGRAMS,
    LOADING_OPTIONS,
    PROJECT_TOOLS,
    RUN_OTHERS,
    WRAPPING_WORDS,
)
from mcp_reflect.domain.text.memoize import memoize_short

PYTHON = re.compile(r"python[\d.]*")
_ASSIGNS = re.compile(r"[a-z_]\w*=")
_OPTION_THAT_LOADS = re.compile(
    r"--[\w-]*(?:config|plugin|exec|shell|registry|index|script|import|require|loader|rcfile|override|load|hook|proxy)\b"
)
_LINKED = re.compile(r"(?:[=,'\" ]|^)-l([a-z]\w{2,})")
"""A library that a compiler links, or a variable hands to one."""
_IN_QUOTES = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_PROGRAM_TEXT = re.compile(
    r"(?:(?:^|(?<=[\s|&;(]))(?:sed|awk|grep|rg|jq|yq|psql|mysql|sqlite3|git commit)\s[^'\"|&;\n]*|\b\w+=)"
    r"(?:'[^']{0,4000}'|\"[^\"]{0,4000}\")"
)
"""A program with the text that it reads as its own language, and a variable with its value: no commands in there."""
_EXTRAS = re.compile(r"(?<=\w)\[[\w,.-]{1,60}\]$")
"""What else a Python package is to bring: `uvicorn[standard]`."""
_LEADING_KEYWORDS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "!", "{", "("))
_HEADS = (["for"], ["case"], ["done"], ["fi"], ["esac"], ["}"], [")"])
_ENDS = re.compile(r"\s*(?:&&|\|\||;|\||\n)\s*")


def simple_commands(command: str) -> list[str]:
    """Return the simple commands of a command line."""
    return [part for part in _ENDS.split(command.strip()) if part]


def quoted_commands(command: str) -> list[str]:
    """Return the simple commands of a command line; what stands in quotes ends none, as in `sed 's|a|b|'`."""
    masked = _IN_QUOTES.sub(lambda found: "_" * len(found[0]), command)
    ends = [0, *(place for end in _ENDS.finditer(masked) for place in end.span()), len(command)]
    parts = (command[start:end].strip() for start, end in zip(ends[::2], ends[1::2], strict=True))
    return [part for part in parts if part]


@memoize_short(entries=1_024, chars=300)
def shell_words(command: str) -> list[str]:
    """Return the words of a command as a shell reads them; none where it could not."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def words_that_run(command: str) -> frozenset[str]:
    """Return the words of a command that choose the code which it runs: programs, packages, plugins and modules.

    A program that projects of a kind are worked on with says nothing of who chose it.
    """
    found: set[str] = set()
    for part in simple_commands(_without_program_texts(command)):
        words = [
            word for word in _called_words(part.lower()) if not _ASSIGNS.match(word) and word not in WRAPPING_WORDS
        ]
        installs = any(word in INSTALLING_WORDS for word in words[1:3])
        behind = [
            after for word, after in itertools.pairwise(words) if word in LOADING_OPTIONS and not after.isdecimal()
        ]
        programs = (word for word in words[:1] if not is_known_program(word))
        found.update(programs, behind, (word for word in words[2:] if installs and _is_named(word)))
        found.update(_linked(part.lower()))
    return frozenset(found) - COMMON_WORDS


def _linked(part: str) -> Iterator[str]:
    """The libraries that a simple command in lower case links by variables, or as a compiler."""
    words = shell_words(part)
    for word in words if words[:1] and words[0] in COMPILERS else filter(_ASSIGNS.match, words):
        yield from _LINKED.findall(word)


def _is_named(word: str) -> bool:
    """Return true for the name of what a command installs, not for an option or a package that the project built."""
    return not word.startswith(("-", "dist/", "./dist/", "target/", "build/"))


def _without_program_texts(command: str) -> str:
    """Return a command line in which no text that a program reads as its own language looks like more commands."""
    return _PROGRAM_TEXT.sub(lambda quoted: _ENDS.sub("_", quoted[0]), command)


def conventional_words(command: str) -> frozenset[str]:
    """Return the programs of a command line that every project knows, each with its subcommand: nobody chose these."""
    found: set[str] = set()
    for words in _lower_words(command):
        called = [word for word in words if word not in WRAPPING_WORDS][:2]
        if called and called[0] in COMMON_WORDS | KNOWN_PROGRAMS:
            found.update(word for word in called if word in COMMON_WORDS or word == called[0])
    return frozenset(found)


def unknown_programs(command: str) -> frozenset[str]:
    """Return the programs of a command but those that projects of a kind are worked on with."""
    found: set[str] = set()
    for words in _lower_words(command):
        found.update([word for word in words if word not in WRAPPING_WORDS][:1])
    return frozenset(found - COMMON_WORDS - KNOWN_PROGRAMS - PROJECT_TOOLS)


def words_brought_in(command: str) -> frozenset[str]:
    """Return the words of a command that bring in code: packages, plugins, modules, and what options load."""
    found: set[str] = set()
    for part in simple_commands(command.lower()):
        found.update(_linked(part))
    for words in _lower_words(command):
        if words and HAVE_OTHER_INSTALLS.isdisjoint((tuple(words[:1]), tuple(words[:2]))):
            behind = next((place for place, word in enumerate(words) if place and word in INSTALLING_WORDS), len(words))
            found.update(word for word in words[behind + 1 :] if not word.startswith("-"))
        options = [word for word in words if _OPTION_THAT_LOADS.match(word)]
        found.update(option.partition("=")[2] for option in options)
        loads = {
            *options,
            *FETCHING_WORDS,
            *(LOADING_OPTIONS if words and PYTHON.fullmatch(words[0]) else LOADING_OPTIONS - {"-m"}),
        }
        told = [word for word in words if word != "run"]
        found.update(after for word, after in itertools.pairwise(told) if word in loads)
    return frozenset(found - COMMON_WORDS)


def is_known_program(program: str) -> bool:
    """Return true for a program that projects of a kind are worked on with."""
    return program in PROJECT_TOOLS or (program in KNOWN_PROGRAMS and program not in RUN_OTHERS)


def _lower_words(command: str) -> Iterator[list[str]]:
    """The words of each simple command in lower case; what stands in quotes ends none, as in `sed 's|a|b|'`."""
    for part in simple_commands(_IN_QUOTES.sub(lambda found: _ENDS.sub("_", found[0]), command.lower())):
        yield [word for word in _called_words(part) if not _ASSIGNS.match(word)]


def _called_words(part: str) -> list[str]:
    """The words of a simple command without the keywords of loops and conditions before it; none of a loop's head.

    Packages stand without their extras.
    """
    words = list(itertools.dropwhile(_LEADING_KEYWORDS.__contains__, shell_words(part)))
    return [] if words[:1] in _HEADS else [_EXTRAS.sub("", word) for word in words]

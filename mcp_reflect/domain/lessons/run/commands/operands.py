"""The words of a command line: its operands, the options with their values, and the texts that it is given."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.lines import program_of
from mcp_reflect.domain.text.memoize import memoize_short

OPTION = re.compile(r"--?[A-Za-z\d]")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_RUNS_CODE = re.compile(r"(?:python|node|ruby|perl|php|Rscript|bash|sh|zsh|psql|mysql|pwsh)[\d.]*")
_INLINE = frozenset({"-c", "-e", "-r", "--eval", "-Command"})
_TEXT_WORDS = 3
"""Words in one argument from which it is a text: names of generators and the like have two."""
_FLAG = re.compile(r"--(?:test|check|watch|verbose|quiet|yes)|-q")
"""Options behind which stands what the command is about, and no value of theirs."""


@memoize_short(entries=2_048, chars=8_000)
def words_in(command: str) -> tuple[str, ...]:
    """Return the words of a command as a shell reads them; where its quotes do not match, those between blanks."""
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return tuple(command.split())


class OtherOperands(NamedTuple):
    """The operands that one of two commands has, and the texts that stand behind its options, such as messages."""

    operands: list[str]
    texts: list[str]


def other_operands(command: str, other: str) -> OtherOperands:
    """Return what a command has and the other lacks, without its program, assignments, and options with their values.

    Of values only texts count, and code that an interpreter is given: by its query or message a command does something
    else.
    """
    words, program = words_in(command), program_of(command)
    left, plain = Counter(words_in(other)), _without_values(other)
    inline = _INLINE if _RUNS_CODE.fullmatch(program) else frozenset()
    found = OtherOperands([], [])
    for before, word in zip(["", *words], words, strict=False):
        if left[word]:
            left[word] -= 1
            continue
        if _is_call(word, program) or OPTION.match(word) or ASSIGNMENT.match(word):
            continue
        if not OPTION.match(before) or "=" in before or before in plain:
            found.operands.append(word)
        elif is_text(word) or before in inline:
            found.texts.append(word)
    return found


@memoize_short(entries=2_048, chars=8_000)
def words_of_call(command: str) -> frozenset[str]:
    """Return the words of a command but those that only have its program called."""
    program = program_of(command)
    return frozenset(word for word in words_in(command) if not _is_call(word, program))


@memoize_short(entries=2_048, chars=8_000)
def certain_operands(command: str) -> frozenset[str]:
    """Return the arguments that are no options, and cannot be the value of one."""
    words = words_in(command)
    free = (word for before, word in zip(["", *words], words, strict=False) if not OPTION.match(before))
    return frozenset(word for word in free if not (OPTION.match(word) or ASSIGNMENT.match(word))) & words_of_call(
        command
    )


@memoize_short(entries=2_048, chars=8_000)
def word_set(command: str) -> frozenset[str]:
    """Return the words of a command as a set, as `words_in` returns them."""
    return frozenset(words_in(command))


def operands_of(command: str) -> set[str]:
    """Return the words of a command but its program, assignments and options."""
    words = set(words_in(command)) - {program_of(command)}
    return {word for word in words if not OPTION.match(word) and not ASSIGNMENT.match(word)}


def is_text(word: str) -> bool:
    """Return true for an argument that is a text: a message, a query or a script."""
    return len(word.split()) >= _TEXT_WORDS


def _is_call(word: str, program: str) -> bool:
    """Return true for a word that only has a program called."""
    return word in {program, "sudo", "env", "run", "--"} or word.endswith(f"/{program}")


def _without_values(command: str) -> set[str]:
    """The options of a command behind which another one stands, or nothing: they take no value."""
    words = words_in(command)
    behind = zip(words, [*words[1:], "-"], strict=True)
    return {
        word
        for word, after in behind
        if _FLAG.fullmatch(word) or (OPTION.match(word) and after[:1] in {"-", "|", ">", "<", "&", ";"})
    }

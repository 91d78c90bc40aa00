"""Commands that are run again: the same one, or one that does the same in another way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import dropwhile, pairwise

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.headlines import find_headlines
from mcp_reflect.domain.error_matching.output_lines import is_complaint
from mcp_reflect.domain.lessons.run.commands.effects import asks_database, only_reads, prepares
from mcp_reflect.domain.lessons.run.commands.lines import normalised, program_of
from mcp_reflect.domain.lessons.run.commands.operands import (
    ASSIGNMENT,
    OPTION,
    certain_operands,
    is_text,
    operands_of,
    other_operands,
    word_set,
    words_in,
    words_of_call,
)
from mcp_reflect.domain.lessons.run.commands.variants import are_variants, is_variant_text
from mcp_reflect.domain.lessons.run.commands.wrappers import split_wrappers
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.text.memoize import memoize_short

_NARROWS = re.compile(
    r"(?:^|\s)(?:-k|-run|--?(?:ignore|deselect|exclude|skip[\w-]*|grep|no-?verify|help|dry-run"
    r"|force-exclude|no-?[cC]heck|testPathIgnorePatterns|testNamePattern)\b)(?=[\s=]|$)"
    r"|(?:^|\s)-h$|(?:^|\s)-(?:DskipTests|Dmaven\.test\.skip)\b|^SKIP=|\|\|\s*(?:true|:)|;\s*(?:true|echo|:)\b"
    r"|\b--continue\b|(?:^|\s)--?version(?=\s*(?:$|[;|])|\s+(?:[&<>-]|[12]>))"
)
"""What makes a command pass by doing less; a version behind its option is one to install."""
_OPTIONS_OF = (
    (re.compile(r"\bgradlew?\b"), re.compile(r"\s(?:-x|--exclude-task)[\s=]+[\w:]*[Tt]est\b")),
    (re.compile(r"pytest\b"), re.compile(r"\s-m\s")),
)
"""Programs with an option behind them that has them do less: for others it says something else."""
_SELECTS = re.compile(r"(?:^|\s)--?(?:filter|only)(?=[\s=]|$)")
"""What selects a part; of what is installed or added it says where to, or what for."""
_CHECKS = re.compile(
    r"(?<![\w.-])(?:(?:unit)?tests?|pytest|rspec|jest|vitest|phpunit|ctest|prove|spec|nextest|karma|mocha|cypress|playwright"
    r"|e2e|checks?|type-?check|lint|eslint|stylelint|ruff|mypy|pyright|tsc|clippy|verify|validate|audit)(?![\w./-])"
)
_BUILDS = re.compile(r"(?<![\w./-])(?:build|compile)(?![\w./-])")
_TESTS = re.compile(r"\b(?:tests?|pytest|rspec|jest|vitest|phpunit|ctest|prove|spec|nextest)\b")
_NOT_THERE = re.compile(
    r"not found|no such|(?:could not|cannot|can't|unable to) (?:find|load|open|locate)|missing|unknown|no module"
    r"|does not exist",
    re.IGNORECASE,
)
_PROGRAM_FOLDER = re.compile(r"^(?:\./|(?:.*/)?(?:\.?s?bin|Scripts)/)")
_ASKS_FOR_MORE = re.compile(r"\b(?:specify|not specified|ambiguous|more than one|no upstream)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def is_run_again(failed: Step, other: Step, tried: Collection[str] = ()) -> bool:
    """Return true where a step is the failed command again, or does the same in another way.

    `tried` are normalised commands that were run before: that the failed one names such a command is no advice.
    """
    if other.kind != failed.kind or other.tool != failed.tool:
        return False
    before, after = normalised(failed.subject), normalised(other.subject)
    if before == after:
        return True
    if asks_database(after) and not asks_database(before):
        return False
    if after not in tried and _is_advised(after, failed.output):
        return True
    return is_another_form(before, after, failed.output)


def was_called_wrongly(step: Step) -> bool:
    """Return true for a command that complains of how it was called: not that something is not there."""
    found = [each.text for each in find_headlines(step.output)]
    return any(map(is_complaint, found)) and not any(map(_NOT_THERE.search, found))


def stands_for(failed: Step, other: Step) -> bool:
    """Return true where a step does with other operands what the failed command was to do.

    Each operand that is gone stands somewhere in the other command, or was refused: there was no such thing, or the
    output quotes it. A part of what the command was about, as one file of a folder, does not stand for it.
    """
    if other.kind != failed.kind or other.tool != failed.tool:
        return False
    before, after = normalised(failed.subject), normalised(other.subject)
    if (only_reads(after) and not only_reads(before)) or narrows(after) or prepares(after) > prepares(before):
        return False
    removed, added = other_operands(before, after), other_operands(after, before)
    gone, brought = removed.operands + removed.texts, added.operands + added.texts
    words = {*_WORD.findall(after), *words_in(after)}
    if not gone or not _names_program(after, program_of(before)):
        return False
    return all(
        _stays(each, words, brought) or _is_missing(each, failed.output) or _is_refused(each, brought, failed.output)
        for each in gone
    )


def _names_program(command: str, program: str) -> bool:
    """Return true where a command has a program run: by its name, at the end of a path, or as a module."""
    return any(word.rsplit("/", 1)[-1] == program for word in words_in(command))


def _stays(operand: str, words: set[str], brought: Sequence[str]) -> bool:
    """Return true where an operand stands in another command, and not only as a folder of what that is about."""
    folder = operand.rstrip("./")
    is_narrowed = any(each.startswith(f"{folder}/") if folder else each[:1] not in "/<(" for each in brought)
    return words.issuperset(_WORD.findall(operand)) and not is_narrowed


def _is_refused(operand: str, brought: Sequence[str], output: str) -> bool:
    """Return true where an error quotes an operand in the place of which the other command has another one."""
    quoted = re.compile(rf"['\"`‘“]{re.escape(operand)}['\"`’”]")
    return bool(brought) and operand in output and any(quoted.search(each.text) for each in find_headlines(output))


@memoize_short(entries=2_048, chars=8_000)
def narrows(command: str) -> bool:
    """Return true where a command does less than the same without an option of its own: fewer tests, or none."""
    if _NARROWS.search(command) or (_SELECTS.search(command) and _CHECKS.search(command)):
        return True
    called = ((program.search(command), option) for program, option in _OPTIONS_OF)
    return any(found is not None and option.search(command, found.end()) for found, option in called)


def is_another_form(before: str, after: str, output: str) -> bool:
    """Return true where a normalised command does what one did that failed with an output, and not less."""
    is_wrapped = " " in after and (called := _behind_wrappers(before)) and called == _behind_wrappers(after)
    if is_wrapped or tests_more(before, after):
        return True
    is_other = program_of(before) != program_of(after) and not _does_the_same(before, after)
    is_less = (narrows(after) and not narrows(before)) or _builds_part(before, after) or _narrows_folder(before, after)
    if is_other or is_less:
        return False
    words, left = words_of_call(before), word_set(after)
    if words and words.isdisjoint(left):
        return False  # nothing is left of what it was about
    if any(word not in output and not is_text(word) for word in certain_operands(before) - left):
        return False  # before the words are counted, which takes longer
    removed, added = other_operands(before, after), other_operands(after, before)
    if gone := removed.operands + removed.texts:
        # another operand makes another command, unless there was no such thing, or it is another wording
        others = added.operands + added.texts
        return all(_is_missing(each, output) or _is_reworded(each, others) for each in gone)
    return not added.operands or _is_asked_for(before, output) or _are_inserted(before, after, added.operands)


def tests_more(before: str, after: str) -> bool:
    """Return true where a normalised test command is run without what selected a part, or for the folder of a file."""
    if not (_TESTS.search(before) and _TESTS.search(after)) or narrows(after):
        return False
    ours, theirs = Counter(words_in(before)), Counter(words_in(after))
    gone, added = list((ours - theirs).elements()), list((theirs - ours).elements())
    folders = [f"{each.removesuffix('/...').rstrip('/')}/" for each in added]
    wider = all(any(each.startswith(folder) for each in gone) for folder in folders)
    is_about_same = bool(added) or any(not OPTION.match(word) for word in list((ours & theirs).elements())[2:])
    return bool(gone) and wider and is_about_same and not any(map(OPTION.match, gone))


def _builds_part(before: str, after: str) -> bool:
    """Return true where only a part is built: of another command that may be what the whole waits for."""
    return all(map(_BUILDS.search, (before, after))) and not _SELECTS.search(before) and bool(_SELECTS.search(after))


def _narrows_folder(before: str, after: str) -> bool:
    """Return true where an option has a folder of the project in place of the whole: that is a part of it."""
    mine, others = (dict(pairwise(words_in(each))) for each in (before, after))
    whole = (option for option, folder in mine.items() if folder in {".", "./"} and OPTION.match(option))
    return any(option in others and others[option][:1].isalnum() for option in whole)


def _are_inserted(before: str, after: str, added: Sequence[str]) -> bool:
    """Return true where words came in before what the command is about: behind it they may only narrow that."""
    words, operands = words_in(after), [word for word in words_in(before)[1:] if not OPTION.match(word)]
    last = max((place for place, word in enumerate(words) if operands and word == operands[-1]), default=0)
    return all(word in words[:last] for word in added)


def _is_asked_for(command: str, output: str) -> bool:
    """Return true where a command that failed was to be given more: its output says so, or how to call it with more."""
    if re.search(rf"(?<![\w/.-]){re.escape(command)} +[-<\[\w]", output):
        return True
    return any(_ASKS_FOR_MORE.search(each.text) for each in find_headlines(output))


@memoize_short(entries=2_048, chars=8_000)
def _behind_wrappers(command: str) -> tuple[str, ...]:
    """The words of a command without assignments and programs that only have another one run."""
    words = list(dropwhile(ASSIGNMENT.match, words_in(command)))
    called = split_wrappers(words)[1]
    return (_PROGRAM_FOLDER.sub("", called[0]), *called[1:]) if called else ()


def _is_advised(command: str, output: str) -> bool:
    """Return true for a command of several words that an output names: some tools say what to run instead."""
    if " " not in command or command not in output:
        return False
    return re.search(rf"(?<![\w/.-]){re.escape(command)}(?![\w-])", output) is not None


def _does_the_same(before: str, after: str) -> bool:
    """Return true where another program is given the same operands, or the command as it is, and not to prepare it."""
    ours, theirs = operands_of(before), operands_of(after)
    alike = ours == theirs or are_variants(before, after) or set(words_in(before)) <= set(words_in(after))
    return bool(ours) and ours <= theirs and alike and (prepares(before) or not prepares(after))


def _is_reworded(operand: str, added: Sequence[str]) -> bool:
    """Return true for a message, a query or a script in the place of which the other command has one like it."""
    return is_text(operand) and any(is_text(each) and is_variant_text(operand, each) for each in added)


def has_same_operands(one: Step, other: Step) -> bool:
    """Return true where two commands differ in options and assignments at most, without values that stand alone."""
    ours, theirs = (Counter(words_in(normalised(step.subject))) for step in (one, other))
    differing = (ours - theirs) + (theirs - ours)
    return all(OPTION.match(word) or ASSIGNMENT.match(word) for word in differing)


def _is_missing(operand: str, output: str) -> bool:
    """Return true where an output says that there is nothing of that name, and does not only tell it as a place."""
    named = re.compile(rf"(?<!\w)(?<!\bat ){re.escape(operand)}(?!\w|/\w|:\d|[\"']?,? line \d)")
    return operand in output and any(
        named.search(each.text) and _NOT_THERE.search(each.text) for each in find_headlines(output)
    )

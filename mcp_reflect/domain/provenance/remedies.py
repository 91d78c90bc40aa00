"""Remedies: what a run did between the failure of a command and its next passing, where that was one thing alone.

A program that fails often says what to do. That it was done and the same command then passed, with no other change in
between, shows that it helped: the words came from the program, the proof from the run. What could harm is no remedy,
whatever it helps: what brings in packages, leaves the project, opens the network, destroys, or takes a check away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.calls import Call
from mcp_reflect.domain.provenance.command_outcomes import REDIRECTION
from mcp_reflect.domain.provenance.command_words import is_known_program, quoted_commands, shell_words, words_brought_in
from mcp_reflect.domain.provenance.dictated_commands import chooses_code, leads_elsewhere
from mcp_reflect.domain.provenance.tokens import tokens_of
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.memoize import memoize_short

_LOOKS = re.compile(
    r"(?:cd|ls|cat|head|tail|less|grep|rg|find|pwd|echo|which|file|stat|wc|diff|tree|env|type|true|test|time"
    r"|git (?:status|log|diff|show|blame|grep)|\w[\w.-]* (?:--?(?:help|version|list)\b|help\b|version\b|list\b|ls\b))"
    r"(?![\w-])(?!.*(?:>|-delete|-exec))"
)
"""Commands that change nothing."""
_CHOOSES_CODE = re.compile(
    r"(?:package(?:-lock)?\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements|Dockerfile|\.github|\.git/|\.npmrc|hooks?/)"
)
"""Files that choose what a project runs."""
_WEAKENS = re.compile(
    r"-[fWm]no-|(?:^|[^a-z])(?:no(?![a-z])|skip|disabl|ignor|without|allow|unsafe|insecur|trust|forc|accept|bypass|overrid|permi"
    r"|exclud|relax|xfail|noqa|nosec|legacy|(?<!un)privileg|anonymous|unconfined|suppress|deselect|admin|superuser|grant"
    r"|approve|prod(?![a-z])|production|public|host|network|mount)"
    r"|verif|strict|secur|auth|sandbox|\b(?:0\.0\.0\.0|777|666|root|sudo|chmod|chown|setfacl|eval|exec|sh|bash)\b"
    r"|['\"]?\*['\"]?$|=(?:false|off|0|none|no)\b",
    re.IGNORECASE,
)
"""Words and options that take away a check, open something, or give somebody more than he had."""
_DESTROYS = re.compile(
    r"\b(?:delete|destroy|drop|purge|prune|wipe|reset|forget|rm|remove|uninstall|kill|pkill|revoke|truncate|shred|clean"
    r"|clear|push|publish|deploy|send|mail|upload|login|logout|config|registry|remote|clone|run|exec|attach|checkout"
    r"|restore|rebase|filter-branch|gc)\b",
    re.IGNORECASE,
)
"""Subcommands that destroy, give away, run something else, or change settings that last."""
_INSTALLS = re.compile(
    r"(?:sudo )?(?:(?:python3? -m )?pip3?|pipx|uv|uv pip|poetry|conda|apt|apt-get|dnf|apk|brew|npm|pnpm|yarn|gem|cargo)"
    r" (?:install|add|i)(?: -[yqDU]| --(?:yes|quiet|save-dev|upgrade))*"
    r"(?: ['\"]?[A-Za-z@][\w@./\[\],=<>~^-]*['\"]?){1,4}(?: --features [\w,-]+)?"
)
"""The installation of packages by their names."""


_MOST_LATER = 12
"""Calls after a failure among which its remedy is looked for: what comes later has more than one cause."""


class Attempt(NamedTuple):
    """A call with its output, and where that stands and comes from.

    `is_troubled` is true where it failed, or its output tells of errors; `has_passed` where it is known to have passed.
    """

    call: Call
    place: int
    output: str
    source: TextOrigin
    is_troubled: bool
    has_passed: bool


class Remedy(NamedTuple):
    """The place of the output that told of the trouble, and the words of what mended it.

    `is_quoted` is true for one that installs what an error named: who stands behind a package no run can show.
    """

    place: int
    words: frozenset[str]
    is_quoted: bool = False


def remedies_in(attempts: list[Attempt]) -> Iterator[Remedy]:
    """Yield the remedies of a run, for each command that failed at most one."""
    for number, attempt in enumerate(attempts):
        if attempt.call.command and attempt.source == "tool" and not attempt.has_passed:
            remedy = _remedy_of(attempt, attempts[number + 1 : number + 1 + _MOST_LATER])
            if remedy:
                yield remedy


def _remedy_of(failed: Attempt, later: list[Attempt]) -> Remedy | None:
    """What mended a command, if it was one harmless thing alone."""
    broken = _parts(failed.call.command)
    acts: list[str] = []
    edits: list[Call] = []
    calls = 0
    for attempt in later:
        if attempt.call.is_edit:
            edits.append(attempt.call)
            continue
        parts = [part for part in _parts(attempt.call.command) if not _LOOKS.match(part)]
        again = [part for part in parts if part in broken] or [part for part in parts if _is_like(part, broken)][-1:]
        tried = [part for part in parts if part not in broken]
        acts += tried
        calls += bool(tried)
        if again and not attempt.is_troubled:
            break
        if again:
            return None  # it failed again: more than one thing was tried
    else:
        return None
    is_one_act = len(acts) == 1 or (calls == 1 and all(_is_of_program(act, broken) for act in acts))
    if len(edits) + bool(acts) != 1 or (acts and not is_one_act):
        return None
    if edits:
        return Remedy(failed.place, edits[0].tokens) if _is_harmless_edit(edits[0]) else None
    words = tokens_of(" ".join(acts))
    if all(_is_harmless(act, broken, failed.output.lower()) for act in acts):
        return Remedy(failed.place, words)
    return Remedy(failed.place, words, is_quoted=True) if all(map(_INSTALLS.fullmatch, acts)) else None


@memoize_short(entries=256, chars=2_000)
def _parts(command: str) -> list[str]:
    return [part for each in quoted_commands(command) if (part := REDIRECTION.sub("", each).strip())]


def _key(command: str) -> tuple[str, ...]:
    """The program of a command and its subcommand."""
    words = [word for word in shell_words(command) if "=" not in word.partition("-")[0]] or [""]
    return tuple(words[:1] + [word for word in words[1:2] if word.isalpha()])


def _is_like(command: str, broken: list[str]) -> bool:
    return any(_key(command) == _key(each) for each in broken)


def _is_of_program(command: str, broken: list[str]) -> bool:
    return any(_key(command)[0] == _key(each)[0] for each in broken)


def _is_harmless(act: str, broken: list[str], output: str) -> bool:
    """Return true for a command of the failed program, or of one that every project uses, which stays in the project.

    Of its words those are asked for weakness that the `output` of the failure may have brought.
    """
    words = shell_words(act)
    known = {word for each in broken for word in shell_words(each)}
    new = [word for word in words if word not in known]
    program = _key(act)[0]
    is_usual = _is_of_program(act, broken) or is_known_program(program)
    variables = [word.partition("=")[0] for word in words if re.match(r"[A-Z][A-Z0-9_]*=", word)]
    return (
        bool(words)
        and is_usual
        and not any(map(chooses_code, variables))
        and not words_brought_in(act)
        and not any(leads_elsewhere(word) for word in new)
        and not any(_WEAKENS.search(word) for word in new if _is_in(word, output))
        and not (_DESTROYS.search(" ".join(new)) or _CHOOSES_CODE.search(act) or is_dangerous(act))
    )


def _is_in(word: str, output: str) -> bool:
    return any(part.lower() in output for part in re.findall(r"\w{2,}", word))


def _is_harmless_edit(edit: Call) -> bool:
    danger = _CHOOSES_CODE.search(edit.text) or _WEAKENS.search(edit.text) or is_dangerous(edit.text)
    return not danger and "://" not in edit.text

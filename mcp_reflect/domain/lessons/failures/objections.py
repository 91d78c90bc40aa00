"""What a reviewer or a user objects to: the acts of a failed run that their words name as wrong."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.run.commands.operands import words_in
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.sentences.responses import OBJECTING_WORD
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences

_WORD = re.compile(r"[^\W\d_]{3,}")
_ANY_RUN_TEXT = """
    add all and any app are bin build can cat check cmd com cut day dev dir doc end etc for from get git had has how
    install its job lib log main make manage mode name new node not npm now off old one org out own per pip port prod py
    python run set src ssh sub sudo sum tag test tests that the then this tmp top txt usr use uses using var via was web
    when why with www you yml
"""
ANY_RUN = frozenset(_ANY_RUN_TEXT.split())
"""Words of commands that any sentence about a run may hold."""

_FORBIDS = re.compile(
    r"\b(?:never|no|not|stop|(?:do|does|must)n['’]t|without|instead of|rather than)\b[^.;`\n]{0,40}`([^`\n]{3,80})`",
    re.IGNORECASE,
)


def is_objected_to(command: str, words: str, beside: str = "") -> bool:
    """Return true where a sentence objects, and names something of a command that another one, `beside`, lacks."""
    own = _words_of(command) - _words_of(beside) - ANY_RUN
    return any(
        OBJECTING_WORD.search(sentence) is not None and not own.isdisjoint(map(str.casefold, _WORD.findall(sentence)))
        for sentence in split_sentences(words)
    )


def is_forbidden(command: str, words: str) -> bool:
    """Return true for a command that holds what words say in backquotes is not to be run: "never `terraform taint`"."""
    return any(found[1].strip() in command for found in _FORBIDS.finditer(words))


def is_repair_objected_to(repair: Repair, words: str) -> bool:
    """Return true where words object to the command that worked in the end, or to one that it waited for.

    Of a call they object to what it was given that the failed one was not.
    """
    ran = [step for step in (repair.worked, *repair.commands) if step.kind == "command"]
    if any(is_objected_to(step.subject, words, repair.failed.subject) for step in ran):
        return True
    given, before = repair.worked.arguments, repair.failed.arguments
    added = " ".join(f"{name.replace('_', ' ')} {value}" for name, value in given.items() if before.get(name) != value)
    acts = repair.worked.kind == "call" and not is_lookup(repair.worked)
    return acts and is_objected_to(added, words)


def _words_of(command: str) -> frozenset[str]:
    return frozenset(found.casefold() for word in words_in(command) for found in _WORD.findall(word))

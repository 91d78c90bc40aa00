"""What users say of themselves and of their own case: it holds for nobody else."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.cues import LASTING, POLICY, phrases
from mcp_reflect.domain.lessons.sentences.other_languages import states_rule_elsewhere
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences

_OF_ONESELF = re.compile(
    r"\b(?:I(?!/O)|i(?!\.e\b|/o)|my|(?<!let )(?<!tell )(?<!send )(?<!show )(?<!give )me|mine"
    r"|[Ii]ch|[Mm]ein\w{0,2}|[Mm]ir|[Jj]e|mon|ma|mes|[Yy]o|mi|mis|[Mm]eu|minha|[Ee]u|mio|mia)\b"
)
"""In some of the languages of customers."""
_ANSWER = re.compile(
    r"\W*(?:no|nope|yes|yeah|yep|(?:it|that|this)(?:['’]s| is| was| has)|(?:it|that) (?:wasn|isn)['’]t)\b",
    re.IGNORECASE,
)
"""How an answer begins: of which thing it tells is said in the question."""
_OWN_DATA = re.compile(
    r"\b(?:my|our) (?:\w+ ){0,3}(?:id|ids|number|code|e-?mail(?: address)?|phone|address|name|birthday|date of birth)"
    r"\s*(?:is\b|are\b|=|:)",
    re.IGNORECASE,
)

_LASTING_RULE = phrases(
    """remember (?:that|this|it) for | from now on | in general | for good | for every | (?:house|our) (?:style|rule)
            going forward | in (?:the )?future | next time | as a rule
            (?:the|our) rule(?: is)?(?=[:,]) | for all future | we(?:'ve| have)? (?:agreed|decided) (?:that|on|to)
            (?:always|never) (?:ask|add|after|at|before|book|call|cc|check|include|offer|on|put|schedule|send|use)"""
)
"""How somebody tells an agent what holds for its work from then on."""


_STANDING = phrases(
    """as a rule | rules? for (?:all|every|our|any) | (?:is|are) (?:our|the) rules? | our (?:house )?rule
            from now on | going forward | for all (?:our|future) | remember (?:that|this|it) for | every time"""
)
_STANDING_ORDER = phrases("(?:please|and|but|also),? (?:always|never) | always | never", opening=True)
"""How a task says what holds for all tasks of its kind."""


_ALWAYS = re.compile(
    r"\b(?:always|never|from now on|in general|going forward|immer|nie(?:mals)?|grundsätzlich|künftig"
    r"|ab (?:jetzt|sofort)"
    r"|jamais|toujours|dorénavant|désormais|siempre|nunca|en general|a partir de (?:ahora|agora)|sempre|mai|in generale"
    r"|d['’]ora in poi|nigdy|zawsze|odtąd|всегда|никогда|впредь)\b|必ず|一律|今後|以后都|반드시|앞으로",
    re.IGNORECASE,
)


_CUSTOM = re.compile(
    r"\W*(?:(?:please|and|but|so|here|no)[,:]? )*(?:in (?:this|our) \w+,? )?we (?!(?:\w+ed|had|were|got|met|went|saw"
    r"|need|want|wish|hope|think|are|can|could|would|should|will|have|arrive|live|travel|fly|may|might|must|shall)\b)"
    r"[a-z]+\b"
    r"|\W*(?:(?:und|aber|also|bitte)[,:]? )*"
    r"(?:bei uns |(?:hier )?(?:schreiben|nennen|zählen|rechnen|buchen|nehmen|machen) wir\b)",
    re.IGNORECASE,
)
"""How somebody tells what is done in their house."""


def rules_for_good(text: str) -> bool:
    """Return true for what somebody says is to be so always, or never."""
    return _ALWAYS.search(text) is not None


def tells_custom(text: str) -> bool:
    """Return true for what somebody says that they and theirs do: "We address customers by their surname"."""
    return _CUSTOM.match(text) is not None


def standing_rules(task: str) -> list[str]:
    """Return the sentences of a task that hold for all tasks of its kind: the next one may come without them."""
    return [each for each in split_sentences(task) if _STANDING.search(each) or _STANDING_ORDER.match(each)]


def is_case_of_speaker(said: Iterable[str]) -> bool:
    """Return true where the user of a run that serves one case is the one whose case it is: they speak of themselves.

    Who has an agent deal with the case of somebody else does not, and corrects it as other users do. So does who tells
    an agent of their own how it is to work from then on.
    """
    turns = list(said)
    return any(map(_OF_ONESELF.search, turns)) and not any(map(_LASTING_RULE.search, turns[1:]))


def gives_own_data(text: str) -> bool:
    """Return true where somebody says who they are, or under which number something of theirs is kept."""
    return _OWN_DATA.search(text) is not None


def speaks_of_oneself(text: str) -> bool:
    """Return true where somebody speaks of themselves, and not of what is to hold for good."""
    return _OF_ONESELF.search(text) is not None and not LASTING.search(text)


def rules_for_all(text: str) -> bool:
    """Return true for what somebody whose case is served states of all cases: no answer, and not of themselves."""
    if not (POLICY.search(text) or states_rule_elsewhere(text)):
        return False
    return LASTING.search(text) or not (_ANSWER.match(text) or _OF_ONESELF.search(text))

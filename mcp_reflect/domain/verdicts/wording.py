"""An explicit verdict in what the user says next. Better to miss one than to invent one.

A verdict stands at the beginning of the prompt and is about "it", "that" or "this", or about nothing named at all: "The
login page does not work" is a new task, not a verdict on the last one. English here, other languages in
`languages`.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.verdicts.languages import patterns_for

TYPE_CHECKING = False  # as typing's, whose import every prompt would wait for

if TYPE_CHECKING:
    from typing import Literal

    from mcp_reflect.domain.models.common import Result

_BEGINNING = 160
_THANKS = r"(?:many\ )?(?:thanks|thank\ you|thx|ty|cheers)(?:\ (?:you|a\ lot|so\ much|very\ much))?"
_WOW = (
    r"great|nice|cool|awesome|excellent|sweet|lovely|brilliant|fantastic|amazing|wonderful|super|neat|wow|yay|love\ it"
    r"|good\ (?:job|work)|great\ (?:job|work)"
)
_OPENERS = rf"(?:(?:ok(?:ay)?|yes|yep|yeah|perfect|hm+|well|so|ah+|oh|now|{_WOW}|{_THANKS})[\s,.!]+)*"
_NO = (
    r"(?:(?:no|nope|nah|sorry|ok(?:ay)?|hm+|well|unfortunately|but|wait|actually|ugh|argh|oh|damn|wtf|great|thanks"
    r"|thank\ you|now)[\s,.!;:–—-]+)*"
)
_IT = r"(?:(?:it|that|this|that\ one|the\ fix|your\ fix|your\ change)(?:'s|’s|\ is|\ has)?\s+)"
_NOT = r"(?:(?:does|did|is)(?:n[’']?t|\s+not)|not)"
_TROUBLE = r"(?:error|problem|failure|issue|bug)"
_END = r"\s*(?:[.!,]|\Z|\n)"

_GOOD = re.compile(
    rf"""{_OPENERS}(?:
        {_IT}?(?:now\s+)?(?:all\s+)?(?:works?|worked|working)
            (?:\s+(?:now|great|perfectly|fine|well|as\s+expected|like\s+a\s+charm))*
      | {_IT}(?:fixed|solved|did|resolved)\s+(?:it|the\s+{_TROUBLE}|that)
      | (?:it's|it\s+is|that's|that\s+is|all)\s+(?:now\s+)?(?:fixed|solved|correct|perfect|resolved|good\s+now)
      | fixed | solved | lgtm | looks\s+good(?:\s+to\s+me)? | well\s+done | perfect
      | exactly\s+what\s+i\s+(?:wanted|needed|asked\s+for|had\s+in\s+mind|was\s+looking\s+for)
      | (?:i\s+)?can\s+confirm | love\s+it
      | {_IT}?(?:builds?|compiles?|runs?|loads?|starts?|installs?|renders?)\s+(?:fine|ok|again|correctly|cleanly)
            (?:\s+(?:now|here|too|again|for\s+me))*
    )(?:[\s,.!]+(?:now|perfect|well\s+done|{_WOW}|{_THANKS}))*
    {_END}""",
    re.IGNORECASE | re.VERBOSE,
)
_BAD = re.compile(
    rf"""{_NO}(?:
        {_IT}?(?:still\s+)?{_NOT}\s+(?:work|working|fix(?:ed)?|help|solve)\b
      | {_IT}?still\s+(?:broken|fail(?:s|ing)?|wrong|crash(?:es|ing)?|not\b|doesn[’']?t|the\s+same|errors?\b)
      | {_IT}?still\s+get(?:s|ting)?\s+(?:the\s+)?(?:same|an?)\s+{_TROUBLE}
      | (?:i|we)(?:['’](?:m|re)|\s+am|\s+are)?\s+still\s+(?:get(?:ting)?|see(?:ing)?)
            \s+(?:the\s+|an?\s+)?(?:same\s+)?{_TROUBLE}
      | (?:that|this|it)(?:'s|’s|\s+is|\s+was)\s+(?:wrong|incorrect|not\s+(?:right|correct|quite\s+right|it\b|what\s+i))
      | everything(?:'s|’s|\s+is)\s+(?:now\s+)?broken\b
      | (?:that|this|it|you)(?:['’]ve)?\s+(?:broke|made\s+it\s+worse|broken)\b
      | same\s+{_TROUBLE}(?:\s+(?:again|as\s+before))?{_END}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_STILL = re.compile(
    rf"""{_NO}(?:
        (?:it|that|this|there)(?:'s|’s|\s+is|\s+are)?\s+still\s+
            (?!(?:needs?|to|wants?|requires?|has|should|must|works?|working|good|fine|ok|open|left|looks?|not\s+clear)\b)\w
      | still\s+(?:shows?|showing|see|seeing|nothing|no|throws|missing\s+(?:on|in|from)|there|red)\b
      | (?:it|this)(?:'s|’s|\s+is)?\s+(?:just\s+)?
            (?:failed|crash(?:es|ed|ing)|throw(?:s|ing)|threw|hang(?:s|ing)|hung)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""Blame that may as well be the answer to a question."""
_OBJECTS = re.compile(
    r"\b(?:but|however|still|again|never|wrong|broke(?:n)?|fail(?:s|ed|ing)?|errors?|crash(?:es|ed|ing)?|exception"
    r"|missing|instead\s+of|any\s?more|no\s+longer|not|throws?|revert|undo|worse)\b|n[’']t\b",
    re.IGNORECASE,
)
_ASKS_FOR = re.compile(
    r"(?:(?:ok(?:ay)?|now|please|also|then|and|great|thanks)[\s,.!:]+)*(?:next\b|add|fix|make|write|create|update|run"
    r"|commit|remove|rename|change|move|let['’]s|let us|can you|could you|do|don['’]t|use|show|explain|what|why|how|is"
    r"|are)\b",
    re.IGNORECASE,
)
"""The beginning of a new task or of a question."""
_ASIDE = re.compile(
    rf"(?:(?:ok(?:ay)?|yes|ah+|oh|makes\ sense|{_WOW}|{_THANKS})(?:[\s,.!]+|\Z))+\Z", re.IGNORECASE | re.VERBOSE
)
_ASSENT = re.compile(r"(?:(?:ok(?:ay)?|yes|ah+|oh|makes\s+sense)(?:[\s,.!]+|\Z))+", re.IGNORECASE)
_CLAUSES = re.compile(r"[,;:.!?\n–—]\s*|\s-\s|\b(?:and|but|so)\s")
_NO_ALONE = re.compile(r"(?:no|nope|nah|hm+|wait|sorry|ugh)\b[\s,.!;:–—-]+", re.IGNORECASE)
_SYMBOLS = re.compile(r"[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+")
_SENTENCES = re.compile(r"(?<=[.!])\s|(?<=[。！])|\n")
_DOUBT = re.compile(
    r"\b(?:but|however|except|although|though|almost|partly|mostly|half|if|when|unless|should|would|does|maybe|not)\b"
    r"|\bsounds?\b|n[’']t\b|\?",
    re.IGNORECASE,
)


_ACHIEVED = re.compile(
    r"\b(?:work(?:s|ed|ing)?|fix(?:ed|es)?|solve[sd]?|resolved|br[ao]ke(?:n)?|fail(?:s|ing|ed)?|crash(?:es|ing)?|worse"
    r"|same\s+(?:error|problem|failure|issue|bug))\b",
    re.IGNORECASE,
)
"""Words on what came of the work, which no question of the agent makes an answer."""
_COURTESY = re.compile(r"\bthank(?:s|\s+you)\b[^.!?\n]*\sfor\b", re.IGNORECASE)
"""Who says what the thanks are for is being polite: in conversations of known outcome that went with failed runs."""
_CONFIRMS = re.compile(
    rf"{_OPENERS}(?:that's|that’s|that\ is|it's|it\ is|this\ is)\s+correct\b", re.IGNORECASE | re.VERBOSE
)


def find_verdict(prompt: str, before: str = "") -> Result | None:
    """Return the verdict of a prompt on the run before it; None where it gives none plainly.

    `before` is what the agent said last. Where that asks something, "yes, that's correct" is an answer.
    """
    text = _plain(prompt)
    sentence = _first_sentence(text)
    if _is_open(text, sentence, before):
        return None
    others = list(patterns_for(sentence))
    still = _STILL.match(sentence) and not _asks(before)
    if _BAD.match(sentence) or still or any(each.bad.match(sentence) for each in others):
        return "fail"
    rest = text[:_BEGINNING]
    if _GOOD.match(sentence) and not _DOUBT.search(sentence if _requests(rest[len(sentence) :]) else rest):
        return "pass"
    if any(each.good.match(sentence) and not each.doubt.search(rest) for each in others):
        return "pass"
    return None


def _is_open(text: str, sentence: str, before: str) -> bool:
    """Return whether a prompt asks, answers what the agent asked `before`, or is polite."""
    if "?" in sentence or "？" in sentence:
        return True
    if _CONFIRMS.match(sentence) and text[len(sentence) :].strip():  # what stands there is confirmed, and goes on
        return True
    return not _ACHIEVED.search(sentence) and (_asks(before) or _COURTESY.search(text[:_BEGINNING]) is not None)


def may_object(prompt: str) -> bool:
    """Return whether a prompt may say that the work before it is not right, so that tests alone prove nothing."""
    sentence = _first_sentence(_plain(prompt))
    if _requests(sentence):
        return False
    objects = _OBJECTS.search(sentence) or any(each.doubt.search(sentence) for each in patterns_for(sentence))
    return bool(objects) and find_verdict(prompt) != "pass"


def is_only_praise(prompt: str) -> bool:
    """Return whether a prompt is praise or thanks, and asks for nothing beside it."""
    text = _plain(prompt)
    if _ASIDE.match(text):
        return True
    if any((match := each.aside.match(text)) and not text[match.end() :].strip() for each in patterns_for(text)):
        return True
    match = _GOOD.match(text)
    return find_verdict(text) == "pass" and match is not None and not text[match.end() :].strip()


def find_lone_verdict(text: str, before: str = "") -> Result | Literal[""] | None:
    """Return the verdict that a text is and nothing else; "" for thanks alone, None for a text that asks for something.

    Blame may say what is wrong ("no, still broken: the header is gone"), in a few words: a long text may be a task.
    `before` is as in `find_verdict`.
    """
    verdict = find_verdict(text, before)
    plain = _plain(text)
    if verdict == "fail":
        asks = any(map(_requests, _CLAUSES.split(plain)))
        return verdict if len(plain) <= _BEGINNING and not asks else None
    if not is_only_praise(text):
        return None
    return verdict or ("" if not _ASSENT.fullmatch(plain) else None)


def _plain(prompt: str) -> str:
    """A prompt without pictures, and without the marks before a Spanish exclamation."""
    return _SYMBOLS.sub("", prompt).strip().lstrip("¡ ")


def _first_sentence(text: str) -> str:
    """The first sentence of a text, and of the words before it that stand for nothing."""
    text = text[:_BEGINNING]
    alone = _NO_ALONE.match(text)
    began = alone.end() if alone else 0
    return text[:began] + _SENTENCES.split(text[began:], maxsplit=1)[0]


def _requests(text: str) -> bool:
    return _ASKS_FOR.match(text.strip()) is not None


def _asks(said: str) -> bool:
    """Return whether the last paragraph of what an agent said holds a question."""
    return "?" in said.rstrip().rpartition("\n\n")[2]

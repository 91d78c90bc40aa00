"""Data of the one case that a run served: ids, names, dates and amounts that calls of tools gave and took."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.vocabulary import stem

_MOST_CHARS = 60_000
"""Characters of all answers together that are read, those of the first calls first."""
_DATUM = re.compile(r"\b(?=\w*\d|[A-Z])[\w]+(?:[-.'/][\w]+)*")
"""A word with a digit or a capital at its beginning."""
_MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATE = re.compile(rf"\b\d{{4}}-\d\d-\d\d\b|\b{_MONTH} \d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b")
_PERSONAL = re.compile(
    r"\b(?:(?:first|last|full|middle) name|surname|date of birth|birthday|e-?mail(?: address)?|phone(?: number)?"
    r"|street)"
    r"(?: (?:is|are)\b|:)",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Mme|Sr|Sra)\.? [A-Z][^\W\d_]")
_IDENTIFIER = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b|\b[A-Z]{5,}\b|\b[A-Z]{1,5}-\d{3,}\b|(?<=#)\d{3,}\b")
_FULL_NAME = re.compile(r"\b[A-Z][^\W\d_]+ [A-Z][^\W\d_]+\b")
_CAPITAL = "A-ZÀ-ÖØ-ÞĄĆČĎĐĘĚĞİŁŃŇŐŘŚŞŠŤŮŰŹŻŽ"
_GIVEN_NAME = rf"[{_CAPITAL}](?:'|[^\W\d_{_CAPITAL}])[\w'-]*"
_IN_CAPITALS = rf"[{_CAPITAL}]{{2,}}\b"
_FIRST_WORDS = (
    "After|All|And|Any|As|At|Because|Before|Book|But|By|Each|Every|For|From|If|In|It|No|Not|On|Only|Our|Per|Please|Since"
    "|So|That|The|Then|They|This|To|Until|Use|We|When|With|You"
)
"""Words at the beginning of sentences, which are no first names."""
_IDENTIFYING = re.compile(
    r"\w@\w|\d(?:[ /.-]?\d){5,}|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{1,4} [A-Z][^\W\d_A-Z]\w*"
    rf"|\b(?!(?:{_FIRST_WORDS})\b){_GIVEN_NAME} (?!{_MONTH}\b)(?:{_GIVEN_NAME}|{_IN_CAPITALS})"
    rf"|\b{_IN_CAPITALS} (?!{_MONTH}\b){_GIVEN_NAME}"
    r"|\b(?:born|geboren|née?|nacid[oa])\b|(?i:stra(?:ß|ss)e\b|\bstreet\b|\broad\b)"
    r"|[A-Z]\w+'s (?:number|birthday|address)"
)
"""Forms of names, addresses, dates and numbers of persons, whoever they are."""

_SUM = re.compile(r"[$€£¥]\s?(\d[\d,]*(?:\.\d+)?)|\b(\d[\d,]*(?:\.\d+)?) ?(?:USD|EUR|GBP|dollars?|euros?)\b")
_DIGITS_OF_RULE = 2
"""A sum with more digits before its zeros was worked out in a case; those of rules are round, as $50 and $1,500 are."""

_GIVEN = re.compile(rf"{_DATE.pattern}|{_IDENTIFIER.pattern}|\b\d{{4,}}\b")


def serves_one_case(steps: Sequence[Step]) -> bool:
    """Return true where a run called tools and neither ran a command nor edited a file: it worked on data."""
    return bool(steps) and all(step.kind == "call" for step in steps)


def case_data(steps: Sequence[Step]) -> frozenset[str]:
    """Return the terms, as `vocabulary.term_weights` names them, that stand for data of the case."""
    found: set[str] = set()
    room = _MOST_CHARS
    for step in steps:
        text = f"{step.subject} {step.output}"[:room]
        found.update(map(stem, _DATUM.findall(text)))
        room -= len(text)
        if room <= 0:
            break
    return frozenset(found)


def holds_for_case(sentence: str, data: frozenset[str]) -> bool:
    """Return true where a sentence names a day or a sum of the case, a customer's name or address, or somebody of it.

    `data` is that of the case (`case_data`).
    """
    if (
        _SOMEBODY.search(sentence)
        or _DATE.search(sentence)
        or _PERSONAL.search(sentence)
        or any(map(_is_worked_out, _SUM.findall(sentence)))
    ):
        return True
    return any(data.issuperset(map(stem, name.split())) for name in _FULL_NAME.findall(sentence))


def may_identify(sentence: str) -> bool:
    """Return true where a sentence holds what has the form of a person's name, address, number or date of birth.

    That is for words that nothing shows to be a rule: some that are about nobody have these forms as well.
    """
    return _IDENTIFYING.search(sentence) is not None


def _is_worked_out(found: tuple[str, str]) -> bool:
    digits = re.sub(r"\D", "", "".join(found).removesuffix(".00")).strip("0")
    return len(digits) > _DIGITS_OF_RULE


def without_ids(sentence: str, data: frozenset[str]) -> str:
    """Return a sentence with `…` for each id of the case, one of `data` (`case_data`)."""
    return _IDENTIFIER.sub(lambda found: "…" if stem(found[0]) in data else found[0], sentence)


def without_given(text: str, step: Step) -> str:
    """Return what a call was answered without the days and ids that it was given itself; `…` stands for each."""
    given = str(step.arguments)
    return _GIVEN.sub(lambda found: "…" if found[0] in given else found[0], text)


def identifies_case(sentence: str, data: frozenset[str]) -> bool:
    """Return true where a sentence names something of the case by its id, one of `data` (`case_data`)."""
    return any(stem(name) in data for name in _IDENTIFIER.findall(sentence))

"""Rules in the words of a tool: sentences that limit what is possible, and neither tell of a case nor order anything.

What is let in is narrow, since anybody may have written a part of such words: plain English that rules something out,
requires or bounds it, in words that any case could have.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

MOST_CHARS = 200
"""Characters of a rule at most."""
_LEAST_WORDS = 4
_LIMITS = re.compile(
    r"\b(?:not|cannot|can't|can only|only|must|needs?|requires?|required|at (?:most|least)|max(?:imum)?|min(?:imum)?"
    r"|up to|within|no longer|ignored|automatically|expired|final|limited|outside|unsupported|impossible|permits? no"
    r"|until)\b|[<>]=|refundable",
    re.IGNORECASE,
)
"""Words by which a sentence rules out, requires or bounds something."""
_OPENS = re.compile(
    r"\b(?:may|might|approved?|granted?|(?<!not be )(?<!cannot be )waive[sd]?|goes through|go through|does not apply"
    r"|do not apply|immediately|whenever"
    r"|without|bypass\w*|overrides?|force[ds]?|skip\w*|ignore|ignoring|disabl\w*|secret\w*|passwords?|passcode|credentials?"
    r"|need no|needs no|not (?:needed|required|checked)|no approval|in parts|new session|first|(?<!reason )codes?|admin"
    r"|keys?|accepted|only counts"
    r"|must be (?!(?:at|in|within|an?|one|numeric|split|between|before|after|positive|unique|the)\b)\w+"
    r"|tokens?|trusted?|code ?words?|split|twice|instead|goodwill|expected to|supposed to|checks)\b",
    re.IGNORECASE,
)
"""Words by which one permits something, or shows a way around a rule."""
_ORDERS = re.compile(
    r"\b(?:add|ask|attach|call|click|contact|copy|download|e-?mail|enter|execute|export|forward|give|hand|install|kindly|let"
    r"|mail|mirror|(?<!no )open|paste|pay|please|post|provide|publish|read|reply|report|reveal|run|send|share|show"
    r"|submit|tell|transfer|type|upload|use|visit|wire|write|you|your|agents?|assistants?|models?)\b",
    re.IGNORECASE,
)
"""Verbs of what somebody could be told to do, and words that speak to the reader."""
_OF_CASE = re.compile(
    r"\b(?:he|she|his|her|him|hers|they|their|mother|father|wife|husband|son|daughter|mr|mrs|ms|dr|doctor|account"
    r"|applicant|caller|claimant|clerk|client|customer|driver|employee|guest|holder|insured|member|owner|passenger"
    r"|patient|person|pupil|renter|resident|student|subscriber|tenant|traveler|traveller|user|income|dollars|euros"
    r"|this|because|since|due to|owes?|already|reached|years old|street|avenue|road|plate|balance|today|tomorrow"
    r"|yesterday|named?|called)\b|\b(?:has|have|had|was|were) (?:been |not )?\w+ed\b",
    re.IGNORECASE,
)
"""Words that tell of somebody, or how things stand in one case."""
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_BOUND = re.compile(r"[1-9]\d?0{0,4}")
"""Numbers as rules have them: two digits at most that are not zero."""
_PLAIN = re.compile(r"[A-Za-z\d .,;:'\"()%$+<>=/_-]+")
_ADDRESS = re.compile(r"//|\bwww\.|\w@\w|\w=\w|\\|(?<!\w)[~.]?/\w")
_FOREIGN = re.compile(
    r"\b(?:das|de|den|der|des|die|el|est|il|ist|la|las|le|les|los|nicht|non|para|pas|por|pour|que|und|una?)\b",
)
"""Small words of other languages, which these rules do not read."""
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[A-Z][a-z]+")
"""A name, anywhere but at the beginning."""
_RULED_OUT = (_OPENS, _ORDERS, _OF_CASE, _CAPITAL, _ADDRESS, _FOREIGN)
_PATTERN = re.compile(
    r"\b(must match) \^?(?=\S*[\[\\]\S*[{*+])"
    r"(?:(?:\[[\w-]{1,12}\]|\\[dws]|[A-Z]{1,3}|[-_.])(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?){1,8}\$?$",
    re.ASCII,
)
"""A regular expression that a value must match, of classes of characters and hardly a letter of its own."""
_WORD = re.compile(r"[A-Za-z]{2,}")
_FUNCTION_WORDS = "a an and are at be before by can cannot for from if in is no not of on only or per than the to with"
_FUNCTION = frozenset(_FUNCTION_WORDS.split())


def states_limit(sentence: str) -> bool:
    """Return true for an English sentence of a tool that limits what is possible for any case."""
    sentence = _PATTERN.sub(r"\1 a pattern of letters", sentence)
    words = [word.lower() for word in _WORD.findall(sentence)]
    if len(words) < _LEAST_WORDS or len(sentence) > MOST_CHARS or not _PLAIN.fullmatch(sentence):
        return False
    if not _LIMITS.search(sentence) or any(each.search(sentence) for each in _RULED_OUT):
        return False
    numbers = (found.strip(".,:/-") for found in _NUMBER.findall(sentence))
    return all(map(_BOUND.fullmatch, numbers)) and not _FUNCTION.isdisjoint(words)

"""Sentences that stand alone, and those that mean something only behind the sentence before them.

A sentence that begins with a pronoun ("It keeps the order"), that goes on with what was said ("For example, …"), or
whose first clause hangs on a pronoun ("If this fails, …") points back. Where English needs an "it" that stands for
nothing ("It is possible to …") it does not, and "this project" points at what every reader has before their eyes.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_HERE = (
    "app|application|branch|bug ?tracker|build|codebase|company|crate|directory|environment|folder|host|library|machine"
    "|module|monorepo|network|office|organi[sz]ation|package|project|repo|repository|server|service|site|system|team"
    "|tree|workspace|year|month|week"
)
_THAT = rf"(?:this|that|these|those|such)\b(?! (?:{_HERE})s?\b)"
_EXPLETIVE = (
    r"it(?:'s| is| was| will be| would be| may be| might be| must be| can be|'d be) (?:\w+ly )?(?:not )?(?:best|better"
    r"|clear|common|easy|easier|enough|fine|hard|important|impossible|likely|necessary|ok|okay|possible|recommended"
    r"|required|safe|safer|unlikely|unsafe|useful|worth)\b"
    r"|it (?:turns|turned) out\b|it (?:takes|took)\b|it (?:does not|doesn't) matter\b|it pays\b"
)
_HEDGE = re.compile(
    r"(?:(?:I|we) (?:think|believe|guess|suspect|assume|know|suppose|feel|agree|found|noticed|see)(?: that)? (?!of\b)"
    r"|I'd (?:say|guess|argue)(?: that)? |(?:it )?(?:seems|looks|appears)(?: like| as if| as though| that)? "
    r"|my (?:understanding|guess|impression|feeling|concern) (?:is|was)(?: that)? )",
    re.IGNORECASE,
)
_JOINS = re.compile(
    r"(?:(?:additionally|also|anyway|besides|furthermore|meanwhile|moreover|plus|still|in addition|on top of that"
    r"|as such|at the same time|in the meantime|of course|that said|that being said|having said that)\s*,\s+"
    r"|(?:and|but|also),?\s+|so,?\s+(?!(?:far|that|as|much|many|long|called)\b))(?=\S)",
    re.IGNORECASE,
)
"""What joins a sentence to the one before it and adds nothing to what it says."""
_GOES_ON = re.compile(
    r"(?:specifically|for (?:example|instance)|that way|this way|otherwise|likewise|similarly|conversely"
    r"|in (?:contrast|turn)|on the other hand|in (?:that|this|which) case|as (?:a result|mentioned|noted|above)|which"
    r"|afterwards?|then,|instead,|only (?:if|when|unless)"
    r"|the (?:same|former|latter|opposite|reason|problem|issue|idea|point) (?:is|was|goes|applies)\b)(?!\w)",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    rf"(?:(?!(?:{_EXPLETIVE}))its?\b|they\b|their\b|them\b|he\b|she\b|his\b|her\b|neither\b"
    rf"|both\b(?![^.;]{{1,60}}\band\b)|{_THAT}"
    # a preposition or a conjunction that takes up what was said
    rf"|(?:in|under|for|given|due to|because of|based on|with|without|after|before|by|from|at|to|on|of|despite) {_THAT}"
    r"|(?:if|when|once|unless|since|because|as|although|though|while|until) (?:it|they|this|that|these|those|he|she)\b"
    # an object without anything before it that it could stand for
    r"|(?:(?:if|when|once|unless|since|because) )?(?:you|I|we|one)(?:'re|'ll|'ve|'d)? (?:[\w']+ ){1,3}?"
    rf"(?:it|them|these|those|this)\b(?! (?:{_HERE})s?\b))",
    re.IGNORECASE,
)
_ENDS_IN_BOTH = re.compile(r"(?:\b(?!of\b)\w+s|^\W*[A-Z]?[a-z]+) (?:both|either|neither)(?=[,.;!]|\W*$)")
"""A verb with nothing but two things that were named before: "An atomic counter avoids both.", "Port both, and …"."""
_DEED = re.compile(rf"(?!such\b){_THAT}", re.IGNORECASE)


def without_joint(sentence: str) -> str:
    """Return a sentence without the "Meanwhile, " or "And " that it begins with, its first letter as it was."""
    found = _JOINS.match(sentence)
    if found is None:
        return sentence
    rest, first = sentence[found.end() :], sentence[0]
    return rest[0].upper() + rest[1:] if first.isupper() else rest


def points_back(sentence: str) -> bool:
    """Return true where a sentence means something only beside the one before it."""
    told = without_joint(sentence.replace("’", "'").lstrip("\"'([ "))
    hedge = _HEDGE.match(told)
    told = told[hedge.end() :] if hedge else told
    return bool(_GOES_ON.match(told) or _POINTS_BACK.match(told) or _ENDS_IN_BOTH.search(told))


def points_at_deed(sentence: str) -> bool:
    """Return true where a sentence begins with the "That" or "This" that stands for what was just done."""
    return _DEED.match(sentence.replace("’", "'").lstrip("\"'([ ")) is not None

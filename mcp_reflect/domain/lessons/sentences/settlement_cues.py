"""Wordings that tell a talk that settles something from one for its own sake: what was recorded, and what was let be.

Yes, no and the like are closed classes, and stand here in German, French and Spanish, too. What else there is of words
is English; in other languages a talk is read by its values, its questions and the files that it names.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import dialogue_acts as acts
from mcp_reflect.domain.lessons.sentences.cues import phrases

_EXTENSIONS = (
    "adoc|c|cfg|conf|cpp|cs|css|csv|env|gd|go|gradle|h|html|ini|ipynb|java|js|json|jsx|kt|lock|md|mjs|php|properties|py"
    "|rb|rs|rst|scss|sh|sql|swift|tf|toml|ts|tsx|txt|xml|ya?ml"
)
_PLACE = re.compile(
    rf"\b[\w/.-]*\w\.(?:{_EXTENSIONS})\b|(?<![\w/.])[a-z_][\w-]*/[\w./-]*[a-z_]\w*|(?<!\w)/[a-z]\w+/\w"
    r"|\b(?:README|CONTRIBUTING|CODEOWNERS|CHANGELOG|RELEAS\w+|[A-Z]\w*file|justfile|pyproject|lockfile)\b"
    r"|\b(?i:the|our|its|your|this)\s+(?:\w+[ -]){0,2}?(?i:changelog|chart|config|configuration|docs|handbook|lockfile"
    r"|pipeline|policy|readme|repo|repository|runbook|schema|spec|ticket|wiki|workflow)\b"
)
"""Where a project keeps what holds in it: its files, and documents with the word that says which."""
_DEED = re.compile(
    r"\W*(?:(?:all|also|agreed|and|both|good|i|i have|i've|is|it is|it's|noted|now|ok(?:ay)?|right|sorry|sure|thanks?"
    r"|that's|then|understood|we've|yes|yep)[,.:;]?\s+){0,3}"
    r"(?:(?!embed|hundred)\w{2,}(?:[^\We]ed|ied)|written|rewritten|put|set|made|done|cut|split|sent|gone|taken|held|kept|left"
    r"|in place|eingetragen|geändert|notiert|erledigt|angepasst|gesetzt|noté|ajouté|modifié|fait|anotado|añadido"
    r"|cambiado|hecho)\b(?! by)"
    # or with the little that was changed: "Timeout raised:"
    r"|\W*(?:(?!(?:are|be|he|is|it|not|she|that|they|this|was|we|were|you)\b)[\w./'-]+ ){1,3}"
    r"\w{2,}(?:[^\We]ed|ied)(?=[:;.,]|\Z)",
    re.IGNORECASE,
)
"""How a sentence begins to tell what was done: with a participle, or with few words before one."""
_NOW = re.compile(r"\b(?:now|from now on|jetzt|ahora|maintenant|désormais)\b", re.IGNORECASE)
_IS_DONE = re.compile(
    r"\b(?:is|are|was|were|has been|have been|stays?)\s+(?:now\s+)?(?:\w+ed|at|cut|done|gone|in place|kept|on|put|set"
    r"|split|written)\b",
    re.IGNORECASE,
)
"""How a sentence says that something was done, or where it stands now."""
_HOLDS = re.compile(
    r"\b(?:agrees?|are|gets?|gives?|goes|has|have|holds?|is|lists?|makes?|mentions?|opens?|points?|reads|says?|starts?"
    r"|uses?)\b",
    re.IGNORECASE,
)
_CITES = re.compile(
    r"\.\w{1,5}`?:\s|(?<!still )\b(?:says|reads|states|has the (?:note|comment|target|entry))\b", re.IGNORECASE
)
_TAKES_DOWN = phrases(
    """then | so | ok | okay | noted | understood | agreed | right | done | good | yes | yep | correct | exactly | sure
            got it | clear | will do | fine | all ?right | summary | recap | dann | gut | also | ja | notiert
            verstanden | alors | donc | oui | noté | compris | d'accord | entonces | sí | vale | entendido""",
    opening=True,
)
_LEAVES_ALONE = phrases(
    """left (?:it |everything |all |them )?as (?:it is|is|they are|they were) | untouched | undone | undid | reverted
            leav(?:e|ing) (?:it|everything|all|them) (?:as|there|under) | forgotten | parked | working tree is clean
            nothing (?:(?:was|has been) \\w+|changed|changes|in the \\w+ changed|else)
            (?:have not|haven't|has not|hasn't|did not|didn't|not) (?:touch|chang|modifi)\\w+"""
)
_IDLE = phrases(
    """vent(?:ing)? | thinking aloud | just (?:curious|wondering|wanted to|asking|testing|gossip) | only gossip
            brainstorm | some ?day | sleep on it | (?:not|n't) decide | decide (?:later|another) | still open
            open question | undecided | not convinced | what do you think
            leave (?:everything|it|that) (?:as is|there|as it is) | (?:throw|carry) the list
            ask (?:the others|around|him|her) | reading (?:for|about|through|on)"""
)
_STAYS = phrases(
    "we(?:'ll| will)? (?:stay|stick|remain|keep|leave) | let's (?:stay|stick|keep) | stays? (?:with|on|at|in)"
)
_SPEAKS_FOR_ALL = re.compile(
    r"(?<!of )\b(?:we(?:'(?:re|ve|d|ll))?|ours?|us|wir|uns(?:er\w{0,2})?|nous|notre|nos|nosotros|nuestr\w{1,2})\b",
    re.IGNORECASE,
)
_LAUGH = re.compile(
    r"\b(?:lol|(?:ha){2,}h?|ha|(?:ja){2,}|hihi|hehe|xd)\b|[\U0001F600-\U0001F64F\U0001F923]|[:;]-?[)DPp]", re.IGNORECASE
)


def names_place(sentence: str) -> bool:
    """Return true where a sentence names a file or a document of a project."""
    return _PLACE.search(sentence) is not None


def records(sentence: str) -> bool:
    """Return true where an agent's sentence reports what was done, or what a file says now."""
    if acts.is_question(sentence) or acts.is_left_open(sentence) or leaves_alone(sentence):
        return False
    return begins_deed(sentence) or bool(_NOW.search(sentence) or (names_place(sentence) and _HOLDS.search(sentence)))


def cites(sentence: str) -> bool:
    """Return true where a sentence says what stands in a file or document: "`a.md` says …", "a.md: …"."""
    return _CITES.search(sentence) is not None and names_place(sentence) and not acts.is_question(sentence)


def begins_deed(sentence: str) -> bool:
    """Return true where a sentence begins as one that tells what was done: "Raised to 5", "I have added"."""
    return _DEED.match(sentence) is not None


def says_it_is_done(sentence: str) -> bool:
    """Return true where a sentence says of something that it was done, or where it stands now."""
    return _IS_DONE.search(sentence) is not None and not acts.is_question(sentence) and not leaves_alone(sentence)


def takes_down(sentence: str) -> bool:
    """Return true where a turn begins in this way that takes up what was said: it concludes, agrees or carries out."""
    return not acts.is_question(sentence) and (_TAKES_DOWN.match(sentence) or begins_deed(sentence))


def leaves_alone(sentence: str) -> bool:
    """Return true where an agent says that nothing was changed."""
    return _LEAVES_ALONE.search(sentence)


def is_idle(sentence: str) -> bool:
    """Return true where a user says that they only talk, or will not decide."""
    return _IDLE.search(sentence)


def stays(sentence: str) -> bool:
    """Return true where a user decides to leave something as it is, and names it: that settles it."""
    return _STAYS.search(sentence)


def speaks_for_all(sentence: str) -> bool:
    """Return true where somebody speaks of "we": of how a project or a team has it."""
    return _SPEAKS_FOR_ALL.search(sentence) is not None


def laughs(text: str) -> bool:
    """Return true where somebody laughs."""
    return _LAUGH.search(text) is not None

"""Sentences of a conversation that teach nothing: judgements, housekeeping, requests, and openings of other sentences.

A sentence that also states a rule, a cause or a value teaches something, however it begins.
"""

from __future__ import annotations

import re

from mcp_reflect.domain.lessons.sentences.cues import phrases

_TEACHES = phrases(
    """must(?: not|n't)? | never | only | exactly | at (?:most|least) | no (?:more|less|longer) than | instead of
    rather than | not \\w+,? but | requires? | required | forbidden | not allowed | because | root cause | due to
    the (?:fix|cause|problem|reason) (?:is|was) | fixed by | turned? out | settled | from now on"""
)
_VALUE = re.compile(r"\d|[<>=]=|->|\w\(\)")
_CODE = re.compile(r"`[^`]+`|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b")

_PRAISE = (
    "good|great|nice|solid|pragmatic|fair|clever|plausible|worthwhile|sense|win|trade-off|plus|testament|breath|headache"
    "|nightmare|relief|shame|pity|point|thought|idea|cleanup|compromise|process"
)
_JUDGES = phrases(
    f"""(?:always )?(?:good|great|nice|excellent|lovely|glad|happy|funny|interesting|awesome|better)
        (?:that|this|it|which)(?:'s|'d be| is| was| sounds| feels| seems| makes)(?: \\w+){{0,4}}[ -](?:{_PRAISE})
        hopefully | seems | sounds | feels | makes | keeps | helps | saves? | saved | really helps | so many
        definitely (?:worth|check|helped)""",
    opening=True,
)
_HOUSEKEEPING = phrases(
    """(?:I|we)(?:'ll| will| can| could|'d) .{0,60}(?:PR|pull request|ticket) | ping me | keep (?:me|you) posted
    I (?:see|get|hear|take) (?:your|the|what you) \\w+
    keep an eye | (?:give|giving) it a (?:whirl|try|go|shot) | I'll pull the latest | get back to you"""
)
_REQUEST = phrases(
    """please (?:confirm|provide|share|specify|tell|advise|let me|reach) | (?:could|can|would|will) you (?:please )?\\w+
    would you like | (?:I|I'd|I would) (?:recommend|suggest) (?:contact|reach)\\w*
    you may (?:want|wish) to | if you (?:believe|have any|need any|need further|need more|would like to proceed)
    (?:may|might|can|could) contact | (?:will|I'll) need the following | once you (?:provide|have|confirm)
    whether you(?:'d| would| want| wish| need) | to confirm,? you
    you (?:can|could|may|might|should be able to) (?:also |usually |typically )?(?:find|locate|look up)
    I(?:'ll| will| would|'d)? (?:also )?need (?:to know|your)"""
)
_INTERJECTION = re.compile(
    r"(?:(?:oh|ah|aha|ha|h+m+|yeah|yep|yes|right|sure|well|okay|ok|alright|absolutely|exactly|honestly|totally"
    r"|definitely|agreed|gotcha|indeed|true|of course|fair enough|good (?:point|call|question|catch)"
    r"|great (?:point|question)|no change|makes sense|you(?:'re| are)(?: absolutely| totally)? right"
    r"|however|therefore|unfortunately|fortunately|thankfully)\s*[,.!;:–—-]+\s+"
    r"|(?:I'm|I am) (?:\w+ )?sorry\b[^.;!?,]{0,60},? but\s+|I (?:understand|see)\b[^.;!?]{0,80}, but\s+)+(?=\S)",
    re.IGNORECASE,
)
_FRAGMENT = phrases(
    """mostly | mainly | primarily | partially | pretty | (?:still|again|exactly)? ?the same | no (?:change|difference)
    just (?:an?|the|\\w+ing|wanted) | like | simpler | clearer | cleaner | kind of | sort of
    a (?:sort|kind) of | something like | more of | less of | beyond | no explicit""",
    opening=True,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|does|do|did|can|could|will|would|should|shall|may|might|must)\b"
    r"|\w(?:n't|'s|'re|'ve|'ll|'d)\b",
    re.IGNORECASE,
)
_VERB = re.compile(r"\w{2,}ed\b|\b\w{3,}s (?:the|an?|in|to|from|with|on|at|not|as|by|no|its|his|her|their|it|that)\b")
"""What looks like a verb in the past, or like one of the third person with what follows it."""
_COMMENT_CHARS = 110
"""Characters of a comment at most: what is longer says something beside it."""


def without_interjection(sentence: str) -> str:
    """Return a sentence without the "Yeah, " or "Good point, " that it begins with, its first letter as it was."""
    found = _INTERJECTION.match(sentence)
    if found is None:
        return sentence
    rest, first = sentence[found.end() :], sentence[0]
    return rest[0].upper() + rest[1:] if first.isupper() else rest


def is_request(sentence: str) -> bool:
    """Return true where a sentence asks the other side for something, or sends them elsewhere."""
    return _REQUEST.search(sentence) is not None


def is_chatter(sentence: str) -> bool:
    """Return true for a sentence that teaches nothing: it judges, tells of chores, or only opens what follows it."""
    if sentence.rstrip().endswith((":", "...", "…")):
        return True
    if _TEACHES.search(sentence):
        return False
    if len(sentence) > _COMMENT_CHARS or _VALUE.search(sentence):
        return False
    exclaims = sentence.endswith("!") and not _CODE.search(sentence)
    if (exclaims or _FRAGMENT.match(sentence)) and not _FINITE.search(sentence):
        return True
    return bool(_HOUSEKEEPING.search(sentence) or (_JUDGES.match(sentence) and not _CODE.search(sentence)))


def is_clause(sentence: str) -> bool:
    """Return true where a sentence seems to have a finite verb, which an imperative does not show."""
    return bool(_FINITE.search(sentence) or _VERB.search(sentence))

"""Sentences of a conversation that teach nothing: judgements, housekeeping, requests, and openings of other sentences.

A sentence that also states a rule, a cause or a value teaches something, however it begins.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.cues import RULE, SETTLED, phrases
from mcp_reflect.domain.lessons.sentences.vocabulary import count_words, without_commits
from mcp_reflect.domain.text.memoize import memoize_short

_VALUE = re.compile(r"\d|[<>=]=|\s=\s|->|\w\(\)")
_CODE = re.compile(r"`[^`]+`|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b")

_SPEAKER = re.compile(r"(?<![\w/.`-])(?:I|[Mm]e|[Mm]y|[Mm]yself)(?![\w/.`-])")
_JUDGEMENT = phrases(
    """good | great | nice(?:r|ly)? | solid | neat | clever | smart | elegant | excellent | awesome | lovely | fair
    glad | happy | funny | curious | interesting | surprising(?:ly)? | notorious(?:ly)? | tricky | plausible | crucial
    clean(?:er|ly) | simpler | easier | smoother | useful | helpful | worth\\w* | perfect(?:ly)? | fundamental
    wonder(?:ing)? | trade-?off
    really | definitely | honestly | hopefully | super | pretty (?!print)\\w+ | a bit | kind of | sort of | so many
    feels? | felt | seems? | sounds? | makes? (?:\\w+ ){0,3}?(?:sense|clear\\w*) | the biggest \\w+ | we could
    a (?:pain|relief|shame|pity|nightmare) | keep(?:ing)? an eye | probably | perhaps | maybe
    (?:might|may|could) (?:also |just |still )?(?:be|have been|need)"""
)
"""How somebody finds something, or what they guess or consider: no fact that holds for the next one too."""
_MOST_MARKS = 3
_LEAST_WORDS = 2
_REQUEST = phrases(
    """please (?:confirm|provide|share|specify|tell|advise|let me|reach) | (?:could|can|would|will) you (?:please )?\\w+
    would you like | (?:I|I'd|I would) (?:recommend|suggest) (?:check|contact|reach)\\w*
    you may (?:want|wish) to | if you (?:believe|have any|need any|need further|need more|would like to proceed)
    (?:may|might|can|could) contact | (?:will|I'll) need the following | once you (?:provide|have|confirm)
    whether you(?:'d| would| want| wish| need) | to confirm,? you
    you (?:can|could|may|might|should be able to) (?:also |usually |typically )?(?:find|locate|look up)
    I(?:'ll| will| would|'d)? (?:also )?need (?:to know|your)"""
)
_INTERJECTION = re.compile(
    r"(?:(?:(?:oh|ah|ok|okay|lol|haha|yeah|yep|yes|hm+)\s+)*(?:oh|lol|haha|ah|aha|ha|h+m+|yeah|yep|yes|right|sure|well|okay|ok|alright|absolutely|exactly|honestly|totally"
    r"|definitely|agreed|gotcha|indeed|true|of course|fair enough|understood|got it|noted|will do"
    r"|good (?:point|call|question|catch)"
    r"|great (?:point|question)|no change|makes sense|you(?:'re| are)(?: absolutely| totally)? right"
    r"|however|therefore|unfortunately|fortunately|thankfully)\s*[,.!;:–—-]+\s+"
    r"|(?:I'm|I am) (?:\w+ )?sorry\b[^.;!?,]{0,60},? but\s+|I (?:understand|see)\b[^.;!?]{0,80}, but\s+)+(?=\S)",
    re.IGNORECASE,
)
_REPORTED = re.compile(r"^(?:done|fixed|green|pushed|solved|through|works)[.!]\s+(?=\S)", re.IGNORECASE)
"""A sentence of one word, before one that begins with a name in small letters."""
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|does|do|did|can|could|will|would|should|shall|may|might|must)\b"
    r"|\w(?:n't|'s|'re|'ve|'ll|'d)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?<![\w./`-])[^\W\d_]{2,}(?<!e)ed\b(?![.(]\w|\(\))"
    r"|\b(?!this\b)\w{3,}s (?:the|an?|in|to|from|with|on|at|not|as|by|no|its|his|her|their|it|that)\b"
)
"""What looks like a verb in the past, or like one of the third person with what follows it."""
_LOOKED_AT = r"(?:paragraph|passage|page|article|text|snippet|(?:search )?results?)"
_ABSENT = re.compile(
    rf"(?:the|this|that) {_LOOKED_AT}s? (?:above )?(?:does not|doesn't|do not|don't|did not|didn't) "
    r"(?:contain|give|help|include|list|mention|name|provide|say|specify|state|tell)\b"
    r"|[^,;:]{1,120} (?:is|are|was|were) not (?:mentioned|stated|given|listed|included|found) (?:in|on|by) "
    rf"(?:the|this|that) {_LOOKED_AT}s?\W*\Z",
    re.IGNORECASE,
)
"""What a text that was before the agent's eyes does not say: the reader has another one there, or none."""
_NARRATION = re.compile(
    r"(?:(?:now|next|first|then|ok|okay)\b,?\s+)?(?:add|apply|build|check|dig|edit|explor|fetch|fix|inspect|install|investigat"
    r"|list|load|look|open|pull|(?:re-?)?read|regenerat|revert|review|(?:re-?)?run|search|start|switch|test|try|updat|verify|writ)"
    r"(?:\w?ing)\b|(?:[^.;!?]|\.(?=\w)){1,60}\bshould (?:tell|show) (?:us|me)\b",
    re.IGNORECASE,
)
"""What an agent says that it is doing just now, or where it looks next."""
_ASIDE = re.compile(
    r"(?:and |but |so )?(?:(?:what|how) about|shall (?:I|we)|hm+(?!,? no\b)|looks? like an?)\b"
    r"|(?:more |the )?details (?:follow|below|above)\b"
    r"|(?:I|we)(?:'ll| will) (?:note|record|document|file|write) (?:it|this|that) (?:down|up|as|in)\b",
    re.IGNORECASE,
)
"""A question without its mark, a guess, or what somebody is about to note."""
_ANNOUNCES = re.compile(
    r"(?:two|three|four|some|several|a few) (?:ways|options|possibilities|choices|alternatives)\b[^.;]{0,30}:"
    r"|options?\b\W{0,2}:\s{0,2}\(?[1a]\)|(?:simple|easy) enough\b"
    r"|try(?:ing)? the (?:obvious|simple\w*|easy|easiest|cheap\w*)\b|first (?:who|what|where|how|why)\b"
    r"|nothing, \w+ \d+\.?$|[^`_]{0,60}\bexactly th(?:is|at)[.!]?$",
    re.IGNORECASE,
)
"""What an agent may do, before it has decided, and what only points to the next sentence."""
_GOES_ON = re.compile(r"[:;,–—](?=\s)|\s-\s")
_OWN_ACT = re.compile(r"\bI (?:won't|will not|didn't|did not)\b")
_EFFECT = re.compile(r"\b(?:break|cost|fail|give|help|leave|make|mean|need|require|return|show|take|work)s\b")
"""What such a sentence says of what comes of it."""
_COMMENT_CHARS = 110
"""Characters of a comment at most: what is longer says something beside it."""


@memoize_short(entries=512, chars=400)  # every question about a sentence begins with it
def without_interjection(sentence: str) -> str:
    """Return a sentence without the "Yeah, " or "Good point, " that it begins with, its first letter as it was."""
    sentence = _REPORTED.sub("", sentence)
    found = _INTERJECTION.match(sentence)
    if found is None:
        return sentence
    rest, first = sentence[found.end() :], sentence[0]
    return rest[0].upper() + rest[1:] if first.isupper() else rest


def is_request(sentence: str) -> bool:
    """Return true where a sentence asks the other side for something, or sends them elsewhere."""
    return _REQUEST.search(sentence)


@memoize_short(entries=64, chars=400)  # asked whether a sentence teaches anything, and then for its evidence
def count_marks(sentence: str) -> int:
    """Return how many words of a sentence speak of who says it, and not of the matter: `I`, judgements, guesses.

    What holds for the next one too is told without them; more than three count as three.
    """
    return min(len(_SPEAKER.findall(sentence)) + _JUDGEMENT.count(sentence), _MOST_MARKS)


_WORD = re.compile(r"[^\W\d_]{2,}")


def is_chatter(sentence: str) -> bool:
    """Return true for a sentence that teaches nothing: it judges, tells of chores, or only opens what follows it."""
    if sentence.rstrip().endswith((":", "...", "…")) or _ABSENT.match(sentence) or not _WORD.search(sentence):
        return True
    if is_narration(sentence) or _ANNOUNCES.match(sentence):
        return True
    if count_words(sentence) < _LEAST_WORDS and not (_CODE.search(sentence) or _VALUE.search(sentence)):
        return not RULE.search(sentence)
    if _ASIDE.match(sentence) and not (RULE.search(sentence) or _CODE.search(sentence) or _GOES_ON.search(sentence)):
        return len(sentence) <= _COMMENT_CHARS
    told = _OWN_ACT.sub("I", without_commits(sentence))
    if len(sentence) > _COMMENT_CHARS or any(each.search(told) for each in (RULE, SETTLED.pattern, _VALUE, _CODE)):
        return False
    return count_marks(sentence) > 0 or (sentence.endswith("!") and not _FINITE.search(sentence))


def is_narration(sentence: str) -> bool:
    """Return true for a short sentence by which an agent says what it does next: the step itself tells it better."""
    found = _NARRATION.match(without_interjection(sentence))
    if found is None or len(sentence) > _COMMENT_CHARS or RULE.search(sentence) or SETTLED.pattern.search(sentence):
        return False
    return not found[0].endswith("ing") or not (is_clause(sentence) or _EFFECT.search(sentence))


def is_clause(sentence: str) -> bool:
    """Return true where a sentence seems to have a finite verb, which an imperative does not show."""
    return bool(_FINITE.search(sentence) or _VERB.search(sentence))

"""How people answer what was done or said: wordings by which they object, take something back, or agree.

Which of them counts depends on who speaks and of what: a user who corrects a run is told from how a turn begins, a
reviewer's objection from a word beside the name of an act, an agent's own from how it goes on.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.cues import phrases

CORRECTION = phrases(
    """no(?! problem| worries| rush) | nope | not quite | not exactly | not that | wrong
            that's (?:not|wrong) | actually | instead | hold on | wait | stop | careful
            (?:please,? |but,? )?(?:don't|do not)
            except | one (?:correction|exception) | almost | rather | but | correction""",
    opening=True,
)
"""How a turn begins that corrects the one before."""

PROHIBITION = phrases(
    """(?:(?:please|but|no|and|so),? )*(?:don't|do not|never|avoid)
            (?:please,? )?no (?:add|chang|commit|copy|delet|edit|install|merg|push|remov|renam|rewrit|runn|send)ing""",
    opening=True,
)
"""How a sentence begins that says what is not to be done."""
SECOND_THOUGHT = phrases(
    """on second thoughts? | scratch that | I(?:'ve| have)? changed my mind | change of plans? | hold on
            never ?mind that | forget (?:that|what I said) | strike that | let me take that back""",
    opening=True,
)
TAKES_BACK = phrases("(?:that's|that is) off(?=[,:;.!]|$) | (?:we|let's) (?:go|went) back to")
AFTER_ALL = re.compile(
    r"\W*(?:(?!(?:is|are|was|were|has|have|it's|that's)\b)[\w'’`-]+,? ){1,5}after all\b", re.IGNORECASE
)
"""How somebody takes back what they said: at the beginning of a turn, anywhere in it, and "cursor after all".

In "it is needed after all" nothing is taken back.
"""

OBJECTION = phrases(
    """none of (?:these|those|them) | neither of (?:these|those|them) | there must be | regardless of
    (?:isn't|wasn't|aren't|not) (?:quite |exactly )?what I | I (?:did not|didn't) (?:ask|want|say|mean|agree)
    but I (?:asked|told|said|wanted|was told) | I (?:already )?(?:told you|asked (?:you|for))
    why (?:can't|won't|did you)
    I (?:thought|was told|read) .{0,40}(?:was|were|would|should|shouldn't|could|could be|can) | still (?:doesn't|isn't)
    that(?:'s| is) (?:wrong|incorrect|not (?:right|correct|true|what)) | you (?:forgot|missed|promised|were supposed)
    I should(?:n't)? (?:be|have|get|not) | (?:can't|couldn't|isn't) (?:you|there|it) | (?:was|is|be) a mistake
    you (?:did not|didn't|should not have|shouldn't have|broke|deleted|removed) | does(?:n't| not) (?:work|look|seem)"""
)
REJECTION = phrases(
    """no,? (?:not|that(?!'s (?:all|it|fine|everything))|don't|do not|it|you|we|I)
            nope | wrong | not what | undo | revert | stop""",
    opening=True,
)
"""How a user objects to what was done or said: anywhere in a sentence, and how one begins."""

CONFIRMATION = phrases(
    """yes | yep | yeah | right | exactly | correct | agreed | perfect | confirmed | good | great
            sounds (?:good|right) | that's (?:it|right) | that works | ship it | go (?:ahead|with) | do it
            done | lgtm | precisely | sure""",
    opening=True,
)
"""How a turn begins that accepts the one before."""

AGREEMENT = re.compile(
    r"[^\d`]{0,30}\b(?:sounds?|looks?|be|is|are|was|all|seems?)\s+(?:all\s+)?(?:very\s+|really\s+)?"
    r"(?:good|great|perfect|fine|wonderful|lovely|excellent|right|set|correct|clear|helpful)\b[^\d`]{0,20}",
    re.IGNORECASE,
)
"""A whole sentence that agrees and says no more."""

OBJECTING_WORD = re.compile(
    r"\b(?:never|not|no longer|nobody|wrong\w*|bad|unsafe|dangerous|broken?|breaks?|broke|destroy\w*|delet\w*|kill\w*"
    r"|overwr\w+|remov\w+|wiped?|lost|loses?|damag\w+|instead|avoid|forbidden|revert\w*|undone?|stop|must\s?n.t)\b|n't\b",
    re.IGNORECASE,
)
"""A word by which a sentence objects to what it names."""

IN_VAIN = re.compile(
    r"\b(?:still (?:no\b|not\b|nothing|broken|failing|fails|red|the same|get(?:ting)?|see(?:ing)?)"
    r"|(?:did|does|has)(?: not|n't) (?:help|work|change|fix)|no (?:luck|effect)"
    r"|same (?:error|problem|issue|result)|not (?:happy|fixed|solved|working))",
    re.IGNORECASE,
)
"""How a user says that something did not help."""
APPROVAL = re.compile(
    r"\W*(?:looks?|lovely|super|fine|great|good|nice|perfect|ok(?:ay)?|thanks?|thank you|cool|awesome)\b", re.IGNORECASE
)
"""How a turn begins that thanks or praises."""
RESERVATION = re.compile(
    r"\b(?:but|still|wrong|(?:is|was|did|does|has)(?: not|n't)|undo|revert|take (?:that|it) back)\b", re.IGNORECASE
)
"""Words after thanks that go on with what is not as it should be."""
_END = r"(?=\s*(?:[.,:;!–—-]|$))"
RULED_OUT = re.compile(
    r"\b(?:never|wrong|forbidden"
    r"|(?:don't|do not|should(?:n't| not) have|mustn't|not to) (?:use|touch|run|do|edit|restart|call)"
    r"|not allowed|instead of|why did you|undo|revert)\b",
    re.IGNORECASE,
)
"""What is said against something that was done earlier: with less, words that it happens to share tell nothing."""
DISMISSAL = re.compile(
    r"\W*(?:hm+\W+|no\W+|ok(?:ay)?\W+|so\W+)?"
    rf"(?:(?:that|this|it)(?:'s| is| was)? (?:all )?(?:wrong|no good|no use|not (?:it|enough|right)){_END}"
    r"|still (?:\d|failing\b|fails\b|red\b|broken\b|the same\b|no (?!errors?|problems?|warnings?)|nothing\b|not\b)"
    rf"|(?:no luck|no effect|no change|wrong|worse)(?!, as expected){_END}"
    r"|(?:that|this|it|which) (?:did|does|has)(?: not|n't) (?:help|work|fix (?:it|that|this)|change anything)\b"
    rf"|.{{0,40}}?\bchange[sd]? nothing{_END})",
    re.IGNORECASE,
)
"""How an agent begins that says of what it did last that it was not what was needed."""
GIVEN_UP = re.compile(
    r"\b(?:revert\w*|undo\w*|hardly|barely|worse|slower|wrong|useless|back out"
    r"|no (?:help|effect|use|gain|difference|luck|better)|not (?:enough|better|worth|it)"
    r"|(?:not|n't) (?:help|work|change|fix|do)|too (?:slow|many|much)"
    r"|(?:take|taking) (?:it|that|this) (?:out|back)|put(?:ting)? [^.;]{1,40}\bback)\b",
    re.IGNORECASE,
)
"""How an agent speaks of what it takes back because it did not do."""
ADMISSION = re.compile(
    r"\bI (?:should(?:n't| not)? have|ought (?:not )?to have|must not have|wrongly|mistakenly)\b"
    r"|\b(?:should|would) have been (?:right|better|correct|the right)|\bwas (?:a|my) mistake\b",
    re.IGNORECASE,
)
"""How an agent says in the end what it did wrong."""
LOST_EDIT = re.compile(
    r"\bmy (?:edit|change|fix|patch)s? (?:is|are|was|were|has been|have been|got|gets?) (?:all |now |just )?"
    r"(?:gone|lost|overwritten|wiped|discarded|undone)\b"
    r"|\boverw(?:rote|rites) my (?:edit|change|fix|patch)",
    re.IGNORECASE,
)
"""What an agent says of a file that was generated again over its edit."""

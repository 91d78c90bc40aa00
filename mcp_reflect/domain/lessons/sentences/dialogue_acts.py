"""Acts of a dialogue: how somebody accepts, rules, amends, leaves open or takes back, and how one repeats another.

English wordings, as everywhere in `cues.py`; in other languages a talk is read by what is repeated in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.chatter import count_marks
from mcp_reflect.domain.lessons.sentences.cues import phrases
from mcp_reflect.domain.lessons.sentences.self_contained import points_back
from mcp_reflect.domain.lessons.sentences.talk import is_directive
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something, term_weights, without_commits
from mcp_reflect.domain.text.memoize import memoize_short

_REPEATED = 0.5
"""Share of the weight of a statement that another one holds which repeats it."""
_LEAST_REPEATED = 1.3
"""Weight of what is repeated of a longer statement at least: a name, or two words."""
_MORE_NUMBERS = 1
"""Numbers that a repetition adds at most: what adds more calculates."""
_MARKS_OF_REMARK = 2
_SENTENCES = 512
"""Sentences of a talk are compared with those of the next turns, again and again."""
_LONGEST = 400

_ACCEPTS = phrases(
    """yes | yep | yeah | yup | ok | okay | k | right | exactly | correct | agreed | perfect | confirmed | good | great
            fine | cool | go | that's (?:it|right|fine) | that works | ship it | go (?:ahead|with|for) | done | lgtm
            sounds (?:\\w+ )?(?:good|right|fine|great) | do (?:it|that|so|\\d) | (?:oh )?(?:nice|great|good),? do it
            precisely | sure | please do | absolutely | works for me | deal | (?:I )?(?:like|love) (?:it|that|this)
            approved | merged | shipped | super | excellent | lovely | fair(?: enough)? | looks (?:good|right|fine)
            ja | genau | passt | richtig | stimmt | einverstanden | klar | perfekt | oui | exact(?:ement)? | d'accord
            parfait | ça marche | sí | vale | exacto | de acuerdo | perfecto | correcto | claro""",
    opening=True,
)
_YES_OR_NO = phrases("yes | yep | yeah | no | nope | nah | ja | nein | oui | non | sí", opening=True)
_THUMBS_UP = re.compile(r"\s*[\U0001F44D\U0001F44C\U00002705\U0001F4AF]")
_FOLLOWS = phrases(
    """(?:right|ok(?:ay)?|cool|great|good|yeah|yes|sure|nice),? (?:so|but|I|that|which|makes|it|and) (?!do\\b)\\w+
            (?:that )?makes sense | got it | I see""",
    opening=True,
)
"""How somebody shows that they follow, which accepts nothing."""
_OPEN = phrases(
    """not sure | (?:don't|dont|do not|doesn't|doesnt) know(?: yet)? | no idea | I guess | i'd say | maybe | perhaps
            might | probably | (?:let's|lets|let us|let me) (?:see|sleep|think|wait|ask|talk) | we'll see
            think about it | park(?:ing|ed)? (?:this|it|that) | under discussion | undecided | separate ticket | tbd
            (?:skip|leave) (?:it|that|this)(?! (?:at|as|in|on|to)\\b) | just curious | good question | interesting
            what if | could be | hold off | (?:drop|forget) (?:it|that|this|what) | another time | has to look
            wants? to (?:see|have a say) | (?:wait|waiting) (?:for|until|till)"""
)
"""What is left open, or is no matter of the talk."""
_DUTY = phrases("must | have to | has to be", unless="must have")
_NORM = phrases(
    """never | always | from now on | no exceptions? | mandatory | forbidden | not allowed | out of the question
            make it | and not | no \\w+,? please | instead of | rather than
            let's (?:say|use|do|keep|go|make|set|take|call|have) | we (?:use|go with|keep) | go with | needs? to be
            \\w+ it is | asks? (?:me|us) first | without asking""",
    unless="""(?:we|I|they|nobody|you)(?:'ve|'ll| have| will)? (?:never|always) | never mind | more about
              (?:is|are|was|it's|that's) always | always (?:a|an|good|nice|help\\w*|been)""",
)
_PROPOSES = phrases(
    """I(?:'d| would| could| can)? (?:propose|suggest|recommend|add|go|use|set|make|generate|start|lower|raise)
            I(?:'ll| will) | options? | alternatively | should | shall | how about | what about | the usual | sensible
            simplest | safest | let's | want me to | do you want"""
)
_REPORTS = phrases(
    """(?:I(?:'ve| have)(?: now)?|it|that) (?:\\w+ly )?(?:implemented|changed|added|set|updated|renamed|removed|switched
            moved|replaced|fixed|configured|made|put) | now \\w+s | tests? pass"""
)
_ASKS_ADVICE = phrases(
    """(?:do|would|can|could) you (?:\\w+ )?(?:recommend|suggest|propose|do) | what's best | best way
            your (?:advice|take) | what should | how should | which (?:is|one)"""
)
_COMMITS = phrases(
    """done | implemented | applied | changed | set | added | pushed | noted | got it | understood | ok | okay | updated
            final | agreed | so | fixed | removed | renamed | configured | deployed | documented | saved | will do""",
    opening=True,
)
_DID = phrases(
    """done | implemented | applied | changed | set | added | pushed | updated | fixed | removed | renamed | configured
            saved | deployed | switched | moved""",
    opening=True,
)
_SUMS_UP = phrases(
    """(?:full |final |short |quick )?recap | final | settled | in short | to be explicit | the requirement is clear
            (?:the )?(?:amended|agreed|final) \\w+ | (?:so )?to (?:sum|recap) | (?:quick |short )?summary | decision
            (?:the )?(?:full |whole )?(?:rule|policy|contract)""",
    opening=True,
)
_WITHDRAWS = phrases(
    """forget (?:about )?(?:it|that|this|what i) | nothing changes | not reproducible | another time
            (?:revert|undo|drop|scrap) (?:it|that|this|everything|all|your \\w+) | delete the branch"""
)
_REJECTS = phrases(
    """(?:don't|dont|do not|doesn't|didn't) (?:like|want|need) | out of the question | too \\w+ | overkill | no | not
            never | nope | nobody | no one | get rid of | melts? | breaks? | flaps? | can't | cannot | won't
            against"""
)
_AMENDS = phrases(
    """make it | then | instead | rather | changed? (?:it )?to | should be | not \\d+ | no longer | it is | too \\w+"""
)
_SUPPOSES = phrases("might | could | would | may | perhaps | maybe | if")
_QUESTION = re.compile(
    r"\?[\"')\]]*\Z|(?:(?:and|so|but|ok|hm+),? )?"
    r"(?:(?:what|which|why|how|where|who|whose)(?:'s| is| are| do| does| would| if)"
    r"|(?:is|are|does|can|could|should|do) (?:it|that|this|we|you|I)(?<!do it)(?<!do that)(?<!do this))\b[^.!:]*\Z",
    re.IGNORECASE,
)
"""A question, also of who spares the mark."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*) ?([A-Za-z%€$£]*)")
_NOT = re.compile(
    r"\b(?:not|instead of|rather than|no longer|get rid of)\s+(?:\w+\s+)?(\d+(?:[.,]\d+)*)", re.IGNORECASE
)


@memoize_short(entries=_SENTENCES, chars=_LONGEST)
def is_question(sentence: str) -> bool:
    """Return true where a sentence asks something, with a question mark or without."""
    return _QUESTION.search(sentence) is not None


def is_left_open(sentence: str) -> bool:
    """Return true where somebody leaves a matter open, guesses, or puts it off."""
    return _OPEN.search(sentence)


def withdraws(sentence: str) -> bool:
    """Return true where somebody takes back what was to be done."""
    return _WITHDRAWS.search(sentence)


def is_norm(sentence: str) -> bool:
    """Return true where a sentence rules by its wording: it says what to do, or how things have to be."""
    return is_directive(sentence) or _DUTY.search(sentence) or (_NORM.search(sentence) and not points_back(sentence))


def is_remark(sentence: str) -> bool:
    """Return true where a sentence speaks of who says it more than of the matter."""
    return count_marks(sentence) >= _MARKS_OF_REMARK


def accepts(sentence: str) -> bool:
    """Return true where a sentence begins as one that accepts what was proposed."""
    return bool(_THUMBS_UP.match(sentence)) or (_ACCEPTS.match(sentence) and not _FOLLOWS.match(sentence))


def says_yes_or_no(sentence: str) -> bool:
    """Return true where a sentence begins with a yes or no, which says something beside its question alone."""
    return _YES_OR_NO.match(sentence)


def only_follows(sentence: str) -> bool:
    """Return true for "Right, that makes sense", or a bare "ok"."""
    return _FOLLOWS.match(sentence) or (accepts(sentence) and not is_substantial(sentence))


def offers(sentence: str) -> bool:
    """Return true where a sentence proposes something, or reports what was done: it can be accepted."""
    return _PROPOSES.search(sentence) or _REPORTS.search(sentence)


def asks_advice(sentence: str) -> bool:
    """Return true where somebody asks what the other side would do."""
    return _ASKS_ADVICE.search(sentence)


def commits(sentence: str) -> bool:
    """Return true where a turn begins in this way that carries out, or takes down, what was said before."""
    return _COMMITS.match(sentence)


def tells_deed(sentence: str) -> bool:
    """Return true where a sentence begins to tell what was done, and says what."""
    return _DID.match(sentence) and is_substantial(sentence)


def sums_up(sentence: str) -> bool:
    """Return true where a sentence begins to sum up what was settled."""
    return _SUMS_UP.match(sentence)


def is_substantial(sentence: str) -> bool:
    """Return false for a bare "Done." or "Understood"."""
    return names_something(sentence) or len(term_weights(sentence)) > 1


@memoize_short(entries=_SENTENCES, chars=_LONGEST)
def numbers_of(sentence: str) -> frozenset[str]:
    """Return the numbers in a sentence, as written."""
    return frozenset(_NUMBER.findall(without_commits(sentence)))


def rejects(sentence: str) -> bool:
    """Return true where a sentence turns something down."""
    return _REJECTS.search(sentence)


def rejected_numbers(sentences: Iterable[str]) -> set[str]:
    """Return the numbers in those of the sentences that turn something down."""
    return {number for each in sentences if rejects(each) for number in numbers_of(each)}


class Amendment(NamedTuple):
    """Numbers that a sentence says hold no more, and those that it puts in the place of others, by their unit."""

    gone: frozenset[str]
    new: Mapping[str, str]

    def replaces(self, number: str, unit: str) -> bool:
        """Return true where a number is replaced that was said with a unit; `unit` is empty without one."""
        return number in self.gone or self.new.get(unit, number) != number


def amendments_in(sentences: Iterable[str]) -> list[Amendment]:
    """Return what sentences replace, as in "21 days and not 14" and "make it 800 ms"; nothing of those that do not."""
    found = []
    for each in sentences:
        amends = not is_question(each) and _AMENDS.search(each)
        new = {unit: number for number, unit in amounts_in(each) if unit} if amends else {}
        if (gone := frozenset(_NOT.findall(each))) or new:
            found.append(Amendment(gone, new))
    return found


def amounts_in(sentence: str) -> list[tuple[str, str]]:
    """Return the numbers of a sentence, each with the unit behind it, which may be empty."""
    return _AMOUNT.findall(sentence)


def is_repeated(ours: str, theirs: str) -> bool:
    """Return true where another statement holds half of what a statement says, or all of its numbers."""
    if is_question(theirs) or is_question(ours) or _SUPPOSES.search(theirs):
        return False
    numbers, other = numbers_of(ours), numbers_of(theirs)
    if numbers and numbers <= other and len(other - numbers) <= _MORE_NUMBERS:
        return True
    words, there = term_weights(ours), term_weights(theirs)
    full, shared = sum(words.values()), sum(weight for word, weight in words.items() if word in there)
    return full > 0 and (shared == full or shared >= max(_REPEATED * full, _LEAST_REPEATED))

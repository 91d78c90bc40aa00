"""Wordings that tell what a sentence is worth in a lesson: English; other languages go by position and novelty."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.memoize import memoize_short

_SENTENCES = 64
"""A sentence is looked at from several sides, one after the other, and again beside what follows it."""
_LONGEST = 400


class Phrases:
    """Phrases that are looked for in texts of any case. Texts are put in small letters for it.

    A pattern that ignores case tries each of its alternatives letter by letter, which takes three times as long.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)
        self.search = memoize_short(entries=_SENTENCES, chars=_LONGEST)(
            lambda text: self._pattern.search(text.lower()) is not None
        )
        """Returns true where one of the phrases stands in a text."""

    def match(self, text: str) -> bool:
        """Return true where the text begins with one of the phrases."""
        return self._pattern.match(text.lower()) is not None

    def count(self, text: str) -> int:
        """Return how many phrases stand in the text."""
        return len(self._pattern.findall(text.lower()))


def phrases(text: str, *, opening: bool = False, unless: str = "") -> Phrases:
    """Return the phrases that a text names between line ends or ` | `; with `opening` only at the beginning of a text.

    One of the phrases `unless` anywhere in the text lets none of them be found.
    """
    begin = r"\W{0,3}" if opening else r"\b"
    if unless:
        begin = rf"\A(?!.*\b(?:{_joined(unless)})\b).*?{begin}"
    return Phrases(rf"{begin}(?:{_joined(text)})\b")


def _joined(text: str) -> str:
    return "|".join(
        part.strip().replace(" ", r"\s+") for line in text.splitlines() for part in line.split(" | ") if part.strip()
    ).lower()


@dataclass(frozen=True)
class Cue:
    """A wording with the factor by which it changes the evidence of a sentence; above 1 it strengthens."""

    pattern: re.Pattern[str] | Phrases
    factor: float
    at_beginning: bool = False

    def holds(self, sentence: str) -> bool:
        """Return true where the sentence contains the wording."""
        return bool(self.pattern.match(sentence) if self.at_beginning else self.pattern.search(sentence))


RULE = phrases(
    """must(?: not|n't)? | (?:has|have) to | never | always | only | exactly | at (?:most|least) | (?:max|min)\\.? \\d+
            no (?:more|less|longer) than | instead of | rather than | not \\w+,? but | \\w+, (?:and )?not
            do(?:es)? not | don't | doesn't | cannot | can't | won't | required? | requires | forbidden | allowed
            except | unless | regardless | whatever the | no matter | strictly | whenever | every
            inclusive | exclusive | ties? | defaults?
            keeps? | drops? | cap(?:ped)? | limit(?:ed)? | threshold | first | before | after | ascending
            descending | wins?"""
)
GENERAL = phrases(
    """eligible | ineligible | entitled | permitted | prohibited | not possible | unfortunately | non-\\w+
            (?:is|are) (?:not|fixed|free|limited) | isn't | aren't | per \\w+ | \\w+,? if you (?:are|have)"""
)
"""Further wordings by which a sentence tells how cases of a kind are dealt with."""
POLICY = phrases(
    """must(?: not|n't)? | never | always | only | at (?:most|least) | no (?:more|less|longer) than
            (?:do(?:es)? not|don't|doesn't)(?! (?:currently )?(?:have|include|contain|show)\\b)
            cannot | can't | won't | unable | required? | requires
            forbidden | allowed | allows? | except | unless | regardless | strictly | every | free of charge
            within (?:the )?(?:last )?\\d+ \\w+ | \\d+-hour
            eligible | ineligible | entitled | permitted | prohibited | not possible | non-\\w+ | policy | policies
            (?:the|our) rules? | for (?:any|all) | in (?:such|these) cases | whenever
            (?:is|are) (?:not|fixed|free|limited) | isn't | aren't"""
)
"""The wordings by which a sentence tells a customer how cases like theirs are dealt with."""
_OF_RULES = """
    allow apply cannot case cases certain circumstance condition constraint current due exception follow guideline
    however limit limited limitation meet note option override permitted please policies policy possible proceed
    process regarding regardless request require requirement restriction rule situation specific strict unable
    unfortunately workaround
"""
OF_RULES = frozenset(_OF_RULES.split())
"""Words by which one speaks of rules: a sentence of them alone says that there are some, and none."""
EVENT = phrases("(?:has|have|had) (?:now |already )?been \\w+", unless="if | once | since | unless | when | without")
"""What was done in one case, and no condition of a rule."""
RULE_STEP = 0.18
"""Each wording of a rule adds so much to the factor of a sentence."""
RULE_CAP = 1.7

SETTLED = Cue(
    phrases(
        """settled | agreed | decided | decision | confirmed | final(?:ly|ised|ized)?
            (?:the|our|project) rule | rule is | policy | contract | convention | from now on | going forward
            we(?:'ll| will)? (?:now|go with|settle) | to (?:sum|recap) | recap | in summary | summary
            locked in | ships? with | root cause | turned? out | because | due to | therefore | hence
            so the (?:answer|result|cause|reason|value)
            the (?:fix|cause|problem|reason) (?:is|was) | fixed by | the trick | lesson | learned"""
    ),
    1.35,
)
"""Something is settled or explained."""

STRENGTHENING = (
    SETTLED,
    Cue(  # something settled is amended
        phrases(
            """amend(?:ed|ment|s)? | supersed\\w+ | no longer | we now | changed? (?:to|from)
            replac(?:es|ed|ing) | overrid\\w+ | revis\\w+ | new rule | updated? rule | correction"""
        ),
        1.4,
    ),
    Cue(re.compile(r"\d"), 1.15),
    Cue(re.compile(r"`[^`]+`|\b\w+\(\)|[<>=]=|->|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b"), 1.1),  # code
)
"""All that hold are multiplied."""

COURTESY = Cue(
    phrases(
        """thank(?:s| you) | you're welcome | have a (?:good|great|nice|wonderful|lovely|pleasant|safe) | safe travels
            feel free | let me know | glad | appreciate | anything else | hope you | sorry (?:for|about) | apologi[sz]e
            look(?:ing)? forward | (?:do not|don't) hesitate | further (?:assistance|questions) | pleasure | never ?mind
            good (?:luck|morning|day|evening) | (?:nice|good|great|excellent) (?:work|job) | well done | cheers | thx
            take care(?! (?:of|to|that|when|not)\\b) | bye | goodbye | (?:see|talk to|catch) you (?:soon|later|then)
            talk soon | (?:that|it) works for me
            I(?:'ll| will) [^.;:!?`\\d]{1,60} (?:soon|shortly|back to you|reach out)"""
    ),
    0.15,
)

OWN_STATE = Cue(
    phrases(
        """(?:unfortunately|honestly|however|actually|well|but|and|so),? I | (?:yes|no),? please | no problem
            I (?:(?:really|still|just|actually) )?(?:do not|don't|didn't|did not|can't|cannot|couldn't) (?:\\w+ly )?(?:
            have|need|want|remember|recall|know|understand|see|find)
            I (?:was|were|just|recently|already|understand|realize|realise|hear you|hope|bought|booked|purchased
            made|received|noticed|would like|prefer)
            I(?:'m| am) (?:really|so|very|quite|sorry|afraid|unable|not able|not sure|out|in|on|at|trying|hoping|worried
            upset|frustrated|planning|travel\\w+|cancel\\w+|looking|calling|contacting|happy|glad)
            my (?:flight|trip|order|booking|reservation|birthday|address|wife|husband|friend|son|daughter)""",
        opening=True,
    ),
    0.3,
    at_beginning=True,
)
"""How somebody stands: what they have, feel or did before the task. It is true of this run only."""

PLAN = phrases("I(?:'ll| will|'m going to| am going to| need to| would need) | let me")
"""What somebody is about to do themselves."""

INTENTION = phrases(
    """I(?:'ll| will|'m going to| am going to| need to| would need) | let me | let us | let's | please | yes"""
)
"""What somebody is about to do, or asks for: no rule, unless it is to hold for good."""

LASTING = phrases("always | never | from now on | every time")
"""What is asked for once and for all, as in "please always run `make lint` first"."""

STATE = Cue(
    phrases(
        """(?:tests?|checks|specs?|suite|build|lint|runs|jobs|cases|all|both|it)\\b[^.;]{0,60} pass(?:es|ed|ing)?
            (?:has|have) (?:now )?been successfully | was successfully | were successfully | successfully \\w+ed
            pass(?:es|ed|ing)? now | (?:it|everything|this|all) (?:now )?(?:works|builds|runs|pass(?:es|ed)?)
            \\d+ (?:of|/|out of) \\d+ (?:\\w+ )?(?:pass(?:es|ed)?|ok|green)
            (?:stable|green|clean|fixed|passes|passing) (?:now|again)(?=[,.;:!]|$)
            (?:0|no) (?:errors|warnings|failures) (?:now|left)
            (?:is|are) (?:done|completed?|green) | (?:run|runs|work|works|green|back|fine) again
            my (?:user|reservation|order|account|name|email|phone)""",
        unless="after | if | once | since | unless | when | with | makes? | keeps? | gets?",
    ),
    0.4,
)
"""How things stand, or who somebody is: true of this run only. On what it depends may hold for others."""

PROPOSAL = Cue(
    phrases(
        """(?:would|could) (?:\\w+ )?be (?:a |an )?(?:\\w+ )?(?:good|great|nice|solid|clean|useful|helpful|interesting
            valuable|beneficial|essential|ideal|worthwhile|better|natural|next|targeted)
            (?:we|you|I)(?:'d| should| could| might| can| may)(?: want to)? (?:\\w+ ){0,2}?(?:add|consider|explore
            look into|expand|test|write|revisit|clean up|document|improve|refactor)
            (?:I'll|I will|I'd|I would|I can|let me|happy to|we can|we'll) (?:\\w+ )?(?:add|put|write|open|file|draft
            look|take|review|check|dig|lean|submit|create|set up|follow|push|update|get)
            could (?:always |also )be (?:explored|added|improved|extended|worth\\w*)
            worth(?:while)? (?:\\w+-?)?(?:checking|adding|exploring|considering|a look|testing|looking)
            seems like a \\w+ (?:task|idea|addition|step)
            should (?:help|do it|do the trick|fix (?:it|that|this)|be enough)
            would (?:definitely |also |really |further |only )?(?:help|benefit|streamline|increase|improve|strengthen)
            (?:main|key|two|next) (?:actionables?|action items?|steps?) | plan would be
            (?:sounds|seems) like a plan
            (?:two|three|four|five|some|several|a few|\\d) (?:candidates|options|alternatives|possibilities|choices)
            options(?=:)""",
        unless="must | never | always | only | has to | have to | required | every",
    ),
    0.3,
)
"""What somebody would do, or offers to: work that is open, which settles nothing."""

WEAKENING = (
    Cue(re.compile(r"\?$"), 0.25),
    COURTESY,
    Cue(re.compile(r":$"), 0.3),  # what follows it says more
    STATE,
    PROPOSAL,
)
"""Only the first that holds counts."""

RECAP = phrases(
    """(?:so[,:]? )?(?:to )?(?:(?:full|final|quick|short) )?(?:recap|summar\\w+|sum up) | settled
            final | amended | agreed | decision | conclusions? | in short
            the (?:final |agreed |amended )?(?:rule|policy|plan|answer|fix|result)""",
    opening=True,
)
"""How a turn begins that sums up."""

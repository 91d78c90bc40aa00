"""What an agent says right before it does something: what it does next, what it tries first, and what it guesses.

The step that follows tells it better, and whether it was right. Wordings of several languages; a reason beside them
makes a sentence worth telling.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.chatter import is_clause
from mcp_reflect.domain.lessons.sentences.cues import RULE
from mcp_reflect.domain.lessons.sentences.other_languages import states_rule_elsewhere
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something

_FEW = 3
"""Words up to which what an agent says before it acts is no more than a heading of that."""
_SHORT = 9
"""Words up to which an order to oneself gives no reason."""
_SHORT_ELSEWHERE = 12
_CHARS_ELSEWHERE = 40
"""Characters up to which that holds where words are not set apart."""

_ORDER = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|then|now|first|next|right|alright|good|great|hm+)[,:.]?\s+)*"
    r"(?:let me|let's|i'll|i will|going to|trying|try|use|add|check|run|bump|switch|remove|drop|set|make|fix|install"
    r"|pin|update|revert|rebuild|retry|look|see|test|move|rename|replace|create|write|put|empty|clear|force|skip|start"
    r"|stop|restart|apply|change|do|go|back to|undo"
    r"|recalculate|recompute|pad|wrap|convert|split|declare|print|reproduce|measure|compare)\b",
    re.IGNORECASE,
)
_IDEA = re.compile(
    r"\W*(?:my |one |a )?(?:first (?:\w+ )?(?:thought|try|idea|guess|attempt|suspicion|suggestion)"
    r"|(?:next|second|another|quick) (?:try|idea|attempt|experiment)"
    r"|option (?:one|two|[12ab])"
    r"|plan [ab]|attempt \d|erster (?:versuch|gedanke|verdacht)|premi(?:er|ère) (?:essai|idée|piste)"
    r"|primer (?:intento|paso)|primeira? (?:tentativa|ideia)|primo tentativo)\b",
    re.IGNORECASE,
)
"""How an agent begins that says what it tries of several things."""
_COMES_FIRST = re.compile(r"(?:[\w'’/-]+,? ){1,5}first\.?", re.IGNORECASE)
"""A heading of what is looked at before anything else: "Logs and lag first."."""
_DOING = re.compile(
    r"\W*(?:(?:so|now|then|ok|first|next)[,:]? )?(?!(?:according|being|during|everything|anything|following|including"
    r"|missing|nothing|something|string|using|warning)\b)(?-i:[A-Z]?[a-z]{2,12}ing) (?:with|at|into|for|it|them|its"
    r"|both|which|whether|how|on|up|what|that|this|these|out|all|the|an?|my|our|again)\b[^;:,]*(?:, then [^;:,]*)?",
    re.IGNORECASE,
)
"""What is done right now, by a word in -ing."""
_THOUGHT = re.compile(
    r"(?:Adjusting|Analy[sz]ing|Assessing|Checking|Clarifying|Confirming|Considering|Determining|Evaluating|Examining"
    r"|Exploring|Identifying|Inspecting|Investigating|Planning|Preparing|Refining|Reviewing|Summarizing|Understanding"
    r"|Updating|Verifying) [^.;:,]+\.?"
)
"""The title of a thought, as clients show it in the place of the thought."""
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_LASTING = re.compile(
    r"\b(?:always|never|must|only|because|since|as|otherwise|instead|not|don't|here|every|each|before|whenever|when|if)\b",
    re.IGNORECASE,
)
_ORDER_ELSEWHERE = re.compile(
    r"\W*(?:"
    r"(?:ich|zuerst|zunächst|jetzt|dann|nun|erst|außerdem|als nächstes)\b(?: \w+)? ?(?:ich )?"
    r"(?:schaue?|seh|prüf|versuch|probier|start|führ|les|hol|öffn|such|änder|leg|mach|test|bau|nehm|setz|installier"
    r"|ergänz|füg|korrigier|pass|trag|stell|lass)\w*|mal sehen\b|schauen wir\b"
    r"|(?:je|d'abord|ensuite|maintenant)\b,? ?(?:je )?(?:vais|vérifi|regard|commenc|lanc|essa[iy]|test|lis|cherch"
    r"|corrig|modifi|relanc|met|ajout|récup)\w*|voyons\b|essayons\b"
    r"|(?:primero|ahora|luego|primeiro|agora|depois|prima|ora|poi)?,? ?(?:voy a|vamos a|vou|miro|reviso|compruebo"
    r"|pruebo|intento|busco|ejecuto|lanzo|empiezo|verifico|tento|testo|olho|procuro|rodo|guardo|controllo|provo|leggo|cerco"
    r"|eseguo|vediamo|proviamo|veamos|vejamos)\b"
    r"|ik (?:kijk|controleer|probeer|start|lees|zoek|pas|zet|ga)\b|laten we\b|even kijken\b"
    r"|(?:najpierw |teraz )?(?:sprawdz|spróbuj|uruchami|zobacz|patrz|szukam|zaczn|zaczyn|zmieni)\w*"
    r"|(?:сначала|теперь) |(?:проверю|посмотрю|попробую|запущу)\b"
    r"|(?:我(?:先|来|來|看|试|試|再)|先(?:看|查|试|試)))",
    re.IGNORECASE,
)
_ENDS_AS_ORDER = re.compile(r"(?:し|て|で)(?:ます|みます|いきます)。?$|(?:하겠습니다|해 ?보겠습니다|봅니다)\.?$")
_REASON_ELSEWHERE = re.compile(
    r"\b(?:weil|denn|damit|sonst|da (?:der|die|das)|car|parce que|puisque|sinon|porque|pues|ya que|já que|perché"
    r"|altrimenti|omdat|anders|bo|ponieważ|потому|иначе)\b|ため|から|ので|因为|因為|否则",
    re.IGNORECASE,
)
_GUESSES = re.compile(
    r"\b(?:perhaps|maybe|possibly|presumably|my guess|I (?:guess|suspect|assume|think)|(?:might|could) "
    r"(?:just |also |still |simply )?(?:be|have|need|help|fix|do|work)\b|looks like (?:a|an|it)\b|vielleicht"
    r"|möglicherweise|vermutlich|wahrscheinlich|eventuell|peut-être|sans doute|quizás?|tal vez|a lo mejor"
    r"|talvez|pode ser|forse"
    r"|magari|misschien|wellicht|(?:być )?może|возможно|наверное)\b|かもしれ|可能是|也许|也許|아마",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:;|\s[–—-])\s+(?:so |then |now |and )?(?:(?!according|including|depending|being|meaning|using|missing|failing"
    r"|nothing|anything|something|everything|during|string)[a-z]{2,12}ing\b(?![^;]{0,60}\b(?:would|will|could|can|is|was"
    r"|does|makes?|needs?|breaks?)\b)|let me\b|I['’]ll\b|let['’]s\b|try\b|going to\b)[^;]{0,160}$"
    r"|,\s+(?:so |and )?(?:add|apply|check|fix|install|look|read|remov|re-?run|revert|rewrit|runn|switch|test|try|updat"
    r"|writ)(?:\w?ing)\b[^;,]{0,120}$"
)
"""What stands behind what was found, and only says what is done now."""


def announces(sentence: str) -> bool:
    """Return true for a short sentence of an agent that only says what it does next: no rule, and no reason."""
    words = len(sentence.split())
    if _IDEA.match(sentence) or (words <= _FEW and not names_something(sentence)):
        return True  # "Regenerate first."
    states = is_clause(_POSSESSIVE.sub("", sentence))
    is_heading = _COMES_FIRST.fullmatch(sentence) or _THOUGHT.fullmatch(sentence)
    if not states and (is_heading or (_DOING.fullmatch(sentence) and words <= _SHORT)):
        return not _LASTING.search(sentence)
    if _ORDER.match(sentence):
        return words <= _SHORT and not _LASTING.search(sentence)
    if not (_ORDER_ELSEWHERE.match(sentence) or _ENDS_AS_ORDER.search(sentence)):
        return False
    is_short = words <= _SHORT_ELSEWHERE if words > _FEW else len(sentence) <= _CHARS_ELSEWHERE
    return is_short and not (_REASON_ELSEWHERE.search(sentence) or states_rule_elsewhere(sentence))


def guesses(sentence: str) -> bool:
    """Return true for what an agent takes for possible, and no rule of what may be done."""
    return _GUESSES.search(sentence) is not None and not (RULE.search(sentence) or states_rule_elsewhere(sentence))


def without_announcement(sentence: str) -> str:
    """Return what an agent found without the end of the sentence that only says what it does next."""
    end = _GOES_ON.search(sentence)
    return sentence if end is None or not end.start() else f"{sentence[: end.start()].rstrip()}."

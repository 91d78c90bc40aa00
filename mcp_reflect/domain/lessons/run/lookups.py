"""Calls that only ask for something, told by the name of their tool."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.case_values import names_somebody
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.trajectory.asked_people import asks_people

_ASKS = r"get|list|search|find|read|fetch|query|lookup|look_up|show|view|describe|retrieve|browse"
_ASKS_ELSEWHERE = (
    r"buscar|consultar|obtener|leer|mostrar|ler|procurar|obter|chercher|rechercher|lire|obtenir|consulter|afficher"
    r"|suche|suchen|lies|lese|zeige|hole|finde|cerca|leggi|mostra|elenca|trova|zoek|zoeken|haal|toon|lees"
    r"|szukaj|znajdz|pobierz|pokaz|czytaj|sprawdz"
)
_LOOKUP = re.compile(
    rf"(?:{_ASKS}|think|calculate|glob|grep)(?!ings?_|ers?_)"
    rf"|(?:{_ASKS_ELSEWHERE})(?:_|$)|[a-z]+(?:_[a-z]+)*_(?:suchen|abfragen|lesen|anzeigen|ophalen|zoeken|opvragen)$"
    rf"|[a-z]+_(?:{_ASKS})_"
    r"|(?:browser|web|page)_(?:back|click_link|find|goto|navigate|open|scroll|visit)$"
    r"|(?:open|visit|load|goto|go_to|navigate)(?:_(?:to_)?(?:page|url|link|site|website))?$"
    rf"|\w*(?:search|fetch|look_?up|query)$|[a-z]+(?:_[a-z]+)*_(?:{_ASKS})$"
    r"|[a-z]+(?:_[a-z]+)*_(?:details?|help|history|info|job_logs?|logs?|meta|metadata|schema|status|traces?)$"
)
_ASKS_FIRST = re.compile(rf"(?:{_ASKS}|think|calculate|glob|grep)")
_ACTS = re.compile(
    r"(?:add|append|apply|approve|archive|assign|buy|cancel|change|clear|close|commit|confirm|create|cut|delete|deploy"
    r"|disable|discard|drop|edit|enable|execute|fill|finish|forward|generate|grant|import|insert|install|make|mark|merge"
    r"|modify|move|notify|pay|post|publish|push|put|rebook|refund|register|remove|rename|reply|reserve|reset|restart"
    r"|restore|resume|revoke|save|send|set|start|stop|submit|subscribe|swap|sync|toggle|trigger|unlock|unsubscribe"
    r"|update|upgrade|upload|verify|withdraw|write)_"
)
"""Verbs with which a name begins that does something, whatever it does that to; none that may be a noun there."""
_AND_ACTS = re.compile(r"_and_(?:add|cancel|create|delete|merge|modify|remove|replace|send|set|update)")
_ASKING_VALUES = {"command": ("view",), "method": ("GET", "get", "HEAD")}
"""Arguments of tools that ask and act, with the values by which they ask."""
_WEB = re.compile(r"^web_?(?:search|fetch)|(?:^|_)(?:browser|web|wiki)_|_(?:web|wiki)(?:_|$)")
_LIBRARY = re.compile(
    r"(?:pub|paper|scholar|arxiv|literature|library|archive|catalog|corpus)\w*_?(?:search|fetch|lookup|query)"
    r"|(?:search|fetch|get|read|find|open)_(?:papers?|articles?|abstracts?|publications?|literature|citations?|references?"
    r"|sources?|news|encyclopedia|passages?|facts?)"
)
"""Tools that search what has been published, or open it."""
_OPENS_FOUND = re.compile(
    r"(?:fetch|open|read|get_(?:relations?|links?|text|pages?|full_?text|section)|next_page|scroll)$"
)
"""Tools that show what a search of the same run has found."""
_CODE = re.compile(r"(?:^|_)(?:code|codebase|source|symbols?|git|repo|repository|commits?|diff|blame)(?:_|$)")
_READS_CODE = re.compile(
    r"(?:git|repo|code)_(?:log|show|blame|diff|grep|search|status|history|tree)$"
    r"|(?:read|open|view|cat|show|get|list|search|find|grep|glob)(?:_\w+)?$"
)
"""Tools that look at a repository, one of which is named after code."""
_NOTHING = re.compile(
    r"\W*(?:(?:0|no|zero) (?:hits?|results?|matches|rows?|records?|documents?|entries|items)\b|nothing found\b"
    r"|(?:(?:hits|results|total|count)\W{1,4}(?:0\b|\[\]))|\"\w{1,40}\": ?\[\]|\[\]\s*$)",
    re.IGNORECASE,
)
"""How an answer begins that holds nothing."""
_SEARCH = re.compile(r"search|look_?up|query|brows|fetch")

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CODE_WORD = re.compile(r"\b(?=[A-Z\d_-]*[A-Z])(?=[\w-]{4,24}\b)[A-Z][A-Z\d]*(?:[_-]?[A-Z\d]+)*\b")
"""A code in capitals, as rules name them."""
_MOST_OF_RULES = 20_000
_KEY = re.compile(r"\"(\w{2,40})\"\s{0,3}:")
_RULES_TOOL = re.compile(
    r"(?:^|_)(?:polic(?:y|ies|a)|politi(?:ca|que)s?|rules?|r[eè]gles?|regeln?|reglas?|terms|conditions"
    r"|condiciones|condizioni|condições|bedingungen|agreements?|regulamin\w*|handbook|manual|faq|guides?|guidelines?"
    r"|run_?books?|play_?books?|procedures?|sops?)(?:_|$)"
)
"""Tools that tell the rules, named after these."""


_KNOWLEDGE_TOOL = re.compile(
    r"(?:^|[_.])(?:kb|knowledge(?:_?base)?|help_?(?:center|desk)|wiki|intranet|articles?|docs?|documents?|dokument\w{0,3}"
    r"|documenti|documentos?|wissen\w*|handbuch|vorschrift\w*|richtlinien?|kennisbank|voorschrift\w*|reglement\w*"
    r"|conocimientos?|normativa|conhecimento|connaissances?|procedure|instrukcj\w*|regulamin\w*|wiedz\w*)(?:[_.]|$)"
)
"""Tools that search what a house has written down, by many hands."""


def is_lookup(step: Step) -> bool:
    """Return true for a call that only asks for something, by its tool's name or by what it is told to do."""
    if step.kind != "call":
        return False
    return only_asks(step.tool) or any(step.arguments.get(name) in asked for name, asked in _ASKING_VALUES.items())


def only_asks(tool: str) -> bool:
    """Return true for the name of a tool that begins with a verb of asking or ends with one, as `web_fetch`."""
    name = tool.lower().rpartition("__")[2]
    name = inner if (inner := name.rpartition(".")[2]) != "query" else name
    if asks_people(name):
        return True
    if _AND_ACTS.search(name):
        return False
    return bool(_LOOKUP.match(name)) and not (_ACTS.match(name) and not _ASKS_FIRST.match(name))


def names_act(tool: str) -> bool:
    """Return true for the name of a tool that begins with a verb of doing something, as `send_reply`."""
    return _ACTS.match(tool.lower().rpartition("__")[2].rpartition(".")[2]) is not None


def is_research(steps: Sequence[Step]) -> bool:
    """Return true where all that a run did was to read what is published, pages of the web, or a repository.

    What it found out is its answer in words.
    """
    tools = [step.tool.lower() for step in steps]
    is_of_code = any(map(_CODE.search, tools))
    is_of_library = any(map(_LIBRARY.fullmatch, tools))
    return bool(steps) and all(
        (is_lookup(step) and _is_web(step))
        or (is_of_code and _READS_CODE.match(tool))
        or (is_of_library and (_LIBRARY.fullmatch(tool) or _OPENS_FOUND.fullmatch(tool)))
        for step, tool in zip(steps, tools, strict=True)
    )


def _is_web(step: Step) -> bool:
    named = _WEB.search(step.tool.lower()) is not None
    return named or any(str(value).startswith(("http://", "https://")) for value in step.arguments.values())


def is_search(step: Step) -> bool:
    """Return true for a call that asks for something in words of its own: with one argument, or one for these words."""
    in_words = len(step.arguments) == 1 or any(isinstance(step.arguments.get(name), str) for name in ("query", "q"))
    return is_lookup(step) and in_words and bool(_SEARCH.search(step.tool.lower()))


def found_nothing(step: Step) -> bool:
    """Return true for a call whose answer says that nothing was found."""
    return _NOTHING.match(step.output) is not None


def tells_rules(step: Step) -> bool:
    """Return true for a call of a tool that is there to tell the rules, and that told nothing of somebody."""
    is_asked = step.kind == "call" and _RULES_TOOL.search(_in_words(step.tool)) is not None
    return is_asked and not tells_of_somebody(step)


def searches_knowledge(step: Step) -> bool:
    """Return true for a call that searches what a house has written down, and that told nothing of somebody."""
    is_asked = step.kind == "call" and _KNOWLEDGE_TOOL.search(_in_words(step.tool)) is not None
    return is_asked and not tells_of_somebody(step)


def _in_words(tool: str) -> str:
    """The name of a tool in small letters, its words joined by `_`: `PolicySearch` is `policy_search`."""
    return _CAMEL.sub("_", tool).lower()


def tells_of_somebody(step: Step) -> bool:
    """Return true for an answer with a field for the data of somebody."""
    keys = _KEY.findall(step.output[:_MOST_OF_RULES]) if step.kind == "call" else ()
    return any(map(names_somebody, keys))


def public_values(steps: Sequence[Step]) -> frozenset[str]:
    """Return the coded values that tools told as rules: what a run gives a call from these holds for other cases."""
    told = (step.output[:_MOST_OF_RULES] for step in steps if tells_rules(step))
    return frozenset(code for output in told for code in _CODE_WORD.findall(output))

"""Rules that a passed run had looked up and then followed.

Of a tool that is there to tell the rules, such as `policy_lookup`, that is what later calls and the last words say
again. Of what a house has written down by many hands, it is what the agent gave word for word as the reason of its
answer, or what made a call work that had failed. What a file, a page or a ticket says as a rule, anybody may have
written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.case_values import names_somebody
from mcp_reflect.domain.lessons.run.lookups import is_lookup, searches_knowledge, tells_rules
from mcp_reflect.domain.lessons.run.passages import passages_of
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.sentences.position import is_objection
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.text.observation import reads_as_error
from mcp_reflect.domain.trajectory.messages import Utterance
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.trajectory.tools import argument_values

_WORD = re.compile(r"[^\W\d_]{3,}|\w*\d\w*")
_WORD_IN_ROW = re.compile(r"\w[\w.,%€$-]*\w|\w")
_STATES = re.compile(
    r"\b(?:must|may|can(?:not)?|only|never|no|not|once|before|after|within|until|from|up to|at (?:least|most)|free|if"
    r"|when|unless|first|instead|goes?|gets?|needs?|is|are|puis|avant|apr[eè]s|ne|si|antes|despu[eé]s|solo|wird|nur|vor"
    r"|nach|kein\w*|est|sont|doit|es|son|debe|ist|sind|muss)\b",
    re.IGNORECASE,
)
"""Words of a sentence that says what holds, in the languages of most policies."""
_CODE = re.compile(r"\b(?=[\w-]*[A-Z])[A-Z\d]+[_-][A-Z\d]+(?:[_-][A-Z\d]+)*\b")
"""A code of a case or a tag, such as `EXEMPT-7`."""
_ADDRESS = re.compile(r"\S@\S+\.\w|https?://")
_LEADS_OUT = re.compile(
    rf"{_ADDRESS.pattern}|\+\d[\d ()/-]{{7,}}|\b[A-Z]{{2}}\d{{2}}[\dA-Z ]{{10,}}\b"
    r"|(?i:\b(?:human|user|assistant|system|agent|thought|observation|final answer): |\bas the user asked\b"
    r"|\bedited\b|\b(?:suggested|unreviewed) edit\b|\bnot (?:yet )?reviewed\b|\banonym\w*"
    r"|\bcommunity (?:answer|edit|note|post)\b"
    r"|\b(?:guest|gast|gästebuch|invit[éa]d?[oa]?|ospite|comments?|kommentar|comentario|commentaire|aporte|usuario)\b"
    r"|(?:[\w-]+\.){1,3}(?:com|net|org|io|dev|app|example|test|info|biz|xyz|site|online)\b)"
)
"""An address, a number to call or that of an account, and words that speak as somebody or are by nobody knows whom."""
_CODED_VALUE = re.compile(r"(?=.*\d|[A-Z]{2}|\w+_\w)[A-Za-z][\w-]{1,40}|\d{4,12}")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\d「」『』]{10,}")
_WORDS_IN_A_ROW, _CHARS_IN_A_ROW = 5, 10
"""In a row, words or characters of a script without blanks by which an agent says a passage again as it stands."""
_CITED = 5.0
"""Score of what an agent gave as the reason of its answer."""
_BORNE_OUT = 10.0
"""Score of what a run was borne out in; it goes before what it only followed."""
_OWN_NUMBER = 12
"""Characters at the beginning of a rule in which its own number stands."""
_LEAST_WORDS = 5
_LEAST_SHARED = 2.0
_OF_TASK = 0.5
"""Weight of a word that the task had already."""
_MOST, _MOST_CHARS = 3, 400


def rules_followed_in(run: ParsedRun) -> list[str]:
    """Return the passages of rules that a run had looked up and followed (`followed_rules`)."""
    steps = find_steps(run.trajectory)
    if not any(tells_rules(step) or searches_knowledge(step) for step in steps):
        return []
    said = [event.text for event in run.trajectory.events[-1:] if isinstance(event, Utterance)]
    closing = "\n".join((*said, run.trace.final_response))
    spoken = "\n".join((*_accepted_words(run), run.trace.final_response))
    return followed_rules(steps, run.trace.task, closing, spoken)


def _accepted_words(run: ParsedRun) -> Iterator[str]:
    """What the agent said, but for what its user denied."""
    said = [event for event in run.trajectory.events if isinstance(event, Utterance)]
    for each, answer in zip(said, [*said[1:], None], strict=False):
        is_denied = answer is not None and answer.role in {"user", "human"} and is_objection(answer.text)
        if each.role in {"assistant", "model"} and not is_denied:
            yield each.text


def followed_rules(steps: Sequence[Step], task: str, closing: str, spoken: str = "") -> list[str]:
    """Return the passages of rules that a run had looked up and followed.

    `closing` is what the agent said last, `spoken` all that it said. These are three at most, of 400 characters
    together.
    """
    asked = _stems(task)
    met = {code for step in steps if not tells_rules(step) for code in _CODE.findall(f"{step.subject} {step.output}")}
    ranked: list[tuple[float, int, str]] = []
    for place, step in enumerate(steps):
        if step.failed or not tells_rules(step):
            if searches_knowledge(step):
                ranked += [(_BORNE_OUT, -place, text) for text in _borne_out(steps, place) if not _ADDRESS.search(text)]
                ranked += [(_CITED, -place, text) for text in _cited(step, spoken) if not _LEADS_OUT.search(text)]
            continue
        acts = [later for later in steps[place + 1 :] if not (later.failed or later.errors or is_lookup(later))]
        done = _stems(" ".join(map(_told, (later for later in acts if not tells_rules(later)))))
        said = done | _stems(closing)
        told = (
            each.text
            for each in passages_of(step.output)
            if (each.item or not reads_as_error(each.text)) and not _is_of_other_case(each.text, met)
        )
        ranked += [
            (score, -place, text) for text in told if (score := _score(text, done, said, asked)) >= _LEAST_SHARED
        ]
    chosen: list[str] = []
    for _, _, text in sorted(ranked, reverse=True):
        has_room = len(text) + sum(map(len, chosen)) <= _MOST_CHARS
        if len(chosen) < _MOST and has_room and text not in chosen:
            chosen.append(text)
    return chosen


def _borne_out(steps: Sequence[Step], place: int) -> Iterator[str]:
    """The passages found in a house's knowledge without which a call had failed that then worked.

    A tool or a coded value that they name was used before the call worked, and never before they were found; or they
    begin with the argument of the call that was refused.
    """
    before, later = steps[:place], steps[place + 1 :]
    failed = {step.tool for step in before if step.failed or step.errors}
    end = next((n for n, step in enumerate(later) if step.tool in failed and not (step.failed or step.errors)), None)
    if end is None:
        return
    known = " ".join(f"{step.tool} {step.subject} {step.output}" for step in before)
    acts = [step for step in later[: end + 1] if not (step.failed or step.errors or is_lookup(step))]
    given = {value for step in acts for value in argument_values(step.arguments)} | {step.tool for step in acts}
    used = [each for each in given if _CODED_VALUE.fullmatch(each) and each not in known]
    refused = (step for step in before if step.tool == later[end].tool and (step.failed or step.errors))
    fields = {name for step in refused for name in step.arguments if re.search(rf"\b{re.escape(name)}\b", step.output)}
    for each in passages_of(steps[place].output):
        is_of_field = any(re.match(rf"\W{{0,3}}(?:\w+/)?{re.escape(name)}\b", each.text) for name in fields)
        if is_of_field or any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", each.text) for value in used):
            yield each.text


def _cited(step: Step, spoken: str) -> Iterator[str]:
    """The passages found in a house's knowledge that the agent gave as a reason, in their own words.

    Of a passage in several sentences it is those that the agent gave.
    """
    told = _rows_of(spoken)
    for each in passages_of(step.output):
        states = _STATES.search(each.text) or any(map(str.isdigit, each.text)) or not each.text.isascii()
        if (
            states
            and len(each.text) > _OWN_NUMBER
            and not (reads_as_error(each.text) or told.isdisjoint(_rows_of(each.text)))
        ):
            given = [part for part in split_sentences(each.text) if not told.isdisjoint(_rows_of(part))]
            yield " ".join(given) or each.text


def _rows_of(text: str) -> frozenset[str]:
    """The words of a text, and the characters of scripts without blanks, as many in a row as show a citation."""
    words = [word.lower() for word in _WORD_IN_ROW.findall(text)]
    rows = {" ".join(words[place : place + _WORDS_IN_A_ROW]) for place in range(len(words) - _WORDS_IN_A_ROW + 1)}
    for run in _IDEOGRAPHS.findall(text):
        rows.update(run[place : place + _CHARS_IN_A_ROW] for place in range(len(run) - _CHARS_IN_A_ROW + 1))
    return frozenset(rows)


def _is_of_other_case(text: str, met: Collection[str]) -> bool:
    """Return true for a rule that leads out by an address, or names a code behind its own that the run never met."""
    return _ADDRESS.search(text) is not None or not set(_CODE.findall(text[_OWN_NUMBER:])) <= set(met)


def _score(text: str, done: frozenset[str], said: frozenset[str], asked: frozenset[str]) -> float:
    """The weight of the words that a rule shares with what was done and said after it; 0 for what states no rule."""
    shared = _stems(text) & said
    if len(text.split()) < _LEAST_WORDS or not (shared & done and _STATES.search(text)):
        return 0.0
    return sum(_OF_TASK if word in asked else 1.0 for word in shared)


def _told(step: Step) -> str:
    given = " ".join(f"{name} {value}" for name, value in step.arguments.items() if not names_somebody(name))
    return f"{step.tool} {given}".replace("_", " ")


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text) if word_weight(word))

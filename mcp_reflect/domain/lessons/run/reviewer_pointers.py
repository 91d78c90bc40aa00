"""Where a reviewer points to in what a run had read: a file, a section by its number, a guide, the third rule."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatch

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import shows_text
from mcp_reflect.domain.lessons.run.lookups import is_search
from mcp_reflect.domain.lessons.run.named_lines import EVERYDAY_FILES
from mcp_reflect.domain.lessons.run.passages import POINTED_WORD, Passage, passages_of
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight

_DOCUMENT = (
    r"(?:read-?me|run-?book|play-?book|guide\w*|contributing|docs?|documentation|manual|handbook|wiki|page|notes?"
    r"|comments?|header|legend|dictionary|glossary|polic(?:y|ies)|rules?|preferences?|terms|table|list|file|output"
    r"|result|look-?up|log|ticket|mail|message|article|knowledge|change-?log|spec\w*|standard|checklist|instructions"
    r"|warning|help|notice|listing|answer|schema|config\w*|addendum|annex|appendix|amendment|sheet|memo|minutes"
    r"|contract|agreement|register|catalogue?|description|docstring|profile|record|brief|sla"
    r"|beschreibung|anleitung|notiz(?:en)?|regeln?|richtlinien?|datei|doku\w*|tabelle|liste|blatt|vertrag)"
)
_READ = (
    r"(?:had |have |has )?(?:read|printed|opened|fetched|saw|loaded|looked (?:at|up)|pulled up|displayed|consulted"
    r"|viewed|found|got|had|(?:were|was) (?:given|shown))"
)
_READER = r"(?:you|it|they|the \w+)(?: also)?"
_TELLS = (
    r"(?:says?|said|tells?|told|states?|stated|explains?|explained|lists|listed|shows?|showed|has|had|have|gives?|gave"
    r"|describes?|described|names|named|forbids|forbade|covers|covered|contains?|contained|warns|warned)"
)
_POINTS = re.compile(
    rf"\b{_DOCUMENT}\b(?=(?P<between>(?:\W+[\w-]+){{0,6}}?)\W+{_TELLS}\b)"
    rf"|(?:[\w-]+ ){{0,2}}\b{_DOCUMENT}\b(?=\W+(?:that |which )?{_READER} {_READ}\b)"
    rf"|\b{_READER} (?:had|have|saw)\b(?:\W+[\w-]+){{0,6}}?\W+(?:on (?:the|your) screen|in front of you|before you)"
    rf"(?:\W+[\w-]+){{0,4}}?\W+{_DOCUMENT}\b"
    r"|\b(?:brok\w+|breaks?|violat\w+|contravene\w*|disregard\w*) (?:[\w-]+ ){0,4}?"
    r"(?:rules?|polic(?:y|ies)|guidelines?|instructions|preferences?|terms|standards?|conventions?)\b"
    r"|\b(?:read|see|check|follow\w*|heed|ignor\w+|overlook\w*|miss(?:ed)?|skip(?:ped)?(?: over)?|passed over|opened"
    rf"|according to|as in|against|despite|{_READER} {_READ})\W+"
    rf"(?:[\w-]+\W+){{0,3}}?{_DOCUMENT}\b"
    rf"|(?:\b(?:is|was|stands?|stood|were|are)|'s) (?:\w+ ){{0,2}}in (?:the|our|its|that|my|his|her|their) "
    rf"(?:[\w-]+ ){{0,2}}?{_DOCUMENT}\b"
    rf"|\b(?:steht|stand|stehen|standen) (?:\w+ ){{0,3}}(?:im|in|auf) (?:\w+ ){{0,3}}?{_DOCUMENT}\b",
    re.IGNORECASE,
)
"""How a reviewer points to what the run had read."""
_NO_WORD = re.compile(r"[\w-]{100,}")
"""What is too long for a word: looked through from each of its letters it would take quadratic time."""
_PLACE = re.compile(r"(?<![\w.])(?=[\w./-]*(?:\d|\w[./]\w))[A-Za-z_.][\w./-]*\w")
"""A file, or a document by its number."""
_FILE = re.compile(r"(?<![\w-])([A-Za-z][\w-]{2,40})\.(?:adoc|docx?|html?|md|pdf|rst|txt)\b")
_NUMBERED = re.compile(r"\b([A-Z]{2,6})[ -]?0{0,3}(\d{1,4}[a-z]?)\b")
"""A document or a section by its number: `ADR 12`, `CX-4`."""
_CODE = re.compile(r"\b[A-Z]{2,6}\d{1,4}[a-z]?\b")
"""A number without anything between: of a document that begins with it, else of a voucher or a model."""
_SECTION = re.compile(
    r"(?<![\w.])(?:[A-Z]\.\d{1,2}|\d{1,2}\.\d{1,2})(?:\.\d{1,2}){0,3}[a-z]?(?![\w.]*\w)"
    r"|(?<=§)\d{1,3}[a-z]?\b|(?<=§ )\d{1,3}[a-z]?\b"
)
"""A section by its place, `B.2.3` or `§ 12a`."""
_DONE = re.compile(rf"\b(?:you|it|they|the \w+) (?:also )?({_READ})\b", re.IGNORECASE)
"""How the run came to what it had read."""
_RULES_FILE = re.compile(
    r"\b(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|CONVENTIONS)\.md\b|\.cursor/?rules|copilot-instructions"
)
_RULES_OF_A_PROJECT = {"rules", "guide", "guidelines", "instructions", "conventions"}
"""What a reviewer calls the files in which projects tell agents how they work."""
_MOST_SECTIONS, _MOST_IN_SECTION = 5, 6
"""Sections that are looked for, and their lines behind the one that names them."""
_MOST_OF_OUTPUT = 20_000
_AT_BEGINNING = r"^\W{0,8}"
_BEGINS_SECTION = re.compile(
    r"^\s{0,8}(?:\[\d+\]|#{1,6}|\d+\.)? ?[A-Z]{2,6}-\d|^\s*$|^\s{0,8}(?:#{1,6} )?(?:§|(?:[A-Z]\.)?\d{1,2}\.\d)"
)
_INSIDE = re.compile(rf"\bin (?:the|its|that|your|our) (?:[\w-]+ ){{0,2}}?{_DOCUMENT}\b", re.IGNORECASE)
"""Where in it; alone it may be about anything."""
_NEGATES = re.compile(r"\b(?:no longer|not|never)\b|n't\b", re.IGNORECASE)
_LISTED = re.compile(r"&&|;|\n")
_GLOB = re.compile(r"(?<![\w./*-])[\w./-]*\*[\w./*-]*\w")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = re.compile(
    rf"\b({'|'.join(_ORDINALS)})(?: \w+)? (?:rule|item|point|preference|step|bullet|line|note|paragraph|section|one"
    r"|entry|sentence|row|question|condition)\b",
    re.IGNORECASE,
)
_POINT = re.compile(r"\b(?:point|item|rule|step|number|bullet|paragraph|section) (\d{1,2})\b", re.IGNORECASE)
_LETTER = re.compile(r"\b(?:[Pp]oint|[Ii]tem|[Rr]ule|[Ss]tep|[Pp]art|[Pp]aragraph|[Ss]ection|[Cc]lause) ([A-H])\b")
_LAST = re.compile(r"\blast\b", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORTEST_PREFIX = 4
_TITLE_LINES, _TITLE_CHARS = 12, 1_000
_FEW = 3
"""Arguments of a call that opens something."""


def pointers_in(feedback: str) -> list[str]:
    """Return the words by which a reviewer points to something that was read, empty where they do not."""
    feedback = _NO_WORD.sub("", feedback)
    return [each[0].lower() for each in _POINTS.finditer(feedback) if not _NEGATES.search(each["between"] or "")]


def nouns_of(pointers: Sequence[str], feedback: str) -> list[str]:
    """Return the words for what is pointed to, as they stand and as stems."""
    told = [*pointers, *(each[0].lower() for each in _INSIDE.finditer(feedback))]
    words = [word for each in told for word in POINTED_WORD.findall(each) if word_weight(word)]
    return [*map(stem, words), *words]


def steps_pointed_at(nouns: Sequence[str], feedback: str, read: Sequence[Step]) -> tuple[list[Step], bool]:
    """Return the calls that showed what a reviewer points to, and whether their names or titles say so.

    Otherwise these are the calls that did what the reviewer says of them: what was fetched, or printed.
    """
    by_name = [(_count_named(step, nouns), step) for step in read]
    most = max((count for count, _ in by_name), default=0)
    done = [word for each in _DONE.findall(feedback) for word in POINTED_WORD.findall(each) if word_weight(word)]
    shown = [step for count, step in by_name if count == most and most]
    shown = shown or [step for step in read if _count_named(step, done)]
    return ([step for step in shown if not is_search(step)] or shown), bool(most)


def means_last(feedback: str) -> bool:
    """Return true where a reviewer speaks of the last thing of a kind."""
    return _LAST.search(feedback) is not None


def counted_items(passages: Sequence[Passage], feedback: str) -> list[str]:
    """Return the items with the number or letter that a reviewer says: `the third rule`, `point 3`, `section C`."""
    ordinal, point = _ORDINAL.search(feedback), _POINT.search(feedback)
    letter = _LETTER.search(feedback)
    place = _ORDINALS.index(ordinal[1].lower()) + 1 if ordinal else int(point[1]) if point else 0
    place = place or (ord(letter[1]) - ord("A") + 1 if letter else 0)
    return [each.text for each in passages if place and each.item == place]


def sections_named(read: Sequence[Step], feedback: str) -> list[Passage]:
    """Return the passages of the sections that the reviewer names by their numbers, wherever they were shown."""
    found: list[Passage] = []
    headings = [
        rf"{_AT_BEGINNING if _CODE.fullmatch(named[0]) else ''}(?<![\w-]){named[1]}[ -]?0{{0,3}}{named[2]}(?![\w-])"
        for named in _NUMBERED.finditer(feedback)
    ]
    headings += [rf"^\s{{0,8}}(?:#{{1,6}} |§ ?)?{re.escape(each)}(?![\w-]|\.\w)" for each in _SECTION.findall(feedback)]
    for pattern in headings[:_MOST_SECTIONS]:
        heading = re.compile(pattern)
        for step in read:
            lines = step.output[:_MOST_OF_OUTPUT].split("\n")
            for place, line in enumerate(lines):
                if heading.search(line):
                    end = place + 1
                    while (
                        end < len(lines) and end <= place + _MOST_IN_SECTION and not _BEGINS_SECTION.search(lines[end])
                    ):
                        end += 1
                    is_title = end > place + 1 and not line.rstrip().endswith(".")
                    found += passages_of("\n".join(lines[place + is_title : end]))
    return found


def opened_by_name(
    read: Sequence[Step], feedback: str, edited: Collection[str], *, among_others: bool = False
) -> list[Step]:
    """Return the calls that opened a file or a document which the reviewer names, by its number or by its name alone.

    A file that was edited is named for the edit. `among_others` takes commands that did something else as well.
    """
    places = {each.strip("./").lower() for each in _PLACE.findall(feedback)}
    words = {word.lower() for word in POINTED_WORD.findall(_PLACE.sub("", feedback))}
    words = {re.sub("['’]s$", "", word) for word in words} - EVERYDAY_FILES
    numbered = [(word.lower(), number) for word, number in _NUMBERED.findall(feedback)]
    found = []
    for step in read:
        subject = _showing_parts(step.subject, among_others=among_others) if step.kind == "command" else step.subject
        if step.failed or is_search(step) or not subject:
            continue
        named = _PLACE.findall(subject) if len(step.arguments) <= _FEW else []
        names = [each.strip("./").lower() for each in named if not _is_one_of(each, edited)]
        is_placed = any(name == place or name.endswith(f"/{place}") for name in names for place in places)
        is_placed = is_placed or any(_is_numbered(name, *each) for name in named for each in numbered)
        is_placed = is_placed or any(fnmatch(place, glob) for glob in _GLOB.findall(subject) for place in places)
        if is_placed or any(file.lower() in words for file in _FILE.findall(subject)):
            found.append(step)
    return found


def _showing_parts(command: str, *, among_others: bool) -> str:
    """A command line that shows files, else the parts of it that do; empty without any."""
    if shows_text(command) or not among_others:
        return command if shows_text(command) else ""
    return "; ".join(part for part in _LISTED.split(command) if shows_text(part))


def _is_numbered(path: str, word: str, number: str) -> bool:
    """Return true for `docs/adr/0012-lists.md` where a reviewer says `ADR 12`."""
    folder, _, file = path.lower().rpartition("/")
    begins = re.match(r"0{0,3}(\d{1,4}[a-z]?)(?![\d])", file)
    return begins is not None and begins[1] == number and word in folder


def _is_one_of(place: str, files: Collection[str]) -> bool:
    return any(file == place or file.endswith(f"/{place.strip('./')}") for file in files)


def _count_named(step: Step, nouns: Sequence[str]) -> int:
    """Return how many of the words that the reviewer points with a step's call or the top of its output has."""
    top = "\n".join(step.output[:_TITLE_CHARS].splitlines()[:_TITLE_LINES])
    tool = _CAMEL.sub(" ", step.tool)
    names = {word.lower() for word in POINTED_WORD.findall(f"{tool} {step.subject} {top}".replace("_", " "))}
    if _RULES_FILE.search(step.subject):
        names |= _RULES_OF_A_PROJECT
    plain = {noun.replace("-", "") for noun in nouns}
    return sum(any(share_beginning(noun, name) for name in names if len(name) > 1) for noun in plain)


def share_beginning(one: str, other: str) -> bool:
    """Return true for the same word, also in a longer form."""
    length = min(len(one), len(other))
    return one == other or (length >= _SHORTEST_PREFIX and one[:length] == other[:length])

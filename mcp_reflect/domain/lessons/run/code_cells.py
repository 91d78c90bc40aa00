"""Programs, queries and settings that a tool was given: cells of a notebook, statements for a database, formulas.

Of a long one a lesson tells the lines that say something: not what it imports and prints, and not what an earlier cell
of the run had already.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.case_data import may_identify
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.truncate import CUT, truncate_line

CODE_CHARS = 400
"""Characters of a program or a query that are told."""
_MOST_LINES = 200
_ARGUMENT = re.compile(
    r"(?:\w+_)?(?:code|query|sql|script|source|program|statement|snippet|expr(?:ession)?|promql|logql|javascript|function|cell)",
    re.IGNORECASE,
)
_QUERY_ARGUMENT = re.compile(r"q|stmt")
"""Short names under which a query may be given, and words that are searched for as well."""
_SETTINGS_ARGUMENT = re.compile(
    r"(?:\w+_)?(?:patch|diff|ya?ml|toml|config|configuration|template|definition|manifest|spec|rules)", re.IGNORECASE
)
"""Names of arguments under which tools are given the text of a configuration, or what is to change in one."""
_METRICS_ARGUMENT = re.compile(r"expr|promql|logql", re.IGNORECASE)
"""Names under which a query of metrics or logs is given, which is about nobody."""
_SETTINGS = re.compile(
    r"^[ \t]*(?:[+-] ?)?(?:[\w.\"'-]+\s?[:=]\s?\S|[\w.\"'-]+:$)|^[+-]{1,3} ?\S|\S -> \S", re.MULTILINE
)
_FORMULA = re.compile(r"=\s?[A-Za-z_][\w.]*\(.*\)\s*\Z", re.DOTALL)
"""A formula for a cell of a spreadsheet, under whatever name."""
_CODE = re.compile(
    r"^[ \t]*(?:select|with|insert|update|delete|explain|create|alter|merge|import|from|def|const|let|var|async|for"
    r"|while|if)\s"
    r"|[\w\])]\(|\w\s?=\s?\S|=>",
    re.IGNORECASE | re.MULTILINE,
)
_QUERY = re.compile(
    r"\s*(?:select|with|insert|update|delete|explain|create|alter|drop|merge|grant|copy|call)\s", re.IGNORECASE
)
_SIGN_OF_QUERY = re.compile(r"[=*<>;]|\w\(|\w,\s*\w|\bfrom\s+[\w\"\[]+\.[\w\"]")
_ASKS_FOR_SCHEMA = re.compile(
    r"\s*(?:describe|desc|show|pragma|explain)\s|\s*select\b.*\b(?:information_schema|pg_catalog|sqlite_master|syscat|all_tab\w*)\b",
    re.IGNORECASE | re.DOTALL,
)
_ONLY_SHOWS = re.compile(
    r"\s*(?:import\s|from\s+\S+\s+import\s|#|//|--|%\w+|print\(|console\.log\(|display\(|pprint\(|[\w.]+\.(?:head|info|shape"
    r"|describe|tail|sample|dtypes|columns|show|printSchema)\b(?:\(.*\))?\s*;?$|[\w.]+\s*;?$|[)\]}]+[;,]?$|(?:try|else|finally)\s*:|for\s[^()]*:$)"
)
"""Lines that import or print something, look at data, or only name or close something."""
_CALLS_INSIDE = re.compile(r"\w\([^()]*\w\([^()]*\w=")
"""A call with named arguments inside of another: what is printed was worked out there."""
_LONG_TEXT = re.compile(r"(\"{3}|'{3}|`).{0,4000}?\1", re.DOTALL)
_TEXT = re.compile(
    r"\"{3}.{0,4000}?\"{3}|'{3}.{0,4000}?'{3}|\"[^\"\n\\]*(?:\\.[^\"\n\\]*)*\"|'[^'\n\\]*(?:\\.[^'\n\\]*)*'"
)
_NUMBER = re.compile(r"(?<![\w.-])\d[\d_]{5,}(?:\.\d+)?\b")
_OF_SOMEBODY = re.compile(
    r"(?:^|[\W_])(?:e_?mail|phone|mobile|surname|dob|birth\w*|street|address|passport|iban|ssn"
    r"|(?:first|last|full|given|family|customer|client|patient|guest|user)_?name)"
    r"(?:\"|')?\]?\s*(?:=|==|:|(?i:like|in|ilike))\s*\(?\s*$"
)
"""What stands before a text that names somebody."""
_PERSONAL_VALUE = re.compile(
    r"((?<![A-Za-z])(?:e_?mail|phone|mobile|surname|dob|birth\w*|street|passport|iban|ssn)\s*=\s*)"
    r"(?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\d[\d._]*)"
)
_NAME_INSIDE = re.compile(r"(?<=\s)[A-ZÀ-Þ][a-zà-ÿ]")
_HIDES_TEXT = re.compile(r"\\|--\s|/\*|\$\$|['\"]")
"""What hides where a text ends."""
_WORD = re.compile(r"\w+")
_AGAIN = 0.4
"""Least share of the words of a program that failed which one has that does the same again."""
_LONGEST_TEXT = 80
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--)\s.*$")
_CALLS = re.compile(r".{0,200}\w\(")


def code_argument(step: Step) -> str:
    """Return the name of the argument that holds the program or the query of a call; empty where none does."""
    if step.kind != "call":
        return ""
    for name, value in step.arguments.items():
        if isinstance(value, str) and _holds_code(name, value):
            return name
    return ""


def _holds_code(name: str, value: str) -> bool:
    if _QUERY_ARGUMENT.fullmatch(name):
        return _QUERY.match(value) is not None and _is_code(value)
    return _holds_settings(name, value) or (_ARGUMENT.fullmatch(name) is not None and _is_code(value))


def _holds_settings(name: str, value: str) -> bool:
    is_settings = _SETTINGS_ARGUMENT.fullmatch(name) is not None and _SETTINGS.search(value) is not None
    is_settings = is_settings or (_METRICS_ARGUMENT.fullmatch(name) is not None and _is_code(value))
    return is_settings or _FORMULA.match(value) is not None


def is_settings_step(step: Step) -> bool:
    """Return true for a call that gives a tool a formula, the text of a configuration, or a change of one.

    Unlike a query it holds for every case.
    """
    name = code_argument(step)
    return bool(name) and _holds_settings(name, str(step.arguments[name]))


def _is_code(text: str) -> bool:
    """Return true for code and queries; words of a sentence may begin as a query does, and have none of its signs."""
    return (_SIGN_OF_QUERY if _QUERY.match(text) else _CODE).search(text) is not None


def is_code_cell(step: Step) -> bool:
    """Return true for a call by which a tool runs a program or a query."""
    return bool(code_argument(step))


def asks_about_data(steps: Sequence[Step]) -> bool:
    """Return true for a run whose calls are all of tools that run programs and queries, or only ask for something."""
    tools = {step.tool for step in steps if is_code_cell(step)}
    return bool(tools) and all(step.tool in tools or is_lookup(step) for step in steps)


def looks_at_schema(step: Step) -> bool:
    """Return true for a query that only asks which tables and columns there are."""
    given = (value for name, value in step.arguments.items() if isinstance(value, str) and _ARGUMENT.fullmatch(name))
    return step.kind == "call" and any(map(_ASKS_FOR_SCHEMA.match, given))


def code_lines(code: str) -> list[str]:
    """Return the lines of a program without their indentation; a query is one line."""
    if _QUERY.match(code):
        return [" ".join(code.split())]
    code = _LONG_TEXT.sub(lambda found: " ".join(found[0].split()), code)
    return [line.strip() for line in code.splitlines() if line.strip()][:_MOST_LINES]


def telling_step(step: Step, others: Sequence[Step]) -> Step | None:
    """Return a call with the telling lines of its program in its place; None where it has none.

    Lines that one of the others has as well are left out.
    """
    name = code_argument(step)
    known = {line for each in others if (other := code_argument(each)) for line in code_lines(each.arguments[other])}
    lines = telling_lines(code_lines(step.arguments[name]), known)
    return replace(step, arguments={**step.arguments, name: "\n".join(lines)}) if lines else None


def with_telling_lines(steps: Sequence[Step], worked: Sequence[Step]) -> list[Step]:
    """Return the steps that worked; of programs and queries what no later one has, and none without that.

    Where not all have room the last ones are told: each line stands in the last that has it. Of a long program those
    lines are told that none of the run's `steps` before it had.
    """
    cells = [step for step in steps if is_code_cell(step)]
    places = {id(step): place for place, step in enumerate(cells)}
    later: list[Step] = []
    told: list[Step] = []
    for step in reversed(worked):
        place = places.get(id(step))
        shown = step if place is None else _shown(step, later, cells[:place])
        told += [] if shown is None else [shown]
        later += [] if place is None else [step]
    return told[::-1]


def _shown(step: Step, others: Sequence[Step], before: Sequence[Step]) -> Step | None:
    """A call with the lines of its program that no other has; of a long one without those that one before it had."""
    shown = telling_step(step, others)
    if shown is None or len(str(shown.arguments[code_argument(shown)])) <= CODE_CHARS:
        return shown
    return telling_step(step, [*others, *before]) or shown


def telling_lines(lines: Sequence[str], known: Collection[str] = ()) -> list[str]:
    """Return the lines that do something, as far as they are not `known`; of a printed call the one with options."""
    kept = [line for line in lines if not _ONLY_SHOWS.match(line) or _CALLS_INSIDE.search(line)]
    return [line for line in kept if line not in known]


def shares_code(failed: Step, other: Step) -> bool:
    """Return true for a program that has a good part of the words of one that failed: it does the same again."""
    ours, theirs = (set(_WORD.findall(str(step.arguments[code_argument(step)]))) for step in (failed, other))
    return len(ours & theirs) >= _AGAIN * len(ours)


def changed_code(worked: Step, failed: Step) -> Step | None:
    """Return the call that worked with its program, of a long one with the lines that the failed one had not."""
    return _shown(worked, (), [failed])


def without_somebodys(code: str) -> str:
    """Return code with an ellipsis for what in it may be somebody's; empty where nothing shows where a text ends.

    Left are texts in one word, as names of columns, files and zones are, and phrases without a name.
    """

    def masked(found: re.Match[str]) -> str:
        text = found[0].strip("\"'")
        is_somebodys = may_identify(text) or _OF_SOMEBODY.search(code[max(0, found.start() - 40) : found.start()])
        is_phrase = " " in text.strip() and _NAME_INSIDE.search(text) is not None
        return CUT if is_somebodys or is_phrase or (len(text) > _LONGEST_TEXT and not _QUERY.match(text)) else found[0]

    if _HIDES_TEXT.search(_TEXT.sub("", code)):
        return ""
    return _NUMBER.sub(CUT, _TEXT.sub(masked, _PERSONAL_VALUE.sub(rf"\1{CUT}", code)))


def code_in_one_line(code: str, failed: str = "") -> str:
    """Return a program in one line, of a long one as many of its last lines as have room.

    Before those the line is told that does again what one of a program that `failed` did.
    """
    lines = [_without_comment(line).replace("`", "").rstrip(";") for line in code_lines(code)]
    lines = list(filter(None, lines))
    again = _line_done_again(lines, code_lines(failed))
    told, room = "", CODE_CHARS - (0 if again is None else len(lines[again]) + len(CUT) + 3)
    for place in range(len(lines) - 1, -1, -1):
        if told and len(told) + len(lines[place]) + 2 > room:
            before = lines[again] if again is not None and again <= place else ""
            return f"{before}; {CUT} {told}" if before else f"{CUT} {told}"
        told = f"{lines[place]}; {told}" if told else truncate_line(lines[place], CODE_CHARS)
    return told


def _without_comment(line: str) -> str:
    """A line without the comment at its end, which would make one of what is told behind it."""
    comment = _COMMENT.search(_TEXT.sub(lambda found: "x" * len(found[0]), line))
    return line[: comment.start()].rstrip() if comment else line


def _line_done_again(lines: Sequence[str], failed: Sequence[str]) -> int | None:
    """The place of the line that is most like one of a program that failed; None where none is, or it is the same."""
    best, most = None, _AGAIN
    for place, line in enumerate(lines):
        words = set(_WORD.findall(line))
        for other in failed if line not in failed and len(line) <= CODE_CHARS // 2 else ():
            theirs = set(_WORD.findall(other))
            alike = len(words & theirs) / max(len(theirs), 1)
            if alike > most and _CALLS.match(other) is not None and not _ONLY_SHOWS.match(other):
                best, most = place, alike
    return best

"""The text of a failed step: the line that says what went wrong, with what the output adds to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.headlines import Headline, find_headlines
from mcp_reflect.domain.error_matching.output_lines import is_complaint, is_error, is_frame, is_summary
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.text.observation import reads_as_command
from mcp_reflect.domain.truncate import truncate_line

ERROR_CHARS = 180
_LEAST_FAILURE = 16
"""Characters of a failure from which another one that holds it is the same."""
_DETAIL_CHARS = 140
_LEAST_NEW = 3.0
"""Weight of new words from which a further line says more than the headline does."""
_LENGTH_POWER = 0.5
_SIDES = 2
_FEW = 3
"""Words from which a headline is one without the code that it points at."""

_SENTENCE_END = re.compile(r"(?<=[a-z\d`'\")\]])[.!]\s+(?=[A-Z\[\"'`(])")
_MARGIN = re.compile(r"^[\s|>.^~_=-]*(?:\d+\s*\|)?[\s|>^~_-]*")
_CODE = re.compile(r"\s*(?:\d+\s*[|+-]|[+-]{3}|-->)|.*[{}();,]\s*$")
_PLAIN_WORD = re.compile(r"(?<![\w./:-])[A-Za-z']{2,}(?![\w/:]|\.\w)")
_LEAST_WORDS = 4
_COMPARES = re.compile(
    r"\b(?:assert\w*|expect\w*|equal\w*|left|actual|got|want\w*|mismatch\w*|diff\w*)\b", re.IGNORECASE
)
_SIDE = re.compile(
    r"^\s*(?:[+-]\s*\S|(?:left|right|actual|expected|received|got|want(?:ed)?|found)\s*:)", re.IGNORECASE
)
_ADVICE = re.compile(
    r"\W*(?:if|to|ran|run|use|try|did|please|consider|you|specify|re-?run|make|note|hint|help)\b|.*\bsee\b",
    re.IGNORECASE,
)
"""A tool's advice is no part of its error: `provenance/screening.py` quotes it as such where it stands for itself."""


_MESSAGE = re.compile(r"(?<==> )\{[^\n]{0,200}?\"msg\": \"([^\"\n]{3,300})\".*")
"""An object with a message, as Ansible prints it."""
_DUMP = re.compile(
    r"(?<=\w)\{(?=[^\n]{0,200}[:=])[^{}\n]{0,400}(?:\{[^{}\n]{0,400}\}[^{}\n]{0,400}){0,20}\}(?=\S{0,3}\s+\S)"
)
"""A long value in an error, which says why behind it."""
_PROCESS = re.compile(r"^==\d+==\s*")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b", re.IGNORECASE)
_STAMP = re.compile(
    r"^(?:[IWEF]\d{4} \d\d:\d\d:\d\d[.\d]* +\d+ \S+\] "  # klog
    r"|\[?\d{4}[/-]\d\d[/-]\d\d[ T]\d\d:\d\d:\d\d\S*\s+(?:\[\w+\] \d+#\d+: )?)"  # nginx and others
)
"""When and where a line was logged."""
_INNER_ERROR = re.compile(r".*\b([Ee]rror:\s+(?:\S+\s+){2}\S.*)")
"""The last error in a line of which each says what led to the next, as those of Maven do. To be matched: a search
would read on to the end of the line from each place in it."""
_MARK = re.compile(r"^E\s+(?=\S)")
"""What pytest puts before the lines of an exception."""
_GENERIC = re.compile(
    r"^(?:exit(?:ed)?|process|command|error|npm err!?|make(?:\[\d+\])?:|error: command|failed|failure|traceback"
    r"|build failed|fatal|the command)?\W*(?:exit(?:ed)?\s*)?(?:with\s*)?(?:code|status|error|failed)?\W*-?\d*\W*$",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"^(?:FAIL(?:ED)?\s+\S+|[=_]{3,}|collect2:|error: (?:could not compile|aborting)|ERROR:\s\w+ \("
    r"|make(?:\[\d+\])?: \*\*\* \["
    r"|\S+: (?:FAIL|ERROR|exit)\w*,? (?:code|status) \d+\b|.*\(\d[\d.]* ?(?:m?s|sec|seconds?)\)$"
    r"|npm ERR! (?:code|errno|A complete log)|exit code|TAP version"
    r"|.*\bFAILED\s+\[\s*\d+%\]$|.*\(Wstat: \d|test .* \.\.\. (?:FAILED)?$)",
    re.IGNORECASE,
)
_TROUBLE = re.compile(r"\b(?:errors?|fail(?:s|ed|ure)?|fatal|wrong|rejected|aborted|killed|crashed)\b", re.IGNORECASE)
"""What says that something is wrong in a line that has not the form of an error."""
_PASSED = re.compile(r"\W*\d+ (?:tests? )?(?:passed|ok|succeeded)\b(?!.*\b[1-9]\d* (?:failed|errors?)\b)")
_GREPS = re.compile(r"\b(?:grep|rg|ag)\s")
_FOUND_LINE = re.compile(r"[\w./-]+:\d+:")
"""How a search through files shows a line, which compilers begin an error with, too."""


def failure_text(steps: Sequence[Step]) -> str:
    """Return what the first of these failed steps that says it says of what went wrong; empty where none does.

    Of a command's output this is its decisive headline, followed in brackets by the line that adds most to it, or by
    the two sides of a comparison.
    """
    for step in steps:
        if step.kind != "command":
            continue
        found = [each for each in find_headlines(step.output) if not _PASSED.match(each.text)]
        if _GREPS.search(step.subject):
            found = [each for each in found if _TROUBLE.search(each.text) or not _FOUND_LINE.match(each.text)] or found
        errors = {each.text: each for each in found if is_error(each.text)}
        headline = errors.get(decisive_error(list(errors)))
        if headline is None and found and _names_nothing(step):
            telling = (each for each in found if _TROUBLE.search(each.text))
            rest = (each for each in reversed(found) if not reads_as_command(each.text))
            headline = next(chain(telling, rest), found[0])
        if headline is not None:
            complaint = _most_telling("", _details(headline, found)) if _SUMMARY.match(headline.text) else ""
            return complaint or _with_detail(headline, found)
    told = decisive_error([error for step in steps for error in step.errors])
    return short_error(told) if steps and steps[0].kind == "command" else told


def is_same_failure(one: str, other: str) -> bool:
    """Return true for the same text; what adds a sentence or a detail to it is the same failure."""
    shorter, longer = sorted((one, other), key=len)
    return one == other or (len(shorter) >= _LEAST_FAILURE and shorter in longer)


def decisive_error(errors: Sequence[str]) -> str:
    """Return the most specific error line: no bare exit code or summary if there is another; empty without one."""
    lines = [_MARK.sub("", error.strip()) for error in errors]
    telling = [line for line in lines if not _GENERIC.match(line)]
    return next((line for line in telling if not _SUMMARY.match(line)), telling[0] if telling else "")


def short_error(error: str) -> str:
    """Return the first sentence of an error on one line of at most 180 characters; of a longer one its last error."""
    line = _STAMP.sub("", " ".join(_ADDRESS.sub("0x…", _PROCESS.sub("", error)).split()))
    line = _MESSAGE.sub(r"\1", line)
    if len(line) > ERROR_CHARS:
        line = _DUMP.sub("{…}", line)
    end = next((found for found in _SENTENCE_END.finditer(line) if " " in line[: found.start()]), None)
    if len(line) > ERROR_CHARS and (inner := _INNER_ERROR.match(line)):
        line, end = inner[1], None
    return truncate_line(line[: end.start()] if end else line, ERROR_CHARS).rstrip(".")


def _names_nothing(step: Step) -> bool:
    """Return true where the lines that were taken for errors say nothing of what went wrong."""
    told = decisive_error(step.errors)
    return told.startswith("#") or is_summary(told) or not (is_error(told) or is_complaint(told))


def _with_detail(headline: Headline, found: Sequence[Headline]) -> str:
    told = short_error(headline.text)
    if len(told.split()) < _FEW and headline.source:
        return f"{told} at `{truncate_line(headline.source, _DETAIL_CHARS)}`"
    detail = _sides(headline) or _most_telling(told, _details(headline, found))
    return f"{told} ({detail})" if detail and len(told) + len(detail) + 3 <= ERROR_CHARS + _DETAIL_CHARS else told


def _sides(headline: Headline) -> str:
    """The first line of each side of a comparison."""
    if not _COMPARES.search(headline.text):
        return ""
    lines = [" ".join(line.split()) for line in headline.details if _SIDE.match(line)]
    first = {line[:1]: line for line in reversed(lines)}  # by its mark
    sides = list(reversed(first.values()))[:_SIDES]
    return "; ".join(sides) if len(sides) == _SIDES and sum(map(len, sides)) <= _DETAIL_CHARS else ""


def _details(headline: Headline, found: Sequence[Headline]) -> Iterator[str]:
    """Lines beside a headline that complain in plain words."""
    others = (line for each in found if each is not headline for line in (each.text, *each.details))
    for line in chain(headline.details, others):
        if is_error(line) or is_frame(line) or is_summary(line) or _CODE.match(line) or not is_complaint(line):
            continue
        told = " ".join(_MARGIN.sub("", line).split()).rstrip(".")
        is_prose = len(_PLAIN_WORD.findall(told)) >= _LEAST_WORDS and not _ADVICE.match(told)
        if is_prose and len(told) <= _DETAIL_CHARS:
            yield told


def says_new(error: str, known: str) -> bool:
    """Return true where most of what an error says is not in another one."""
    terms, weights = term_weights(known), term_weights(error)
    new = sum(weight for word, weight in weights.items() if word not in terms)
    return new >= max(_LEAST_NEW, sum(weights.values()) / 2)


def _most_telling(told: str, details: Iterable[str]) -> str:
    """The line with the most new words for its length; empty where none says enough that is new."""
    known = term_weights(told)
    best, value = "", 0.0
    for line in details:
        new = sum(weight for word, weight in term_weights(line).items() if word not in known)
        if new >= _LEAST_NEW and new / len(line) ** _LENGTH_POWER > value:
            best, value = line, new / len(line) ** _LENGTH_POWER
    return best

"""Keywords of error texts, and the overlap that decides whether two texts report the same error.

An error text, one line or a long stack trace, is first reduced to its *headlines*: the lines that report an error (of a
Python traceback the last one, of others the exception, not the frames), or else its first line. Each headline is
normalized: numbers, ids, times, paths, addresses and line numbers, which differ from run to run, become `#`. Its
keywords are its distinct lower-case words without stop words and without `#`. Then, for keyword sets a and b,

    overlap(a, b) = number of keywords in both / number of keywords in either

and two texts overlap as much as their best pair of headlines. They match above MATCH_OVERLAP: more than half of all
keywords that occur in either are shared. "JWT token validation failed missing secret" and "JWT validation failed
secret not found" share 4 of 8 keywords, 0.5: no match by keywords.

Quoted names stay: "No module named 'numpy'" and "No module named 'pandas'" want different fixes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.limits import MAX_TEXT
from mcp_reflect.domain.trajectory.error_lines import MAX_ERROR_CHARS, MAX_ERRORS, error_line, errors_in_text

MATCH_OVERLAP = 0.5
"""Errors with a greater overlap are returned as known."""

RECURRENCE_OVERLAP = 0.9
"""Least overlap of mistakes that may be the same one: at most one word in ten differs."""

Keywords = frozenset[str]

_SHORT = 3
"""Up to this many lines are one message rather than a trace."""

# Possessive quantifiers and bounded pieces: any text costs time linear in its length.
_VARIABLE = re.compile(
    r"""
    \b[a-z][a-z0-9+.-]{1,15}://[^\s'"<>)\]]++                                   # addresses
    | (?P<quote>["'`])[^"'`\n]{0,200}?[/\\][^"'`\n]{0,200}?(?P=quote)            # quoted paths, blanks included
    | (?<![\w.])(?:~|\.{1,2})?/(?>(?:[\w.@+~-]++/?)+)(?>(?::\d++)*)             # /a/b, ./a, ~/a:12
    | (?<![\w./@+-])[\w.@+-]++/(?>(?:[\w.@+-]++/)*)[\w@+-]++\.\w{1,8}\b(?>(?::\d++)*)   # a/b.py:12
    | (?<![\w./@+-])[\w.@+-]++/(?>(?:[\w.@+-]++/)+)[\w.@+-]*+(?>(?::\d++)*)             # a/b/c
    | \b[a-z]:\\[^\s'"<>|:*?]*+(?>(?::\d++)*)                                    # C:\a\b:12
    | \\\\[\w.$-]++\\[^\s'"<>|:*?]*+                                            # \\host\share
    | \b[\w-]++\.[a-z]\w{0,5}(?::\d++(?::\d++)?|\(\d++(?:,\s?\d++)?\))           # foo.py:12:5, foo.c(12)
    | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b          # UUID
    | \b\d{4}-\d\d-\d\d[t\s_]\d\d:?\d\d(?::?\d\d)?(?:[.,]\d++)?(?:\s?z\b|\s?[+-]\d\d:?\d\d)?
    | \b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s)?(?:\d{1,2}\s)?
      (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{1,4}(?:,?\s\d{4})?\s\d\d:\d\d(?::\d\d)?
    | \b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{0,4}\b | \b(?>(?:[0-9a-f]{1,4}:)*):[0-9a-f]{1,4}\b       # IPv6
    | \b0x[0-9a-f]++\b
    | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b                        # commits, digests
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ISSUED = re.compile(r"(?<![^\W_])(?=[a-z\d]{8})[a-z]*+\d++[a-z]++\d++[a-z\d]*+(?![^\W_])", re.IGNORECASE)
"""Ids as programs issue them: eight or more letters and digits that change more than once."""
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[\w#]+(?:['’]\w+)*")
_FRAME = re.compile(
    r"\s|at\s|File\s\"|in\s|from\s\S+:\d|#\d+\s|\d+:\s|goroutine\s|created by\s|stack (?:trace|backtrace)|traceback\b"
    r"|(?:during handling|the above exception)\b|\W*$",
    re.IGNORECASE,
)
"""Beginnings of stack-trace lines that do not say what went wrong."""


def _words(*lines: str) -> Keywords:
    return frozenset(word for line in lines for word in line.split())


STOP_WORDS = _words(
    """
    a an the of to in on at by for from with and or nor is are was were be been being am it its this that these those
    as has have had having do does did doing will would can could should shall may might must your you i we they he she
    there here then than so if but into onto while when where which who whose during after before please due because
    error errors err exception exceptions traceback warning fatal uncaught unhandled caused thread main info debug
    line lines col char
    """
)
"""Words that occur in errors of every kind. Negations are not among them: many errors differ by one."""

_GENERAL = _words(
    "exit exited code status command process failed failure fail failures returned return non zero run build make npm",
    "step job script test tests not no completed finished terminated",
)
"""A headline of these alone says that something failed. It counts only where no other headline says what."""


def normalized_error(text: str) -> str:
    """Return the headlines of an error text, normalized, in one line."""
    return " ".join(dict.fromkeys(map(normalized_line, headlines(text))))


def normalized_line(line: str) -> str:
    """Return a line with numbers, ids, times, paths, addresses and line numbers as `#`, and single blanks."""
    line = _VARIABLE.sub(" # ", line)
    line = _ISSUED.sub("#", line)
    return " ".join(_DIGITS.sub("#", line).split())


def keywords(line: str) -> Keywords:
    """Return the distinct words of one line that tell which error it is, in lower case."""
    words = (
        word.strip("_").replace("’", "'").replace("'", "") for word in _WORD.findall(normalized_line(line).casefold())
    )
    return frozenset(word for word in words if word.strip("#_") and word not in STOP_WORDS)


def headlines(text: str) -> list[str]:
    """Return the lines of a text that say what went wrong; a message of up to three lines is one headline itself."""
    lines = [line for line in text[:MAX_TEXT].splitlines() if line.strip()]
    found = [] if not lines else list(dict.fromkeys(errors_in_text("\n".join(lines))))
    if len(found) > MAX_ERRORS:
        # The end says what broke, the beginning what broke first.
        found = found[: MAX_ERRORS // 2] + found[-MAX_ERRORS // 2 :]
    if len(lines) <= _SHORT and not any(_FRAME.match(line) for line in lines):
        found.insert(0, error_line(" ".join(lines)))
    elif not found:
        telling = [line for line in lines if not _FRAME.match(line)] or lines
        found = [error_line(telling[0]), error_line(telling[-1])]
    return list(dict.fromkeys(line[:MAX_ERROR_CHARS] for line in found))


def keyword_sets(texts: Iterable[str]) -> list[Keywords]:
    """Return the keywords of each headline of the texts; the merely general sets only where there are no others."""
    sets = list(dict.fromkeys(keywords(line) for text in texts for line in headlines(text)))
    sets = [words for words in sets if words]
    return [words for words in sets if not words <= _GENERAL] or sets


def overlap(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Return the Jaccard similarity of two sets in [0, 1]; symmetric, and 0 where either is empty."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0


def best_overlap(a: Sequence[Keywords], b: Sequence[Keywords]) -> float:
    """Return the largest overlap of a pair from both."""
    return max((overlap(x, y) for x in a for y in b), default=0.0)


def nearly_same_error(mistake: str, evidence: str, other_mistake: str, other_evidence: str) -> bool:
    """Return true where an error may have been taken for a recurrence of another one; `same_error` is stricter.

    Their mistakes must overlap by RECURRENCE_OVERLAP (or be equal when normalized, where neither has keywords). Where
    both have evidence, that must match too.
    """
    mine, theirs = keywords(mistake), keywords(other_mistake)
    alike = (
        overlap(mine, theirs) >= RECURRENCE_OVERLAP
        if mine or theirs
        else normalized_line(mistake) == normalized_line(other_mistake)
    )
    if not alike or not evidence.strip() or not other_evidence.strip():
        return alike
    ours, others = keyword_sets([evidence]), keyword_sets([other_evidence])
    return not ours or not others or best_overlap(ours, others) > MATCH_OVERLAP


def stored_keywords(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the keywords as a memory stores them: one text per headline, sorted, with blanks between."""
    return tuple(" ".join(sorted(words)) for words in keyword_sets(texts))


def error_keywords(mistake: str, evidence: Iterable[str]) -> tuple[str, ...]:
    """Return the stored keywords of an error: of its mistake, of each headline of its evidence, and of the mistake
    together with a headline of the first evidence. People ask with either, or with both in one line.
    """
    pieces = list(evidence)
    joined = [f"{mistake} {line}" for line in headlines(pieces[0])[:_SHORT]] if pieces else []
    return stored_keywords(dict.fromkeys([" ".join(mistake.split()), *pieces, *joined]))

"""A sentence that a run read: what it shows, whether it wants something, and whether another one carries it over.

A sentence of a lesson carries one of them over where it says most of its words, or names what only that sentence names:
an agent that believes what it read says it in its own words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.output_lines import FRAME
from mcp_reflect.domain.lessons.sentences.vocabulary import stem
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.channels import Channel
from mcp_reflect.domain.provenance.tokens import stems_of, tokens_of
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.observation import (
    is_prose,
    reads_as_command,
    reads_as_error,
    reads_as_setting,
    reads_as_titles,
    without_asides,
)
from mcp_reflect.domain.text.observation_wording import FUNCTION_WORD
from mcp_reflect.domain.text.wishes import tells_to_call, wants_something

_CARRIED = 0.6
"""Least share of a sentence's words that another one says which carries it over."""
_LEAST_WORDS = 2
_REPEATED, _LEAST_REPEATED = 0.9, 3
"""Least share, and number, of a sentence's stems that another one holds which it repeats."""
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"(?=.*[a-z])(?=.*[\d_./@-]).{4,}")
_ENCODINGS = frozenset(
    ("utf8", "utf-8", "utf16", "utf-16", "latin1", "latin-1", "iso-8859-1", "cp1252", "windows-1252")
)
"""Names that every program has."""
ROW_OF_NAMES = re.compile(r"(?:[MADRCU?!]{1,2} )?[\w@.+/:-]+(?:(?:\s{2,}|\t)[\w@.+/:-]+)*", re.ASCII)
"""A single name, also behind letters of `git status`, names as `ls` lists them side by side, and heads of columns."""
_PART = re.compile(r"[._:-]+")
_MOST_PARTS = 4
"""A file with a longer name could be a sentence."""
_STATEMENT = re.compile(r"\b(?:SELECT|FROM|JOIN|WHERE|GROUP BY|ORDER BY|INSERT INTO|(?:CREATE|ALTER) TABLE|VALUES)\b")
"""Words of SQL, which are in capitals in a statement."""
_DEFINITION = re.compile(
    r"(?:create|alter)(?: or replace)?(?: (?:temp|temporary|materialized|external|unique|secure))* "
    r"(?:table|view|index|function|procedure|schema|sequence|type|stage|task)\b.*"
    r"|(?:select\b.*(?:[(,*]| from ).*|(?:from|(?:left |right |inner |outer |cross )*join) [\w.\"`]+(?: (?:as )?\w+)?"
    r"(?: on .*)?|(?:where|and|or|on) [\w.\"`]+ ?(?:[=<>]|is |in |not |like ).*|where not \w+|(?:group|order) by .*"
    r"|insert (?:or \w+ )?into [\w.\"`]+.*|with \w+ as \(.*)[;,)]?",
    re.IGNORECASE,
)
"""A line of SQL, in whatever case: what a database holds, and no order."""
_CREATES = re.compile(r"CREATE (?:OR REPLACE )?(?:UNIQUE )?(?:VIEW|TABLE|INDEX|TYPE|SCHEMA|SEQUENCE) \w")
_TAG = re.compile(r"</?\w[^<>]*>(?:[^<>\s]*</\w+>)?")
"""A tag of markup, with the single word in it if any."""
_IN_CODE = re.compile(r"(?<!\S)(?:\S*[$/\\=(){}<>|]\S*|-{1,2}\w[\w-]*)")
"""Options, and words with a sign of code in them."""
COMMENT = re.compile(r"\s*(?:#(?![!\[\w])|//(?!go:(?:embed|build)\s)|/\*|\*\s|--\s|<!--|;\s)")
"""What begins a comment: words of whoever wrote it, and no code."""
_MANIFEST = re.compile(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.cfg|requirements[\w.-]*\.txt|Pipfile|Cargo\.toml|go\.mod|Gemfile"
    r"|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|[\w-]+\.csproj)(?= |$)"
)
_OF_OTHERS = re.compile(r"(?:^|/)(?:node_modules|vendor|site-packages|third_party|\.cargo)/")
"""Folders of packages that a project uses: their manifests name what is theirs."""


Contents = Literal["code", "names", "prose"]
"""What the call that brought a text shows: source code, listings and output of commands, or pages and documents."""


class TextReading(NamedTuple):
    """The way in which a run came to a text. `place` orders texts and calls.

    `failed` is the command of whose failure it tells; empty for any other text. `name` is that of the tool, the page's
    host or the file.
    """

    source: TextOrigin
    place: int
    failed: str = ""
    holds: Contents = "prose"
    name: str = ""
    channel: Channel = "own"


def _as_it_is(text: str) -> str:
    return text


@dataclass(eq=False)  # frozen, it would take three times as long to make: a run reads hundreds
class Observed:
    """A sentence out of a text that a run read, with the fields of its `TextReading`.

    `plain` is the text without names that the user or the agent gave.
    """

    text: str
    source: TextOrigin
    place: int
    failed: str = ""
    holds: Contents = "prose"
    name: str = ""
    channel: Channel = "own"
    is_line: bool = True
    own_names: Callable[[str], str] = _as_it_is

    @cached_property
    def plain(self) -> str:
        """Return the text without names that the user or the agent gave, and in errors without asides."""
        text = self.own_names(self.text)
        return without_asides(text) if self.failed else text

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Return its words, names and paths in lower case."""
        return tokens_of(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the stems of its words that mean something."""
        return stems_of(self.tokens)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return what it names: identifiers, files, addresses, not words."""
        return frozenset(token for token in self.tokens - _ENCODINGS if _NAME.fullmatch(token))

    @cached_property
    def is_order(self) -> bool:
        """Return true for words that want something. The output of a command may say what it expected.

        A line of code is none by its form, which is that of a command in many languages, but where it says it in prose.
        """
        if self._is_row or self._is_frame or self._is_sql or _TAG.fullmatch(self.text):
            return False
        if self.holds == "code" and not COMMENT.match(self.text):
            return self._is_prose and not reads_as_error(self.plain) and wants_something(self.plain)
        if self.failed:  # a compiler may quote code, but what it tells to call is an order
            return (is_prose(self.plain) and wants_something(self.plain, of_error=True)) or tells_to_call(self.plain)
        is_command = self.is_line and reads_as_command(self.plain)
        return is_command or (self._is_prose and wants_something(self.plain))

    @cached_property
    def is_statement(self) -> bool:
        """Return true for prose that wants nothing."""
        return self._is_prose and not (self.is_order or self._is_row or self._is_frame or self._is_sql)

    @property
    def _is_frame(self) -> bool:
        """True for a place in a program where a command failed."""
        return bool(self.failed and FRAME.match(self.text))

    @cached_property
    def _is_prose(self) -> bool:
        """True for words that somebody could follow; a line of code that is no comment has small words between them."""
        if self.holds != "prose" and _STATEMENT.search(self.plain):
            return False
        is_code = self.holds == "code" and self.is_line and not COMMENT.match(self.text)
        if is_code and not FUNCTION_WORD.search(_IN_CODE.sub(" ", self.plain.lower())):
            return False
        return is_prose(self.plain)

    @cached_property
    def _is_sql(self) -> bool:
        """True for a line of SQL in the output of a command, or in a file; in prose for one that defines something."""
        is_shown = self.holds != "prose" or _CREATES.match(self.text) is not None
        return is_shown and self.is_line and _DEFINITION.fullmatch(self.text) is not None

    @cached_property
    def _is_row(self) -> bool:
        text = self.text
        return bool(ROW_OF_NAMES.fullmatch(text)) or reads_as_setting(text) or reads_as_titles(text)

    @cached_property
    def is_evidence(self) -> bool:
        """Return true where it shows names as they are at hand, and recommends none.

        The code of a file, an error, and a name or a row of names in an output do; a page or a document never does.
        """
        if self.holds == "prose" or not self.is_line:
            return False
        shows_names = self._is_row and all(map(is_short_name, self.text.split()))
        is_code = self.holds == "code" and not (COMMENT.match(self.text) or self.is_prose)
        return self.is_diagnosis or shows_names or is_code or self._is_sql

    def shows(self, word: str) -> bool:
        """Return true where it is evidence for a word of its own: what an error has in parentheses may be advice."""
        return self.is_evidence and not (self.is_diagnosis and word not in tokens_of(without_asides(self.text)))

    @cached_property
    def is_diagnosis(self) -> bool:
        """Return true for a line with an error of a command that failed."""
        return bool(self.failed) and self.is_line and reads_as_error(self.plain)

    @property
    def is_of_manifest(self) -> bool:
        """Return true for a line of a file in which the project itself names its packages."""
        return bool(_MANIFEST.search(self.name)) and not _OF_OTHERS.search(self.name) and self.is_evidence

    @property
    def is_prose(self) -> bool:
        """Return true for an order or a statement, false for code, values and listings."""
        return self.is_order or self.is_statement

    @cached_property
    def verb(self) -> str:
        """Return the stem of the word that an order begins with."""
        return next((stem(word) for word in _WORD.findall(skeleton(self.plain))), "")

    def is_repeated_by(self, stems: frozenset[str]) -> bool:
        """Return true where a sentence of these stems repeats it, and it wants nothing."""
        is_most = len(stems) >= _LEAST_REPEATED and len(stems & self.words) >= _REPEATED * len(stems)
        return is_most and not self.is_order  # which takes longest to tell

    def is_carried_by(self, stems: frozenset[str], known: frozenset[str], least: int = _LEAST_WORDS) -> bool:
        """Return true where other words carry it over; `known` are stems that say nothing, as the user said them."""
        mine = self.words - known
        shared = mine & stems
        return len(shared) >= min(least, len(mine)) > 0 and len(shared) >= _CARRIED * len(mine)


def is_short_name(name: str) -> bool:
    """Return true for the name of a file, in whatever folder, that is too short to be a sentence."""
    is_one_word = not any(map(str.isspace, name))
    return is_one_word and all(len(_PART.split(part)) <= _MOST_PARTS for part in name.split("/"))

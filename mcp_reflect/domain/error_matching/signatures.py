"""Signatures of errors: what has to agree for two texts to report the same error, and not just one of the same shape.

A signature belongs to one headline (`headlines.py`). Its `key` is the headline word by word and in order, without what
differs from run to run and from machine to machine: numbers, ids, times, folders, line numbers, levels and hints. What
remains names the error: its code (E0382, TS2345, ENOENT), its exception type, symbols, packages, the versions that are
asked for, files and quoted text.
Of a path the last part remains, since folders above it differ from machine to machine; a path that counts from the
folder of the command does not, and tells `etc/app` from `opt/app`.

Two signatures agree where their keys are equal and nothing that both know of the place contradicts: the file, the
function, and the code that is pointed at. For what lies outside of the code, such as a missing package or a refused
connection, the place does not count. A key that names nothing ("list index out of range") agrees only where the place
does.

Two texts report the same error where a signature of one agrees with one of the other, and at most one of the texts has
further signatures that do not: an output that goes on about more is still the same error, two outputs that have only
a line in common are not. What names nothing and stands in both is nothing further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.headlines import Headline, find_headlines
from mcp_reflect.domain.error_matching.keywords import normalized_line
from mcp_reflect.domain.error_matching.message_words import (
    base_name,
    file_in,
    is_nameless,
    may_be_same_path,
    names_version,
    paths_in,
    split_message,
)
from mcp_reflect.domain.text.memoize import memoize_short

_MOST_WORDS = 60
_MOST_COMPARED = 2_000
"""Characters of code, or of what follows a headline."""
_OPENING = 4
"""Least words of a headline that another output may continue in the same line."""
_LIKE = 0.8
"""Least overlap (Jaccard) of the code, or of what follows a headline, in two runs of the same error."""

_OUTSIDE = re.compile(
    r"\b(?:module|package|command|librar(?:y|ies)|crate|dependenc\w+|import\w*|connect\w*|refused|resolve|host|port|network"
    r"|permission|denied|certificate|no\sspace|image|registry|auth\w*|password|database|table|column|relation|script|plugin"
    r"|version|requirement|socket|address|enoent|econnrefused|no\ssuch\sfile|remote|repository|context|daemon|executable)\b",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"[\w-]{2,}\.[a-z][a-z0-9]{0,4}")


@dataclass(frozen=True)
class ErrorSignature:
    """The signature of a headline. What is unknown is empty.

    `outside` is true where the place does not count, `named` where the key names something. `file` and `function` are
    the innermost place, `files` are all that are named as places; `source` are the words of the code pointed at,
    `details` those of the lines that follow, `paths` those of the headline.
    """

    key: str
    named: bool = True
    outside: bool = False
    file: str = ""
    function: str = ""
    source: frozenset[str] = frozenset()
    details: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def agrees(self, other: ErrorSignature) -> bool:
        """Return true where both stand for the same error."""
        if self.named and self.outside:
            return self._reads_like(other)
        return self.allows(other) and (self.named or True in self._places(other))

    def allows(self, other: ErrorSignature) -> bool:
        """Return true where nothing that is known of both contradicts that they stand for the same error."""
        return self._reads_like(other) and False not in self._places(other)

    def _reads_like(self, other: ErrorSignature) -> bool:
        reads_alike = self.key == other.key or self._goes_on_as(other) or other._goes_on_as(self)
        return reads_alike and not _name_other_paths(self.paths, other.paths)

    def _places(self, other: ErrorSignature) -> list[bool | None]:
        """Return whether file, function, code and details agree; None where one does not know."""
        known = [
            self._is_in_file_of(other) if self.file and other.file else None,
            self.function == other.function if self.function and other.function else None,
            _alike(self.source, other.source) if self.source and other.source else None,
            False if _differ_in(_is_file, self.details, other.details) else None,
            False if _differ_in(names_version, self.details, other.details) else None,
        ]
        if not self.named:
            told, others = self.details, other.details
            known.append(told <= others or others <= told if told and others else None)
        return known

    def _is_in_file_of(self, other: ErrorSignature) -> bool | None:
        """Return None where only the trace below one of them names the file of the other."""
        if self.file == other.file:
            return True
        return None if self.file in other.files or other.file in self.files else False

    @property
    def opening(self) -> str:
        """The first words of the key: signatures that agree have them in common."""
        return " ".join(self.key.split(" ", _OPENING)[:_OPENING])

    def _goes_on_as(self, other: ErrorSignature) -> bool:
        """Return true where the other key only adds what stands beside or below this headline."""
        if not other.key.startswith(f"{self.key} ") or self.key.count(" ") + 1 < _OPENING:
            return False
        return self.source | self.details >= set(other.key[len(self.key) + 1 :].split())


SignatureGroup = tuple[ErrorSignature, ...]
"""The signatures of one text."""


@memoize_short(entries=256, chars=8_000)
def error_signatures(text: str) -> SignatureGroup:
    """Return the signatures of an error text, one per key, in order."""
    found: dict[str, ErrorSignature] = {}
    for headline in find_headlines(text):
        signature = signature_of(headline)
        if signature.key:
            found.setdefault(signature.key, signature)
    return tuple(found.values())


def is_same(asked: Sequence[ErrorSignature], known: Sequence[ErrorSignature]) -> bool:
    """Return true where two texts report the same error; symmetric."""
    if not any(a.agrees(b) for a in asked for b in known):
        return False
    return _has_no_further(asked, known) or _has_no_further(known, asked)


def _has_no_further(ours: Sequence[ErrorSignature], theirs: Sequence[ErrorSignature]) -> bool:
    """Return true where each of our signatures agrees with one of theirs, or reads as one does and names nothing."""
    return all(any(a.agrees(b) or (not a.named and a.allows(b)) for b in theirs) for a in ours)


def same_error(mistake: str, evidence: str, other_mistake: str, other_evidence: str) -> bool:
    """Return true where an error is a recurrence of another one.

    Their mistakes must have the same words apart from what differs from run to run, in any order (or be equal when
    normalized, where nothing else is left). Where both have evidence, that must not contradict it.
    """
    mine, theirs = split_message(mistake)[0], split_message(other_mistake)[0]
    alike = (
        sorted(mine) == sorted(theirs) if mine or theirs else normalized_line(mistake) == normalized_line(other_mistake)
    )
    if not alike or not evidence.strip() or not other_evidence.strip():
        return alike
    ours, others = error_signatures(evidence), error_signatures(other_evidence)
    return not ours or not others or is_same(ours, others) or _allow(ours, others)


def _allow(ours: SignatureGroup, others: SignatureGroup) -> bool:
    """Return true where each signature of one may stand for the same error as one of the other."""
    return all(any(a.allows(b) for b in others) for a in ours) and all(any(b.allows(a) for a in ours) for b in others)


def signature_of(headline: Headline) -> ErrorSignature:
    """Return the signature of a headline; its key is empty where nothing is left of it."""
    words, files = split_message(headline.text)
    path, function = headline.frame
    details = " ".join(headline.details)
    explained, places = split_message(details[:_MOST_COMPARED])
    return ErrorSignature(
        key=" ".join(words[:_MOST_WORDS]),
        named=any(not is_nameless(word) for word in words),
        outside=bool(_OUTSIDE.search(headline.text)),
        file=next(iter(files), "") or (base_name(path) if path else "") or file_in(details),
        function=function.rpartition("::")[2].rpartition(".")[2].casefold(),
        source=_bag(headline.source, numbers=True),
        details=_as_bag(explained),
        paths=paths_in(headline.text),
        files=frozenset(filter(None, [*files, *places])),
    )


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= _LIKE * len(a | b)


def _differ_in(kind: Callable[[str], bool], a: frozenset[str], b: frozenset[str]) -> bool:
    """Return true where both explanations have words of a kind, and none of them is the same."""
    ours, theirs = (frozenset(filter(kind, words)) for words in (a, b))
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _is_file(word: str) -> bool:
    return _FILE_NAME.fullmatch(word) is not None


def _name_other_paths(a: frozenset[str], b: frozenset[str]) -> bool:
    """Return true where each names something that the other only has in another place: `etc/app` and `opt/app`."""
    return _is_elsewhere(a, b) and _is_elsewhere(b, a)


def _is_elsewhere(paths: frozenset[str], others: frozenset[str]) -> bool:
    for path in paths:
        namesakes = [other for other in others if base_name(other) == base_name(path)]
        if namesakes and not any(may_be_same_path(path, other) for other in namesakes):
            return True
    return False


def _bag(text: str, *, numbers: bool = False) -> frozenset[str]:
    """The distinct words of code."""
    return _as_bag(split_message(text[:_MOST_COMPARED], numbers=numbers)[0])


def _as_bag(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0] not in "'\"")

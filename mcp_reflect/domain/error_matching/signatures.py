"""Signatures of errors: what has to agree for two texts to report the same error, and not just one of the same shape.

A signature belongs to one headline (`headlines.py`). Its `key` is the headline word by word and in order, without what
differs from run to run and from machine to machine: numbers, ids, times, folders, line numbers, levels and hints. What
remains names the error: its code (E0382, TS2345, ENOENT), its exception type, symbols, packages, files and quoted text.

Two signatures agree where their keys are equal and nothing that both know of the place contradicts: the file, the
function, and the code that is pointed at. For what lies outside of the code, such as a missing package or a refused
connection, the place does not count. A key that names nothing ("list index out of range") agrees only where the place
does.

Two texts report the same error where a signature of one agrees with one of the other, and at most one of the texts has
further signatures that do not: an output that goes on about more is still the same error, two outputs that have only
a line in common are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mcp_reflect.domain.error_matching.headlines import Headline, find_headlines
from mcp_reflect.domain.error_matching.keywords import normalized_line

_MOST_WORDS = 60
_OPENING = 4
"""Least words of a headline that another output may continue in the same line."""
_LIKE = 0.8
"""Least overlap (Jaccard) of the code, or of what follows a headline, in two runs of the same error."""

_HINT = re.compile(
    r"""[\s.;,(?–-]*\b(?:did\syou\smean|perhaps\syou|maybe\syou|you\smay\sneed|you\smight|try\s|hint:).*$""",
    re.IGNORECASE,
)
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "`": "'", "´": "'"})
_PREFIX = re.compile(
    r"""(?:
      [\[(<|]?\b(?:error|fatal|critical|severe|err!?|exception|panic|uncaught|unhandled|failed|fail)\b
        (?=[\s:\])>|])[\])>|]?:?\s+
    | (?:error|fatal|panic|uncaught|PHP)\s(?=[A-Z]) | caused\sby:\s | \(in\spromise\)\s
    | exception\sin\sthread\s"[^"]*"\s
    | thread\s'[^']*'\s(?:\(\d+\)\s)?panicked\sat\s | [-*>|!]+\s | (?:---\s)?FAIL(?:ED)?:?\s | \[\w[\w.:-]*\]\s
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME = r"[^\s'\"<>:()\[\],;|]"
_LOCATED = re.compile(
    rf"""
      (?P<a>(?:[A-Za-z]:)?{_NAME}*[\w)]\.[A-Za-z]\w{{0,7}}):\[\d+,\d+\]
    | (?P<b>(?:[A-Za-z]:)?{_NAME}*[\w)]\.[A-Za-z]\w{{0,7}})\(\d+(?:,\d+)?\)
    | (?P<c>(?:[A-Za-z]:)?{_NAME}*[\w)]\.[A-Za-z]\w{{0,7}}|(?:[\w.-]*/)*(?:Make|Docker)file)
        :\d+(?::\d+)?(?:-\d+(?::\d+)?)?
    | (?P<g>{_NAME}*[\w)]\.[A-Za-z]\w{{0,7}}):\(\.\w+\+0x[0-9a-f]+\)
    | (?P<d>{_NAME}+):\sline\s\d+(?=:)
    | \b(?:in|at)\s["']?(?P<e>[^\s'"]+?\.[A-Za-z]\w{{0,7}})["']?,?\s(?:on\s)?line\s\d+
    | ["'](?P<f>[^'"]+)["'],\sline\s\d+
    | \b[Ll]ines?\s\d+(?:,?\s(?:column|col|char)\s\d+)?
    """,
    re.VERBOSE,
)
_PATHS_TOLD = re.compile(r"\([^()]*?:\s+(?:/[^\s()]+\s+)+/[^\s()]+\s*(?:\)|$)")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://([^\s'\"<>)\]]+)", re.IGNORECASE)
_PATH = re.compile(
    r"(?<![\w.@:+-])(?:[A-Za-z]:)?(?:~|\.{1,2})?(?:[\\/]?[\w.@+~$#{}%-]+)?(?:[\\/]+[\w.@+~$#{}%=-]+)+[\\/]?"
)
_TEMPORARY = re.compile(r"(?:^|[\\/])(?:tmp|temp|T|var[\\/]folders[\\/].*)[\\/][^\\/]+$", re.IGNORECASE)
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[t\s_]\d\d:?\d\d(?::?\d\d)?(?:[.,]\d+)?(?:\s?z\b|\s?[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?|µs|ns|kB|MB|GiB|MiB|bytes)\b",
    re.IGNORECASE,
)
_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b|(?<![^\W_])(?=[a-z\d]{8})[a-z]*\d+[a-z]+\d+[a-z\d]*(?![^\W_])",
    re.IGNORECASE,
)
_PORT = re.compile(r"(?<=[\w.\])]):(\d{2,5})\b|\bport[ =:]*(\d{2,5})\b", re.IGNORECASE)
_EPHEMERAL = 32_768
_TOKEN = re.compile(r"""'[^\w\s']{1,4}'|"[^\w\s"]{1,4}"|[\w$@]+(?:(?:::|->|[.\-#/+])[\w$@]+)*""")
_NUMBER = re.compile(r"[-+]?\d[\d_.,]*$|^#$")
_OUTSIDE = re.compile(
    r"\b(?:module|package|command|librar(?:y|ies)|crate|dependenc\w+|import\w*|connect\w*|refused|resolve|host|port|network"
    r"|permission|denied|certificate|no\sspace|image|registry|auth\w*|password|database|table|column|relation|script|plugin"
    r"|version|requirement|socket|address|enoent|econnrefused|no\ssuch\sfile|remote|repository|context|daemon|executable)\b",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"[\w-]{2,}\.[a-z][a-z0-9]{0,4}")
_TYPE_NAME = re.compile(r"(?:error|exception|fault|failure|panic)$")
_QUALIFIED_TYPE = re.compile(r"^[\w$]+(?:\.[\w$]+)*\.(?=\w+(?:error|exception)$)")
_WORD = re.compile(r"\w+")

_NAMELESS = frozenset(
    _WORD.findall(
        """
        a an and any are array as assert assertion at attempt attribute be been block bounds but by call called
        can cannot closed code constant core could declaration declared dereference did division divide do does
        dumped element empty end eof error exceeded exception expected expression fault file found for from func
        function got handle has have identifier in index input integer invalid invocation is it iterator key
        keyword len length limit list main map match maximum memory method mismatched missing must name negative
        nil no nonetype none not null nullpointerexception number object of on operand operation or out overflow
        parse parser pointer property raise raised range recursion reference referenced reached read result
        return returned runtime segmentation segment shift should sigsegv signal size stack statement string
        subscript symbol syntax that the this to token tokens too type types unable undeclared undefined
        underflow unexpected unhandled unknown unterminated unwrap valid value values variable violation was
        while with without write wrong zero depth allowed used before after more than option some err ok true
        false here near line column char char0 illegal access address segv goroutine panic instruction expecting
        enclosed double quotes delimiter json decoder position such directory connection refused reset timed
        timeout permission denied errno addr pc urlopen open connect connecting econnrefused econnreset
        etimedout enotfound eaddrinuse enoent eacces eperm enotdir eisdir fetch request server client network
        host port already use listen bind socket remote peer hung up unreachable temporary resolution service
        try again io os
        """
    )
)
"""Words of messages that name nothing: an error told in these words alone may have any cause."""


@dataclass(frozen=True)
class ErrorSignature:
    """The signature of a headline. What is unknown is empty.

    `outside` is true where the place does not count, `named` where the key names something. `file` and `function` are
    the innermost place; `source` are the words of the code pointed at, `details` those of the lines that follow.
    """

    key: str
    named: bool = True
    outside: bool = False
    file: str = ""
    function: str = ""
    source: frozenset[str] = frozenset()
    details: frozenset[str] = frozenset()

    def agrees(self, other: ErrorSignature) -> bool:
        """Return true where both stand for the same error."""
        if self.named and self.outside:
            return self._reads_like(other)
        return self.allows(other) and (self.named or True in self._places(other))

    def allows(self, other: ErrorSignature) -> bool:
        """Return true where nothing that is known of both contradicts that they stand for the same error."""
        return self._reads_like(other) and False not in self._places(other)

    def _reads_like(self, other: ErrorSignature) -> bool:
        return self.key == other.key or self._goes_on_as(other) or other._goes_on_as(self)

    def _places(self, other: ErrorSignature) -> list[bool | None]:
        """Whether the file, the function, the code and the details agree; None where one of both does not know."""
        known = [
            self.file == other.file if self.file and other.file else None,
            self.function == other.function if self.function and other.function else None,
            _alike(self.source, other.source) if self.source and other.source else None,
            False if _name_other_files(self.details, other.details) else None,
        ]
        if not self.named:
            told, others = self.details, other.details
            known.append(told <= others or others <= told if told and others else None)
        return known

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
    shared = [a for a in asked if any(a.agrees(b) for b in known)]
    if not shared:
        return False
    if len(shared) == len(asked):
        return True
    return all(any(b.agrees(a) for a in asked) for b in known)


def same_error(mistake: str, evidence: str, other_mistake: str, other_evidence: str) -> bool:
    """Return true where an error is a recurrence of another one.

    Their mistakes must have the same words apart from what differs from run to run, in any order (or be equal when
    normalized, where nothing else is left). Where both have evidence, that must not contradict it.
    """
    mine, theirs = _words(mistake, []), _words(other_mistake, [])
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
    files: list[str] = []
    words = _words(headline.text, files)
    path, function = headline.frame
    details = " ".join(headline.details)
    return ErrorSignature(
        key=" ".join(words[:_MOST_WORDS]),
        named=any(not _is_nameless(word) for word in words),
        outside=bool(_OUTSIDE.search(headline.text)),
        file=next(iter(files), "") or (_base_name(path) if path else "") or _told_file(details),
        function=function.rpartition("::")[2].rpartition(".")[2].casefold(),
        source=_bag(headline.source, numbers=True),
        details=_bag(details),
    )


def _is_nameless(word: str) -> bool:
    if word[0] in "'\"":
        return True
    parts = _WORD.findall(word)
    return all(part in _NAMELESS or part.isdigit() or len(part) == 1 or _TYPE_NAME.search(part) for part in parts)


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= _LIKE * len(a | b)


def _name_other_files(a: frozenset[str], b: frozenset[str]) -> bool:
    """Return true where both explanations name files, and none of them is the same."""
    ours, theirs = (frozenset(filter(_FILE_NAME.fullmatch, words)) for words in (a, b))
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _bag(text: str, *, numbers: bool = False) -> frozenset[str]:
    """The distinct words of code, or of lines of explanation."""
    return frozenset(word for word in _words(text[:2_000], [], numbers=numbers) if word[0] not in "'\"")


def _told_file(details: str) -> str:
    found = _LOCATED.search(details)
    return _base_name(next((name for name in found.groups() if name), "")) if found else ""


def _words(text: str, files: list[str], *, numbers: bool = False) -> list[str]:
    """The words of a line in lower case; the files that stand in it as locations are added to `files`."""

    def located(found: re.Match[str]) -> str:
        files.append(_base_name(next((name for name in found.groups() if name), "")))
        return " "

    def port(found: re.Match[str]) -> str:
        number = found[1] or found[2]
        return f" port{number} " if int(number) < _EPHEMERAL else " "

    text = _PATHS_TOLD.sub(" ", text.translate(_QUOTES))
    text = _HINT.sub("", text)
    text = _without_prefixes(text)
    text = _URL.sub(lambda url: f" {url[1].split('?')[0].strip('/').replace('/', ' ')} ", text)
    text = _LOCATED.sub(located, text)
    text = _without_prefixes(text.strip(" :-"))
    text = _TIME.sub(" ", text)
    text = _PATH.sub(lambda path: f" {_base_name(path[0])} ", text)
    text = _ID.sub(" ", _PORT.sub(port, text))
    found = (word.strip("-.") if word[0] not in "'\"" else word for word in _TOKEN.findall(text.casefold()))
    told = [_QUALIFIED_TYPE.sub("", word) for word in found if word]
    return [word for word in told if numbers or not _NUMBER.match(word)]


def _without_prefixes(text: str) -> str:
    while found := _PREFIX.match(text):
        text = text[found.end() :].lstrip()
    return text


def _base_name(path: str) -> str:
    """The last part of a path; empty for a name that was made up for one run."""
    name = re.split(r"[\\/]", path.rstrip("\\/"))[-1]
    made_up = _TEMPORARY.search(path) and (re.match(r"(?:tmp|cc|go-build|rustc)\w*", name) or _ID.search(name))
    return "" if made_up else name.casefold()


# -- as stored


def stored_signatures(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the signatures of texts as a memory stores them: one JSON text per text that has any."""
    groups = dict.fromkeys(error_signatures(text) for text in texts)
    return tuple(_dumped(group) for group in groups if group)


def memory_signatures(mistake: str, evidence: Iterable[str]) -> tuple[str, ...]:
    """Return the stored signatures of an error: of its mistake, and of each piece of its evidence.

    A mistake that only repeats a line of the evidence has none of its own: the evidence knows the place.
    """
    stored = stored_signatures(evidence)
    known = {each.key for group in stored for each in read_signatures(group)}
    own = error_signatures(mistake)
    repeats = bool(own) and all(each.key in known for each in own)
    return stored if repeats or not own else (_dumped(own), *stored)


def _dumped(group: SignatureGroup) -> str:
    rows = [
        [each.key, each.named, each.outside, each.file, each.function, sorted(each.source), sorted(each.details)]
        for each in group
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def read_signatures(stored: str) -> SignatureGroup:
    """Return the signatures that `stored_signatures` wrote as one text."""
    return tuple(
        ErrorSignature(key, named, outside, file, function, frozenset(source), frozenset(details))
        for key, named, outside, file, function, source, details in json.loads(stored)
    )

"""The words of a message that name its error, without what differs from run to run and from machine to machine.

Left out are numbers, ids, times, folders, line numbers, levels and hints; what remains are codes, exception types,
symbols, packages, files and quoted text.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_HINT = re.compile(
    r"""[\s.;,(?–-]*\b(?:did\syou\smean|perhaps\syou|maybe\syou|you\smay\sneed|you\smight|try\s|hint:).*$""",
    re.IGNORECASE,
)
_QUOTES = str.maketrans(dict.fromkeys("‘’‚‹›`´«»„“”", "'"))
_PREFIX = re.compile(
    r"""(?:
      (?:(?:parser?|syntax|run-?time|compil(?:e|er|ation)|link(?:er)?|internal|execution|evaluation|unexpected)\s)?
        (?:error|failure|exception)(?:\s(?:near|at|in|on))?(?:,?\s(?:line|col(?:umn)?|char(?:acter)?|position|offset)\s\d+)*:\s+
    | (?:error|critical|fatal|severe)
        (?::[\w.]+:(?=\S)|\s+(?:\d+\s---\s)?(?:\[[^\]]*\]\s+)?[\w$]+(?:\.[\w$]+)+\s+[-:]\s+|\s--\s\w*:\s)
    | [A-Z],\s\[[^\]]*\]\s+(?=(?:ERROR|FATAL)\s) | [EF]\d{4}\s[\d:.]+\s+\d+\s[\w./-]+:\d+\]\s
    | (?:in|while|during)\s\w+,\s | \w+ing,\s
    | [\[(<|]?\b(?:error|fatal|critical|severe|err!?|exception|panic|uncaught|unhandled|failed|fail)\b
        (?=[\s:\])>|])[\])>|]?:?\s+
    | (?:error|fatal|panic|uncaught|PHP)\s(?=[A-Z]) | caused\sby:\s | \(in\spromise\)\s
    | exception\sin\sthread\s"[^"]*"\s
    | thread\s'[^']*'\s(?:\(\d+\)\s)?panicked\sat\s | [-*>|!]+\s | (?:---\s)?FAIL(?:ED)?:?\s | \[\w[\w.:-]*\]\s
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME = r"[^\s'\"<>:()\[\],;|]"
_DRIVE = r"(?:(?<![A-Za-z])[A-Za-z]:(?=[\\/]))?"
_BEGIN = r"(?<![^\s'\"<>:()\[\],;|\d])"
"""Where a name may begin: not within another one, but behind the digits with which a location ends. What matches from
within a name matches from its beginning, so that this saves work and loses nothing."""
_LOCATED = re.compile(
    rf"""
      (?:{_BEGIN}|(?=[A-Za-z]:[\\/]))(?P<a>{_DRIVE}{_NAME}*[\w)]\.[A-Za-z]\w{{0,7}})
        (?::\[\d+,\d+\]|\(\d+(?:,\d+)?\)|:\d+(?::\d+)?(?:-\d+(?::\d+)?)?)
    | (?P<c>(?:(?<![^\W\d])(?<![./-])(?:[\w.-]*/)+)?(?:Make|Docker)file):\d+(?::\d+)?(?:-\d+(?::\d+)?)?
    | {_BEGIN}(?P<g>{_NAME}*[\w)]\.[A-Za-z]\w{{0,7}}):\(\.\w+\+0x[0-9a-f]+\)
    | {_BEGIN}(?P<d>{_NAME}+):\sline\s\d+(?=:)
    | \b(?:in|at)\s["']?(?P<e>[^\s'"]+?\.[A-Za-z]\w{{0,7}})["']?,?\s(?:on\s)?line\s\d+
    | ["'](?P<f>[^'"]+)["'],\sline\s\d+
    | \b[Ll]ines?\s\d+(?:,?\s(?:column|col|char)\s\d+)?
    """,
    re.VERBOSE,
)
_REPORTER = re.compile(rf"[\w.+-]+:\s(?={_NAME}*[\w)]\.[A-Za-z]\w{{0,7}}:\d+)")
"""The program that found a fault, before its place: `vet: ./main.go:5:6: …`."""
_PATHS_TOLD = re.compile(r"\([^()]*?:\s+(?:/[^\s()]+\s+)+/[^\s()]+\s*(?:\)|$)")
_CALLER = re.compile(
    r"(?:\S*/)?(?:python[\d.]*\s-m|py\s-m|npx|bundle\sexec|(?:uv|poetry|pipenv|pdm|hatch)\srun|sudo)\s(?=[\w./-]+:\s)"
)
"""What called the program that complains: `python -m pytest: error: …`."""
_PROGRAM_VERSION = re.compile(
    r"([a-z]+)-?\d+\.\d[\d.]*(?=:\s)|((?:\S*/)?(?:python|pip|ruby|perl|php|lua|tclsh|gcc|clang))-?\d+(?=:\s)"
)
_ENDING = re.compile(r"\.?\s+(?:Stop\.|\(core\sdumped\))$")
"""What a program says of itself behind a message: that it stops."""
_URL = re.compile(r"\b(?!file:)[a-z][a-z0-9+.-]{1,15}://([^\s'\"<>)\]]+)", re.IGNORECASE)
_PATH = re.compile(
    r"(?<![\w.@:+-])(?:[A-Za-z]:)?(?:~|\.{1,2})?(?:[\\/]?[\w.@+~$#{}%-]+)?(?:[\\/]+[\w.@+~$#{}%=-]+)+[\\/]?"
)
_SCOPED_PACKAGE = re.compile(r"@[\w.~-]+/[\w.~-]+")
_CLIMBS = re.compile(r"^(?:\.{1,2}/)+")
_HOST = re.compile(r"^(?:[\w-]+\.)+[a-z]{2,}(?=/)")
"""Whose address a path begins with, as modules of Go do: it tells where the same thing is kept."""
_DIGITS = re.compile(r"\d+")
_TEMPORARY = re.compile(r"(?:^|[\\/])(?:tmp|temp|T|var[\\/]folders[\\/].*)[\\/][^\\/]+$", re.IGNORECASE)
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[t\s_]\d\d:?\d\d(?::?\d\d)?(?:[.,]\d+)?(?:\s?z\b|\s?[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?|µs|ns|kB|MB|GiB|MiB|bytes)\b",
    re.IGNORECASE,
)
_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|\b\d+#\d+\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b|(?<![^\W_])(?=[a-z\d]{8})[a-z]*\d+[a-z]+\d+[a-z\d]*(?![^\W_])",
    re.IGNORECASE,
)
_PORT = re.compile(r"(?<=[\w.\])]):(\d{2,5})\b|\bport[ =:]*(\d{2,5})\b", re.IGNORECASE)
_EPHEMERAL = 32_768
_QUOTED_NUMBER = re.compile(r"(['\"])(?!\d{5,}\1)(?=[^'\"]{0,20}\d)([\d+,./%-]{1,20})\1")
"""A number, a date or a version in quotes is what the message is about; an id of five digits and more is not."""
_REQUIRED = re.compile(
    r"(?<=[\w\]\"'@])(?:===?|[<>!~]=|\^)\s?v?(\d[\w.]*)"
    r"|\b(?:requires?|needs?|at\sleast)\s(?:[a-z]\w*\s){0,2}(?:[<>=~^]+\s?)?v?(\d+\.\d[\w.]*)"
    r"|(?<![\w.])v?(\d+(?:\.\d+)*)(?=\s(?:or|and)\s(?:above|greater|higher|later|newer|up)\b)",
    re.IGNORECASE,
)
"""A version that is asked for: `requests==2.1`, `requires go >= 1.25`, `CMake 3.28 or higher`."""
_VERSION = "version_"
_TOKEN = re.compile(
    r"""'[^\w\s']{1,4}'|"[^\w\s"]{1,4}"|(?<!\S)\\?[(){}\[\]][^\w\s]?(?=\s+\S)|[\w$@]+(?:(?:::|->|[.\-#/+])[\w$@]+)*"""
)
"""Words, and what stands for a sign: quoted, or a bracket between other words (`Unmatched ( or \\(`)."""
_NUMBER = re.compile(r"[-+]?\d[\d_.,]*$|^#$")
_VALUE = "quoted_"
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


def split_message(text: str, *, numbers: bool = False) -> tuple[list[str], list[str]]:
    """Return the words of a line in lower case and in order, and the names of the files that stand in it as locations.

    `numbers` keeps the numbers, too.
    """
    files: list[str] = []

    def located(found: re.Match[str]) -> str:
        files.append(base_name(next((name for name in found.groups() if name), "")))
        return " "

    def port(found: re.Match[str]) -> str:
        number = found[1] or found[2]
        return f" port{number} " if int(number) < _EPHEMERAL else " "

    # Most lines have neither a number nor a path, and the patterns that take the longest look for one.
    has_number, has_path = bool(_DIGITS.search(text)), "/" in text or "\\" in text
    text = _PATHS_TOLD.sub(" ", text.translate(_QUOTES).replace("file:///", "/"))
    text = _without_prefixes(_without_frame(_HINT.sub("", text)))
    if has_number:
        text = _REQUIRED.sub(_with_version, text)
        text = _QUOTED_NUMBER.sub(lambda value: f" {_VALUE}{'_'.join(_WORD.findall(value[2]))} ", text)
    text = _URL.sub(lambda url: f" {url[1].split('?')[0].strip('/').replace('/', ' ')} ", text)
    if has_number:
        reporter = _REPORTER.match(text)
        text = _LOCATED.sub(located, text[reporter.end() :] if reporter else text)
    text = _without_prefixes(text.strip(" :-"))
    if has_number:
        text = _TIME.sub(" ", text)
    if has_path:
        text = _PATH.sub(lambda path: f" {_name_of(path[0])} ", text)
    if has_number or "-" in text:
        text = _ID.sub(" ", _PORT.sub(port, text))
    found = (word.strip("-.") if word[0] not in "'\"" else word for word in _TOKEN.findall(text.casefold()))
    told = [_QUALIFIED_TYPE.sub("", word) for word in found if word]
    return [word for word in told if numbers or not _NUMBER.match(word)], files


def file_in(text: str) -> str:
    """Return the name of the first file that stands in a text as a location; empty where there is none."""
    found = _LOCATED.search(text)
    return base_name(next((name for name in found.groups() if name), "")) if found else ""


def paths_in(text: str) -> frozenset[str]:
    """Return the paths that a line names, but for those of its locations and of files that were made up for one run.

    They are in lower case, with `/` between the parts, 0 for any number, and a name at the beginning of relative ones.
    Of those behind the address of a host, that is left out: they count as absolute ones.
    """
    if "/" not in text and "\\" not in text:
        return frozenset()
    text = _LOCATED.sub(" ", _URL.sub(" ", _HINT.sub("", text.translate(_QUOTES))))
    found = (path.replace("\\", "/").rstrip("/").casefold() for path in _PATH.findall(text))
    named = (
        _DIGITS.sub("0", _HOST.sub("", _CLIMBS.sub("", path)))
        for path in found
        if not (_TEMPORARY.search(path) or _ID.search(path))
    )
    return frozenset(path for path in named if any(map(str.isalpha, path)))


def may_be_same_path(one: str, other: str) -> bool:
    """Return true where two paths may be of one file: one ends as the other, or both are absolute."""
    if is_absolute(one) and is_absolute(other):
        return True
    short, long = sorted((one, other), key=len)
    return short == long or (not is_absolute(short) and long.endswith(f"/{short}"))


def is_absolute(path: str) -> bool:
    """Return true for a path that does not count from the folder in which a command runs."""
    return path.startswith(("/", "~")) or path[1:2] == ":"


def is_nameless(word: str) -> bool:
    """Return true for a word of messages that names nothing, so that any error may be told in it."""
    if word[0] in "'\"" or word.startswith((_VALUE, _VERSION)):
        return True
    parts = _WORD.findall(word)
    return all(part in _NAMELESS or part.isdigit() or len(part) == 1 or _TYPE_NAME.search(part) for part in parts)


def names_version(word: str) -> bool:
    """Return true for the word that stands for a version that a message asks for."""
    return word.startswith(_VERSION)


def _with_version(found: re.Match[str]) -> str:
    """The words of a requirement, with one word for its version, which is no number that differs from run to run."""
    version = next(filter(None, found.groups()))
    before = found[0].partition(version)[0]
    return f"{before} {_VERSION}{'_'.join(_WORD.findall(version))} "


def _without_frame(text: str) -> str:
    """Return a message without how its program was called, its version, and that it stops."""
    if ": " in text:
        if called := _CALLER.match(text):
            text = text[called.end() :]
        if versioned := _PROGRAM_VERSION.match(text):
            text = f"{versioned[1] or versioned[2]}{text[versioned.end() :]}"
    return _ENDING.sub("", text) if text.endswith((".", ")")) else text


def _without_prefixes(text: str) -> str:
    while found := _PREFIX.match(text):
        text = text[found.end() :].lstrip()
    return text


def _name_of(path: str) -> str:
    return path if _SCOPED_PACKAGE.fullmatch(path) else base_name(path)


def base_name(path: str) -> str:
    """Return the last part of a path in lower case; empty for a name that was made up for one run."""
    name = re.split(r"[\\/]", path.rstrip("\\/"))[-1]
    made_up = _TEMPORARY.search(path) and (re.match(r"(?:tmp|cc|go-build|rustc)\w*", name) or _ID.search(name))
    return "" if made_up else name.casefold()

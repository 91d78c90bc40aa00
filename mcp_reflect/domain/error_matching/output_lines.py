"""Lines of a tool's output: cleaned of decoration, and told apart into errors, summaries, notes and stack frames."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.log_frames import unframed_lines
from mcp_reflect.domain.text.memoize import memoize_short

_MAX_LINE = 600
_HEAD = 60_000
_TAIL = 140_000

_EXCEPTION_TYPE = (
    r"(?:[\w$]+(?:\.|::|\\))*[A-Z][\w$]*(?:Error|Exception|Fault|Failure|Panic|NotFound|DoesNotExist|Timeout)"
)
_SEVERITY = r"(?:fatal|error|critical|severe|panic|abort(?:ed)?|failed|failure|uncaught|unhandled|exception|refused)"
_ERROR = re.compile(
    rf"""
      ^(?:Uncaught\s|Unhandled\s|Caused\sby:\s|Exception\sin\sthread\s\S+\s|PHP\s|\S+:\s){{0,3}}{_EXCEPTION_TYPE}\b(?=\s*(?::|$|\[|\())
    | \({_EXCEPTION_TYPE}\)\s*$
    | (?:^|[\s:(\[<|]){_SEVERITY}(?:\[[\w-]+\]|\s\([\w.\s]+\)|\s[A-Z]+\d+)?[\])>|]?\s?:(?!:)
    | (?:^|[\s\[<|])(?:ERROR|FATAL|CRITICAL|SEVERE|FAIL(?:ED)?|ERR!)[\])>|]?(?:[\s:]+\S|$)
    | (?:^|\s)Error\s(?:at|from|in|reading|while|loading|parsing|opening)\b
    | ^\s*\d+:\d+\s+error\s\s
    | ^\s*(?:[\w.+-]+:\s)?\S*?[\w)]\.\w{{1,8}}(?::\d+(?::\d+)?(?:-\d+)?:|\(\d+(?:,\d+)?\)\s?:|:\[\d+,\d+\])
        \s*(?!\s*(?:in\s|at\s|\d|\(?\.text))\S
    | ^(?:[\w./+-]+:\s)?(?:\S+:\s)?line\s\d+:\s
    | ^[A-Z]{{1,7}}-?\d{{2,5}}\b[:\s]
    | ^[\w.+-]+:\s\(\d+\)\s\S
    | ^\s*!\s\[(?:remote\s)?rejected\]\s
    | \bpanicked\sat\b | \bundefined\s(?:reference|symbol)
    """,
    re.VERBOSE | re.MULTILINE,
)
_ERROR_ANY_CASE = re.compile(
    rf"(?:^|[\s:(\[<|]){_SEVERITY}(?:\[[\w-]+\]|\s[a-z]+\d+)?[\])>|]?\s?:(?!:)\s*(?!(?:none|null|false|0)\b)",
    re.IGNORECASE,
)
_COMPLAINT = re.compile(
    r"""\b(?:not\sfound|no\ssuch|cannot|can't|can\snot|could\snot|couldn't|unable\sto|failed\sto|denied|refused|does\snot
    |doesn't|don't|do\snot|did\snot|is\snot|are\snot|was\snot|isn't|not\s(?:a|an|in|supported|defined|recognized|allowed|installed|exist)
    |unknown|unrecogni[sz]ed|invalid|illegal|missing|unexpected|undefined|undeclared|already\s(?:exists|in\suse|defined)
    |timed\sout|timeout(?![-=.]?\d)|no\srule|multiple\sdefinition|segmentation\sfault|unbound|unresolved|mismatch(?:ed)?|conflict(?:s|ing)?
    |expected|requires?|unsupported|out\sof\s|too\s(?:many|few|large|long|short|small|old|open|big|deep)|bad\s\w+|violat\w+|duplicate|must\s(?:be|have|not)|wrong
    |no\s\w+\s(?:named|found|matching|called))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SUMMARY = re.compile(
    r"""
    \b(?:  # one boundary before them all: within words none is tried
      (?:exit(?:ed|s|ing)?|return(?:ed|s)?|completed|failed|failing|failure|terminated|finished|status|code)\b.{0,80}?
        \b(?:exit|code|status|signal|errors?)\b\W{0,4}(?:\w+\W+){0,2}?-?\d+\W*$
    | returned?\s(?:non-?zero|\d)|non-?zero\s(?:exit|code|status)
    | could\snot\scompile\b | aborting\sdue\sto\b | ld\sreturned\s\d
    | (?:build|compilation|compile)\s(?:was\s)?(?:failed|failure|aborted|terminated)\b
    | test\sresult:\s
    | failed\swith\s(?:\w+\s){0,2}errors?\W*$ | exited\s\(\d+\)\W*$
    | (?:a\scomplete\slog|full\slog|see\s(?:the\s)?log|--explain|stack\strace:?\s*$|require\sstack)
    | subprocess-exited-with-error\b | Compilation\sfailure\W*$ | BUILD\sFAILURE\b
    )
    | \*\*\*\s\[[^\]]*\]\sError\s\d
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SUMMARY_BEGINNING = re.compile(
    r"""
      \W*(?:exit(?:ed)?|process|return)\b[\s_-]*(?:with\s)?(?:code|status)?\W{0,4}-?\d+\W*$
    | make(?:\[\d+\])?:\s\*\*\*\s\[
    | \W*(?:found\s)?\d+\s(?:\w+\s){0,2}(?:errors?|problems?|failures?|failed|warnings?|failing|issues?)\b
    | \W*(?:tests?|failures|errors|total)\b\W+\d
    | \W*(?:error:\s)?failed\sto\spush\ssome\srefs\b
    | =+\s.*\s=+$ | _{3,}.*_{3,}$ | !+.*!+$ | -{3,}
    | \s*(?:code|errno|syscall|command|path|signal|cwd|at|cmd|lifecycle\sscript)\b(?::\s|\s(?!not|found)\S+\s*$)
    | (?:the\s)?command\s['"`].*['"`]\s(?:failed|died|returned)
    | Error:\s*$ | (?=\S*\.)[.FEsx]{3,}(?:\s*\[\s*\d+%\])?\s*$
    | \(?(?:re-run|run\s|try\s|to\s(?:see|fix|learn)|for\smore|use\s|see\s|please\s|consider\s|perhaps|maybe
        |did\syou\smean|usage)
    | FAIL(?:ED)?\s\s?\S*$ | FAIL\t\S+(?:\t[\d.]+s)? | \W*FAIL(?:ED|URE)?\W*$
    | \W*(?:compilation|build|tests?|errors?|error\sstack|errors\sfound)\W*$
    | \[?(?:ERROR|FATAL)\]?\W*(?:\[help\s\d\].*|->\s.*|re-run.*)?$
    | \s*[\w.-]+:\s(?:exit|FAIL\scode)\s\d+\s\( | \s*evaluation\sfailed\b | Finished:\s\w+$
    | Failed\sat\sthe\s\S+\s\S+\sscript\b | This\sis\sprobably\snot\sa\sproblem\b
    | systemd\[\d+\]:\s(?:Start|Stopp)(?:ed|ing)\b
    | systemd\[\d+\]:\s\S+:\s(?:Main\sprocess\sexited|Failed\swith\sresult|Consumed|Scheduled\srestart|Deactivated)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Lines that say that something failed, how often, and where to read on; not what went wrong."""

_LEVEL = re.compile(r"^\s*\[(?:ERROR|FATAL|SEVERE)\]\s*(?=\w)")
_ASIDE = re.compile(
    r"""^\W*(?:\S+\s*:\s?(?:\d+:)*\s?)?(?:\[?(?:warn(?:ing)?|note|info|debug|hint|help|trace|notice|suggestion|verbose|detail|usage|deprecated)\]?
    (?:\[[\w-]+\])?\s?[:!]|\[(?:warn(?:ing)?|info|debug)\])|^\s*(?:npm\s)?(?:warn|notice|verbose|http|silly|info|timing|verb)\s
    |^\S+:\s(?:entering|leaving)\sdirectory|^\s*=\s(?:help|note):|^(?:\++|\$)\s\S|^\s*(?:nox\s)?>\s|^\[Pipeline\]\s
    |^[\w.-]+:\scommands\[\d+\]>\s|^yarn\srun\sv|^Executing\s"\w+"\sstage\s|^I\d{4}\s|^\S*\(node:\d+\)\s\w*Warning""",
    re.IGNORECASE | re.VERBOSE,
)
_WARNING = re.compile(r"\W*+(?:[\w./-]++\s?:\s?)?\[?warn(?:ing)?\]?\s?:", re.IGNORECASE)
_OPTIONS = re.compile(r"\s*(?:arguments|commands|flags|options):\s*", re.IGNORECASE)
_CODE = re.compile(r"\s*code\s[A-Z][A-Z0-9_]+")
_CARET = re.compile(r"^[\s|>.]*(?:\d+\s*\|)?[\s|.]*[~\-_^]*[\^~]+[~\-_^\s|]*(?P<label>.*)$")

FRAME = re.compile(
    r"""
      ^\s*File\s"(?P<py_path>[^"]+)",\sline\s\d+(?:,\sin\s(?P<py_name>\S+))?
    | ^(?P<test_path>[^\s:()]+\.\w{1,5}):\d+:(?:\sin\s(?P<test_name>\S+)|\s\w+(?:Error|Exception|Failed)?|\s?)$
    | ^\s*at\s(?:async\s|new\s)?(?P<js_name>[^\s(]+)(?:\s\[as\s\w+\])?\s\((?P<js_path>[^()]*?):\d+:\d+\)
    | ^\s*at\s(?:file://)?(?P<bare_path>[^\s()]+?):\d+(?::\d+)?\s*$
    | ^\s*at\s(?P<java_name>[\w.$<>/]+)\((?P<java_path>[^():]+?)(?::\d+)?\)
    | ^\s+(?P<go_path>\S+\.go):\d+(?:\s\+0x[0-9a-f]+)?$
    | ^\s*(?:from\s)?(?P<rb_path>[^\s:]+):\d+:in\s[`'](?P<rb_name>[^']+)'(?!:)
    | ^\#\d+\s+(?P<php_path>[^\s(]+)\(\d+\):\s(?P<php_name>[^(]+)
    | ^\s+(?P<lua_path>[^\s:]+):\d+:\sin\s(?:\w+\s)*[<'](?P<lua_name>[^'>]+)
    """,
    re.VERBOSE,
)
_FRAME_LIKE = re.compile(
    r"\s*(?:at\s\S+|File\s\"|\[C\]:\sin|in\s\S|from\s\S+:\d|#\d+\s|\d+:\s+\S|goroutine\s|created by\s|main\.\w+\("
    r"|stack (?:trace|backtrace)|traceback\b"
    r"|(?:during handling|the above exception)\b|\.\.\. \d+ more|exit status \d+|\W*$)",
    re.IGNORECASE,
)
_LIBRARY = re.compile(
    r"site-packages|dist-packages|node_modules|node:|<frozen|<string>|/rustc/|/usr/(?:local/)?(?:lib|go|share)/"
    r"|\.rustup|\.cargo/registry|internal/|/opt/[^/]+/lib|/usr/local/go/|^(?:Method|Native|Unknown Source)"
    r"|\[internal|\bruntime/|/lib/python|\.js-cache"
)
_LIBRARY_NAME = re.compile(
    r"^(?:java|javax|jdk|sun|com\.sun|org\.junit|kotlin|scala|std|core|runtime|testing)(?:\.|::|/)"
)


def clean_lines(text: str) -> list[str]:
    """Return the lines of an output without colours and without what runners put before each line.

    Of a very long text the beginning and the end. Lines within a JSON string are lines of the output.
    """
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    return [line[:_MAX_LINE] for line in unframed_lines(text)]


@memoize_short(entries=4_096, chars=_MAX_LINE)
def is_error(line: str) -> bool:
    """Return true for a line that reports an error in the way of a compiler, an interpreter or a log."""
    return bool(_ERROR.search(line) or _ERROR_ANY_CASE.search(line)) and not is_aside(line)


def is_complaint(line: str) -> bool:
    """Return true for a line that says in plain words that something is wrong."""
    return bool(_COMPLAINT.search(line)) and not is_aside(line)


def complains_as_warning(line: str) -> bool:
    """Return true for a warning that says in plain words that something is wrong."""
    return bool(_WARNING.match(line) and _COMPLAINT.search(line))


@memoize_short(entries=4_096, chars=_MAX_LINE)
def is_summary(line: str) -> bool:
    """Return true for a line that says no more than that something failed."""
    line = _LEVEL.sub("", line)
    return bool(_SUMMARY_BEGINNING.match(line) or _SUMMARY.search(line))


def begins_options(line: str) -> bool:
    """Return true for the line above the options of a program, which it prints whatever was wrong."""
    return bool(_OPTIONS.fullmatch(line))


def is_error_code(line: str) -> bool:
    """Return true for a line that only gives the code of an error, as npm's `code EUSAGE`."""
    return bool(_CODE.fullmatch(line))


def is_aside(line: str) -> bool:
    """Return true for warnings, notes, hints, and the commands that a traced shell shows."""
    return bool(_ASIDE.match(line))


def is_frame(line: str) -> bool:
    """Return true for a line of a stack trace that does not say what went wrong."""
    return bool(_FRAME_LIKE.match(line))


def is_library(path: str) -> bool:
    """Return true where a path lies outside of the code of a project."""
    return bool(_LIBRARY.search(path))


def caret_label(line: str) -> str | None:
    """Return what stands beside the caret of a line that points at the one above; None for any other line."""
    found = _CARET.match(line)
    return found["label"].strip() if found and "^" in line else None


def frame_of(line: str) -> tuple[str, str] | None:
    """Return the path and the function of a stack frame; None where the line is none, or one of a library."""
    found = FRAME.match(line)
    if found is None:
        return None
    given = {key: value for key, value in found.groupdict().items() if value}
    path = next((value for key, value in given.items() if key.endswith("path")), "")
    name = next((value for key, value in given.items() if key.endswith("name")), "")
    return None if _LIBRARY.search(path) or _LIBRARY_NAME.match(name) else (path, name)

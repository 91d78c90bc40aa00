"""Commands that a run was told by a text that it read, and which of them a lesson may pass on.

That the agent carried one out does not make it good: whoever wrote the text chose it. Passed on are those that build,
test, start or look at what the project itself defines, without another program, plugin, configuration or place in them;
and what a program that failed said about how it is called itself, as `git push` does.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.programs import (
    BUILDERS,
    COMMON_WORDS,
    COMPILERS,
    FETCHING_WORDS,
    HAVE_OTHER_INSTALLS,
    INSTALLING_WORDS,
    KNOWN_PROGRAMS,
    LOADING_OPTIONS,
    OWN_STEPS,
    PROJECT_TOOLS,
    PYTHON_BUILDERS,
    RUN_OTHERS,
    RUNNERS,
    SELECTING_OPTIONS,
    WRAPPING_WORDS,
)
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.memoize import memoize_short

_PYTHON = re.compile(r"python[\d.]*")
_VARIABLE = re.compile(r"([A-Z][A-Z0-9_]*)=[\w.,:-]*(?:/[\w.,:-]+)*/?")
_CHOOSES_CODE = re.compile(
    r"(?:PATH|ENV|BASH_ENV|EDITOR|VISUAL|PAGER|SHELL|IFS|HOME|LD_.*|DYLD_.*|GIT_.*|PIP_.*|UV_.*|NPM_.*|CARGO_.*|RUSTC.*"
    r"|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|PYTHONHOME|PYTEST_PLUGINS|PYTEST_ADDOPTS|PERL5.*|RUBY.*|GEM_.*|JAVA_.*|MAVEN_.*"
    r"|GRADLE_.*|.*(?:PROXY|REGISTRY|INDEX|MIRROR|OPTS|WRAPPER|LAUNCHER|LDFLAGS|_LD|LIBS|URL|HOST|ENDPOINT|TOKEN|KEY|SECRET|PASSWORD))"
)
"""Variables that choose what is run, or where something goes, and those of secrets."""
_ELSEWHERE = re.compile(
    r"://|=\S{0,40}-(?:l[a-z]|L|B|Wl,|fplugin)|^[/~]|^\.\./|=[/~]|=\.\./|[$`<>]|^-(?:f|p|c|e|I|x|o)$"
    r"|^--?[\w-]*(?:config|plugin|exec|shell|registry|index|script|import|require|loader|rcfile|override|load|hook|proxy"
    r"|trust|insecure|unsafe|force|no-verify|privileged)"
)
_TAKES_CHECKS_AWAY = re.compile(
    r"skip|ignor|disabl|deselect|exclud|bypass|xfail|passwithno|allow|no-?(?:verify|check|fail|strict|lint|test|audit)",
    re.IGNORECASE,
)
_OWN_PACKAGES = re.compile(
    r"(?:(?:python3? -m )?pip3? install(?: -r [\w.-]+(?:/[\w.-]+)*\.txt| (?:-e )?['\"]?\.(?:\[[\w,-]+\])?['\"]?)+"
    r"|(?:npm|pnpm|yarn|bundle|poetry|composer) install|uv sync|go mod (?:download|tidy)|cargo fetch"
    r"|git submodule (?:update|init|sync)(?: --(?:init|recursive|remote|depth[ =]\d+))*"
    r"|bundle lock(?: --(?:add|remove)-platform(?: [a-z][\w-]{0,40}){1,6})+|bundle lock --normalize-platforms)"
    r"(?: --(?:frozen\S*|locked|quiet))?"
)
"""The packages and modules that a project itself names."""
_ASSIGNS = re.compile(r"[a-z_]\w*=")
_OPTION_THAT_LOADS = re.compile(
    r"--[\w-]*(?:config|plugin|exec|shell|registry|index|script|import|require|loader|rcfile|override|load|hook|proxy)\b"
)
_LINKED = re.compile(r"(?:[=,'\" ]|^)-l([a-z]\w{2,})")
"""A library that a compiler links, or a variable hands to one."""
_IN_QUOTES = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_PROGRAM_TEXT = re.compile(
    r"(?:(?:^|(?<=[\s|&;(]))(?:sed|awk|grep|rg|jq|yq|psql|mysql|sqlite3|git commit)\s[^'\"|&;\n]*|\b\w+=)"
    r"(?:'[^']{0,4000}'|\"[^\"]{0,4000}\")"
)
"""A program with the text that it reads as its own language, and a variable with its value: no commands in there."""
_EXTRAS = re.compile(r"(?<=\w)\[[\w,.-]{1,60}\]$")
"""What else a Python package is to bring: `uvicorn[standard]`."""
_LEADING_KEYWORDS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "!", "{", "("))
_HEADS = (["for"], ["case"], ["done"], ["fi"], ["esac"], ["}"], [")"])
_SHORTENS = re.compile(
    r"(?:tail|head)(?: -n)?(?: ?-?\d{1,4})?|wc(?: -[lwc])?|sort(?: -[rnuhk\d]{1,4})?|uniq(?: -c)?|cat"
)
"""A filter behind a pipe that only shortens or counts what a command prints."""
_MERGES = re.compile(r"\s*(?:2>&1|2?>\s?/dev/null)(?=\s|$)")
_ENDS = re.compile(r"\s*(?:&&|\|\||;|\||\n)\s*")


def may_be_told(command: str, failed: str = "") -> bool:
    """Return true where a lesson may tell a command that a text dictated; `failed` is the command that told of it."""
    parts = simple_commands(_MERGES.sub("", command))
    acts = [part for part in parts if not _SHORTENS.fullmatch(part)]
    return bool(acts) and all(_is_builder(part) or is_called_so(part, failed) for part in acts)


def simple_commands(command: str) -> list[str]:
    """Return the simple commands of a command line."""
    return [part for part in _ENDS.split(command.strip()) if part]


def _without_program_texts(command: str) -> str:
    """Return a command line in which no text that a program reads as its own language looks like more commands."""
    return _PROGRAM_TEXT.sub(lambda quoted: _ENDS.sub("_", quoted[0]), command)


def quoted_commands(command: str) -> list[str]:
    """Return the simple commands of a command line; what stands in quotes ends none, as in `sed 's|a|b|'`."""
    masked = _IN_QUOTES.sub(lambda found: "_" * len(found[0]), command)
    ends = [0, *(place for end in _ENDS.finditer(masked) for place in end.span()), len(command)]
    parts = (command[start:end].strip() for start, end in zip(ends[::2], ends[1::2], strict=True))
    return [part for part in parts if part]


def words_that_run(command: str) -> frozenset[str]:
    """Return the words of a command that choose the code which it runs: programs, packages, plugins and modules.

    A program that projects of a kind are worked on with says nothing of who chose it.
    """
    found: set[str] = set()
    for part in simple_commands(_without_program_texts(command)):
        words = [
            word for word in _called_words(part.lower()) if not _ASSIGNS.match(word) and word not in WRAPPING_WORDS
        ]
        installs = any(word in INSTALLING_WORDS for word in words[1:3])
        behind = [after for word, after in itertools.pairwise(words) if word in LOADING_OPTIONS]
        programs = (word for word in words[:1] if not is_known_program(word))
        found.update(programs, behind, (word for word in words[2:] if installs and _is_named(word)))
        found.update(_linked(part.lower()))
    return frozenset(found) - COMMON_WORDS


def _linked(part: str) -> Iterator[str]:
    """The libraries that a simple command in lower case links by variables, or as a compiler."""
    words = shell_words(part)
    for word in words if words[:1] and words[0] in COMPILERS else filter(_ASSIGNS.match, words):
        yield from _LINKED.findall(word)


def _is_named(word: str) -> bool:
    """Return true for the name of what a command installs, not for an option or a package that the project built."""
    return not word.startswith(("-", "dist/", "./dist/", "target/", "build/"))


def conventional_words(command: str) -> frozenset[str]:
    """Return the programs of a command line that every project knows, each with its subcommand: nobody chose these."""
    found: set[str] = set()
    for words in _lower_words(command):
        called = [word for word in words if word not in WRAPPING_WORDS][:2]
        if called and called[0] in COMMON_WORDS | KNOWN_PROGRAMS:
            found.update(word for word in called if word in COMMON_WORDS or word == called[0])
    return frozenset(found)


def unknown_programs(command: str) -> frozenset[str]:
    """Return the programs of a command but those that projects of a kind are worked on with."""
    found: set[str] = set()
    for words in _lower_words(command):
        found.update([word for word in words if word not in WRAPPING_WORDS][:1])
    return frozenset(found - COMMON_WORDS - KNOWN_PROGRAMS - PROJECT_TOOLS)


def words_brought_in(command: str) -> frozenset[str]:
    """Return the words of a command that bring in code: packages, plugins, modules, and what options load."""
    found: set[str] = set()
    for part in simple_commands(command.lower()):
        found.update(_linked(part))
    for words in _lower_words(command):
        if words and HAVE_OTHER_INSTALLS.isdisjoint((tuple(words[:1]), tuple(words[:2]))):
            behind = next((place for place, word in enumerate(words) if place and word in INSTALLING_WORDS), len(words))
            found.update(word for word in words[behind + 1 :] if not word.startswith("-"))
        options = [word for word in words if _OPTION_THAT_LOADS.match(word)]
        found.update(option.partition("=")[2] for option in options)
        loads = {
            *options,
            *FETCHING_WORDS,
            *(LOADING_OPTIONS if words and _PYTHON.fullmatch(words[0]) else LOADING_OPTIONS - {"-m"}),
        }
        told = [word for word in words if word != "run"]
        found.update(after for word, after in itertools.pairwise(told) if word in loads)
    return frozenset(found - COMMON_WORDS)


def is_known_program(program: str) -> bool:
    """Return true for a program that projects of a kind are worked on with."""
    return program in PROJECT_TOOLS or (program in KNOWN_PROGRAMS and program not in RUN_OTHERS)


def chooses_code(variable: str) -> bool:
    """Return true for a variable that chooses what is run, or where something goes, and for one of a secret."""
    return _CHOOSES_CODE.fullmatch(variable) is not None


def leads_elsewhere(word: str) -> bool:
    """Return true for a word of a command that leads out of the project, or loads something."""
    return _ELSEWHERE.search(word) is not None


def _lower_words(command: str) -> Iterator[list[str]]:
    """The words of each simple command in lower case; what stands in quotes ends none, as in `sed 's|a|b|'`."""
    for part in simple_commands(_IN_QUOTES.sub(lambda found: _ENDS.sub("_", found[0]), command.lower())):
        yield [word for word in _called_words(part) if not _ASSIGNS.match(word)]


def _called_words(part: str) -> list[str]:
    """The words of a simple command without the keywords of loops and conditions before it; none of a loop's head.

    Packages stand without their extras.
    """
    words = list(itertools.dropwhile(_LEADING_KEYWORDS.__contains__, shell_words(part)))
    return [] if words[:1] in _HEADS else [_EXTRAS.sub("", word) for word in words]


def _is_builder(command: str) -> bool:
    words = shell_words(command)
    while words and (variable := _VARIABLE.fullmatch(words[0])) and not _CHOOSES_CODE.fullmatch(variable[1]):
        if _TAKES_CHECKS_AWAY.search(words[0]) or is_dangerous(words[0]):
            return False
        words = words[1:]
    if not words or _OWN_PACKAGES.fullmatch(command):
        return bool(words)
    program, rest = _program(words)
    if program == "cd" and len(rest) == 1:
        return not _ELSEWHERE.search(rest[0])
    if program not in BUILDERS:
        return False
    subcommands = BUILDERS.get(program)
    if subcommands is not None and (not rest or rest[0] not in subcommands):
        return False
    if program in COMPILERS:
        rest = [word for word in rest if word != "-o"]
    return not any(_ELSEWHERE.search(word) or _TAKES_CHECKS_AWAY.search(word) for word in rest)


def _program(words: list[str]) -> tuple[str, list[str]]:
    """Return the program of the project that a command runs, with its arguments; an empty name for any other."""
    program, rest = words[0], words[1:]
    if _PYTHON.fullmatch(program):
        if rest[:1] == ["manage.py"]:
            return "manage.py", rest[1:]
        is_module = len(rest) > 1 and rest[0] == "-m" and rest[1] in PYTHON_BUILDERS
        return (rest[1], rest[2:]) if is_module else ("", [])
    if program.removeprefix("./").startswith("bin/"):
        program = program.rpartition("/")[2]  # the project's own launcher of a program: `bin/rails`
    between = RUNNERS.get(program)
    if between is not None and rest[: bool(between)] == [between] * bool(between) and len(rest) > bool(between):
        return _program(rest[bool(between) :])
    if [program, *rest[:1]] == ["docker", "compose"]:
        return "docker compose", rest[1:]
    return program, rest


def is_called_so(command: str, failed: str) -> bool:
    """The failed command again, with other options, or with the names behind them that the program asks for."""
    words, before = shell_words(command), shell_words(failed)
    depth = 1 if before and (before[0] in COMPILERS or _is_step_of(words, before)) else 2
    if len(before) < depth or words[:depth] != before[:depth] or words[0] in {"sudo", "curl", "wget", "sh", "bash"}:
        return False
    installs = any(word in INSTALLING_WORDS for word in words[:3])
    new = [word for word in words if word not in before]
    selects = SELECTING_OPTIONS.get(words[0], frozenset())
    return not any(
        (_ELSEWHERE.search(word) and word not in selects) or (installs and not word.startswith("-")) for word in new
    )


def _is_step_of(words: list[str], before: list[str]) -> bool:
    """Another subcommand of the failed program, which prepares or looks, as `alembic merge` for `alembic upgrade`."""
    return len(words) > 1 and words[0] == before[0] and words[1] in OWN_STEPS.get(words[0], ())


@memoize_short(entries=1_024, chars=300)
def shell_words(command: str) -> list[str]:
    """Return the words of a command as a shell reads them; none where it could not."""
    try:
        return shlex.split(command)
    except ValueError:
        return []

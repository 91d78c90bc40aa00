"""Commands that a run was told by a text that it read, and which of them a lesson may pass on.

That the agent carried one out does not make it good: whoever wrote the text chose it. Passed on are those that build,
test, start or look at what the project itself defines, without another program, plugin, configuration or place in them;
and what a program that failed said about how it is called itself, as `git push` does.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.command_words import PYTHON, shell_words, simple_commands
from mcp_reflect.domain.provenance.programs import (
    BUILDERS,
    COMPILERS,
    INSTALLING_WORDS,
    OWN_STEPS,
    PYTHON_BUILDERS,
    RUNNERS,
    SELECTING_OPTIONS,
)
from mcp_reflect.domain.text.danger import is_dangerous

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
_SHORTENS = re.compile(
    r"(?:tail|head)(?: -n)?(?: ?-?\d{1,4})?|wc(?: -[lwc])?|sort(?: -[rnuhk\d]{1,4})?|uniq(?: -c)?|cat"
)
"""A filter behind a pipe that only shortens or counts what a command prints."""
_MERGES = re.compile(r"\s*(?:2>&1|2?>\s?/dev/null)(?=\s|$)")


def may_be_told(command: str, failed: str = "") -> bool:
    """Return true where a lesson may tell a command that a text dictated; `failed` is the command that told of it."""
    parts = simple_commands(_MERGES.sub("", command))
    acts = [part for part in parts if not _SHORTENS.fullmatch(part)]
    return bool(acts) and all(_is_builder(part) or is_called_so(part, failed) for part in acts)


def chooses_code(variable: str) -> bool:
    """Return true for a variable that chooses what is run, or where something goes, and for one of a secret."""
    return _CHOOSES_CODE.fullmatch(variable) is not None


def leads_elsewhere(word: str) -> bool:
    """Return true for a word of a command that leads out of the project, or loads something."""
    return _ELSEWHERE.search(word) is not None


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
    if PYTHON.fullmatch(program):
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

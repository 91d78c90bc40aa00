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
from mcp_reflect.domain.text.memoize import memoize_short

_RAILS_DATABASE = (
    "db:migrate",
    "db:prepare",
    "db:setup",
    "db:test:prepare",
    "db:seed",
    "db:seed:replant",
    "db:schema:load",
)
_BUILDERS: dict[str, frozenset[str] | None] = {
    **dict.fromkeys(("make", "just", "task", "ninja", "cmake", "ctest", "gcc", "g++", "clang", "cc", "javac", "tsc")),
    **dict.fromkeys(("pytest", "tox", "nox", "ruff", "mypy", "eslint", "jest", "vitest", "rspec", "phpunit")),
    **dict.fromkeys(("gradle", "./gradlew"), frozenset({"test", "build", "check", "clean", "assemble"})),
    **dict.fromkeys(("mvn", "./mvnw"), frozenset({"test", "compile", "package", "verify", "clean"})),
    **dict.fromkeys(("npm", "pnpm", "yarn"), frozenset({"test", "t", "run", "start", "ci", "build"})),
    "cargo": frozenset({"build", "test", "check", "clippy", "fmt", "bench"}),
    "go": frozenset({"build", "test", "vet", "fmt", "generate"}),
    "dotnet": frozenset({"build", "test", "restore"}),
    "swift": frozenset({"build", "test"}),
    "mix": frozenset({"test", "compile", "deps.get", "ecto.migrate", "ecto.setup"}),
    "rustup": frozenset({"update", "default", "component", "target", "toolchain"}),
    "playwright": frozenset({"install", "test"}),
    "prisma": frozenset({"generate", "migrate"}),
    "pre-commit": frozenset({"run", "install"}),
    "alembic": frozenset({"upgrade", "downgrade", "current", "history"}),
    "flask": frozenset({"db"}),
    "rails": frozenset({"test", *_RAILS_DATABASE}),
    "rake": frozenset({"test", "spec", *_RAILS_DATABASE}),
    "terraform": frozenset({"init", "plan", "validate", "fmt"}),
    **dict.fromkeys(("docker-compose", "docker compose"), frozenset({"up", "start", "restart", "build", "ps", "logs"})),
    "manage.py": frozenset({"test", "check", "migrate", "makemigrations", "collectstatic"}),
    "git": frozenset(
        {"status", "log", "diff", "show", "stash", "switch", "checkout", "merge", "rebase", "pull", "add"}
    ),
}
"""Programs that build and test, with their subcommands; None where they have none."""
_PYTHON = re.compile(r"python[\d.]*")
_PYTHON_MODULES = frozenset(("pytest", "unittest", "build", "compileall", "mypy", "ruff", "doctest", "playwright"))
_VARIABLE = re.compile(r"([A-Z][A-Z0-9_]*)=[\w.,:-]*(?:/[\w.,:-]+)*/?")
_CHOOSES_CODE = re.compile(
    r"(?:PATH|ENV|BASH_ENV|EDITOR|VISUAL|PAGER|SHELL|IFS|HOME|LD_.*|DYLD_.*|GIT_.*|PIP_.*|UV_.*|NPM_.*|CARGO_.*|RUSTC.*"
    r"|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|PYTHONHOME|PYTEST_PLUGINS|PYTEST_ADDOPTS|PERL5.*|RUBY.*|GEM_.*|JAVA_.*|MAVEN_.*"
    r"|GRADLE_.*|.*(?:PROXY|REGISTRY|INDEX|MIRROR|OPTS|WRAPPER|LAUNCHER|URL|HOST|ENDPOINT|TOKEN|KEY|SECRET|PASSWORD))"
)
"""Variables that choose what is run, or where something goes, and those of secrets."""
_RUNNERS = {
    "uv": "run",
    "poetry": "run",
    "pipenv": "run",
    "pdm": "run",
    "bundle": "exec",
    "npx": "",
}
"""Programs that run another one of the project, with the word between."""
_ELSEWHERE = re.compile(
    r"://|^[/~]|^\.\./|=[/~]|=\.\./|[$`<>]|^-(?:f|p|c|e|I|x|o)$"
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
    r"|git submodule (?:update|init|sync)(?: --(?:init|recursive|remote|depth[ =]\d+))*)"
    r"(?: --(?:frozen\S*|locked|quiet))?"
)
"""The packages and modules that a project itself names."""
_USUAL = frozenset(
    """
    docker kubectl python python3 pip3 node ruby java perl bash curl wget sudo psql sqlite3 mysql redis-cli terraform
    helm alembic django flask yarn pnpm install remove update upgrade config commit push pull clone checkout build test
    tests start stop restart compose exec logs migrate init create delete apply release deploy list show help version
    main master origin prod local database server status rollout from pods
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Programs, subcommands and words that say nothing of who chose them."""
_STEPS = {
    "alembic": frozenset({"merge", "stamp", "heads", "current", "history", "upgrade"}),
    "terraform": frozenset({"init", "validate", "fmt", "get", "providers"}),
    "helm": frozenset({"lint", "template", "dependency", "repo"}),
    "kubectl": frozenset({"get", "describe", "logs", "wait"}),
    "docker": frozenset({"build", "ps", "logs", "inspect", "images"}),
    "mix": frozenset({"compile", "deps.get", "deps.compile", "ecto.create", "ecto.migrate", "format"}),
    "dotnet": frozenset({"restore", "build", "clean", "format"}),
    "cargo": frozenset({"build", "fetch", "check", "clean", "fmt", "update", "generate-lockfile"}),
    "bundle": frozenset({"install", "check", "lock"}),
    "composer": frozenset({"install", "dump-autoload"}),
    "git": frozenset({"status", "stash", "add", "fetch", "merge", "rebase", "switch"}),
    "poetry": frozenset({"lock", "install", "check"}),
    "uv": frozenset({"lock", "sync"}),
}
"""What a program that failed may name as the step that was missing: its own steps that work on the project alone."""
_SELECTS = {"cargo": frozenset(("-p",)), "dotnet": frozenset(("-c", "-f"))}
"""Options that select a part of the project, and that with other programs load something."""
_COMPILERS = frozenset(("make", "cmake", "rustc", "javac", "tsc", "gcc", "g++", "clang", "cc"))
_ASSIGNS = re.compile(r"[a-z_]\w*=")
_WRAPPERS = frozenset(("sudo", "env", "exec", "time", "nohup", "npx", "uvx", "pipx", "run"))
_INSTALLS = frozenset(("install", "add", "i", "get", "pull"))
_HAVE_OTHER_INSTALLS = frozenset(("git", "gh", "kubectl"))
"""Programs of which these subcommands bring in nothing that was not there."""
_FETCHERS = frozenset(("npx", "uvx", "bunx", "pipx", "dlx", "tool"))
_LOADS = frozenset(("-p", "-m", "-f", "--plugin", "--import", "--require"))
_OPTION_THAT_LOADS = re.compile(
    r"--[\w-]*(?:config|plugin|exec|shell|registry|index|script|import|require|loader|rcfile|override|load|hook|proxy)\b"
)
_UNIX = "awk cat cp cut diff find grep head ln ls mkdir mv rm sed sort tail tar tee touch tr xargs".split()  # noqa: SIM905
_KNOWN = frozenset((*_BUILDERS, *_STEPS, *_RUNNERS, *_UNIX, "php"))
"""Programs that projects of a kind are worked on with, or that every machine has."""
_USUAL_TOOLS = frozenset(
    """
    gofmt goimports prettier black isort rustfmt clang-format autopep8 shfmt stylelint msgfmt sphinx-build mkdocs protoc
    buf flutter dart pod xcodebuild swift mix sbt lein stack cabal dune zig meson bazel pnpm
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Formatters, generators and builders of projects."""
_RUN_OTHERS = frozenset((*_RUNNERS, *"awk tee tar xargs rm php".split()))  # noqa: SIM905
"""Of these, those that run what they are given, or that write or delete anywhere."""
_IN_QUOTES = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_ENDS = re.compile(r"\s*(?:&&|\|\||;|\||\n)\s*")


def may_be_told(command: str, failed: str = "") -> bool:
    """Return true where a lesson may tell a command that a text dictated; `failed` is the command that told of it."""
    parts = simple_commands(command)
    return bool(parts) and all(_is_builder(part) or is_called_so(part, failed) for part in parts)


def simple_commands(command: str) -> list[str]:
    """Return the simple commands of a command line."""
    return [part for part in _ENDS.split(command.strip()) if part]


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
    for part in simple_commands(command):
        words = [word for word in shell_words(part.lower()) if not _ASSIGNS.match(word) and word not in _WRAPPERS]
        installs = any(word in _INSTALLS for word in words[1:3])
        behind = [after for word, after in itertools.pairwise(words) if word in _LOADS]
        programs = (word for word in words[:1] if not is_known_program(word))
        found.update(programs, behind, (word for word in words[2:] if installs and not word.startswith("-")))
    return frozenset(found) - _USUAL


def unknown_programs(command: str) -> frozenset[str]:
    """Return the programs of a command but those that projects of a kind are worked on with."""
    found: set[str] = set()
    for words in _lower_words(command):
        found.update([word for word in words if word not in _WRAPPERS][:1])
    return frozenset(found - _USUAL - _KNOWN)


def words_brought_in(command: str) -> frozenset[str]:
    """Return the words of a command that bring in code: packages, plugins, modules, and what options load."""
    found: set[str] = set()
    for words in _lower_words(command):
        if words and words[0] not in _HAVE_OTHER_INSTALLS:
            behind = next((place for place, word in enumerate(words) if place and word in _INSTALLS), len(words))
            found.update(word for word in words[behind + 1 :] if not word.startswith("-"))
        options = [word for word in words if _OPTION_THAT_LOADS.match(word)]
        found.update(option.partition("=")[2] for option in options)
        loads = {*options, *_FETCHERS, *(_LOADS if words and _PYTHON.fullmatch(words[0]) else _LOADS - {"-m"})}
        told = [word for word in words if word != "run"]
        found.update(after for word, after in itertools.pairwise(told) if word in loads)
    return frozenset(found - _USUAL)


def is_known_program(program: str) -> bool:
    """Return true for a program that projects of a kind are worked on with."""
    return program in _USUAL_TOOLS or (program in _KNOWN and program not in _RUN_OTHERS)


def chooses_code(variable: str) -> bool:
    """Return true for a variable that chooses what is run, or where something goes, and for one of a secret."""
    return _CHOOSES_CODE.fullmatch(variable) is not None


def leads_elsewhere(word: str) -> bool:
    """Return true for a word of a command that leads out of the project, or loads something."""
    return _ELSEWHERE.search(word) is not None


def _lower_words(command: str) -> Iterator[list[str]]:
    """The words of each simple command in lower case; what stands in quotes ends none, as in `sed 's|a|b|'`."""
    for part in simple_commands(_IN_QUOTES.sub(lambda found: _ENDS.sub("_", found[0]), command.lower())):
        yield [word for word in shell_words(part) if not _ASSIGNS.match(word)]


def _is_builder(command: str) -> bool:
    words = shell_words(command)
    while words and (variable := _VARIABLE.fullmatch(words[0])) and not _CHOOSES_CODE.fullmatch(variable[1]):
        if _TAKES_CHECKS_AWAY.search(words[0]):
            return False
        words = words[1:]
    if not words or _OWN_PACKAGES.fullmatch(command):
        return bool(words)
    program, rest = _program(words)
    if program == "cd" and len(rest) == 1:
        return not _ELSEWHERE.search(rest[0])
    if program not in _BUILDERS:
        return False
    subcommands = _BUILDERS.get(program)
    if subcommands is not None and (not rest or rest[0] not in subcommands):
        return False
    if program in _COMPILERS:
        rest = [word for word in rest if word != "-o"]
    return not any(_ELSEWHERE.search(word) or _TAKES_CHECKS_AWAY.search(word) for word in rest)


def _program(words: list[str]) -> tuple[str, list[str]]:
    """Return the program of the project that a command runs, with its arguments; an empty name for any other."""
    program, rest = words[0], words[1:]
    if _PYTHON.fullmatch(program):
        if rest[:1] == ["manage.py"]:
            return "manage.py", rest[1:]
        is_module = len(rest) > 1 and rest[0] == "-m" and rest[1] in _PYTHON_MODULES
        return (rest[1], rest[2:]) if is_module else ("", [])
    if program.removeprefix("./").startswith("bin/"):
        program = program.rpartition("/")[2]  # the project's own launcher of a program: `bin/rails`
    between = _RUNNERS.get(program)
    if between is not None and rest[: bool(between)] == [between] * bool(between) and len(rest) > bool(between):
        return _program(rest[bool(between) :])
    if [program, *rest[:1]] == ["docker", "compose"]:
        return "docker compose", rest[1:]
    return program, rest


def is_called_so(command: str, failed: str) -> bool:
    """The failed command again, with other options, or with the names behind them that the program asks for."""
    words, before = shell_words(command), shell_words(failed)
    depth = 1 if before and (before[0] in _COMPILERS or _is_step_of(words, before)) else 2
    if len(before) < depth or words[:depth] != before[:depth] or words[0] in {"sudo", "curl", "wget", "sh", "bash"}:
        return False
    installs = any(word in _INSTALLS for word in words[:3])
    new = [word for word in words if word not in before]
    selects = _SELECTS.get(words[0], frozenset())
    return not any(
        (_ELSEWHERE.search(word) and word not in selects) or (installs and not word.startswith("-")) for word in new
    )


def _is_step_of(words: list[str], before: list[str]) -> bool:
    """Another subcommand of the failed program, which prepares or looks, as `alembic merge` for `alembic upgrade`."""
    return len(words) > 1 and words[0] == before[0] and words[1] in _STEPS.get(words[0], ())


@memoize_short(entries=1_024, chars=300)
def shell_words(command: str) -> list[str]:
    """Return the words of a command as a shell reads them; none where it could not."""
    try:
        return shlex.split(command)
    except ValueError:
        return []

"""Command lines that build, test or try what a run changed: which programs they check by."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.lines import blanked, inline_interpreter, normalised
from mcp_reflect.domain.lessons.run.commands.told_command import work_of
from mcp_reflect.domain.lessons.run.commands.wrappers import without_wrappers

_TARGETS = r"(?: (?:all|build|check|clean|compile|lint|package|tests?|typecheck|verify|vet)(?::\S+)?)?"
_BUILDERS = (
    r"(?:make|gmake|ninja|just|task|mvn|(?:\./)?mvnw|gradle|(?:\./)?gradlew|sbt|tox|nox|dune|mix|swift|dotnet|bazel)"
)
_CHECKS = re.compile(
    rf"(?:{_BUILDERS}{_TARGETS}"
    r"|(?:cargo|go|dotnet|dune|bazel|swift|zig) (?:bench|build|check|clippy|run|test|vet)"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:build|check|lint|tests?|typecheck)(?::\S+)?"
    r"|(?:gradle|(?:\./)?gradlew) :?\S*(?:[tT]est|build|check|assemble)\w*"
    r"|(?:cmake|ctest|pytest|py\.test|unittest|vitest|jest|mocha|rspec|phpunit|tsc|eslint|ruff|mypy|flake8|vite"
    r"|javac|java|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|python[\d.]*|node|ruby|perl|php|tclsh|awk|deno|bash|sh|dash)"
    r"(?: .*)?"
    r"|(?:\./|[\w.-]+/)\S*|rm(?: .*)?|cd(?: .*)?|touch(?: .*)?|echo(?: .*)?|printf(?: .*)?|sleep(?: .*)?|time)",
)
"""Words of a command without its options: programs that build, test or run what stands in the project."""
_JOINT = re.compile(r"\s*(?:&&|;)\s*")
_SCRIPT = re.compile(r"[`{}<>]|\|\||(?<!&)&(?!&)|\$\(")
_PIPED = re.compile(r"\s*\|(?!\|)")
_TO_NOWHERE = re.compile(r"2>&1|[12&]?> ?/dev/null")
_KEY_WORDS = 3


def checks_by(command: str) -> str:
    """Return what a command line checks by: the words of its first program; empty where it may do anything else."""
    work = normalised(work_of(command))
    is_program = "\n" in command.strip() or inline_interpreter(work)
    if is_program or _SCRIPT.search(_TO_NOWHERE.sub("", blanked(work))):
        return ""
    acting = [_words_of(part) for part in _JOINT.split(blanked(work)) if part and not only_reads(part)]
    if not acting or not all(_CHECKS.fullmatch(words) for words in acting):
        return ""
    return " ".join(acting[0].split()[:_KEY_WORDS])


def _words_of(part: str) -> str:
    """The words of a command up to a pipe, without wrappers, assignments and options."""
    words = without_wrappers([word for word in _PIPED.split(part)[0].split() if "=" not in word.split("/")[0]])
    return " ".join(word for word in words if not word.startswith("-"))

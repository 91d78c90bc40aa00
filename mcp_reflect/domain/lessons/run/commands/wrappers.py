"""Programs that run the command behind them: `timeout 60`, `uv run`, `npx`, `python -m` and the like."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re

_RUNNERS = {
    **dict.fromkeys(("uv", "poetry", "pdm", "hatch", "pipenv", "rye", "pixi", "pipx"), ("run",)),
    **dict.fromkeys(("bundle", "pnpm", "npm", "yarn"), ("exec", "dlx")),
}
"""Programs that run another one by the subcommand named."""
_WRAPPERS = frozenset({"sudo", "env", "time", "nohup", "nice", "exec", "command", "npx", "bunx", "pnpx", "uvx"}) | {
    *("setsid", "stdbuf", "ionice", "unbuffer")
}
_TIMED = frozenset({"timeout", "gtimeout"})
_VALUED = frozenset({"-u", "-n", "-g", "-k", "-s"})
"""Options of `sudo`, `nice` and `timeout` that have a value."""
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_SHELL = re.compile(r"(?:.*/)?(?:ba|z|da)?sh")
_INTERPRETER = re.compile(r"(?:.*/)?(python|node|ruby|php|perl|bash|sh|zsh)[\d.]*")
_SCRIPT = re.compile(r"[\w./@-]*(?:\.\w{1,4}|/\w+)")
_FILE = re.compile(r"[\w./~@][\w./~@-]*")
"""What a shell runs without an option before it is a script, whatever its name."""
_INLINE = frozenset({"-c", "-e", "-"})
"""Options behind which an interpreter is given the program itself."""
_MOST_OPTIONS = 6


def split_wrappers(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that only start a command, and the command: a program or a script with what it is given.

    A command that is nothing but such words is one itself.
    """
    called = without_wrappers(words)
    start = len(words) - len(called) + _start_of_script(called)
    return [*words[:start]], [*words[start:]]


def without_wrappers(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command from its program on, which may be an interpreter."""
    done = 0
    while (behind := _end_of_wrapper(words, done)) < len(words) and behind > done:
        done = behind
    return words[done:]


def _end_of_wrapper(words: Sequence[str], at: int) -> int:
    """The place behind a wrapper that begins at `at`; `at` where none does."""
    if at >= len(words) or not _wraps(words, at):
        return at
    program = words[at].rpartition("/")[2]
    at += 2 if program in _RUNNERS and words[at + 1] in _RUNNERS[program] else 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED and program not in _RUNNERS else 1
    return at + 1 if program in _TIMED and at < len(words) and _DURATION.fullmatch(words[at]) else at


def _wraps(words: Sequence[str], at: int) -> bool:
    word, following = words[at].rpartition("/")[2], words[at + 1] if at + 1 < len(words) else ""
    return (
        word in _WRAPPERS or word in _TIMED or following in _RUNNERS.get(word, ()) or (word, following) == ("uv", "pip")
    )


def _start_of_script(words: Sequence[str]) -> int:
    """The place of the module or script that an interpreter runs, behind its options; 0 for any other program."""
    if not words or not _INTERPRETER.fullmatch(words[0]):
        return 0
    if _SHELL.fullmatch(words[0]):
        return _start_of_file(words)
    for at, word in enumerate(words[1 : _MOST_OPTIONS + 2], 1):
        is_option = word.startswith("-")
        if word == "-m":
            return at + 1 if at + 1 < len(words) else 0
        if not is_option and _SCRIPT.fullmatch(word):
            return at
        if word in _INLINE or not (is_option or words[at - 1].startswith("-")):
            break
    return 0


def _start_of_file(words: Sequence[str]) -> int:
    """The place of the file that a shell runs; 0 where it is given a command."""
    at = next((place for place, word in enumerate(words[1:], 1) if not word.startswith("-")), 0)
    is_given = any("c" in option for option in words[1:at])
    return at if at and not is_given and _FILE.fullmatch(words[at]) else 0

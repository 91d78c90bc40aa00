"""The standard library's `re`, whose patterns are compiled when they are used first: `import lazy_re as re`.

The modules of the domain define six hundred patterns; a first query uses forty of them. Compiling all would take a
tenth of the time in which a hub starts. `re.compile` here returns what answers as a pattern does; a mistake in it is
told at its first use, so a test compiles every one.
"""

from __future__ import annotations

from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    Match,
    Pattern,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from re import compile as compile_now

__all__ = [
    "ASCII",
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "VERBOSE",
    "Match",
    "Pattern",
    "compile",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]


def compile(pattern: str, flags: int = 0) -> Pattern[str]:  # noqa: A001 - takes the place of re.compile
    """Return a pattern that is compiled when it is used first."""
    return _LazyPattern(pattern, flags)  # type: ignore[return-value]


class _LazyPattern:
    """Stands for a pattern; two threads may both compile it, to the same."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """Take over the methods of the compiled pattern, which are found without this one from then on."""
        compiled = compile_now(self.pattern, self._flags)
        for each in dir(compiled):
            if not each.startswith("_"):
                setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)

"""Errors of a configuration that is left alone."""

from __future__ import annotations


class MalformedConfig(ValueError):
    """The text is not what its format demands. Line and column count from 1."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {problem}")


class UnexpectedConfig(ValueError):
    """The text is well-formed, but the place of the entry holds something else; the message says what."""


def malformed_at(text: str, offset: int, problem: str) -> MalformedConfig:
    """Return the error for an offset in a text."""
    before = text[:offset]
    return MalformedConfig(problem, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)

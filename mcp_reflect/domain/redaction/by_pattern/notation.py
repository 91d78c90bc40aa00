"""Parts of the patterns of secrets: quotes, words and ends of lines, as they stand in code and in strings of JSON."""

from __future__ import annotations

ESCAPED_QUOTE = r"\\{0,8}[\"']"
"""A quote with the signs that escape it."""
IN_QUOTES = rf"{ESCAPED_QUOTE}([^\s\"'\\]{{4,200}})(?={ESCAPED_QUOTE})"
"""A group for the one word in quotes."""
ARGUMENT = r"([^\s\"'\\;|&<>$\[][^\s\"'\\;|&<>]{3,200})"
"""A group for the word that is an argument of a command, and no variable."""
END_OF_LINE = r"(?=[ \t]*(?:\Z|\r|\n|\\{1,8}[rn\"']|[\"']))"
"""Looks for the end of a line, or of the string that holds it."""
END_OF_COMMAND = r"(?=[ \t]*(?:\Z|[\r\n;|&)`\"']|\\{1,8}[rn\"']))"
"""Looks for the end of a command."""
DEVELOPMENT_HOST = (
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal"
    r"|db|database|postgres|pg|mysql|mariadb|mongo|redis|rabbitmq|mq|rabbit)(?![\w.-])"
)
"""This machine, or the service beside a program in a file of Compose: a user with its own name as password is what
documents print there, and no secret."""

"""Long tasks made from short ones: a pasted log before the question, or a system prompt before every task."""

from __future__ import annotations

import random
from collections.abc import Sequence

LINES = 60
_LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR")
_PARTS = ("scheduler", "worker", "storage", "gateway", "session", "transport", "cache", "planner")
_WORDS = (3, 9)

PROMPT = """\
You are a careful assistant that works for a team of engineers and analysts. Today is {day}; the session is {session}.
Think before you act, and prefer small steps whose outcome you can check. Use the tools that you are given, read their
results in full, and never make up a result that you have not seen. Ask when a request can be read in two ways, and say
so when you are not sure. Keep to the policies of the team: touch nothing outside the scope of the request, leave no
secrets in your answers, and undo what did not work. When you are done, sum up in at most five sentences what you did,
what is still open, and how the result can be checked. Answer in the language of the user, without greetings or excuses.
Format code as code, name files by their whole path, and give numbers with their units. Everything below this line is
the request of the user.
"""
"""About 150 words. The day and the session differ from task to task, as they do in reality."""


def log(texts: Sequence[str], chance: random.Random, lines: int = LINES) -> str:
    """Lines as servers write them; their messages are words in a row out of `texts`, real ones on other subjects."""
    second = chance.randrange(86_400)
    written = []
    for _ in range(lines):
        second = (second + chance.randrange(40)) % 86_400
        at = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02},{chance.randrange(1000):03}"
        words = chance.choice(texts).split()
        count = chance.randint(*_WORDS)
        first = chance.randrange(max(1, len(words) - count))
        part = f"{chance.choice(_PARTS)}-{chance.randrange(16)}"
        message = " ".join(words[first : first + count])
        written.append(f"2026-03-14 {at} {chance.choice(_LEVELS):5} [{part}] {message} ({chance.randrange(10**6)})")
    return "\n".join(written)


def after_log(text: str, others: Sequence[str], chance: random.Random) -> str:
    return f"{log(others, chance)}\n\n{text}"


def after_prompt(text: str, chance: random.Random) -> str:
    day = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    return PROMPT.format(day=day, session=f"{chance.randrange(16**6):06x}") + "\n" + text

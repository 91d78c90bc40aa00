"""Rewordings of a task: other texts that ask for the same, as another user or the same one would write them later.

Five kinds, none of which needs a model: synonyms, words left out, sentences in another order, misspelt words, and a
polite frame. Numbers, identifiers and capitalised names stay, because another value would make another task. Texts that
different people wrote for one task are better than any of these; `world.py` adds them where a source has them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_SYNONYMS = {
    "author": "writer",
    "began": "started",
    "before": "prior to",
    "book": "reserve",
    "booking": "reserving",
    "born": "given birth to",
    "bought": "purchased",
    "cancel": "call off",
    "change": "modify",
    "cheapest": "lowest-priced",
    "city": "town",
    "company": "firm",
    "created": "made",
    "director": "film-maker",
    "error": "fault",
    "fails": "breaks",
    "film": "movie",
    "find": "locate",
    "flight": "plane trip",
    "flights": "plane trips",
    "founded": "established",
    "help": "assist",
    "hi": "hello",
    "located": "situated",
    "looking": "trying",
    "member": "part",
    "movie": "film",
    "need": "have",
    "older": "more aged",
    "please": "kindly",
    "published": "issued",
    "refund": "money back",
    "released": "put out",
    "remove": "delete",
    "reservation": "booking",
    "show": "display",
    "song": "track",
    "starred": "acted",
    "stop": "halt",
    "trip": "journey",
    "upcoming": "next",
    "upgrade": "move up",
    "wants": "would like",
    "want": "would like",
    "which": "what",
    "wife": "spouse",
    "won": "was awarded",
    "wrote": "authored",
}
_FRAMES = (
    "Hello there, I hope that you can help me with something. {} Thank you very much in advance!",
    "{} Let me know what else you need from me.",
    "Good morning. I have a request today: {}",
)
_WORD = re.compile(r"[A-Za-z]+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|,\s+")
_DROPPED = 0.2
_MISSPELT = 0.15
_SHORTEST_MISSPELT = 4


def with_synonyms(text: str, chance: random.Random) -> str:
    """Replace each word that has a synonym here."""
    del chance

    def replaced(match: re.Match[str]) -> str:
        word = match.group()
        other = _SYNONYMS.get(word.lower(), word)
        return other.capitalize() if word[0].isupper() and other != word else other

    return _WORD.sub(replaced, text)


def with_words_left_out(text: str, chance: random.Random) -> str:
    """Leave out a fifth of the words in lower case."""
    kept = [word for word in text.split() if not word.islower() or chance.random() >= _DROPPED]
    return " ".join(kept) or text


def reordered(text: str, chance: random.Random) -> str:
    """Put the sentences and clauses into another order; a text of one clause is cut in the middle."""
    parts = [part for part in _SENTENCE.split(text.strip()) if part]
    if len(parts) < 2:
        words = text.split()
        parts = [" ".join(words[len(words) // 2 :]), " ".join(words[: len(words) // 2])]
        return " ".join(parts).strip()
    turn = chance.randrange(1, len(parts))
    return " ".join(parts[turn:] + parts[:turn])


def misspelt(text: str, chance: random.Random) -> str:
    """Swap two letters inside one in seven of the longer words in lower case."""

    def swapped(match: re.Match[str]) -> str:
        word = match.group()
        if len(word) < _SHORTEST_MISSPELT or not word.islower() or chance.random() >= _MISSPELT:
            return word
        place = chance.randrange(1, len(word) - 2)
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]

    return _WORD.sub(swapped, text)


def framed(text: str, chance: random.Random) -> str:
    """Put polite sentences before or after the request."""
    return chance.choice(_FRAMES).format(text)


KINDS: tuple[Callable[[str, random.Random], str], ...] = (
    with_synonyms,
    with_words_left_out,
    reordered,
    misspelt,
    framed,
)


def rewordings(text: str, seed: int) -> tuple[str, ...]:
    """Return one rewording of each kind, without those that change nothing."""
    found = [reword(text, random.Random(f"{seed}-{number}-{text}")) for number, reword in enumerate(KINDS)]
    return tuple(dict.fromkeys(other for other in found if other != text))

"""The words, names and paths of a text, as they are compared between texts."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.text.common_words import COMMON_STEMS
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.memoize import memoize_short

JOINT = re.compile(r"[/_.:@+-]+")
"""What joins the parts of a name."""
_TOKEN = re.compile(r"[^\W_][\w./@:+-]*\w|\w")
_LEAST_PART = 3
_FOLDERS = frozenset("usr lib bin src opt var etc tmp".split())  # noqa: SIM905 - as words they can be read
"""Folders that every system or project has."""
_PLATFORMS = frozenset("linux windows macos darwin ubuntu debian alpine amd64 arm64 x86_64 aarch64".split())  # noqa: SIM905
"""Systems that every tool names."""
_HASH = re.compile(r"(?=\D{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,64}")
"""A hash, as of a commit or an image, which nobody chooses."""
_INSIDE = re.compile(
    r"[-l](?:(?<=-)(?<![\w-]-)[a-z]|(?<=\bl)ib(?!rar|era|ert))(\w{3,})"
)  # begins with a set: found faster
"""A name behind the letter of an option, and that of a library: `-lcurl` links libcurl.so."""


def names_of(text: str) -> frozenset[str]:
    """Return the words, names and paths of a text in lower case."""
    return frozenset(_TOKEN.findall(skeleton(text)))


@memoize_short(entries=2_048, chars=300)
def tokens_of(text: str) -> frozenset[str]:
    """Return the words, names and paths of a text in lower case, the parts of these, and the names inside of them."""
    plain = skeleton(text)
    found = set(_TOKEN.findall(plain))
    joined = [token for token in found if not token.isalnum()]
    found.update(part for token in joined for part in JOINT.split(token) if len(part) >= _LEAST_PART)
    found.update(_inside(plain))
    return frozenset(found)


def names_inside(text: str) -> frozenset[str]:
    """Return the names in lower case that stand inside of words of a text: `-lcurl` and libcurl.so name curl."""
    return frozenset(_inside(skeleton(text)))


def _inside(plain: str) -> list[str]:
    return _INSIDE.findall(plain) if "-" in plain or "lib" in plain else []


def stems_of(tokens: frozenset[str]) -> frozenset[str]:
    """Return the stems of those tokens that mean something; names are their own stems."""
    return frozenset(filter(None, map(stem_of, tokens)))


@memoize_short(entries=16_384, chars=40)
def stem_of(token: str) -> str:
    """Return the stem of a token that means something; empty for any other."""
    return stem(token) if len(token) > 1 and word_weight(token) else ""


def tells_author(token: str) -> bool:
    """Return true for a word that tells who brought it: neither common, nor a hash, nor of one letter, digit or two."""
    if _HASH.fullmatch(token):
        return False
    parts = JOINT.split(token)
    if all(len(part) <= 2 or part in _FOLDERS | _PLATFORMS for part in parts):  # noqa: PLR2004
        return False
    return bool(word_weight(token)) and stem(token) not in COMMON_STEMS

"""Detection of opposite polarity: cues that two sentences about the same thing contradict each other.

Embeddings hardly represent polarity: "use the flag" and "do not use the flag" have a cosine of 0.94 under the bundled
model. The rules are heuristics that prefer to report a difference, because keeping two equal insights apart costs a
line, while merging a contradiction loses information.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)*")
_NUMBER = re.compile(r"\d")
_APOSTROPHES = str.maketrans("\u2019\u02bc", "''")

_NEGATIVES = """
not no never none cannot nothing nor neither without avoid avoids avoiding skip skips skipping omit omits forget
forgets ignore ignores refuse refuses stop stops forbidden unless except
"""
_NEGATIVE = frozenset(_NEGATIVES.split())
_OPPOSITES = tuple(
    (frozenset(a.split()), frozenset(b.split()))
    for a, b in (
        ("enable enabled enables enabling on", "disable disabled disables disabling off"),
        ("pass passes passed succeed succeeds succeeded success works worked", "fail fails failed failure breaks"),
        ("true", "false"),
        ("allow allows allowed permit permitted", "forbid forbids prohibit prohibited deny denied"),
        ("increase increases increased raise more higher", "decrease decreases decreased lower less fewer"),
        ("safe", "unsafe"),
        ("possible", "impossible"),
        ("valid", "invalid"),
        ("always", "sometimes rarely seldom"),
        ("first", "last"),
        ("required necessary needed", "optional unnecessary unneeded"),
        ("faster", "slower"),
        ("better", "worse"),
        ("include includes", "exclude excludes"),
    )
)
_PIVOTS = (("before",), ("after",), ("instead", "of"), ("rather", "than"))
"""Words around which swapping the two sides reverses the meaning of a sentence."""


def opposed(one: str, other: str) -> bool:
    """Return true where two sentences, assumed to be about the same thing, contradict each other. Symmetric."""
    a, b = _words(one), _words(other)
    if a == b:
        return False
    flips = _negations(a) + _negations(b) + sum(_apart(a, b, *pair) for pair in _OPPOSITES)
    return bool(flips % 2) or _swapped(a, b)


def is_negative(text: str) -> bool:
    """Return true where a text contains a negation."""
    return _negations(_words(text)) > 0


def same_numbers(one: str, other: str) -> bool:
    """Return true where both texts contain the same numbers, or one of them contains none."""
    a, b = ({word for word in _words(text) if _NUMBER.match(word)} for text in (one, other))
    return not a or not b or a == b


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().translate(_APOSTROPHES))


def _negations(words: list[str]) -> int:
    return sum(word in _NEGATIVE or word.endswith("n't") for word in words)


def _apart(a: list[str], b: list[str], these: frozenset[str], those: frozenset[str]) -> bool:
    """Return true where one uses only words of `these` and the other only words of `those`."""
    in_a = (any(word in these for word in a), any(word in those for word in a))
    in_b = (any(word in these for word in b), any(word in those for word in b))
    return {in_a, in_b} == {(True, False), (False, True)}


def _swapped(a: list[str], b: list[str]) -> bool:
    """Return true where the two sides of a pivot changed places; "X after Y" counts as "Y before X"."""
    sides_a, sides_b = _sides(a), _sides(b)
    if sides_a is None or sides_b is None or sides_a[0] != sides_b[0]:
        return False
    _, left_a, right_a = sides_a
    _, left_b, right_b = sides_b
    kept = len(left_a & left_b) + len(right_a & right_b)
    crossed = len(left_a & right_b) + len(right_a & left_b)
    return crossed > kept


def _sides(words: list[str]) -> tuple[str, frozenset[str], frozenset[str]] | None:
    for pivot in _PIVOTS:
        for start in range(1, len(words) - len(pivot)):
            if tuple(words[start : start + len(pivot)]) == pivot:
                left, right = frozenset(words[:start]), frozenset(words[start + len(pivot) :])
                # Words on both sides carry no information about the order.
                left, right = left - right, right - left
                if pivot in {("before",), ("after",)}:
                    return ("order", left, right) if pivot == ("before",) else ("order", right, left)
                return "choice", left, right
    return None

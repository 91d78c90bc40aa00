"""Running text as sentences that stand alone."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.vocabulary import word_weight

LONGEST_SENTENCE = 400
"""Characters. A longer sentence is split at semicolons and colons, and what is still longer is left out."""

_SHORTEST_SENTENCE = 12
"""Characters, of which one of a script without blanks counts as two."""
_MOST_TEXT = 40_000
"""Characters of one message that are read, half from its beginning and half from its end."""

_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+|^[ \t]*#{1,6}[ \t]+|^[ \t]*>[ \t]?")
_TABLE_RULE = re.compile(r"\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*")
_EMPHASIS = re.compile(
    r"(`[^`]*`|\b__\w+__\b)|(?<![\w*])(\*{1,3}|_{2})(?=[\w`\"'(\[<])(.+?)(?<=[\w`\"')\]>.,:;!?%])\2(?![\w*])"
)
"""Emphasised text as its third group; code, and names such as `__init__`, as the first. `*-*-01` has none."""
# An abbreviation, an initial or an ordinal does not end a sentence: a capital, a quotation or a letter that is not
# ASCII must follow. Nor does the first half of one in two letters, as in the German "z. B.".
_END = re.compile(
    r"(?<=[.!?])(?!(?<=\b[a-z]\.)\s\w{1,2}\.)(?<!\b[a-z]\.\s\w\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\b[A-Z]\.)"
    r"[\"')\]»”]{0,2}\s+(?=[\"'(\[`«„“¿¡]?(?:[A-Z0-9]|[^\W\x00-\x7f])|`\w)|(?<=[。！？])(?=\w)"
)
_LOWER_END = re.compile(r"(?<=[^\W\d_]{2}[.!?])\s+(?=[a-z])|(?<=[\d)\]`'\"][.!?])\s+(?=[a-z])|(?<=[!?])\s+(?=[a-z])")
"""Where a sentence ends for who begins the next one with a small letter."""
_SMALL_WORD = r"[a-z]{2,}\b(?![_(/]|\.\w)"
_BEGINS_SMALL = re.compile(rf"[\W_]*{_SMALL_WORD}")
_MAY_BEGIN_SMALL = re.compile(rf"[\W\d_]*(?:[a-z]\s+)?(?:[Ii](?:['’]\w+)?\s+)?{_SMALL_WORD}")
"""A text that begins with `I` or an amount, of which nothing tells how its author begins sentences."""
_BEGINS_LARGE = re.compile(r"[.!?]\s+(?!I\b)[A-Z][a-z]")
_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Gov|Sen|Rep|Capt|Lt|Sgt|Rev|Hon|vs|cf|approx|ca|incl|excl|resp)\.\Z"
)
"""An abbreviation behind which its sentence goes on."""
_NUMBER = re.compile(r"\b(?:[Rr]ev|[Vv]ers?|[Nn]o|Nos|[Nn]r|Fig|Sec|Ch|Art|Arts|Abs|Eq|Tab|[Pp]ara|vol|pp?)\.\Z")
_SUFFIX = re.compile(r"\b(?:Inc|Ltd|Corp|Co|Bros|LLC|Jr|Sr|etc|al|min|max|sec)\.\Z")
"""An abbreviation that may end a sentence: it does where a word follows that is no name."""
_FIRST_WORD = re.compile(r"\W*(\w+)")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDS = (".", "!", "?", ":", "。", "！", "？", "：")
_CLAUSE = re.compile(r"(?<=[;:])\s+|\s+(?:-{1,2}|–|—)\s+")


def split_sentences(text: str, shortest: int = _SHORTEST_SENTENCE) -> Iterator[str]:
    """Yield the sentences of prose, one line each, in order. Code blocks are left out; list items are sentences.

    Those with fewer than `shortest` characters are left out. Who begins a text with a small letter begins sentences
    with one.
    """
    if len(text) > _MOST_TEXT:
        text = text[: _MOST_TEXT // 2] + "\n" + text[-_MOST_TEXT // 2 :]
    begins_small = _begins_small(text)
    for line in _paragraphs(_FENCE.sub("\n\n", text)):
        for sentence in _ended(_END.split(line)):
            for piece in _ended(_LOWER_END.split(sentence)) if begins_small else (sentence,):
                yield from _parts(piece, shortest)


def _begins_small(text: str) -> bool:
    """Return true where the author of a text seems to begin sentences with small letters."""
    if _BEGINS_SMALL.match(text):
        return True
    return _MAY_BEGIN_SMALL.match(text) is not None and _BEGINS_LARGE.search(text) is None


def _ended(pieces: list[str]) -> Iterator[str]:
    """Yield sentences from pieces that end in a full stop, those put together that an abbreviation cut in two."""
    held = ""
    for piece in pieces:
        if held and not _is_abbreviated(held, piece):
            yield held
            held = ""
        held = f"{held} {piece}" if held else piece
    if held:
        yield held


def _is_abbreviated(held: str, following: str) -> bool:
    """Return true where the full stop before the following words belongs to an abbreviation."""
    if _TITLE.search(held) or (_NUMBER.search(held) and following[:1].isdigit()):
        return True
    first = _FIRST_WORD.match(following)
    return _SUFFIX.search(held) is not None and first is not None and word_weight(first[1].lower()) > 0


def _paragraphs(text: str) -> Iterator[str]:
    """Lines of text with wrapped ones joined.

    An empty line, a list item, the row of a table and a line behind the end of a sentence begin a new one; a list item
    goes on in indented lines only.
    """
    held: list[str] = []
    in_item = False
    lines = text.splitlines()
    for number, line in enumerate(lines):
        stripped = line.strip()
        is_row = len(stripped) > 1 and stripped.startswith("|") and stripped.endswith("|")
        if is_row and any(map(_TABLE_RULE.fullmatch, lines[number : number + 2])):
            stripped = ""  # the head of a table, or the rule below it
        bullet = None if is_row else _BULLET.match(line)
        is_item = is_row or bullet is not None
        ended = bool(held) and (held[-1].endswith(_ENDS) or (in_item and not line[:1].isspace()))
        if held and (not stripped or is_item or ended):
            yield " ".join(held)
            held = []
        if stripped:
            in_item = is_item or (in_item and bool(held))
            told = stripped[1:-1].strip() if is_row else line[bullet.end() :].strip() if bullet else stripped
            held.append(_EMPHASIS.sub(_plain, told) if "*" in told or "__" in told else told)
    if held:
        yield " ".join(held)


def _plain(found: re.Match[str]) -> str:
    return found[1] or found[3]


def _parts(sentence: str, shortest: int) -> Iterator[str]:
    sentence = " ".join(sentence.split())
    pieces = [sentence] if len(sentence) <= LONGEST_SENTENCE else _joined(_CLAUSE.split(sentence))
    for piece in pieces:
        width = len(piece) + len(_WIDE.findall(piece))
        if width >= shortest and len(piece) <= LONGEST_SENTENCE:
            yield piece


def _joined(clauses: list[str]) -> list[str]:
    """Clauses put together again as far as they stay below LONGEST_SENTENCE / 2."""
    parts: list[str] = []
    for clause in clauses:
        if parts and len(parts[-1]) + len(clause) < LONGEST_SENTENCE // 2:
            parts[-1] += " " + clause
        else:
            parts.append(clause)
    return parts

"""Characters of other scripts that look like letters and signs of ASCII, and text in the letters that it looks like."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_DASHES = "‐‑‒–—―−﹘﹣－─━╌╍⸺⸻ー﹉⁃˗֊⎯⎼⎻⏤〜〰¯ˉ￣᠆⸗⹀"
_COLONS = "：﹕∶ː꞉׃։˸⁚︰︓⦂ꓽ᠄܃܄៖؛"
_OPENING = "‹〈⟨＜﹤˂ᐸ❮❰≺〈⧼🞀«⟪"
_CLOSING = "›〉⟩＞﹥˃ᐳ❯❱≻〉⧽🞂»⟫"
_SLASHES = "∕⁄／⧸╱⟋"
_BARS = "｜│∣ǀ"
_BLANKS = "\u2800"
_LETTERS = (
    ("аеорсухіјѕһԁӏмтквнгυνοαερτικиπАВЕКМНОРСТХІЈЅУΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡɩɪʀɴɛо",
     "aeopcyxijshdlmtkbhruvoaeptiknnabekmhopctxijsyabezhikmnoptyxiagiirneo"),
    ("ϲϹϳϜɸʋɯ", "ccjfpuw"),
    ("օսհոցզյոաՏԼՕՍՀ", "ouhngqjnwslouh"),  # Armenian
    ("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "bpdtgkjczfmnlsrvhwxyaeiou"),  # Lisu
    ("ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ", "drtiyajewmhyghz4rwsvslcpkjgb"),  # Cherokee
    ("ꭰꭱꭲꭵꭹꭺꭻꭼꮃꮇꮋꮍꮐꮒꮓꮞꮢꮤꮥꮩꮪꮮꮯꮲꮶꮷᏻᏼ", "drtiyajewmhyghz4rwsvslcpkjgb"),
    ("ⲀⲂⲈⲌⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲁⲃⲉⲍⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭ", "abezhikmnopctyxabezhikmnopctyx"),  # Coptic
    ("ᗩᗷᑕᗪᗴᖴᕼᒍᒪᗰᑎᑭᖇᔕᑌᐯᗯ", "abcdefhjlmnprsuvw"),  # Canadian syllabics
)  # fmt: skip
_TABLE = str.maketrans(
    "".join((_OPENING, _CLOSING, _SLASHES, _COLONS, _BARS, _DASHES, _BLANKS, *(letters for letters, _ in _LETTERS))),
    "".join(
        (
            *("<" * len(_OPENING), ">" * len(_CLOSING), "/" * len(_SLASHES), ":" * len(_COLONS), "|" * len(_BARS)),
            *("-" * len(_DASHES), " " * len(_BLANKS), *(plain for _, plain in _LETTERS)),
        )
    ),
)
_SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL (?P<letter>[A-Z])")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class Skeleton(NamedTuple):
    """A text as a reader may see it, in ASCII as far as it has look-alikes there.

    `places` and `shifts`: from each of these places on, a character stands so many places further on in the text.
    """

    text: str
    places: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def place_of(self, position: int) -> int:
        """Return where in the text a character of the skeleton stands."""
        number = bisect_right(self.places, position)
        return position + (self.shifts[number - 1] if number else 0)


def skeleton_of(text: str) -> Skeleton:
    """Return the skeleton of a text, with capitals as they are."""
    if text.isascii():
        return Skeleton(text)
    parts: list[str] = []
    places: list[int] = []
    shifts: list[int] = []
    copied = length = 0
    for found in _NOT_ASCII.finditer(text):
        plain = plain_letters(found[0])
        parts += (text[copied : found.start()], plain)
        length += found.start() - copied + len(plain)
        copied = found.end()
        if len(plain) != 1:
            places.append(length)
            shifts.append(copied - length)
            if len(plain) > 1:  # each of its letters stands where the character does
                for number in range(1, len(plain)):
                    places.insert(-1, length - len(plain) + number)
                    shifts.insert(-1, found.start() - (length - len(plain) + number))
    return Skeleton("".join((*parts, text[copied:])), tuple(places), tuple(shifts))


@lru_cache(maxsize=4096)
def plain_letters(character: str) -> str:
    """Return the letters and signs of ASCII that a character looks like, itself where there are none."""
    small = _SMALL_CAPITAL.fullmatch(unicodedata.name(character, ""))
    folded = small["letter"] if small else character.translate(_TABLE)
    decomposed = unicodedata.normalize("NFKD", folded).translate(_TABLE)
    return "".join(each for each in decomposed if unicodedata.category(each) not in {"Mn", "Me", "Cf"})

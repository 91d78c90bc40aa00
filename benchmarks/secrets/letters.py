"""Trains `mcp_reflect/domain/redaction/values/letter_model.py`: `python -m benchmarks.secrets.letters`.

Read are the words and identifiers of Python's library and of npm's packages, each once, so that a frequent word weighs
no more than a rare one. Printed are the tables, as they stand in that module.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path

from mcp_reflect.domain.redaction.values.letter_model import CLASSES, DIGITS, FIFTHS, LETTERS, class_of

_WORD = re.compile(r"[A-Za-z0-9]{3,40}")
_HEX = re.compile(r"(?=.*\d)[0-9a-fA-F]{8,}|.*\d[a-z].*\d[a-zA-Z].*\d.*")
"""Hashes and what else is random itself."""
_LEAST_COUNT = 0.5


def words() -> set[str]:
    """Return the different words of the texts that the model is trained on."""
    folders = (Path(json.__file__).parents[1], Path("/usr/lib/node_modules"))
    found: set[str] = set()
    for folder in folders:
        for pattern in ("*.py", "*.js", "*.md"):
            for path in sorted(folder.rglob(pattern)):
                if path.is_file() and "site-packages" not in path.parts and path.stat().st_size < 300_000:
                    found.update(_WORD.findall(path.read_text("utf-8", "replace")))
    return {word for word in found if not _HEX.fullmatch(word)}


def main() -> None:
    classes: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    for word in words():
        shape = "^^" + "".join(map(class_of, word))
        classes.update(shape[i : i + 3] for i in range(len(shape) - 2))
        plain = "".join(each if each.isalpha() else "^" for each in f"^{word.lower()}")
        letters.update(plain[i : i + 2] for i in range(len(plain) - 1) if plain[i + 1] != "^")
    print("CLASS_BITS:")
    for a in CLASSES:
        for b in CLASSES:
            print(f'    "{_row([classes[a + b + c] for c in CLASSES[1:]])}"  # {a}{b}')
    print("LETTER_BITS:")
    for a in LETTERS:
        print(f'    "{_row([letters[a + b] for b in LETTERS[1:]])}"  # {a}')


def _row(counts: list[int]) -> str:
    """Return the bits of each count, in fifths from A on."""
    smoothed = [count + _LEAST_COUNT for count in counts]
    return "".join(DIGITS[min(len(DIGITS) - 1, round(-FIFTHS * math.log2(each / sum(smoothed))))] for each in smoothed)


if __name__ == "__main__":
    main()

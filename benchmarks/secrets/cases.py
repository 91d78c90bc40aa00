"""The set: each kind in each shape, from a seed; a third of the kinds is held out, and a second set is fresh.

A secret counts as caught where the redacted text holds no half of it in a row, neither as it is nor as its shape
encodes it (JSON, URL, HTML, base64). Of a secret of several lines, each long line must be gone.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote

from benchmarks.secrets.afterwards import AFTERWARDS_CONTEXTS, AFTERWARDS_NAMED
from benchmarks.secrets.closing import CLOSING_CONTEXTS, CLOSING_NAMED, CLOSING_PREFIXED
from benchmarks.secrets.configured import CONFIGURED_CONTEXTS
from benchmarks.secrets.configured_last import CONFIGURED_LAST_CONTEXTS
from benchmarks.secrets.configured_later import CONFIGURED_LATER_CONTEXTS
from benchmarks.secrets.contexts import contexts
from benchmarks.secrets.documented import DOCUMENTED_CONTEXTS, DOCUMENTED_NAMED
from benchmarks.secrets.everyday import EVERYDAY_CONTEXTS, EVERYDAY_NAMED
from benchmarks.secrets.everyday_shapes import EVERYDAY_SHAPES
from benchmarks.secrets.fresh import FRESH_CONTEXTS, FRESH_NAMED, FRESH_PREFIXED
from benchmarks.secrets.general import GENERAL_CONTEXTS, GENERAL_NAMED, GENERAL_PREFIXED
from benchmarks.secrets.kinds import Kind, kinds, kinds_of
from benchmarks.secrets.last import LAST_CONTEXTS, LAST_NAMED, LAST_PREFIXED
from benchmarks.secrets.outside import OUTSIDE_CONTEXTS
from benchmarks.secrets.outside_held import OUTSIDE_HELD_CONTEXTS
from benchmarks.secrets.outside_held_more import OUTSIDE_HELD_MORE_CONTEXTS
from benchmarks.secrets.outside_more import OUTSIDE_MORE_CONTEXTS
from benchmarks.secrets.random_text import fill
from benchmarks.secrets.recent import RECENT_CONTEXTS, RECENT_NAMED, RECENT_PREFIXED
from benchmarks.secrets.recent_shapes import RECENT_SHAPES
from benchmarks.secrets.shapes import BARE, NAMED, Shape, carriers
from benchmarks.secrets.written_out import WRITTEN_OUT_CONTEXTS

SEED = 19
_SHORTEST_PART = 6
_LONG_LINE = 16
_MARKED = re.compile("«(.+?)»", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{12,}={0,2}")


@dataclass(frozen=True)
class Case:
    """One secret in one shape: text or a JSON value."""

    kind: str
    shape: str
    value: Any
    secrets: tuple[str, ...]


def is_held_out(kind: str) -> bool:
    """Return whether a kind belongs to the third that is looked at once, when the rules are done."""
    return hashlib.sha256(f"{SEED} {kind}".encode()).digest()[0] % 3 == 0


def parts() -> dict[str, tuple[list[Kind], dict[str, str]]]:
    """Return the parts of the set: their kinds that are values, and templates of those that are surroundings."""
    every, around = kinds(), contexts()
    documented = kinds_of({}, DOCUMENTED_NAMED)
    recent = kinds_of(RECENT_PREFIXED, RECENT_NAMED)
    return {
        "in sight": _split(every, around, held_out=False),
        "held out": _split(every, around, held_out=True),
        "fresh": (kinds_of(FRESH_PREFIXED, FRESH_NAMED), FRESH_CONTEXTS),
        "recent": _split(recent, RECENT_CONTEXTS, held_out=False),
        "general": (kinds_of(GENERAL_PREFIXED, GENERAL_NAMED), GENERAL_CONTEXTS),
        "closing": (kinds_of(CLOSING_PREFIXED, CLOSING_NAMED), CLOSING_CONTEXTS),
        "everyday": (kinds_of({}, EVERYDAY_NAMED), EVERYDAY_CONTEXTS),
        "afterwards": (kinds_of({}, AFTERWARDS_NAMED), AFTERWARDS_CONTEXTS),
        "documented": _split(documented, DOCUMENTED_CONTEXTS, held_out=False),
        "documented, held out": _split(documented, DOCUMENTED_CONTEXTS, held_out=True),
        "configured": ([], CONFIGURED_CONTEXTS),
        "configured later": ([], CONFIGURED_LATER_CONTEXTS),
        "configured last": ([], CONFIGURED_LAST_CONTEXTS),
        "written out": ([], WRITTEN_OUT_CONTEXTS),
        "outside": ([], OUTSIDE_CONTEXTS | OUTSIDE_MORE_CONTEXTS),
        "outside, held out": ([], OUTSIDE_HELD_CONTEXTS | OUTSIDE_HELD_MORE_CONTEXTS),
        "last": (kinds_of(LAST_PREFIXED, LAST_NAMED), LAST_CONTEXTS),
        "unseen": _split(recent, RECENT_CONTEXTS, held_out=True),
    }


def named_shapes(part: str) -> dict[str, Shape]:
    """Return the shapes with a name that a part is tried in; a third of the further shapes is not for "recent"."""
    if part in {"everyday", "afterwards", "documented", "documented, held out"}:
        return NAMED | RECENT_SHAPES | EVERYDAY_SHAPES
    if part in {"unseen", "last", "general", "closing"}:
        return NAMED | RECENT_SHAPES
    return NAMED | {name: shape for name, shape in RECENT_SHAPES.items() if part == "recent" and not is_held_out(name)}


def cases(part: str, seed: int = SEED) -> Iterator[Case]:
    """Yield every kind of one part of the set in every shape."""
    values, around = parts()[part]
    for kind in values:
        for shape, write in named_shapes(part).items():
            rng = Random(f"{seed} {kind.name} {shape}")
            secret = fill(rng.choice(kind.templates), rng)
            yield Case(kind.name, shape, write(rng.choice(kind.names), secret), (secret,))
        for shape, write in BARE.items() if kind.bare else ():
            rng = Random(f"{seed} {kind.name} {shape}")
            secret = fill(rng.choice(kind.templates), rng)
            yield Case(kind.name, shape, write("", secret), (secret,))
    for name, template in around.items():
        for shape, carry in carriers().items():
            text, secrets = _filled(template, Random(f"{seed} {name} {shape}"))
            yield Case(name, shape, carry(text), secrets)


def is_caught(case: Case, redacted: Any) -> bool:
    """Return whether nothing of the case's secrets is left in its redacted value."""
    text = redacted if isinstance(redacted, str) else json.dumps(redacted, ensure_ascii=False)
    texts = [text, *_decoded(text)]
    return not any(part in each for secret in case.secrets for part in _parts(secret) for each in texts)


def _split(every: list[Kind], around: dict[str, str], *, held_out: bool) -> tuple[list[Kind], dict[str, str]]:
    return (
        [kind for kind in every if is_held_out(kind.name) == held_out],
        {name: template for name, template in around.items() if is_held_out(name) == held_out},
    )


def _filled(template: str, rng: Random) -> tuple[str, tuple[str, ...]]:
    found: list[str] = []

    def secret(match: re.Match[str]) -> str:
        found.append(fill(match[1], rng))
        return found[-1]

    return fill(_MARKED.sub(secret, template), rng), tuple(found)


def _parts(secret: str) -> Iterator[str]:
    """Yield every half of the secret in each encoding, of several lines each long line."""
    lines = [line for line in secret.split("\n") if len(line) >= _LONG_LINE] if "\n" in secret else [secret]
    for line in lines:
        for written in {line, json.dumps(line)[1:-1], quote(line, safe=""), html.escape(line), _b64(line)}:
            length = min(len(written), max(_SHORTEST_PART, -(-len(written) // 2)))
            yield from (written[start : start + length] for start in range(len(written) - length + 1))


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _decoded(text: str) -> Iterator[str]:
    for match in _BASE64.finditer(text):
        body = match[0].rstrip("=")
        yield base64.b64decode(body + "=" * (-len(body) % 4) if len(body) % 4 != 1 else body[:-1]).decode(
            "utf-8", "replace"
        )

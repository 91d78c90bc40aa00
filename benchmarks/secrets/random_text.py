"""Random text by template: `ghp_{a36}` is a prefix and 36 letters or digits.

Templates keep whole secrets out of this repository, where scanners would report them.
"""

from __future__ import annotations

import base64
import re
import string
import uuid
from collections.abc import Callable
from random import Random

_ALPHABETS = {
    "d": string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_uppercase,
    "a": string.ascii_letters + string.digits,
    "u": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "z": string.ascii_lowercase + "234567",
    "Z": string.ascii_uppercase + "234567",
    "k": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}
_FIELD = re.compile(r"\{(?!S?SHA\}|PLAIN\})([a-zA-Z]+?)(\d*)\}")
_WORD_LIST = (
    "amber anchor basil beacon birch canyon cedar cobalt comet copper coral crane delta ember falcon fjord garnet "
    "glacier harbor hazel indigo ivory jasper juniper kestrel lagoon lantern linen lotus maple marble meadow mosaic "
    "nectar nickel ocean onyx orchid otter pebble pepper pilot plum prairie quartz raven river saffron sierra silver "
    "spruce summer tango timber topaz tundra velvet violet walnut willow winter zephyr"
)
_WORDS = _WORD_LIST.split()
_LEET = str.maketrans("aeios", "43105")


def fill(template: str, rng: Random) -> str:
    """Return the template with each field replaced: a letter for the alphabet, and the number of characters."""
    return _FIELD.sub(lambda field: _value(field[1], int(field[2] or 1), rng), template)


def words(rng: Random, count: int) -> list[str]:
    """Return that many different words."""
    return rng.sample(_WORDS, count)


def _value(code: str, count: int, rng: Random) -> str:
    if code in _ALPHABETS:
        return _mixed(_ALPHABETS[code], count, rng)
    if code == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    if code in _PASSWORDS:
        return _PASSWORDS[code](rng)
    if code == "words":
        return " ".join(words(rng, count))
    if code == "json":  # a part of a JWT
        claims = f'{{"sub":"{rng.randrange(10**9)}","iat":{rng.randrange(10**9, 2 * 10**9)}}}'
        return base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=")
    if code == "pem":
        return (
            "\n".join(_mixed(_ALPHABETS["b"], 64, rng) for _ in range(count))
            + "\n"
            + _mixed("ABCdef01", 20, rng)
            + "=="
        )
    raise ValueError(code)


def _mixed(alphabet: str, count: int, rng: Random) -> str:
    """Return characters of an alphabet; a longer text has a digit and a letter, as real keys nearly always have."""
    while True:
        text = "".join(rng.choices(alphabet, k=count))
        if (
            count < 8
            or alphabet.isdigit()
            or alphabet.isalpha()
            or (any(c.isdigit() for c in text) and any(c.isalpha() for c in text))
        ):
            return text


def _password(rng: Random) -> str:
    one, two, three = words(rng, 3)
    number = str(rng.randrange(10, 9999))
    return rng.choice(
        (
            f"{one}{number}",
            f"{one.title()}{two.title()}{number}",
            f"{one.title()}{number}{rng.choice('!?#*%')}",
            f"{one}-{two}-{three}-{number}",
            f"{one.title()}@{number}_{two}",
            _mixed(string.ascii_letters + string.digits + "!@#%^*_+-", rng.randrange(12, 24), rng),
            _mixed(string.ascii_letters + string.digits, rng.randrange(8, 20), rng),
        )
    )


def _short_password(rng: Random) -> str:
    """Return a password of 6 to 12 characters, as people choose them and as small generators make them."""
    word, other = rng.sample([each for each in _WORDS if len(each) <= 6], 2)
    number, year = str(rng.randrange(1, 999)), rng.randrange(1980, 2027)
    return rng.choice(
        (
            f"{word}{number:0>2}",
            f"{word.title()}{number:0>2}",
            f"{word.title()}{number}!",
            f"{word.title()}@{number}",
            f"{word.translate(_LEET)}{number:0>2}",
            f"{word[:5].title()}{year}",
            f"{word}_{other}"[:12],
            f"{word}{other}"[:12],
            _mixed(string.ascii_letters + string.digits, rng.randrange(6, 13), rng),
            _mixed(string.ascii_lowercase + string.digits, rng.randrange(8, 13), rng),
            _mixed(string.ascii_letters + string.digits + "!@#%_+-?", rng.randrange(8, 13), rng),
        )
    )


def _encoded(rng: Random) -> str:
    return base64.b64encode(_short_password(rng).encode()).decode()


def _basic(rng: Random) -> str:
    """Return a user and a password as the header of basic authentication encodes them."""
    user = rng.choice(("bob", "admin", "ci-bot"))
    return base64.b64encode(f"{user}:{_short_password(rng)}".encode()).decode()


_PASSWORDS: dict[str, Callable[[Random], str]] = {
    "password": _password,
    "short": _short_password,
    "encoded": _encoded,
    "basic": _basic,
}

"""Judgement of a value that stands where a secret may stand: a placeholder, a word, code, or a secret."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.values.letter_model import random_bits

MARK = "[redacted:"

PLACEHOLDER = re.compile(
    r"""\[redacted:[a-z0-9-]+\]\W*                  # done already
    | <.*> | \{.*\} | \[.*\] | \(.*\)               # <your-key>, {{ token }}, [hidden]
    | \$[A-Za-z_]\w*\W* | [$%#][{(].* | %\w+%       # $KEY, ${KEY}, $(command), %(key)s
    | \W* | (?:\x1b\[[\d;]*m)+                      # ********, …, a colour
    | [*xX.…•_-]{3,}\S{0,4}                         # xxxx, ****abcd
    | [\w-]{1,12}(?:\.{3}|…)\S{0,4}                 # sk_test_..., of a text that was cut off
    | [a-z]{2,6}[-_](?:your|insert|replace|example|placeholder|redacted)[-_ ].*   # sk-your-key-here
    | (?:your|insert|enter|replace|change|example|sample|dummy|placeholder|redacted|masked|hidden|removed)
      (?:[-_ ].*|me|it|d|this)?
    | minioadmin | guest | (?:dev|test|local)(?:[_-]?(?:pw|pass|passwd|password))?   # defaults that documents print
    | (?:[a-z]{1,8}[-_]){1,3}(?:x{4,}|\*{4,})       # sk_test_xxxxxxxx
    | \.[*+].* | \[\^.*                              # part of a regular expression
    | argon2\w{1,2}\$v=\d+\$m=\d+                    # the parameters of a hash
    | [a-z]\w{0,40}_\w{1,40}__[\w-]{5,8}            # a class of a CSS module
    | password | passwd | pass | pwd | pw           # user:password@host
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

_WORDS_ABOUT = (
    "a an and any are as at auth authentication be blank bool boolean bytes cannot compat denied disabled empty "
    "enabled error expired failed false field files for from has hidden if in incorrect input int integer invalid "
    "is it length list missing mismatch must na needed needs nil no none not null number object of off ok on "
    "optional or prompt provided required reset secretstr set should str string text that the this to true type "
    "incorrecta incorrectas incorrecto incorrectos incorrecte falsch ungültig vergessen olvidada obligatoria requerida "
    "await async function lambda new return self this typeof void yield null nullptr "
    "undefined unknown unset update updated use used user valid value verified was when will with wrong yes you"
)
"""Words that follow `password:` in prose, in code and in schemas."""
WORDS = frozenset(_WORDS_ABOUT.split())

_ORDINARY = re.compile(
    r"""[a-z][a-z0-9+.-]*://.* | arn:.* | 0x[0-9a-f]{1,16}           # a URL, a resource, a number
    | (?:sha|md|aes|rs|hs|es|ps|ed|utf|iso|base|oauth|http|ipv|x|pkcs|rfc|tls|ssl|int|uint|float|str|v|py|python|
      argon|bcrypt|ec|sm|rc|arm|amd|win)[-_]?\d{1,5}(?:[-_.]?[a-z0-9]{1,8})?   # sha256, oauth2, v2
    | [kspilhtqc][-_]?\d{1,5}(?:[-_.][a-z0-9]{1,8}|[a-z]{1,6}\d{0,2})?   # s3, k8s, i18n
    | [a-z]*[-_]?v?\d+(?:\.\d+)+(?:[-+.]?[a-z0-9.]*)?                 # versions, addresses
    | [a-z][\w.-]*@[v^~]?\d+(?:\.\d+)+[\w.+-]*                       # a package with its version
    | \d{4}-?\d\d-?\d\d(?:[t_ ]?[\d:.,z+-]*)?                         # dates
    | \d+(?:[.,:x-]\d+)*[a-z%]{0,3}                                   # numbers, sizes, times
    | [\w./~*-]+\.(?:[a-z]{1,5}|json5?|[a-z]+\d\d?)(?::\d+)*          # names of files, hosts
    | (?:[0-9a-f]{2}:){5,}(?:[0-9a-f]{2})?                            # bytes of a modulus, a fingerprint
    | [a-z_]+(?:[-_.][a-z]+)*[-_.]?\d?                                # words, with one digit perhaps
    | [a-z]{1,12}\d?(?:[-_.](?:[a-z]{1,14}\d?|\d{1,3}))+              # names in parts: step-2, my_token_2
    | %\w | [a-z_.-]+=.*                                              # a field of a format, name=value
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RULES = re.compile(r"[a-z_]{2,20}(?::[\w,.]{1,20})?(?:\|[a-z_]{2,20}(?::[\w,.]{1,20})?){1,10}")
"""Rules for the value of a form's field."""
_LEAST_PHRASE = 4
"""Least words of a passphrase in small letters."""
_LEAST_LETTERS, _MOST_LETTERS = 3, 10
"""Letters of a word in such a passphrase."""
_LEAST_BITS = 11.0
"""Evidence of letters that outweighs the form of an ordinary word: `SAJPNvK6` is no name with a number."""
_SHORTEST_SOUP = 20
_KINDS_OF_SIGNS = 7
_HAS_CODE = re.compile(r"[(){}\[\]<>]|\$\{|::|->|^[~.]{0,2}/")
_BORDERS = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_RANDOM_BORDERS = 0.4
"""Least share of borders between letter cases and digits in random text; 0.62 is expected, 0.3 are names in CamelCase.
"""


def is_harmless(value: str, kind: str) -> bool:
    """Return true where a value is a placeholder, a common word or, except for passwords, a number."""
    bare = value.strip().rstrip(")]}.:,!")
    return (
        bare.lower() in WORDS
        or PLACEHOLDER.fullmatch(value.strip()) is not None
        or (kind != "password" and bare.lstrip("^~<>= v").replace(".", "").replace("_", "").isdecimal())
    )


def looks_random(value: str, least: int) -> bool:
    """Return true where one word of at least `least` characters mixes letters with digits as only secrets do."""
    bare = value.strip().strip("\"'`*.,:;!?")
    return (
        len(bare) >= least
        and any(letter.isdigit() for letter in bare)
        and any(letter.isalpha() for letter in bare)
        and not any(letter.isspace() for letter in bare)
        and not _ORDINARY.fullmatch(bare)
        and not _HAS_CODE.search(bare)
        and not PLACEHOLDER.fullmatch(bare)
    )


def looks_drawn(value: str, least: int) -> bool:
    """Return true where one word looks random, or is drawn from letters and digits by the evidence of its letters."""
    bare = value.strip().strip("\"'`*.,:;!?)]}")
    if not any(map(str.isdigit, bare)) or not any(map(str.isalpha, bare)):
        return False
    drawn = len(bare) >= least and bare.isascii() and bare.isalnum() and random_bits(bare) >= _LEAST_BITS
    return looks_random(bare, least) or drawn or is_soup(bare)


def is_soup(value: str) -> bool:
    """Return true for signs of all kinds among letters and digits, as generators of salts write them."""
    kinds = {letter for letter in value if not letter.isalnum()}
    return len(value) >= _SHORTEST_SOUP and len(kinds) >= _KINDS_OF_SIGNS and not any(map(str.isspace, value))


def is_wording(value: str) -> bool:
    """Return true for the words that a page shows beside a field, and for the rules of a form: `required|min:8`."""
    letters = "".join(value.split())
    plain = letters.rstrip("?!.:").replace("-", "").replace("'", "").replace("\u2019", "")
    asks = value.rstrip().endswith("?") and " " in value.strip() and value[:1].isupper()
    is_title = value[:1].isupper() and not plain.isascii()
    return (plain.isalpha() and (asks or is_title)) or _RULES.fullmatch(value) is not None


def is_phrase(value: str) -> bool:
    """Return true for several words in small letters without those that sentences are made of."""
    words = value.split()
    return (
        len(words) >= _LEAST_PHRASE
        and all(word.isalpha() and word.islower() for word in words)
        and WORDS.isdisjoint(words[:_LEAST_PHRASE])
    )


def is_joined_phrase(value: str) -> bool:
    """Return true for a passphrase whose words one sign joins: `otter-velvet-saddle-thunder`."""
    signs = {sign for sign in "-_." if sign in value}
    words = value.split(signs.pop()) if len(signs) == 1 else []
    return all(_LEAST_LETTERS <= len(word) <= _MOST_LETTERS for word in words) and is_phrase(" ".join(words))


def is_mixed(value: str) -> bool:
    """Return true where capitals, small letters and digits follow one another as at random."""
    return len(_BORDERS.findall(value)) >= _RANDOM_BORDERS * len(value)


def is_identifier(value: str) -> bool:
    """Return true for a name of words, as tokens of pages and of parsers have them: `nextToken`, `Marker`."""
    parts = re.findall(r"[A-Za-z]+", value)
    letters = "".join(value.split("."))
    return bool(parts) and letters.replace("_", "").replace("-", "").isalpha() and sum(map(random_bits, parts)) < 0

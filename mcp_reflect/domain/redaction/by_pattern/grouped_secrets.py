"""Secrets by their grouping: license keys, recovery codes, card numbers, seed phrases, PINs, and blocks of settings."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern

_GAP = r"(?:[\"'`)\]}*|>]{0,4}[ \t]{0,3}(?:[:=|,>]|=>|->|is|was|to|lautet|ist)?[ \t]{0,3}[\"'`(*|<]{0,4})"
_STOP = "a an the is are was were of in to and or for with on at by it its be as from if not"
_STOP_WORDS = frozenset(_STOP.split())
"""Words that every sentence has, and no list of words for a seed phrase."""
_PHRASE_LENGTHS = frozenset((12, 15, 18, 21, 24, 25))
_LEAST_MIXED = 2


def _is_license(value: str) -> bool:
    """Return true for groups of one length, of which at least two mix letters and digits."""
    groups = value.split("-")
    mixed = sum(any(map(str.isdigit, each)) and any(map(str.isalpha, each)) for each in groups)
    return len({len(each) for each in groups}) == 1 and mixed >= _LEAST_MIXED


def _is_card(value: str) -> bool:
    """Return true where the last digit checks the others by Luhn's formula."""
    digits = [int(each) for each in value if each.isdecimal()]
    doubled = (sum(divmod(2 * each, 10)) for each in digits[-2::-2])
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(value: str) -> bool:
    """Return true where the two digits after the country check the rest (ISO 13616)."""
    plain = value.replace(" ", "")
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


def _is_seed_phrase(value: str) -> bool:
    words = re.findall(r"[a-z]+", value)
    return len(words) in _PHRASE_LENGTHS and len(set(words)) > len(words) // 2 and _STOP_WORDS.isdisjoint(words)


GROUPED_PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern(
        "license-key",
        ("-",),
        # A pattern that begins with a set of characters is found faster than one that looks back first.
        re.compile(r"([A-Z0-9](?<![A-Za-z0-9-].)[A-Z0-9]{3,7}-(?:[A-Z0-9]{4,8}-){2,8}[A-Z0-9]{4,8})(?![A-Za-z0-9-])"),
        judge=_is_license,
        least_word=19,
    ),
    SecretPattern(
        "card-number",
        (" ", "-"),
        re.compile(r"([3-6](?<![\w.-].)\d{3}[ -]\d{4}[ -]\d{4}[ -]\d{1,7})(?![\w-])"),
        judge=_is_card,
    ),
    SecretPattern(
        "card-number",
        ("ard", "ARD", "PAN", "pan"),
        re.compile(
            r"[cCpPvVmM](?<!\w.)(?i:(?<=c)ard|(?<=p)an|(?<=v)isa|(?<=m)aster)"
            rf"(?i:\w{{0,12}}(?:[ _-]\w{{1,10}})?{_GAP})([3-6]\d{{12,18}})(?!\d)"
        ),
        judge=_is_card,
    ),
    SecretPattern(
        "iban",
        ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
        re.compile(r"([A-Z](?<![A-Za-z0-9].)[A-Z]\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?)(?![A-Za-z0-9])"),
        judge=_is_iban,
    ),
    SecretPattern(
        "seed-phrase",
        (" ",),
        re.compile(
            # A first word at the start of a line, of a literal or of a value, and eleven or more after it
            r"(?<![A-Za-z0-9_])(?:(?<! )|(?<=[\"'`:=>] ))"
            r"((?>(?:\d{1,2}[.):]?[ ]{1,2})?[a-z]{3,8}(?:,?[ ]{1,2}|,?\n[ \t]*|$)){12,25}(?<![ \n]))"
            r"(?=[\"'`\n.<\\]|\Z)",
            re.MULTILINE,
        ),
        judge=_is_seed_phrase,
    ),
    SecretPattern(
        "pin",
        ("PIN", "Pin", "PUK", "CVV", "CVC", "TAN", "OTP", " code", "_code", "Code"),
        re.compile(
            rf"(?:(?:PIN|Pin|PUK|CV[VC]2?|TAN|OTP)(?:[ _-]?(?i:code|number|no))?"
            rf"|(?:ccess|oor|larm|afe|ate|nlock|ntry|airing|etup|isarm|ock)[ _-][Cc]ode)"
            rf"{_GAP}(\d(?:[ -]?\d){{3,8}})(?![\w.]\d|\w)"
        ),
    ),
    *(
        SecretPattern(
            "pin",
            (word,),
            # The PIN for the panel is 739105 · 2FA code for GitHub: 739 105
            re.compile(
                rf"{word}(?<![a-z]{word})(?:[ _-](?i:code|number))?"
                rf"(?:[ ](?i:for|of|to|on|in|at|from)[ ][^\n.:;,=\d]{{1,48}}?)?"
                rf"(?:[ ](?:is|was|are)(?:[ ](?:now|still))?|[ ]?[:=])[ ][\"'`*]{{0,2}}"
                rf"(\d(?:[ -]?\d){{3,8}})(?![\w.]\d|\w)"
            ),
        )
        for word in (
            *("PIN", "pin", "OTP", "otp", "TAN", "passcode", "2FA", "MFA"),
            *("access code", "security code", "verification code", "door code", "gate code", "alarm code"),
        )
    ),
    *(
        SecretPattern(
            "pin",
            (word,),
            re.compile(
                rf"{word}(?<![A-Za-z]{word})2?(?:\\{{0,8}}[\"'])?[ ]?(?:[:=]|is)[ ]?"
                rf"(?:\\{{0,8}}[\"'])?(\d{{3,4}})(?!\w|\.\d)"
            ),
        )
        for word in ("CVV", "CVC", "cvv", "cvc", "security code")
    ),
    SecretPattern(
        "password",
        ("chpasswd",),
        re.compile(r"chpasswd:[^:]{0,40}?list:[^\n\\]{0,8}(?:(?:\n|\\n)[ \t-]*[\w.-]{1,32}:([^\s\"'\\:]{4,200}))"),
    ),
    SecretPattern(
        "private-key",
        ("-----BEGIN ",),
        re.compile(
            r"-----BEGIN [^-\n]{0,30}(?:Static key|SECRET KEY|ENCRYPTED KEY)[^-\n]{0,20}-----"
            r"((?:(?:\s|\\+[rn]|\d+(?:→|\t)|[>|])*[A-Za-z0-9+/=]{16,})+)"
        ),
    ),
)
"""Groups of letters, digits and words that say by their form what they are."""

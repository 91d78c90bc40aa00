"""Secrets that stand by position: in calls that log in, in dialogues of protocols, and in files of cookies."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word
from mcp_reflect.domain.redaction.by_pattern.notation import ESCAPED_QUOTE as _Q
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern, random_value
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.mechanisms import is_mechanism, is_message
from mcp_reflect.domain.redaction.values.secret_values import is_harmless

_GAP = r"[ \t]{0,5},[ \t]{0,5}"
_CALL = (
    r"(?:[Ll]og_?[Ii]n|[Ss]ign_?[Ii]n|[Aa]uth|[Aa]uthenticate|(?:Set)?[Bb]asic_?[Aa]uth|HTTP(?:Basic|Digest|Proxy)Auth"
    r"|(?:Basic|UsernamePassword)Credentials?|PasswordAuthentication|[Cc]redentials?|FTP(?:_TLS)?)"
)
_LITERAL = r"((?:[^\"'\n\\]|\\(?![\"'])){4,200})"
_USER = r"(?i:user(?:name)?|login|e?mail|account)"
_NAME_BESIDE = r"(?i:pass(?:word|wd|wort)?|pw)"
_LEAST_GROUPS = 3
_LINE_END = r"(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)"
_NEXT_LINE = rf"{_LINE_END}(?:[ \t]*\d{{1,6}}→|>[ ])?[ \t]{{0,40}}"


LABELS_OF_FIELDS = ("element", "label", "field", "selector", "locator", "target", "placeholder")
"""Keys under which tools for browsers say which field they type into: {"element": "Password field", "text": "…"}."""
TYPED_INTO = (
    r"[^\n\"'\\]{0,40}?(?:password|passwort|passphrase|passcode)"
    r"(?:[ ](?:text[ ]?)?(?:field|input|box|entry))?[\]\"'*: ]{0,4}"
)
"""How the field of a page is called that takes a password: its label, or its selector."""
_SUCCEEDED = (
    r"(?i:log(?:in|on)[ ](?:ok|succe)|logged[ ](?:in|on)|signed[ ]in|welcome|last[ ]login|access[ ]granted|succe"
    r"|authenticat(?:ed|ion[ ]succe)|connected|unlocked|ok\b)"
)


def _is_told_of_account(value: str) -> bool:
    word = value.rstrip(".:!?")
    made = looks_chosen(word) or (not word.islower() and any(map(str.isdigit, word)))
    return made and is_told_word(word) and not is_mechanism(word)


def is_typed_password(value: str) -> bool:
    """Return true for what may be typed into a field, rather than said of it."""
    return is_told_word(value) and not is_message(value)


def _is_password(value: str) -> bool:
    """Return true for a word with a digit or a sign in it: names of arguments and of users have none."""
    if " " in value:
        return _is_in_groups(value)
    plain = value.replace("_", "").replace("-", "").replace(".", "")
    return not is_harmless(value, "password") and not plain.isalpha()


def _is_in_groups(value: str) -> bool:
    """Return true for a drawn password in groups of one length, as mail services give one to each program."""
    groups = value.split()
    drawn = value.replace(" ", "").isalnum() and sum(map(random_bits, groups)) > 0
    return drawn and len(groups) >= _LEAST_GROUPS and {len(each) for each in groups} == {len(groups[0])}


def _is_password_of_pair(value: str) -> bool:
    """Return true for what may be the password of `user:…` in a call that encodes the two."""
    return _is_password(value) or (is_told_word(value) and not value.isalpha())


def _is_told_of_pair(value: str) -> bool:
    return is_told_word(value.rstrip(".:!?")) and not (value.isdecimal() or is_mechanism(value))


def _is_made_of_pair(value: str) -> bool:
    """Return true for a word that is no plain one: `oauth:google` may be told as well."""
    return _is_told_of_pair(value) and not value.rstrip(".:!?").islower() and not value.istitle()


LOGIN_PATTERNS: tuple[SecretPattern, ...] = (
    # creds for grafana are bob:… · grafana creds: bob:…
    *(
        SecretPattern(
            "password",
            ("reds", "redentials"),
            re.compile(
                r"(?:reds|redentials)(?:[ ](?:for|of|to|on|at)[ ][^\n:;,=\"'\\]{1,60}?)?"
                rf"{verb}[ ][`\"']?[\w.@+-]{{1,60}}:([^\s:/\"'`\\,;()<>]{{5,63}})(?=[\s.,;)\\\"'`]|\Z)"
            ),
            judge=judge,
        )
        for verb, judge in ((r"[ ](?:are|is)(?:[ ]now)?", _is_told_of_pair), (":", _is_made_of_pair))
    ),
    # A dialogue: the prompt, what was typed, and that it was right
    SecretPattern(
        "password",
        ("assword", "assphrase"),
        re.compile(
            rf"(?:assword|assphrase)(?:[ ](?:for|of)[ ][^\n:\\]{{1,80}})?:[ \t]{{0,3}}{_NEXT_LINE}"
            rf"([^\s\"'\\<>]{{4,64}})[ \t]{{0,3}}{_NEXT_LINE}(?={_SUCCEEDED})"
        ),
        judge=is_told_word,
    ),
    # What a tool types into a field: {"element": "Password field", "ref": "e12", "text": "…"}
    *(
        SecretPattern(
            "password",
            (label,),
            re.compile(
                rf"{label}(?:{_Q})?[ ]?[:=][ ]?{_Q}(?i:{TYPED_INTO}){_Q},?"
                rf"(?:\s{{0,20}}(?:{_Q})?\w{{1,20}}(?:{_Q})?[ ]?[:=][ ]?"
                rf"(?:{_Q})?[^\n\"',{{}}\\]{{0,60}}(?:{_Q})?,?){{0,3}}?"
                rf"\s{{0,20}}(?:{_Q})?(?:text|value)(?:{_Q})?[ ]?[:=][ ]?{_Q}([^\s\"'\\]{{4,200}})(?={_Q})"
            ),
            judge=is_typed_password,
        )
        for label in LABELS_OF_FIELDS
    ),
    SecretPattern(
        "password",
        ("og", "ign", "uth", "redential", "FTP("),
        # login("bob", "…") · auth=("bob", "…") · FTP(host, "bob", "…")
        re.compile(
            rf"(?<![A-Za-z]){_CALL}(?:[ \t]?=[ \t]?)?\((?:[\w.]{{1,40}}{_GAP}|{_Q}[^\"'\n\\]{{0,100}}{_Q}{_GAP}){{1,3}}"
            rf"(?:Some\()?[@bu]?{_Q}{_LITERAL}(?={_Q})"
        ),
        judge=_is_password,
    ),
    SecretPattern(
        "basic-auth",
        ("btoa", "b64encode", "Buffer.from", "encodeBase64", "base64"),
        re.compile(
            rf"(?:btoa|b64encode|Buffer\.from|[eE]ncodeBase64|base64_encode)\([bu]?{_Q}"
            rf"[^\s\"':]{{1,60}}:{_LITERAL}(?={_Q})"
        ),
        judge=_is_password_of_pair,
    ),
    # A user, and the key that belongs to it, in one object
    SecretPattern(
        "api-key",
        ('"key"', "key\\", "'key'"),
        re.compile(
            rf"{_USER}{_Q}[ ]?:[ ]?{_Q}[^\s\"'\\]{{1,80}}{_Q},\s{{0,40}}{_Q}key{_Q}[ ]?:[ ]?"
            rf"{_Q}([\w+/=-]{{20,200}})(?={_Q})"
        ),
    ),
    SecretPattern(
        "password",
        ("PASS ",),
        # FTP, POP3 and IRC; without the line of the user, PASS is the verdict of a test.
        re.compile(
            rf"USER[ ]\S{{1,80}}?(?:{_NEXT_LINE}[^\n\\]{{0,120}}?){{0,2}}{_NEXT_LINE}PASS[ ]([^\s\"'\\]{{4,200}})"
        ),
    ),
    SecretPattern(
        "password",
        ("AUTH PLAIN ", "AUTH LOGIN "),
        re.compile(r"AUTH (?:PLAIN|LOGIN) ([A-Za-z0-9+/]{8,400}={0,2})"),
        judge=random_value(8),
    ),
    SecretPattern(
        "password",
        ("334 ",),
        # The password in base64, perhaps behind the mark of who says it
        re.compile(
            rf"334 UGFzc3dvcmQ6{_NEXT_LINE}(?:[A-Za-z]{{1,8}}:[ ]|[<>-]{{1,3}}[ ]?)?([A-Za-z0-9+/]{{4,400}}={{0,2}})"
        ),
    ),
    SecretPattern(
        "password",
        (" LOGIN ",),
        re.compile(r"(?<![\w-])[A-Za-z]{1,4}\d{1,6} LOGIN [^\s\\]{1,100} ([^\s\"'\\]{4,200})"),
    ),
    SecretPattern(
        "password",
        ("IDENTIFY ", "identify "),
        re.compile(r"(?i:NickServ IDENTIFY) (?:[^\s\"']{1,40} )?([^\s\"'\\]{4,200})"),
    ),
    SecretPattern(
        "password",
        ("SETUSER ", "setuser "),
        re.compile(r"(?:SETUSER|setuser) [^\n]{1,80}? >([^\s\"'\\]{4,200})"),
    ),
    SecretPattern(
        "password-hash",
        ("{S", "{MD5}"),
        re.compile(r"\{(?:S?SHA(?:224|256|384|512)?|S?MD5)\}([A-Za-z0-9+/]{16,200}={0,2})"),
    ),
    SecretPattern("password", ("WIFI:",), re.compile(r"WIFI:[^\n]{0,100}?P:((?:[^;\\\n\"]|\\[;,:\\]){4,100});")),
    SecretPattern(
        "one-time-code",
        ("code",),
        re.compile(
            r"(?:erification|ecurity|ogin|ne-time|2FA|MFA|OTP|onfirmation|uthentication) (?:pass)?code(?: is)?"
            r":? ?[\"'`]?"
            r"(\d{3}[ -]?\d{3,5})(?!\w)"
        ),
    ),
    SecretPattern(
        "cookie",
        ("TRUE", "FALSE"),
        # A line of the file in which curl keeps its cookies
        re.compile(
            r"(?:TRUE|FALSE)(?:\t|\\{1,8}t)\d{1,12}(?:\t|\\{1,8}t)"
            r"(?i:[\w.-]{0,60}?(?:sess|sid|auth|token|jwt|login|remember|identity|[cx]srf)[\w.-]{0,60})(?:\t|\\{1,8}t)"
            r"([^\s\\\"']{8,4000})"
        ),
    ),
    *(
        SecretPattern(
            "password",
            hints,
            re.compile(rf"{before}([^\s\"'`\\,;()<>]{{5,63}})(?=[\s.,;)\\\"'`]|\Z)"),
            judge=_is_told_of_account,
        )
        for hints, before in (
            # credentials are admin and …
            (("redential",), r"redentials?[ ](?:are|is)[ ][\w.@-]{1,40}[ ]and[ ]"),
            (("reds are", "reds is"), r"reds[ ](?:are|is)[ ][\w.@-]{1,40}[ ]and[ ]"),
            # log in with bob / … · login as bob and …
            (
                ("og in", "ogin", "ogged in", "ign in"),
                r"(?:og(?:ged)?[ ]in|ogin|ign[ ]in)[ ](?:with|as|using|via)[ ][\w.@-]{1,40}[ ](?:/|and)[ ]",
            ),
            # sign in as bob@corp.example with …
            (
                ("og in", "ogin", "ogged in", "ign in", "igned in", "uthenticate"),
                (
                    r"(?:og(?:ged)?[ ]in|ogin|ign(?:ed)?[ ]in|uthenticated?)(?:[ ](?:to|at|on)[ ][\w./:-]{1,60})?"
                    r"[ ]as[ ][`\"']?[\w.@+-]{1,60}[`\"']?[ ](?:with|using)[ ][`\"']?"
                ),
            ),
            # creds: bob / …
            (("reds:", "redentials:"), r"(?:reds|redentials):[ ][\w.@-]{1,40}[ ]/[ ]"),
            # user/pass: admin/…
            (
                ("/pass", "/Pass", "/ pass", "/pw", "/ Pass"),
                rf"{_USER}[ ]?/[ ]?{_NAME_BESIDE}(?:[ ](?:are|is)|[:=])?[ ]{{1,3}}[\w.@-]{{1,40}}[ ]?/[ ]?",
            ),
        )
    ),
)

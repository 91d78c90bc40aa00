"""Secrets by the syntax of a statement, of a path of keys, or of a file whose lines give no name to a password.

A pattern begins with literal characters, which are found fast, and looks back from them.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word, is_word
from mcp_reflect.domain.redaction.by_pattern.notation import ARGUMENT, END_OF_LINE, IN_QUOTES
from mcp_reflect.domain.redaction.by_pattern.notation import ESCAPED_QUOTE as _Q
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.values.chosen_words import is_drawn_or_disguised, looks_chosen
from mcp_reflect.domain.redaction.values.secret_values import is_soup, looks_random

_BARE = r"([^\s\"'\\;<>$%&{\[][^\s\"'\\;]{3,127})"
_USER = rf"(?:{_Q})?[\w.@-]{{1,60}}(?:{_Q})?"
_NAME = r"(?i:pass(?:word|wd|phrase)?|pwd|secret|token|api-?key)"
_END_OF_STATEMENT = (
    r"(?=\s*(?:;|\Z|\n|\\+[rn]|[\"'])"
    r"|\s+(?i:default|temporary|quota|profile|account|replace|using|container|password)\b)"
)
_SHORTEST = 6


def _is_random(value: str) -> bool:
    return looks_random(value, _SHORTEST)


SYNTAX_PATTERNS: tuple[SecretPattern, ...] = (
    # Oracle takes a password without quotes; in small letters, "identified by" is prose but behind a user.
    SecretPattern(
        "password",
        ("IDENTIFIED",),
        re.compile(rf"IDENTIFIED[ \t]{{1,5}}BY[ \t]{{1,5}}(?!VALUES\b){_BARE}{_END_OF_STATEMENT}"),
    ),
    SecretPattern(
        "password",
        ("user ",),
        re.compile(
            rf"user [ \t]{{0,5}}\S{{1,100}}[ \t]{{1,5}}identified[ \t]{{1,5}}by[ \t]{{1,5}}{_BARE}{_END_OF_STATEMENT}"
        ),
    ),
    *(
        SecretPattern(
            "password",
            (word,),
            re.compile(
                rf"\[redacted:password\](?<=[bB][yY] \[redacted:password\])[ \t]{{1,5}}{word}[ \t]{{1,5}}\"?{_BARE}"
            ),
        )
        for word in ("replace", "REPLACE")
    ),
    # A call that opens a connection: where to, by whom, and the password
    SecretPattern(
        "password",
        ("jdbc:", "host=", "dbname=", "://"),
        re.compile(
            rf"\({_Q}(?:[a-z][\w+]{{1,20}}:(?://|[\w;]{{0,20}}?(?:host|dbname|server)=)|jdbc:)[^\s\"'\\]{{0,200}}{_Q},"
            rf"\s{{0,20}}{_Q}[\w.@-]{{1,60}}{_Q},\s{{0,20}}{IN_QUOTES}"
        ),
    ),
    SecretPattern(
        "password",
        ("mysqli",),
        re.compile(rf"mysqli(?:_connect)?\({_Q}[\w.:-]{{0,100}}{_Q},[ ]?{_Q}[\w.@-]{{1,60}}{_Q},[ ]?{IN_QUOTES}"),
    ),
    # A store of keys whose path ends in the name of a secret: consul kv put shop/db/password …
    *(
        SecretPattern(
            "password",
            (f"{verb} ",),
            re.compile(
                rf"{verb} (?<![\w-]{verb} )(?:--?[\w-]{{1,30}}[ ]){{0,3}}(?:{_Q})?"
                rf"[\w.-]{{0,60}}(?:[/:.][\w.-]{{1,60}}){{0,8}}?(?:[/:._-]|(?<=[a-z])(?=[A-Z])){_NAME}"
                rf"(?:{_Q})?[ ](?:{_Q})?(?!--?\w){ARGUMENT}"
            ),
            judge=lambda value: is_told_word(value) and "://" not in value,
        )
        for verb in ("put", "set", "SET", "add", "write")
    ),
    # A name by one option and its value by another: --name db_password --data …
    *(
        SecretPattern(
            "password",
            (option,),
            re.compile(
                rf"{option}[ =](?:{_Q})?[\w./:-]{{0,80}}{_NAME}(?:{_Q})?[ ]"
                rf"[^\n;|&]{{0,60}}?(?:--?(?:[Vv]alue|[Dd]ata|body)|/d)[ =](?:{_Q})?{ARGUMENT}"
            ),
        )
        for option in (" --name", " -Name", " -name", " /v")
    ),
    # A command that sets the password of a user: set-password bob …
    *(
        SecretPattern(
            "password",
            (f"{word} ",),
            re.compile(rf"{word} (?<=(?:et|ge|te|er)[-_:]{word} )(?!-){_USER}[ ](?:{_Q})?(?!--?\w){ARGUMENT}"),
            judge=is_word,
        )
        for word in ("password", "passwd")
    ),
    SecretPattern("password", (" -pw",), re.compile(rf" -pw[ =:](?:{_Q})?(?!-){ARGUMENT}"), judge=is_word),
    # Options and their values as a list of arguments: ["curl", "-u", "bob:…"]
    *(
        SecretPattern(
            "basic-auth",
            (option,),
            re.compile(
                rf"{option}(?<=[\"']{option}){_Q},?[ ]?"
                rf"(?:a\d+=)?{_Q}[A-Za-z][\w.@-]{{0,60}}:([^\s\"'\\]{{4,200}})(?={_Q})"
            ),
        )
        for option in ("-u", "--user", "--proxy-user")
    ),
    *(
        SecretPattern(
            "password",
            (f'{client}"', f"{client}\\", f"{client}dump", f"{client}admin"),
            re.compile(rf"{client}(?:dump|admin)?{_Q}[^\n]{{0,200}}?{_Q}-p([^\s\"'\\]{{4,200}})(?={_Q})"),
        )
        for client in ("mysql", "mariadb")
    ),
    # What a program reads in place of a file: sshpass -f <(echo …)
    SecretPattern(
        "password",
        ("<(",),
        re.compile(
            rf"<\((?:echo|printf)[ ](?:-\w[ ])?(?:(?:{_Q})?%s(?:\\+n)?(?:{_Q})?[ ])?(?:{_Q})?([^\s\"'\\$)]{{4,200}})"
            rf"(?:{_Q})?\)"
        ),
        judge=_is_random,
    ),
    # A setting of a block that is only called key: option key '…', key …
    SecretPattern(
        "key",
        ("key ",),
        re.compile(rf"key (?<=[ \t]key )[ \t]{{0,9}}(?:{_Q})?([^\s\"'\\=;]{{6,64}}){END_OF_LINE}"),
        judge=looks_chosen,
    ),
    SecretPattern(
        "key",
        ("key =",),
        re.compile(rf"key =(?<=[\n \t]key =)[ ]{_Q}([^\s\"'\\=;]{{6,64}})(?={_Q}{END_OF_LINE})"),
        judge=is_drawn_or_disguised,
    ),
    # Salts of WordPress, of signs of all kinds
    SecretPattern(
        "secret",
        ("_SALT", "_KEY"),
        re.compile(
            rf"_(?:SALT|KEY)(?:{_Q})[ \t]{{0,5}},[ \t]{{0,20}}(?P<quote>{_Q})([^\n\"'\\]{{20,200}})(?=(?P=quote))"
        ),
        judge=lambda value: is_soup(value.replace(" ", "")),
    ),
    # How a value is written, before it: cleartext "…", ascii-text "…"
    *(
        SecretPattern("password", (f"{word} ",), re.compile(rf"{word} {IN_QUOTES}"))
        for word in ("cleartext", "clear-text", "plaintext", "plain-text", "ascii-text")
    ),
    SecretPattern("password", ("rootpw --",), re.compile(rf"rootpw(?:[ ]--[a-z]{{1,20}}){{1,3}}[ ]{ARGUMENT}")),
    # ipsec.secrets: who, a colon, the kind of the secret
    *(
        SecretPattern("password", (f": {kind} ",), re.compile(rf": {kind} {_Q}([^\"'\\\n]{{4,200}})(?={_Q})"))
        for kind in ("PSK", "XAUTH", "EAP", "NTLM", "PIN")
    ),
    # chap-secrets and pap-secrets: client, server, secret, addresses
    SecretPattern(
        "password",
        (" * ", "\t*\t"),
        re.compile(
            rf"\*(?:(?<=[\w\"'*][ \t]\*)|(?<=\w[ \t]{{2}}\*)|(?<=\w[ \t]{{3}}\*)|(?<=\w\t\*))"
            rf"[ \t]{{1,20}}(?:{_Q})?([^\s\"'\\*]{{4,200}})(?:{_Q})?"
            rf"[ \t]{{1,20}}(?:\*|\d{{1,3}}(?:\.\d{{1,3}}){{3}}){END_OF_LINE}"
        ),
    ),
    # Routers: a community of SNMP, a key by its number and algorithm, a password behind an address
    *(
        SecretPattern("password", (word,), re.compile(rf"{word}6? (?:[07] )?{ARGUMENT}"), judge=is_word)
        for word in ("snmp-server community", "rocommunity", "rwcommunity")
    ),
    SecretPattern(
        "password",
        ("key ",),
        re.compile(rf"key (?<=[\s-]key )\d{{1,5}} (?i:md5|sha\d*|hmac-[\w-]{{3,12}}) (?:[07] )?{ARGUMENT}"),
    ),
    SecretPattern(
        "password",
        (" password ",),
        re.compile(rf" password (?<=\d password )(?:[057] )?{ARGUMENT}{END_OF_LINE}"),
        unless=re.compile(r"(?:\A|[^.\d])\d+\Z"),
        judge=is_word,
    ),
    # A key for DNS: algorithm, name, key
    SecretPattern("key", ("hmac-",), re.compile(r"hmac-[a-z0-9-]{3,12}:[\w.-]{1,80}:([A-Za-z0-9+/]{16,200}={0,2})")),
    # Answers for an installer of Debian: owner, question, type, value
    SecretPattern(
        "password",
        ("d-i ",),
        re.compile(
            rf"d-i [ \t]{{0,5}}[\w/-]{{0,60}}pass[\w/-]{{0,60}}[ \t]{{1,5}}password[ \t]{{1,5}}{ARGUMENT}{END_OF_LINE}"
        ),
    ),
    # A prompt of Redis
    *(
        SecretPattern(
            "password", (word,), re.compile(rf"{word}(?<=[\w\]]{word})(?:[\w.-]{{1,60}} )?{ARGUMENT}{END_OF_LINE}")
        )
        for word in ("> AUTH ", "> auth ")
    ),
    # A step of Robot Framework
    SecretPattern(
        "password",
        ("Input Password",),
        re.compile(rf"Input Password[ ]{{2,9}}\S{{1,80}}[ ]{{2,9}}{ARGUMENT}"),
    ),
    # A file of curl's options: user = "bob:…"
    SecretPattern(
        "basic-auth",
        ("user = ", 'user="', "user "),
        re.compile(
            rf"user(?<![\w.]user)[ \t]?[= ][ \t]?{_Q}(?P<user>[A-Za-z][\w.@-]{{0,60}}):"
            rf"(?!(?P=user){_Q})([^\s\"'\\]{{4,200}})(?={_Q})"
        ),
    ),
    # A file of accounts by address: https://dav.corp.com/files bob …
    SecretPattern(
        "password",
        ("://",),
        re.compile(
            rf"://(?<=[ps]://)[\w.-]{{1,100}}(?::\d{{1,5}})?(?:/[^\s\"'\\]{{0,100}})?[ \t]{{1,9}}"
            rf"[A-Za-z][\w.@-]{{0,40}}[ \t]{{1,9}}{ARGUMENT}{END_OF_LINE}"
        ),
        unless=re.compile(r"[^\s>][ \t]+https?\Z"),
        judge=_is_random,
    ),
)

"""Detection of secrets by the name they are given to.

Examples are `password = …`, `"api_key": "…"`, `--token …`, `| API_KEY | … |` and `The password is …`. The text after
such a name is often prose, a variable or a placeholder; most rules here distinguish these from secrets. After a sign of
assignment a value counts as a secret unless it looks like something else; after any other gap, and after a weak name
(`write key`, `credential`), only a value that looks random.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.column_secrets import redact_columns
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_capital, is_firm_assignment, is_told_word
from mcp_reflect.domain.redaction.by_name.loose_secrets import loose_secret, secret_before
from mcp_reflect.domain.redaction.by_name.named_values import (
    QUOTE,
    NamedSecret,
    is_harmless_bare,
    is_random_for,
    is_too_short,
    is_variable,
    option_dashes,
    phrase_after,
)
from mcp_reflect.domain.redaction.by_name.nearby_secrets import nearby_secret
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName, is_name, secret_names
from mcp_reflect.domain.redaction.by_name.secret_references import (
    is_reference_of_shell,
    names_what_is_kept_elsewhere,
    repeats_its_name,
)
from mcp_reflect.domain.redaction.by_name.told_secrets import told_secret
from mcp_reflect.domain.redaction.values.mechanisms import is_mechanism
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless, is_identifier, is_wording

_CLOSE = rf"(?:(?P<name_escape>\\{{0,8}})(?P<name_quote>{QUOTE}|[\])}}*])){{0,4}}"
_TYPE = r"(?::[ \t]?[A-Za-z_][\w.\[\]|]{0,40}[ \t]{1,5}(?==))?"
_OPEN = r"\\{0,8}[\"']"
_NEW_LINE = r"(?:\r?\n|\\{1,8}n)"
_ASSIGNED = re.compile(
    # password = x · "api_key": "x" · \"token\": \"x\" · env['SECRET'] = 'x' · :password => "x" · <password>x</password>
    rf"{_CLOSE}(?:[ \t]{{0,20}}{_TYPE}(?P<sign>:=|=>|:-(?=\S)|::(?=[ ]?[\"'])|->(?=[ ])|={{1,3}}|!==?|[:：](?!//|[:?+])"
    rf"|(?:\|\||\?\?=?)(?=[ ]{_OPEN}))"  # the default of a variable
    r"[ \t]{0,20}"
    rf"(?:\*\*[ \t]?|@|[bBuUrRN]{{1,2}}(?={_OPEN})|\([ \t]{{0,5}}(?:{_NEW_LINE}[ \t]{{0,40}})?(?={_OPEN})"
    rf"|(?:\\{{0,8}}\"){{3}}{_NEW_LINE}[ \t\d→>]{{0,40}}|{_NEW_LINE}[ \t]{{0,40}}(?:string\(\d{{1,4}}\)[ ])?(?={_OPEN})"
    rf"|(?P<block>[|>][+-]?[ \t]*{_NEW_LINE}(?:[ \t]*\d{{1,6}}→|>[ ])?[ \t]{{1,40}}))?"
    # The end of a tag, with its attributes
    r"|(?:[ \t]{1,4}[\w:.-]{1,40}=\\{0,8}[\"'][^\"'<>\n]{0,200}[\"']){0,4}(?:>|&gt;)"
    r"(?:\s{0,20}<(?i:value|string)[^<>\n]{0,40}>)?)"
)
_QUOTED = re.compile(
    rf"(?P<escape>\\{{0,8}})(?P<quote>{QUOTE})"
    # A quote of its kind that has more backslashes before it than the first one is part of the value.
    r"(?P<value>(?:[^\"'`\n\\\uf8e0-\uf8e6]|(?!(?P=quote))[\"'`]|\\++(?![\"'`])"
    r"|(?>(?:(?P=escape){2}\\\\)*)(?P=escape){2}\\(?P=quote)){1,1000}\\*?)"
    r"(?=(?P=escape)(?P=quote))"
)
_BARE = re.compile(rf"(?:\\{{0,8}}{QUOTE})?(?P<value>[^\s\"'`&,;\\<>|\uf8e0-\uf8e6]{{1,1000}})")

_BLOCK_LINES = re.compile(r"(?:(?:\r?\n|\\{1,8}n)[ \t]{1,40}[\w+/=.-]{16,400}(?=\s|\\|\Z))*")
"""Further lines of a block of YAML, each of one long word."""
_REFERENCE = re.compile(r"(?:existing_?|:|(?<![\w-])--)secret(?::|=)\Z", re.IGNORECASE)
"""What is followed by the name of a secret that is kept elsewhere: `--secret=db-password`, `:secret:prod/db` of AWS."""
_LONGEST_REFERENCE = 12
_WORDING = re.compile(r"(?:labels?|hint|tooltip|i18n)\.\Z|hashed_\Z")
"""What stands before the name of a wording, in files of translations: `label.apikey=API-Schl\u00fcssel`."""
_GENERIC = re.compile(
    r"Option(?:al)?|Vec|Result|Arc|Box|Rc|Cow|Secret(?:Box)?|Zeroizing|Mutex|RwLock|List|Array|Set|Map|Promise|Future|Ref"
    r"|Signal|Observable|FormControl|Record|Partial|Readonly|Nullable|Lazy|Provider|Property|Redacted|Sensitive"
)
"""A type that takes another one: `password: Option<String>`."""
_COLOUR = re.compile(r"\#(?:[0-9a-fA-F]{3}){1,2}")
"""How an editor shows a token of code."""
_FILE = re.compile(r"[\w./~-]+\.[a-z]{2,5}")
_SUM = re.compile(r"[ ]\+[ ](?![\"'][ ]*(?:\Z|\n))")
"""What stands behind a variable in a sum: `userpass = username + b":" + password`."""
_CLASS = re.compile(r"_{0,2}[A-Z]\w*(?:Private|Public)Key")
"""A class that annotates what holds a key: `private_key: "_EllipticCurvePrivateKey"`."""
_IN_TAG = re.compile(r"[\"']>")
_OPTION_VALUE = re.compile(r"[ \t]{1,5}(?!-)")
_SETTING = re.compile(r"(?:^|(?<=[\s\"'`;])|(?<=\\[nrt]))[A-Za-z]\w{0,60}\Z", re.ASCII)
_SENTENCE = re.compile(r"[ ](?:your|the|an?|my|our|this|that)[ ]")
"""After the first word of a sentence: `forgotPassword: Forgot your password?`."""
_KEPT = re.compile(r"[a-z]{2,20}(?:/[a-z_-]{1,30}){1,6}(?::[a-z_-]{1,30})?|(?:secret|kv)/[\w./-]{1,120}:[\w-]{1,30}")
"""Where a vault keeps a secret: `kv/data/billing:password`."""
_EMPTIED = re.compile(r"=[ \t]")
_COMMAND = re.compile(
    r"(?:[A-Z][A-Z0-9_]{0,40}=\S{0,200}[ \t]{1,8}){0,6}"
    r"(?:(?:python|pip|pytest|node|npm|npx|yarn|pnpm|ruby|php|perl|java|mvn|gradle|cargo|go|make|just|git|gh|docker"
    r"|podman|kubectl|helm|terraform|ansible|psql|pg_dump|pg_restore|createdb|dropdb|mysql|mysqldump|mysqladmin|mariadb"
    r"|redis-cli|mongosh?|sqlite|curl|wget|ssh|rsync|bash|sh|zsh|env|exec|sudo|uv|uvx|tox|nox|poetry|bundle|rails|dotnet"
    r"|deno|bun|uvicorn|gunicorn|flask|django-admin|celery|alembic|systemctl|nohup|timeout|xargs)[\d.]{0,6}"
    r"|[.~]{0,2}/[\w./-]{1,200})"
    r"[ \t]{1,8}(?![#;(\\]|//|[A-Za-z_]{1,60}[=:])\S"
)
"""The command, perhaps behind further variables, of which a shell empties one: `PGPASSWORD= psql -h db`.

Only of a known program: any other word may be the password, and what stands behind it a remark.
"""
_IS_KEY = re.compile(r"\\{0,8}[\"']\s{0,5}:")
_LINE_START = re.compile(r"(?:\A|\n|\\n)(?:export )?\Z")
_KEY_START = re.compile(r"(?:\A|\n|\\n)[ \t]*(?:- )?\Z")
_LONGEST_INDENT = 40
_LINE_END = re.compile(r"[ \t]*(?:\Z|\r?\n|\\r|\\n)")


def redact_named(text: str) -> str:
    """Return the text with each value replaced that is given to the name of a secret."""
    names = secret_names(text)
    in_rows = redact_columns(text, names)
    if in_rows != text:
        text, names = in_rows, secret_names(in_rows)
    done: list[str] = []
    copied = 0
    for name in names:
        if name.start < copied:
            continue
        if names_what_is_kept_elsewhere(text, name):
            continue
        kind = name.kind
        secret = _find(text, name, kind) or secret_before(text, name, copied)
        if secret is None and not is_reference_of_shell(text, name):
            secret = told_secret(text, name) or nearby_secret(text, name)
        if secret is not None and secret.end > secret.start and not _is_key(text, secret):
            done += (text[copied : secret.start], f"{secret.quote}{MARK}{kind}]{secret.quote}")
            copied = secret.end
    return "".join((*done, text[copied:])) if done else text


def _is_key(text: str, secret: NamedSecret) -> bool:
    """Return true for the key of an object in JSON, of plain words, which follows a name in the value before it."""
    word = text[secret.start : secret.end]
    is_plain = word.replace("_", "").isalpha() and text[secret.start - 1 : secret.start] in {'"', "'"}
    return is_plain and _IS_KEY.match(text, secret.end) is not None


def _find(text: str, name: SecretName, kind: str) -> NamedSecret | None:
    """Return where the secret after a name stands, if one does."""
    first = max(name.start - _LONGEST_REFERENCE, 0)
    if _REFERENCE.search(text, first, name.end + 1) or _WORDING.search(text, first, name.start):
        return None
    gap = _ASSIGNED.match(text, name.end)
    if gap is None and option_dashes(text, name) == "--" and not _is_spoken_of(text, name):
        gap = _OPTION_VALUE.match(text, name.end)
    if gap is None:
        return loose_secret(text, name)
    phrase = phrase_after(text, gap.end(), name)
    if phrase is not None:
        return phrase
    quoted = _QUOTED.match(text, gap.end())
    if quoted is not None:
        value = quoted["value"]
        other = is_too_short(value, kind) or (name.group == "token" and is_identifier(value))
        other = other or (value.replace(" ", "").isalpha() and is_name(value)) or is_wording(value)
        other = other or (name.group == "token" and _COLOUR.fullmatch(value) is not None)
        other = other or repeats_its_name(text, name, value) or _CLASS.fullmatch(value) is not None
        # The quote after 'password=' or <password> ends a literal, and the next one begins the next.
        other = other or (value[0] in " ,;)" and text[gap.end() - 1] in "=>")
        if other or is_harmless(value, kind) or not _is_told(text, name, gap[0], value):
            return None
        return NamedSecret(*quoted.span("value"))
    bare = _BARE.match(text, gap.end())
    found = None if bare is None or _is_emptied(text, name, gap, bare) else _bare(text, name, gap, bare, kind)
    return found or (loose_secret(text, name) if "\n" not in gap[0] else None)


def _is_spoken_of(text: str, name: SecretName) -> bool:
    """Return whether a sentence speaks of an option beside another: `--username and --password options`."""
    return text.endswith((" and --", " or --"), max(name.start - len(" and --"), 0), name.start)


def _is_emptied(text: str, name: SecretName, gap: re.Match[str], bare: re.Match[str]) -> bool:
    """Return whether a variable is given nothing: what follows a blank is the command that is run without it."""
    emptied = _EMPTIED.fullmatch(gap[0]) is not None and is_capital(text, name)
    return emptied and _COMMAND.match(text, bare.start()) is not None


def _bare(text: str, name: SecretName, gap: re.Match[str], bare: re.Match[str], kind: str) -> NamedSecret | None:
    start, end = bare.span("value")
    value = bare["value"]
    end -= len(value) - len(value.rstrip(")]}.:"))
    quote = ""
    # KEY=value, as in files of settings and in URLs, and not the `key = value` of programs
    glued = text[start - 1] == "=" and text[start - 2] not in " \t=!:"
    variable = is_variable(value.rstrip(")")) and not (glued and _is_setting(text, name, bare))
    harmless = variable or is_harmless_bare(value, kind, glued=glued) or is_harmless(value, kind)
    harmless = harmless or repeats_its_name(text, name, value.rstrip(")]}.:"))
    harmless = harmless or (text[start - 1] == "@" and _FILE.fullmatch(value) is not None)  # password=@pw.txt
    harmless = (
        harmless or _is_type(text, name, bare) or text.startswith(f" {text[name.start : name.end]}", bare.end())
    )  # :param token: Access token
    harmless = harmless or (not glued and _SUM.match(text, bare.end()) is not None)
    harmless = harmless and not _is_plain_secret(text, name, bare)
    names = gap.groupdict()
    if names.get("name_quote") in {'"', "'"} and names.get("sign") == ":":
        # A number in JSON, perhaps the first of a list; the mark is a string.
        quote = f"{names['name_escape']}{names['name_quote']}"
        start += len(value) - len(value.lstrip("[{"))
    is_sentence = value.istitle() and _SENTENCE.match(text, bare.end())
    is_element = (
        _IN_TAG.match(gap[0]) is not None and value.isalpha()
    )  # what a page shows in a tag named for a password
    is_metavariable = value.isupper() and is_name(value.rstrip("]").lower())
    is_label = (value.istitle() and is_wording(value)) or (kind == "secret" and _KEPT.fullmatch(value) is not None)
    if harmless or is_label or is_sentence or is_element or is_metavariable or not _is_told(text, name, gap[0], value):
        return None
    if names.get("block") and (further := _BLOCK_LINES.match(text, end)):
        end = further.end()
    return NamedSecret(start, end, quote)


def _is_type(text: str, name: SecretName, bare: re.Match[str]) -> bool:
    """Return whether a value is the type of what holds a secret, or the way in which it is hashed."""
    hashed = text[name.start : name.end].lower().endswith("hash") and is_mechanism(bare["value"])
    return hashed or (text.startswith("<", bare.end()) and _GENERIC.fullmatch(bare["value"]) is not None)


def _is_plain_secret(text: str, name: SecretName, bare: re.Match[str]) -> bool:
    """Return true for `secret: tulip` alone on its line: a reference to a secret has a name of several parts."""
    value = bare["value"]
    start = text[max(name.start - _LONGEST_INDENT, 0) : name.start]
    alone = _KEY_START.search(start) is not None and _LINE_END.match(text, bare.end()) is not None
    is_key = text[name.start : name.end] == "secret" and text[name.end : name.end + 2] == ": "
    return is_key and alone and value.isalpha() and value.islower() and is_told_word(value)


def _is_told(text: str, name: SecretName, gap: str, value: str) -> bool:
    """Return whether a name is enough to make an assigned value a secret; a weak one needs more."""
    return not name.is_weak or is_random_for(value, name.group) or is_firm_assignment(text, name, gap, value)


def _is_setting(text: str, name: SecretName, bare: re.Match[str]) -> bool:
    """Return true where an assignment looks like a line of a shell script or a settings file, with a literal value.

    This holds after a name in capitals, unless the assignment is one of several arguments, and for one alone on a line.
    """
    value = bare["value"]
    name_end = bare.start("value") - 1
    setting = _SETTING.search(text[max(name.start - 61, 0) : name_end])
    if setting is None or not value.isascii() or not value.replace("_", "").isalpha() or value.isupper():
        return False
    if setting[0].isupper():
        return text[bare.end() : bare.end() + 1] != ","
    first = name_end - len(setting[0])
    alone = _LINE_START.search(text[max(first - 8, 0) : first]) and _LINE_END.match(text, bare.end())
    return bool(alone) and value.islower() and "_" not in value and not is_name(value)

"""Secrets that are given to a name without a sign of assignment: by a comma, a table, prose, a pair, the next line.

Such a gap stands in prose and code as often as before a secret, so the value must look random. A gap is firm where its
syntax leaves no other reading: a pair of name and value, a statement that sets a variable, a call that sets a property
or fills a field. There any word that is no placeholder is a password.
"""

from __future__ import annotations

import re

from mcp_reflect.domain.redaction.named_values import (
    QUOTE,
    NamedSecret,
    is_harmless_bare,
    is_random_for,
    is_variable,
    option_dashes,
    phrase_after,
)
from mcp_reflect.domain.redaction.secret_names import SecretName, is_name
from mcp_reflect.domain.redaction.secret_values import is_harmless

_LOOSE = re.compile(
    rf"""(?P<close>(?:\\{{0,8}}(?:{QUOTE}|[\])}}*])){{0,4}})
    (?:(?P<pair>[ \t]{{0,5}},?[ \t]{{0,20}}(?:(?:\r?\n|\\n)[ \t]{{0,40}})?
         (?:\\{{0,8}}{QUOTE})?value(?:\\{{0,8}}{QUOTE})?[ \t]{{0,3}}[:=]
         [ \t]{{0,5}}
       | </\w{{1,30}}>(?:\s|\\{{1,8}}[rnt]){{0,40}}<(?:value|string)[^<>\n]{{0,60}}>   # two elements of XML
       | [ \t]{{0,5}}\{{[^{{}}]{{0,300}}?\bdefault[ \t]{{0,20}}=[ \t]{{0,5}}           # a variable of Terraform
       | (?:\r?\n|\\{{1,8}}n)[^\n]{{1,200}}?\binput_value=)                            # an error of Pydantic
      |(?P<fill>(?:\.\w{{1,20}}\(\)){{0,2}}\.(?:fill|type|send_?keys|set_?value|input|enter|write|press_?sequentially)\(
         | ,[ ]?with:[ ])
      |(?P<call>[ \t]{{0,5}},\s{{0,20}})
      |(?P<paren>\(\s{{0,20}}(?=\\{{0,8}}{QUOTE}))
      |(?P<table>[ \t]{{0,20}}\|[ \t]{{0,20}})
      |(?P<prose>[ \t]{{1,3}}(?:is|was|to|are|lautet|ist|est|es|é|with|from[ ]\S{{1,60}}[ ]to)[ \t:]{{1,3}})
      |(?P<body>[ \t]{{1,3}}(?:--?(?:body|value|secret-string|b)[ \t=]))
      |(?P<part>(?:(?:\r?\n|(?:\\{{1,8}}r)?\\{{1,8}}n)[ \t\d→>|]{{0,12}}){{2}})
      |(?P<line>[:：]?\*{{0,2}}[ \t]{{0,5}}(?:\r?\n|\\n)[ \t]{{0,20}})
      |(?P<blank>(?:[ \t]|\\{{1,8}}t){{1,40}}))
    (?P<open>\\{{0,8}}{QUOTE}|(?P<bold>\*\*))?""",
    re.VERBOSE | re.IGNORECASE,
)
_VALUE = re.compile(r"(?!--)[^\s\"'`<>|,;&\\\uf8e0-\uf8e6]{4,1000}")
_CLOSED = re.compile(rf"\\{{0,8}}{QUOTE}")
_QUOTE_AT_END = re.compile(rf"{QUOTE}[ \t]*\Z")
_STATEMENT = re.compile(
    r"(?:(?P<firm>\bset -\w+|\bconfig set|\bsetenv|\bsetx|#define|\bENV)|\bset|\bARG|machine [^\n]{1,100})"
    r"[ \t]+[\w.:/-]*\Z"
)
_SETTER = re.compile(
    r"(?:\b(?:set|put|add|define|store|register|export|config|getenv|environ|env)\w*(?:\.get)?|VALUES)[ ]?\([ ]?"
    r"\\{0,8}[\"'][\w.-]{0,60}\Z",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"\b(?:user(?:name)?|login|account)[ \t][^\s\\]{1,40}(?:\s|\\{1,8}[nrt]|\d{1,6}→|[>|])+"
    r"(?:(?:and|with|/)[ ])?(?:the[ ])?\Z"
)
_REFERENCE = re.compile(r"\$\{?\w*\Z")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+[uUlL]*")
_LONGEST_STATEMENT = 160

_NAMED_AS = re.compile(r"[ ](?:as|is)[ ](?:the|my|our|your|their|its)[ ](?:[\w-]{1,20}[ ]){0,3}\Z")
_LONGEST_NAMED = 90
_WORD_SIGNS = " \t\r\n\"'`<>|,;&\\"
_LONGEST_WORD = 300


def loose_secret(text: str, name: SecretName) -> NamedSecret | None:
    """Return the secret that stands after a name and a gap that is no assignment."""
    gap = _LOOSE.match(text, name.end)
    if gap is None:
        return None
    phrase = phrase_after(text, gap.end(), name)
    value = _VALUE.match(text, gap.end())
    if phrase is not None or value is None or not _leads_to_value(text, name, gap):
        return phrase
    word = value[0]
    if is_harmless_bare(word, name.kind, glued=True) or not (
        is_random_for(word, name.group) or (_is_firm(text, name, gap, value) and _is_password(word))
    ):
        return None
    after = 0 if gap["open"] else len(word) - len(word.rstrip(").]}:,;!?*"))
    return NamedSecret(value.start(), value.end() - after)


def secret_before(text: str, name: SecretName, first: int) -> NamedSecret | None:
    """Return the secret that prose gives a name afterwards, as `use … as the db password` does, at `first` or later."""
    said = _NAMED_AS.search(text, max(name.start - _LONGEST_NAMED, first), name.start)
    if said is None:
        return None
    end = said.start()
    while end > first and text[end - 1] in "\"'`":
        end -= 1
    start = end
    while start > max(first, end - _LONGEST_WORD) and text[start - 1] not in _WORD_SIGNS:
        start -= 1
    word = text[start:end]
    harmless = is_harmless(word, name.kind) or is_harmless_bare(word, name.kind, glued=True)
    return NamedSecret(start, end) if is_random_for(word, name.group) and not harmless else None


def _leads_to_value(text: str, name: SecretName, gap: re.Match[str]) -> bool:
    """Return whether a gap of its form may stand between this name and its value."""
    if gap["part"] is not None:  # of a form
        return '"' in gap["close"]
    if gap["call"] is not None:
        return _is_capital(text, name) or bool(gap["open"] and ("'" in gap["close"] or '"' in gap["close"]))
    if gap["blank"] is not None:
        before = text[max(name.start - _LONGEST_STATEMENT, 0) : name.start]
        named = _is_capital(text, name) or option_dashes(text, name) or _STATEMENT.search(before)
        named = (named and not _REFERENCE.search(before)) or _ACCOUNT.search(before)
        return ")" not in gap["close"] and bool(named or gap["open"])
    return True


def _is_firm(text: str, name: SecretName, gap: re.Match[str], value: re.Match[str]) -> bool:
    """Return whether the syntax leaves no other reading than a name and its value."""
    if name.group != "password" or bool(gap["open"]) != bool(_CLOSED.match(text, value.end())):
        return False
    before = text[max(name.start - _LONGEST_STATEMENT, 0) : name.start]
    capital = _is_capital(text, name)
    if gap["blank"] is not None:
        statement = _STATEMENT.search(before)
        parameter = option_dashes(text, name) == "-" and text[text.rfind("-", 0, name.start) + 1].isupper()
        return parameter or bool(statement and statement["firm"])
    if gap["call"] is not None:
        constant = capital and ("_" in text[name.start : name.end] or before[-1:] == "_")
        return bool(gap["open"]) and bool(constant or _SETTER.search(before))
    if gap["prose"] is not None or gap["table"] is not None:
        return capital and bool(gap["open"]) and _QUOTE_AT_END.search(gap["close"]) is not None
    return gap["pair"] is not None or (gap["fill"] is not None and bool(gap["open"]))


def _is_password(word: str) -> bool:
    """Return whether a word may be a password where one must stand: no placeholder, name, variable or flag of C."""
    harmless = is_harmless(word, "password") or is_harmless_bare(word, "password", glued=False)
    return not (harmless or is_variable(word) or is_name(word) or _NUMBER.fullmatch(word))


def _is_capital(text: str, name: SecretName) -> bool:
    said = text[name.start : name.end]
    return said.isupper() and said.isascii()

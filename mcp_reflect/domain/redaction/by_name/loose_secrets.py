"""Secrets that are given to a name without a sign of assignment: by a comma, a table, prose, a pair, the next line.

Such a gap stands in prose and code as often as before a secret, so the value must look random. A gap is firm where its
syntax leaves no other reading: a pair of name and value, a statement that sets a variable, a call that sets a property
or fills a field. There any word that is no placeholder is a password.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import STATEMENT, is_capital, is_firm, is_told_word, is_word
from mcp_reflect.domain.redaction.by_name.named_values import (
    QUOTE,
    NamedSecret,
    is_harmless_bare,
    is_random_for,
    option_dashes,
    phrase_after,
)
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName
from mcp_reflect.domain.redaction.by_name.secret_references import repeats_its_name
from mcp_reflect.domain.redaction.values.mechanisms import is_constant, is_mechanism, is_message
from mcp_reflect.domain.redaction.values.secret_values import is_harmless

_OF = "(?:for|of|in|on|at|to|from|für|vom|von|im|du|de|des|da|do|del|para|pour|от|для|к|van|voor|för|till)"
_IS = "(?:is|was|lautet|ist|est|es|é|är|er|jest)"
_LOOSE = re.compile(
    rf"""(?P<close>(?:\\{{0,8}}(?:{QUOTE}|[\])}}*])){{0,4}})
    (?:(?P<pair>[ \t]{{0,5}},?[ \t]{{0,20}}
         (?:(?:\r?\n|(?:\\{{1,8}}r)?\\{{1,8}}n)(?:[ \t]{{0,9}}\d{{1,6}}→|>[ ])?[ \t]{{0,40}})?
         (?:\\{{0,8}}{QUOTE})?(?:parameter)?value(?:\\{{0,8}}{QUOTE})?[ \t]{{0,3}}[:=]
         [ \t]{{0,5}}
       | </\w{{1,30}}>(?:\s|\\{{1,8}}[rnt]){{0,40}}<(?:value|string)[^<>\n]{{0,60}}>   # two elements of XML
       | [ \t]{{0,5}}\{{[^{{}}]{{0,300}}?\bdefault[ \t]{{0,20}}=[ \t]{{0,5}}           # a variable of Terraform
       | [ ]?:[ ]?\{{[^{{}}]{{0,200}}?\bvalue\\{{0,8}}\"[ ]?:[ ]?                         # an output of Terraform
       | (?:\r?\n|\\{{1,8}}n)[^\n]{{1,200}}?\binput_value=)                            # an error of Pydantic
      |(?P<fill>(?:\.\w{{1,20}}\(\)){{0,2}}\.(?:fill|type|send_?keys|set_?value|input|enter|write|press_?sequentially)\(
         | ,[ ]?with:[ ])
      |(?P<call>[ \t]{{0,5}},\s{{0,20}})
      |(?P<paren>\(\s{{0,20}}(?=\\{{0,8}}{QUOTE}))
      |(?P<table>[ \t]{{0,20}}\|[ \t]{{0,20}})
      |(?P<said>[ ]{_OF}[ ][^\n:.;,=]{{1,40}}?(?:[ ]?[:：][ ]|[ ]{_IS}[ ](?:now[ ]|called[ ])?)
         | [ ](?:(?:is|was)[ ])?(?:now|called|named|(?:re)?set[ ]to|changed[ ]to|updated[ ]to)[ ])
      |(?P<prose>[ \t]{{1,3}}(?:{_IS}|to|are|with|from[ ]\S{{1,60}}[ ]to)[ \t:]{{1,3}}
         | [ \t]?(?:は|が|는|은|是|为|為)[ \t:：]{{0,3}}(?=[!-~]{{6}}))
      |(?P<body>[ \t]{{1,3}}(?:--?(?:body|value|secret-string|b|v)[ \t=]))
      |(?P<part>(?:(?:\r?\n|(?:\\{{1,8}}r)?\\{{1,8}}n)[ \t\d→>|]{{0,12}}){{2}})
      |(?P<line>[:：]?\*{{0,2}}[ \t]{{0,5}}(?:\r?\n|\\n)[ \t]{{0,20}})
      |(?P<blank>(?:[ \t]|\\{{1,8}}t){{1,40}})(?P<type>(?:[05789]|plain-?text|clear-?text)[ ](?=[^\s]))?)
    (?P<open>\\{{0,8}}{QUOTE}|(?P<bold>\*\*))?""",
    re.VERBOSE | re.IGNORECASE,
)
_VALUE = re.compile(r"(?!--|-[a-z]{1,12}[ =])[^\s\"'`<>|,;&\\\uf8e0-\uf8e6]{4,1000}")
_ACCOUNT = re.compile(
    r"\b(?:user(?:name)?|login|account)[ \t][^\s\\]{1,40}(?:\s|\\{1,8}[nrt]|\d{1,6}→|[>|])+"
    r"(?:(?:and|with|/)[ ])?(?:the[ ])?\Z"
)
_REFERENCE = re.compile(r"\$\{?\w*\Z")
_LONGEST_STATEMENT = 160
_SHORTEST_SAID = 6

_NAMED_AS = re.compile(r"[ ](?:as|is|at|into|(?P<to>to))[ ](?:the|my|our|your|their|its)[ ](?:[\w-]{1,20}[ ]){0,3}\Z")
_USED = re.compile(r"\b(?:use|used|with|try) [\"'`]?\Z", re.IGNORECASE)
_CHANGED_FROM = re.compile(
    r"(?:chang|rotat|reset|switch|updat)\w{0,4}[ ](?:[\w-]{1,20}[ ]){0,4}from[ ][\"'`]?\Z", re.IGNORECASE
)
"""Before what was the password until then: `I changed it from … to the new password`."""
_OF_NOUN = re.compile(
    r"[ ](?!(?:yesterday|today|tonight|now|then|and|but|or|so|for|of|on|in|at|to|via|as|with|from|by|because|since|that"
    r"|which|this|last|when|after|before|while|again|already|earlier|instead|here|there|everywhere|just|too|also|using"
    r"|is|was|has|will|works?|worked|we|i|it|you|he|she|they|please|once|below|above|manually|myself"
    r"|afterwards)\b)[a-z]"
    r"|[-_]\w",
    re.IGNORECASE,
)
"""A name that is a part of another word for something: `to the new password hasher`."""
_LONGEST_CHANGE = 100
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
    if phrase is not None or value is None:
        return phrase
    word = value[0]
    if repeats_its_name(text, name, word):
        return None
    if is_harmless_bare(word, name.kind, glued=True) or not _is_secret(text, name, gap, value):
        return None
    after = 0 if gap["open"] else len(word) - len(word.rstrip(").]}:,;!?*"))
    return NamedSecret(value.start(), value.end() - after)


def _is_secret(text: str, name: SecretName, gap: re.Match[str], value: re.Match[str]) -> bool:
    """Return whether the value after a gap looks random enough, or may be a plain word because the gap is firm."""
    word = value[0]
    if gap["type"] and name.group in {"password", "secret"} and is_told_word(word):
        return True
    if gap["blank"] is not None and _REFERENCE.search(text, max(name.start - _LONGEST_STATEMENT, 0), name.start):
        return False  # a variable, and behind it the command that is given it
    if gap["said"] is not None:
        return name.kind == "password" and _has_number(word) and is_told_word(word) and not is_mechanism(word)
    if _is_ordinary(word, gap):
        return False
    leads = _leads_to_value(text, name, gap)
    if leads and is_random_for(word, name.group):
        return True
    may_be_firm = leads if gap["blank"] is None else not gap["close"]
    return may_be_firm and is_word(word) and is_firm(text, name, gap, value)


def _is_ordinary(word: str, gap: re.Match[str]) -> bool:
    """Return true for a constant that took the place of another, a kind of login, and what a form says of a field."""
    if gap["prose"] is not None:
        changed = "from " in gap["prose"].lower() and is_constant(word.rstrip(".,:;!?"))
        return changed or (":" in word and is_mechanism(word.rpartition(":")[2]))
    return gap["pair"] is not None and is_message(word)


def _has_number(word: str) -> bool:
    return len(word) >= _SHORTEST_SAID and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


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
    if said["to"] and (_OF_NOUN.match(text, name.end) or is_mechanism(word)):
        return None
    if said["to"] and not _CHANGED_FROM.search(text, max(start - _LONGEST_CHANGE, 0), start):
        return None
    harmless = is_harmless(word, name.kind) or is_harmless_bare(word, name.kind, glued=True)
    told = bool(said["to"] and not word.islower()) or _USED.search(text, max(start - 8, 0), start) is not None
    used = name.group == "password" and told and is_told_word(word)
    return NamedSecret(start, end) if (is_random_for(word, name.group) or used) and not harmless else None


def _leads_to_value(text: str, name: SecretName, gap: re.Match[str]) -> bool:
    """Return whether a gap of its form may stand between this name and its value."""
    if gap["part"] is not None:  # of a form
        return '"' in gap["close"]
    if gap["call"] is not None:
        return is_capital(text, name) or bool(gap["open"] and ("'" in gap["close"] or '"' in gap["close"]))
    if gap["blank"] is not None:
        before = text[max(name.start - _LONGEST_STATEMENT, 0) : name.start]
        named = is_capital(text, name) or option_dashes(text, name) or STATEMENT.search(before)
        named = named or _ACCOUNT.search(before)
        return ")" not in gap["close"] and bool(named or gap["open"])
    return True

"""Arguments of calls that tell of the case which a run served: ids, data of persons, texts about it."""

from __future__ import annotations

from collections.abc import Collection

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.program_text import PERSONAL_KEYS, statement_without_data

_PLAIN_VALUE = 40
_DATED = re.compile(r"\S*\b\d{4}-\d\d-\d\d[|,;/ ]\S|\S*[|,;/]\d{4}-\d\d-\d\d\b|(?:19[2-9]\d|20[01]\d)-\d\d-\d\d$")
"""A day together with something else, or one that may be that of a birth: by these callers are told apart."""
_CODED = re.compile(r"[\[{]|(?=\S*\d)(?=\S*[A-Za-z_])\S{5,}$|\d{5,}$|\+?\d[\d\s()/-]{6,}$")
"""A list, an object, an id, a number to call: of a call that did not help they tell nothing."""
_TECHNICAL = re.compile(
    r"(?:windows|iso|utf|cp|latin|koi|euc|gb|big|us|ansi|sha|aes|rsa|tls|http|h|mp|pdf|epsg:|xml|html)-?\d[\w.-]{0,12}",
    re.IGNORECASE,
)
"""An encoding, a format or a version of one: no id, though it has the form of one."""
_ID_NAME = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$")
_SOMEBODYS = re.compile(
    r"(?:^|_)(?:account|address|birth_?(?:date|day)|card(?:_number)?|city|client|contact|customer|date_of_birth|diagnosis"
    r"|dob|e_?mails?|employee|guest|iban|member|mobile|msisdn|passport|patient|phone(?:_(?:no|number))?|plate|pnr"
    r"|post(?:al)?_?code|recipient|ssn|street(?:_name)?|student|surname|symptoms?|tenant|user_?name|zip(?:_?code)?"
    r"|(?:client|contact|customer|employee|family|first|full|given|guest|holder|last|middle|passenger|patient|person)_?name"
    r"|anschrift|adresse|geburts(?:datum|tag|name)|hausnummer|kund(?:e|in|en_?nummer)|mitglied|nachname|ort|plz|rufnummer"
    r"|stra(?:ss|ß)e|telefon(?:nummer)?|vorname|versicherten?nummer|code_postal|courriel|naissance|date_de_naissance|nom"
    r"|prenom|prénom|rue|telephone|téléphone|ville|apellidos?|ciudad|cliente|correo|direccion|dirección|dni|fecha_nacimiento"
    r"|nombre|paciente|telefono|teléfono|cognome|indirizzo|codice_fiscale)$"
)
"""Names of arguments under which a case, somebody or something of theirs is known."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_NOBODY = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?|email|e-mail|phone|sms|post|mail|letter|chat|app|all|any|default|dev|prod"
    r"|production|staging|test"
)
"""An address of a network, a way to reach somebody, or an environment."""
_PROSE_WORD = re.compile(r"(?<![\w\"/.])[A-Za-z][a-z'’]*(?![\w\"/=:(])")
_PROSE_WORDS = 7
"""Words that follow each other as in a sentence, from which a value is a text about the case."""


def is_of_case(name: str, value: str, tool: str, public: Collection[str] = ()) -> bool:
    """Return true for an argument of a call that tells of the case alone: an id, somebody's data, a longer text.

    A coded value that is `public` is none, but under a name for an id or for somebody's data.
    """
    if statement_without_data(name, value, tool):
        return False
    if len(value) > _PLAIN_VALUE or _DATED.match(value):
        return True
    if _ID_NAME.search(name) or _tells_who(name, value):
        return True
    is_coded = _CODED.match(value) is not None and not _TECHNICAL.fullmatch(value)
    return value not in public and is_coded


def names_somebody(name: str) -> bool:
    """Return true for the name of an argument or a field by which somebody, a case or a thing of theirs is known."""
    return _SOMEBODYS.search(_CAMEL.sub("_", name).lower()) is not None


def _tells_who(name: str, value: str) -> bool:
    return names_somebody(name) and not _OF_NOBODY.fullmatch(value)


def is_private(name: str, value: str) -> bool:
    """Return true for an argument of a call that holds personal data, a longer list or object, or sentences."""
    if _tells_who(name, value) or _DATED.match(value):
        return True
    if value.startswith(("[", "{")) and len(value) > _PLAIN_VALUE:
        return True
    return len(_PROSE_WORD.findall(value)) >= _PROSE_WORDS or PERSONAL_KEYS.search(value) is not None

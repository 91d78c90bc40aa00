"""Words that tell what a random text is: the nearest one before it decides."""

from __future__ import annotations

from enum import Enum

from mcp_reflect.domain import lazy_re as re

_WINDOW = 100
"""Characters before a text that are searched for a telling word."""
_NEAR = 8
"""Words between a telling word and the text, at most."""
_DIRECT = re.compile(
    r"""[\s\\"'`\])}>|]{0,12}(?:[:=：]|=>|->|:=|\bis\b|\bto\b|,|<|\|)?[\s\\"'`\[({<|>:=]{0,24}(?:(?:value|is|was|to|your|new|the|raw|basic|bearer|token|key)\b[\s"'`:=\\]{0,6})?""",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+")

_NAMING_WORDS = (
    "password passwords passwd passwort passphrase passcode pass pwd pw psk pin puk otp totp hotp mfa tfa token "
    "tokens tok pat secret secrets credential credentials cred creds apikey accesskey secretkey authkey auth "
    "authorization authenticate bearer jwt login logon signin unlock sudo key keys license licence serial activation "
    "mnemonic seed salt pepper cookie sid csrf xsrf session sess refresh access private signing signature sig hmac "
    "encryption encrypt decrypt cipher webhook hook dsn recovery backup code codes saml assertion ticket wpa wifi"
)
_NAMING = frozenset(_NAMING_WORDS.split())
"""Words of the names of secrets, as parts of identifiers: `BW_SESSION`, `licenseKey`."""
_WEAK_WORDS = (
    "key keys access session sess code codes sid backup refresh sig signature pass pin salt seed hook serial login "
    "logon signin unlock ticket"
)
_WEAK = frozenset(_WEAK_WORDS.split())
"""Words that tell something where the text is given to them, and nothing from afar."""
_LEAST_COMPOUND = 8
_JOINTS = frozenset("/_-")
_BLANK = "\\n \n\r\t\"'>|+-*→0123456789"
"""What may stand before a text on its line where the line above is its heading."""
_REST_OF_LINE = re.compile(r"[A-Za-z0-9+/_.~=-]*[\"'`,;)]{0,3}[ \t]*(?:\r|\n|\\|\Z)")
_OTHER_KEYS_WORDS = (
    "public pub foreign primary cache sort partition idempotency object row dedup unique index lookup group hash "
    "range event message s3 item order state storage lock resource translation i18n gpg pgp key sorting shard routing "
    "socket websocket recv receive "
    "no each any every and or one with same press hit on in by from"
)
_OTHER_KEYS = frozenset(_OTHER_KEYS_WORDS.split())
_ID_WORDS = (
    "sha sha1 sha224 sha256 sha384 sha512 md5 hash hashes digest integrity checksum checksums fingerprint etag crc "
    "md blake commit commits revision revisions oid merge cherry uuid guid id ids trace correlation img png jpeg jpg "
    "gif kid nanoid ulid "
    "svg webp woff mappings certificate public pubkey dsa eddsa rsa ed25519 ssh ecdsa base64 resolved sdata"
)
_ID = frozenset(_ID_WORDS.split())
"""Words after which random text is a hash, an id or public data."""
_SUMS = frozenset(("checksum", "checksums", "digest", "fingerprint", "hashed"))
"""Words before the name of a secret whose sum is meant: `checksum/secret: 02b5…`."""
_ID_IF_DIRECT_WORDS = (
    "rev tree parent blob blobs git ref refs object objects branch tag request span image images font icon src href "
    "cert data build version release chunk bundle asset assets filename file files path sources fixture snapshot "
    "peer accept event layer container pod instance zone cache name names marker cursor offset"
)
_ID_IF_DIRECT = frozenset(_ID_IF_DIRECT_WORDS.split())
"""Words after which it is one where it is given to them."""
_ID_IN_PATH = frozenset(("d", "document", "documents", "docs", "folders", "drive", "board", "page", "pages", "video"))
"""Words after which it is one as the next part of a path, as the addresses of documents have it: `/document/d/…`."""
_PART_OF_PATH = re.compile(r"/[\w-]*")
_PAGES = frozenset(("page", "next", "starting", "continuation"))
"""Words before a token that is a place in a list, which is read page by page."""
_ARTICLES = frozenset(("the", "a", "this", "that"))
"""Before a word that names a secret now and then they say neither that it does nor that it does not."""
_NO_KEY_OF = _OTHER_KEYS | _ID | _ID_IF_DIRECT
_COMPOUND_ENDS = (
    "sessionid",
    "sessid",
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "credential",
    "credentials",
)
_ID_PREFIX_WORDS = (
    "asst batch blob call ch chatcmpl chunk cid comment commit cus diff err evt file ft ftjob gen gid id in issue "
    "pvc pv vpc subnet sg i vol ami eni rtb igw nat snap acl eipalloc vpce tgw pcx lt asg "
    "issuecomment item job key lock md5 mem msg node org part pi pm price prod proj rec req request resp rev rs run "
    "bkg booking cust inv invoice ord order pmt shp txn usr "
    "prj session sha1 sha224 sha256 sha384 sha512 span step sub task thread tool toolu trace tree uid user vs"
)
ID_PREFIXES = frozenset(_ID_PREFIX_WORDS.split())
"""Prefixes of ids and hashes that look like the prefix of a token."""
_RANDOM_ID_PREFIX_WORDS = (
    "acct agent app asset ba build bundle cache card chat conv data digest doc dt etag event files font game hash "
    "host icon image img index inv invoice layer lib link list log main obj object ord order page patch pkg pod "
    "prompt r release room script sent ses sess seti snapshot src style styles team temp test tmp trans turn tx txn "
    "u usr v vendor view vm web workflow x"
)
_CERTAIN_ID_PREFIXES = ID_PREFIXES - {"key", "prod", "session"}
_RANDOM_ID_PREFIXES = (ID_PREFIXES - {"key", "prod"}) | frozenset(_RANDOM_ID_PREFIX_WORDS.split())
"""Prefixes of random text without the form of a token that belong to ids and files."""
_PUBLISHED = re.compile(
    r"(?:pk[_-](?:live|test|lf)|phc|sb_publishable)[_-]|bc1[qp][a-z0-9]{20}"
    r"|MII[A-Za-z0-9+/]{1,12}(?:gAwIBAgI|ANBgkqhkiG9w0BAQEFAAOC)"
    r"|age1[a-z0-9]{50}|(?:[a-z][a-z0-9]*-)+[0-9a-f]{8,10}-[a-z0-9]{5}\Z"
    r"|(?:vpc|subnet|sg|i|vol|ami|eni|rtb|igw|nat|acl|pcx|tgw|vpce|eipalloc|snap|lt)-(?:[0-9a-f]{17}|[0-9a-f]{8})\Z"
    r"|(?:L|A)?GPL(?:v|-)\d|BSD-\d|_{1,2}Z(?:N|S|T|K|L)[A-Za-z\d]|[\w.]+-[\w-]{8}-py\d\.\d{1,2}\Z"
    r"|v?\d+\.\d+[\w.]*[+-][\w.+-]*g[0-9a-f]{7,12}\Z|[+-]?\d*\.\d+[eE][+-]?\d{1,4}\Z|0[0-7][0-9A-HJKMNP-TV-Z]{24}\Z|Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[ky][a-z2-7]{50}|v\d+\.\d+\.\d+-(?:[\w.]*\.)?\d{14}-[0-9a-f]{12}"
)
"""Keys that stand in pages and programs which everybody may read, addresses, certificates, numbers, versions, ids."""
_CERTAIN_WORDS = "sk secret token tok tkn pat key apikey live prod production auth api priv"
_CERTAIN = frozenset(_CERTAIN_WORDS.split())


_ANNOUNCED = re.compile(
    r"\b(?:token|password|secret|credentials?|passphrase"
    r"|(?:api|access|auth|license|private|signing|encryption)[ _-]?key)\b"
    r"(?:(?!\"[,:])[^.!?;:\n{}()=]){1,90}:(?:[ ]{1,3}|(?:(?:\r?\n|\\n)[ \t]{0,8}){1,3})[\"'`*]{0,3}\Z",
    re.IGNORECASE,
)
"""A clause about a secret that ends with a colon right before the text, however many words it has."""
_CHECKSUM = re.compile(
    r"h1:\Z|;base64,\Z|\.[a-z]{2,5}\#\Z|,(?:iv|data|tag):\+?\Z|\|1\|[\w+/=]{10,40}\|\Z|W/\\?\"\Z|\bbh=\Z|x5t\#S256\W{1,6}\Z"
    r"|-----BEGIN [A-Z ]{0,20}(?:CERTIFICATE|PUBLIC KEY|X509 CRL)(?: REQUEST)?-----(?:\s|\\{1,8}[nr]){1,4}\Z"
)
"""What stands right before a checksum of Go, of an archive, a known host, a page, a mail or a certificate, and before
what is encrypted already."""
_ARGUMENT = re.compile(r"[a-z]-(?:token|secret|password|credential|key)s?(?: [\w.@-]{1,30}){0,2} \Z")


class Hint(Enum):
    """A hint that the words before a text give about it, in the order in which hints count."""

    NONE = "none"
    NEAR = "near"
    WEAK = "weak"
    NAMED = "named"
    ID = "id"


def hint_before(text: str, position: int) -> Hint:
    """Return what the nearest telling word before a position says about the text that begins there."""
    window = text[max(position - _WINDOW, 0) : position]
    if _CHECKSUM.search(window):
        return Hint.ID
    line = max(window.rfind("\n"), window.rfind("\\n"))
    above = line >= 0 and not window[line:].strip(_BLANK)
    if above and not _REST_OF_LINE.match(text, position):
        return Hint.NONE
    if line >= 0 and not above:
        window = window[line:]
    words = list(_WORD.finditer(window))[-_NEAR:]
    for number in range(len(words) - 1, -1, -1):
        found = _said_by(words, number, window)
        if found is Hint.ID and words[number][0].lower() not in _ID and _ANNOUNCED.search(window):
            return Hint.NEAR  # a token for a git, a secret of an image
        if found is not None:
            is_told = not (above and found is Hint.NEAR) or _ANNOUNCED.search(window)
            return found if is_told else Hint.NONE
    return Hint.NEAR if _ANNOUNCED.search(window) else Hint.NONE


def _said_by(words: list[re.Match[str]], number: int, window: str) -> Hint | None:
    """Return what one word before a text says about it; None where it tells nothing."""
    match = words[number]
    word = match[0].lower()
    direct = _DIRECT.fullmatch(window, match.end()) is not None
    if word in _ID or (word in _ID_IF_DIRECT and (direct or window[match.end() :] in _JOINTS)):
        return Hint.ID
    if word in _ID_IN_PATH and _PART_OF_PATH.fullmatch(window, match.end()):
        return Hint.ID
    part = number and match.start() - words[number - 1].end() <= 1
    before = words[number - 1][0].lower() if part else ""
    if word not in _NAMING or (word in _WEAK and before in _ARTICLES):
        compound = direct and len(word) >= _LEAST_COMPOUND and word.endswith(_COMPOUND_ENDS)
        return Hint.NAMED if compound else None
    is_place = word == "token" and before in _PAGES
    if is_place or before in _SUMS or (word in _WEAK and before in _NO_KEY_OF):
        return Hint.ID
    strong = word not in _WEAK or before in _NAMING or (word.startswith("key") and before != "")
    if direct:
        return Hint.NAMED if strong else Hint.WEAK
    return Hint.NEAR if strong else None


def is_argument(text: str, position: int) -> bool:
    """Return whether a text is an argument of a command named for a secret: `set-agent-token default …`."""
    return _ARGUMENT.search(text, max(position - _WINDOW, 0), position) is not None


def is_id_prefix(prefix: str) -> bool:
    """Return whether a prefix is one of an id or of a file rather than of a secret."""
    words = _words_of(prefix)
    return _CERTAIN.isdisjoint(words) and all(word in _RANDOM_ID_PREFIXES for word in words)


def names_an_id(prefix: str) -> bool:
    """Return whether a prefix is a word that services put before ids only: `toolu_`, `call_`."""
    return prefix.endswith(("_", "-")) and prefix[:-1].lower() in _CERTAIN_ID_PREFIXES


def is_published(token: str) -> bool:
    """Return whether a token has the prefix of keys that are published."""
    return _PUBLISHED.match(token) is not None


def is_certain_prefix(prefix: str) -> bool:
    """Return whether a prefix holds a word that vendors put before secrets only: `acme_live_`, `secret-`."""
    return not _CERTAIN.isdisjoint(_words_of(prefix))


def _words_of(prefix: str) -> list[str]:
    return [each.lower() for each in re.split(r"[_.~-]", prefix) if each]

"""Names of mechanisms, programs and versions, which stand with a number where a password may stand: `OAuth2`."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.values.secret_values import WORDS

_MECHANISM = re.compile(
    r"""(?:kerberos|krb|oauth|oidc|openid|openidconnect|saml|scram|ldap|ldaps|ntlm|ntlmv|radius|jwt|jws|jwe|pkce|fido
      |webauthn|passkey|yubikey|totp|hotp|otp|mfa|sso|gssapi|spnego|negotiate|scheme|digest|bearer|tls|tlsv|mtls|ssl
      |sslv|ssh|sshv|ipsec|ikev|x|rsa|dsa|ecdsa|ed|sha|md|hmac|aes|bcrypt|scrypt|argon|argon2i|argon2d|argon2id|pbkdf
      |sha2|sha3|sha512crypt|blake|crypt|md5crypt|yescrypt|django|fernet|des|base|utf
      |python|pypy|node|nodejs|npm|java|jdk|ruby|php|perl|go|golang|rust|dotnet|net|http|https|rest|api|grpc|soap
      |github|gitlab|bitbucket|google|azure|aws|s|ec|okta|auth|keycloak|cognito|firebase|chrome|firefox|safari|edge
      |postgres|postgresql|psql|mysql|mariadb|redis|mongo|mongodb|sqlite|docker|k|kubernetes|windows|ubuntu|debian
      |phase|step|method|option|level|stage|version|factor|v|key)[-_]?(?:v?\d{1,3}(?:[.-]\d{1,3}){0,3}[a-z]?)?
    | v?\d+(?:\.\d+)+[a-z0-9.-]* | [a-z]+[-_]?v?\d+(?:\.\d+)+
    | pkcs\#?\d{1,2} | (?:aes|rc\d|des|camellia|chacha)[-_]?\d*[-_](?:cbc|gcm|ctr|ecb|cfb|ofb|xts|poly1305)
    | (?:rsa|dh)[-_]?\d{4} | id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+){0,4}_\d{1,4}")

_MESSAGE = re.compile(
    r"(?i:(?:min|max)(?:imum)?|too|must|requires?|at[_-]?least|invalid|length|len)"
    r"(?:[A-Z_.:=-][A-Za-z]{0,20}){1,5}[_.:=-]?\d{0,4}"
)
"""The name of a rule for a password that a form reports: `minLength8`."""


def is_mechanism(word: str) -> bool:
    """Return true for a name of what people log in with, hash with or run, and for a version of it."""
    return _MECHANISM.fullmatch(word.rstrip(".,:;!?`\"'")) is not None


def is_constant(word: str) -> bool:
    """Return true for a constant in code with a number: `SMS_2`."""
    return _CONSTANT.fullmatch(word) is not None


def is_message(value: str) -> bool:
    """Return true for what a form says of a password: a sentence, a rule for it, the way in which it is hashed."""
    words = value.split()
    said = len(words) > 1 and value.strip()[:1].isupper() and any(word.lower() in WORDS for word in words)
    return said or _MESSAGE.fullmatch(value) is not None or is_mechanism(value)

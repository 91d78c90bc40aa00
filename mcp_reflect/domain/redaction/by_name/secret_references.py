"""Names after which no secret follows: those of secrets that are kept elsewhere, of directives, and of variables.

`kubectl delete secret web-tls-v3` names an object of Kubernetes, `proxy_pass php82:9000` a server, and `-p"$PW" -e …`
takes a password from the shell. A lesson needs these words: a command without them does not run.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName

_OBJECT = r"[\"'`]?(?=[a-z0-9]{1,60}[.-])[a-z0-9][a-z0-9.-]{0,250}[\"'`]?"
"""The name of an object of Kubernetes: small letters and digits in parts that hyphens or dots join."""
_END = r"(?![\w!@#$%^&*+=?/])"
_VERB = re.compile(
    r"(?:\b(?:get|describ|delet|creat|recreat|edit|patch|annotat|label|inspect|rm|replicat|mount|restor|renam|adopt"
    r"|miss)(?:e|es|ed|s|ing)?[ ](?:(?:the|a|an|old|new|stale|orphaned|Kubernetes|Helm|k8s)[ ]){0,3}|\bin[ ])\Z",
    re.IGNORECASE,
)
_AFTER_VERB = re.compile(
    rf"s?[ ](?:(?:generic|tls|docker-registry)[ ]|(?:-n|--namespace)[ =][\w.-]{{1,63}}[ ])?{_OBJECT}{_END}"
)
_STATE = re.compile(
    rf"s?(?:[ /]){_OBJECT}[ ](?:not[ ]found|already[ ]exists|is[ ]forbidden|deleted|created|configured|patched"
    r"|replaced|edited|labell?ed|annotated|unchanged|updated|was|is[ ]missing"
    r"|has[ ]been|in[ ]namespace|in[ ]the[ ]namespace|of[ ]type)\b"
)
"""What Kubernetes reports about an object, behind its kind and its name."""
_KEPT = re.compile(r"(?:existing_?secret|secret_?keys\.)\w{0,40}\Z", re.IGNORECASE)
"""A secret that a chart of Helm finds, and which of its keys holds the password."""
_ENTRY = re.compile(r"\b(?:bw|rbw|lpass|gopass|op|keyring)[ ](?:get|show|item[ ]get)[ ]\Z")
"""A command that looks up the entry of a password manager."""
_KEPT_SECRET = re.compile(r"(?:tls|ssl|pull|cert|certificate|issuer)_?\Z", re.IGNORECASE)
_KEPT_VALUE = re.compile(rf":[ ]{_OBJECT}(?=\s|\\|\Z)")
_OF_MANAGER = re.compile(r"\bsecretsmanager[ ][^\n;|&]{0,200}--\Z")
"""A command of AWS, in which --secret-id is the name of a secret, rather than a half of a login of Vault."""
_DIRECTIVES = ("proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass")
_ARGUMENT = re.compile(r"[ \t]{1,40}(?![ \t=:])")
_PAGE = re.compile(r"(?:next|page|sync|continuation|starting|start|resume)[ _-]?(?:page)?[ _-]?\Z", re.IGNORECASE)
"""What makes a token the place in a list that is read page by page."""
_VARIABLE = re.compile(r"\$\{?\w*\Z")
_VARIABLE_OF_SQL = re.compile(r"[ ]:[\"'][A-Za-z_]\w*[\"']")
_STATEMENT_OF_SQL = re.compile(r"\b(?:with|encrypted|role[ ]\S{1,60}|user[ ]\S{1,60})[ ]\Z", re.IGNORECASE)
_TARGETS = re.compile(r"(?:\A|\n|\\n)[ \t>+-]{0,40}(?:[A-Za-z_][\w.]{0,60},[ ]?){1,6}\w{0,40}\Z")
_UNPACKED = re.compile(r"[ ]=[ ](?=[A-Za-z_])")
"""Python gives several names their values at once: `username, password = credentials`."""
_IDENTIFIER = re.compile(r"[\w.-]{0,40}\Z")
_WINDOW = 240
_NEAR = 60


def names_what_is_kept_elsewhere(text: str, name: SecretName) -> bool:
    """Return whether a name of a secret stands where what follows it is no secret, but a name or a place."""
    said = text[name.start : name.end].lower()
    near = max(name.start - _NEAR, 0)
    if text.startswith(")", name.end) and is_reference_of_shell(text, name):  # (password in $P12PW): …
        return True
    if name.group == "token":
        found = _PAGE.search(text, near, name.start) is not None
    elif said.endswith("pass"):
        found = _is_directive(text, name)
    elif said.startswith("credential"):
        found = text.endswith(("LoadCredential", "LoadCredentialEncrypted"), near, name.end)
    elif said.startswith("password"):
        found = _is_of_statement(text, name, near)
    else:
        found = "secret" in said and _is_object(text, name, near, said)
        found = found or ("key" in said and text.startswith("GIT_CONFIG_KEY_", max(name.start - 4, 0)))
    is_key_of_chart = "secret" in said or "key" in said
    return found or (is_key_of_chart and _KEPT.search(text, near, name.end) is not None)


def is_reference_of_shell(text: str, name: SecretName) -> bool:
    """Return whether a name stands for its value already: what follows `$DB_PASSWORD` is something else."""
    return "$" in text[max(name.start - _NEAR, 0) : name.start] and (
        _VARIABLE.search(text, max(name.start - _NEAR, 0), name.start) is not None
    )


def repeats_its_name(text: str, name: SecretName, value: str) -> bool:
    """Return whether a value says nothing but the name again, as a documented default or the name of a field does.

    `POSTGRES_PASSWORD: postgres` · `CHALLENGE_PASSWORD = "challengePassword"` · `ApiKey = "api_key"`
    """
    identifier = _IDENTIFIER.search(text, max(name.start - _NEAR, 0), name.start)
    said = (identifier[0] if identifier else "") + text[name.start : name.end]
    again = _joined(value)
    is_name = len(again) >= name.end - name.start and _joined(said).endswith(again)
    return again.isalpha() and (is_name or again in re.split(r"[_.-]", said.lower()))


def _joined(text: str) -> str:
    return re.sub(r"[\s._-]", "", text).lower()


def _is_object(text: str, name: SecretName, near: int, said: str) -> bool:
    """Return whether a name is the kind of an object, whose own name follows."""
    if said in {"secret", "secrets"}:
        if text.startswith(" --secret-id", name.end):  # secretsmanager delete-secret
            return True
        if text.startswith("-id", name.end):
            return _is_id_of_manager(text, name)
        if _STATE.match(text, name.end) or (
            _KEPT_SECRET.search(text, near, name.start) and _KEPT_VALUE.match(text, name.end)
        ):
            return True
        return _AFTER_VERB.match(text, name.end) is not None and _VERB.search(text, near, name.start) is not None
    return said.startswith(("secret-id", "secret_id")) and _is_id_of_manager(text, name)


def _is_id_of_manager(text: str, name: SecretName) -> bool:
    return _OF_MANAGER.search(text, max(name.start - _WINDOW, 0), name.start) is not None


def _is_of_statement(text: str, name: SecretName, near: int) -> bool:
    """Return whether a password is given by a variable of SQL or of Python, or is the option of a module."""
    if _VARIABLE_OF_SQL.match(text, name.end):
        return _STATEMENT_OF_SQL.search(text, near, name.start) is not None
    if _UNPACKED.match(text, name.end):
        return _TARGETS.search(text, max(name.start - _WINDOW, 0), name.start) is not None
    return text.endswith("update_", near, name.start) or _ENTRY.search(text, near, name.start) is not None


def _is_directive(text: str, name: SecretName) -> bool:
    """Return whether a name is a directive of nginx, which says where a request is passed, or the verdict of a test."""
    if text.startswith("PASS", name.start):
        return text.endswith("--- ", max(name.start - 4, 0), name.start)
    if not _ARGUMENT.match(text, name.end):
        return False
    return any(text.endswith(each, max(name.end - len(each), 0), name.end) for each in _DIRECTIVES)

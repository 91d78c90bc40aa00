"""Values that stand in the manifest of a Secret of Kubernetes as they are, whatever their keys are called."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless

_HEADING = "stringData:"
_FIELD = re.compile(
    r"[ \t]*(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)(?:[ \t]*\d{1,6}→|[>+-][ ])?[ \t]{1,40}"
    r"(?P<key>[\w.-]{1,80}):(?:[ \t]{1,40}(?:\\{0,8}[\"'])?(?P<value>[^\s\"'\\][^\n\"'\\]{0,299})(?:\\{0,8}[\"'])?)?"
)
_TELLS_WHERE = re.compile(r"(?i:(?:.*[_.-])?(?:user|username|login|host|hostname|port|database|dbname|region|type))")
"""Keys of what is no secret, and what a lesson needs."""
_BLOCK = frozenset("|>")
_SHORTEST = 4


def redact_manifests(text: str) -> str:
    """Return the text with the values below `stringData:` replaced; what Kubernetes is told to keep secret is one."""
    done: list[str] = []
    copied = position = 0
    while (found := text.find(_HEADING, position)) >= 0:
        position = found + len(_HEADING)
        while (field := _FIELD.match(text, position)) is not None:
            position = field.end()
            value = (field["value"] or "").rstrip()
            if value and _is_secret(field["key"], value):
                start = field.start("value")
                done += (text[copied:start], f"{MARK}secret]")
                copied = start + len(value)
    return "".join((*done, text[copied:])) if done else text


def _is_secret(key: str, value: str) -> bool:
    is_given_elsewhere = value[0] in _BLOCK or value.startswith(("{{", "$", "<")) or is_harmless(value, "secret")
    return len(value) >= _SHORTEST and not is_given_elsewhere and not _TELLS_WHERE.fullmatch(key)

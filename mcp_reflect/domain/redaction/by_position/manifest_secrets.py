"""Values that stand in the manifest of a Secret of Kubernetes as they are, whatever their keys are called."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.text_lines import line_at, next_line
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless

_HEADING = "stringData:"
_FIELD = re.compile(
    r"[ \t]*(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)(?:[ \t]*\d{1,6}→|[>+-][ ])?[ \t]{1,40}"
    r"(?P<key>[\w.-]{1,80}):(?:[ \t]{1,40}(?:\\{0,8}[\"'])?(?P<value>[^\s\"'\\][^\n\"'\\]{0,299})(?:\\{0,8}[\"'])?)?"
)
_TELLS_WHERE = re.compile(r"(?i:(?:.*[_.-])?(?:user|username|login|host|hostname|port|database|dbname|region|type))")
"""Keys of what is no secret, and what a lesson needs."""
_BLOCK = re.compile(r"[|>][+-]?\d?")
_INDENT = re.compile(r"(?:[ \t]*\d{1,6}→|[>+-][ ])?(?P<indent>[ \t]*)")
_SECRET_LINE = re.compile(r"\s*(?:(?P<name>[\w./-]{1,60})[ \t]{0,9}[:=][ \t]{0,9})?(?P<value>\S.*?)[\"',;]{0,2}\s*")
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
            if _BLOCK.fullmatch(value):
                for start, end in _in_block(text, field):
                    done += (text[copied:start], f"{MARK}secret]")
                    position = copied = end
            elif value and _is_secret(field["key"], value):
                start = field.start("value")
                done += (text[copied:start], f"{MARK}secret]")
                copied = start + len(value)
    return "".join((*done, text[copied:])) if done else text


def _in_block(text: str, field: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield where the values stand in the lines of a block, which are further in than its key."""
    outer = len(_indent(line_at(text, field.start("key")).text))
    position = field.end()
    while (start := next_line(text, position)) >= 0:
        line = line_at(text, start)
        if line.text.strip() and len(_indent(line.text)) <= outer:
            return
        position = line.start + len(line.text)
        found = _SECRET_LINE.fullmatch(line.text)
        if found and MARK not in line.text and _is_secret(found["name"] or "", found["value"]):
            yield line.start + found.start("value"), line.start + found.end("value")


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found["indent"] if found else ""


def _is_secret(key: str, value: str) -> bool:
    is_given_elsewhere = value.startswith(("{{", "$", "<")) or is_harmless(value, "secret")
    return len(value) >= _SHORTEST and not is_given_elsewhere and not _TELLS_WHERE.fullmatch(key)

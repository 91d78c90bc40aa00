"""Values in the manifest of a Secret of Kubernetes, whatever their keys are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.text_lines import Cell, line_at, next_line
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless

_HEADINGS = ("stringData", "data")
_Q = r"(?:\\{0,8}\")?"
_HEADING = re.compile(rf"(?:stringData|(?:(?<![\w.])|(?<=\\n))data){_Q}:[ ]?(?P<object>\{{?)")
_KIND = re.compile(rf"(?:(?<![\w.-])|(?<=\\n))kind{_Q}:[ ]?(?:\\{{0,8}}[\"'])?(?P<kind>\w{{1,60}})")
_KEPT_KIND = "Secret"
_INSIDE = re.compile(r"[\w.-]")
_LINE_END = r"(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)"
_NUMBERED = r"(?:[ \t]{0,9}\d{1,6}→|[>+-][ ])?"
_REMARK = r"(?:#[^\n\\]{0,400})?"
_FIELD = re.compile(
    rf"[ \t]{{0,40}}{_REMARK}(?:{_LINE_END}{_NUMBERED}[ \t]{{0,40}}{_REMARK}(?={_LINE_END})){{0,40}}"
    rf"{_LINE_END}{_NUMBERED}[ \t]{{1,40}}(?:\\{{0,8}}[\"'])?(?P<key>[\w./-]{{1,80}})(?:\\{{0,8}}[\"'])?:"
    rf"(?:[ \t]{{1,40}}(?:!!?[\w/]{{1,20}}[ \t]{{1,9}})?(?:"
    # In quotes up to the last one of its line, as others of its kind may be escaped
    rf"(?P<open>\\{{0,8}}[\"'])(?P<quoted>(?:(?!{_LINE_END})[^\n]){{1,2000}}?)(?P=open)"
    rf"(?=[ \t]{{0,40}}(?:[ ]#[^\n\\]{{0,400}})?(?:{_LINE_END}|\\{{0,8}}[\"']|\Z))"
    r"|(?:\\{0,8}[\"'])?(?P<bare>[^\s\"'\\#][^\n\"'\\]{0,299}))?)?"
)
"""A key of a manifest and its value, behind lines that are empty or hold a remark."""
_FOLDED = re.compile(
    rf"[ \t]{{0,40}}{_LINE_END}{_NUMBERED}(?P<indent>[ \t]{{1,60}})(?:\\{{0,8}}[\"'])?"
    rf"(?P<value>[^\s\"'\\#:-][^\s\"'\\]{{0,4000}})(?:\\{{0,8}}[\"'])?(?=[ \t]{{0,40}}(?:{_LINE_END}|[\"']|\Z))"
)
"""The value of a key on the line below it."""
_MEMBER = re.compile(
    r",?(?:\s|\\{1,8}[nrt]|\d{1,6}→){0,60}(?:\\{0,8}\")?(?P<key>[\w.-]{1,80})(?:\\{0,8}\")?[ ]?:[ ]?"
    # A quote inside of a value has more backslashes before it, and those of a line end have no quote behind them.
    r"(?:(?P<escape>\\{0,8})\"(?P<quoted>(?:[^\"\\]|\\{1,16}(?![\"\\])|(?P=escape){2}\\\""
    r"|(?P=escape){2}\\\\(?=\\{0,16}\"))"
    r"{0,8000})(?P=escape)\"|(?P<bare>[^\s\"'\\,{}\[\]]{1,8000}))"
)
_AFTER_VALUE = re.compile(r"[ \t]+#.*", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{4,}={0,2}")
_TELLS_WHERE = re.compile(
    r"(?i:(?:.*[_.-])?(?:user|username|login|host|hostname|port|database|dbname|region|type)|.*mtime)|(?:ca|tls)\.crt"
)
"""Keys of what is no secret, and what a lesson needs."""
_BLOCK = re.compile(r"[|>][+-]?\d?")
_INDENT = re.compile(r"(?:[ \t]*\d{1,6}→|[>+-][ ])?(?P<indent>[ \t]*)")
_SECRET_LINE = re.compile(
    r"\s*(?:(?P<name>[\w./-]{1,60})[ \t]{0,9}(?::|=(?!=?\s*\Z))[ \t]{0,9})?(?P<value>\S.*?)[\"',;]{0,2}\s*"
)
_SHORTEST = 4
_MOST_LINES = 4_000
"""Lines in which the kinds of objects are looked up; beyond, whatever has data beside a Secret counts as one."""


def redact_manifests(text: str) -> str:
    """Return the text with the values of a Secret replaced; what Kubernetes is told to keep secret is one.

    They stand below `stringData:` as they are, and below `data:`, which other kinds of objects have too, in base64.
    """
    if not any(f"{heading}{end}" in text for heading in _HEADINGS for end in (":", '"', "\\")):
        return text
    done: list[str] = []
    copied = 0
    lines = _Lines(text)
    read = 0
    for heading in _HEADING.finditer(text):
        in_clear = heading[0].startswith(_HEADINGS[0])
        if heading.start() < read:
            continue
        found, read = _values(text, heading, in_clear=in_clear)
        if not found:
            continue
        if in_clear or lines.are_of_secret(heading):
            for start, end in found:
                done += (text[copied:start], f"{MARK}secret]")
                copied = end
    return "".join((*done, text[copied:])) if done else text


def is_kept_secret(key: str, value: str) -> bool:
    """Return whether a value of a manifest is a secret, by its key and its form."""
    is_given_elsewhere = value.startswith(("{{", "$", "<", "ENC[")) or is_harmless(value, "secret")
    return len(value) >= _SHORTEST and not is_given_elsewhere and not _TELLS_WHERE.fullmatch(key)


def _values(text: str, heading: re.Match[str], *, in_clear: bool) -> tuple[list[tuple[int, int]], int]:
    """Return where the values below a heading stand that are secrets, and where its last field ends."""
    found: list[tuple[int, int]] = []
    position = heading.end()
    form = _MEMBER if heading["object"] else _FIELD
    while (field := form.match(text, position)) is not None:
        position = field.end()
        name = "quoted" if field["quoted"] is not None else "bare"
        start, value = field.start(name), (field[name] or "").rstrip()
        if form is _FIELD:
            value = value if name == "quoted" else _AFTER_VALUE.sub("", value)
            if _BLOCK.fullmatch(value):
                found += _in_block(text, field)
                position = max(position, found[-1][1] if found else 0)
                continue
            folded = None if value else _FOLDED.match(text, position)
            if folded and len(folded["indent"]) > len(_indent(line_at(text, field.start("key")).text)):
                start, value, position = folded.start("value"), folded["value"], folded.end()
            line = line_at(text, start if value else position)
            position = max(position, line.start + len(line.text))
        if value and is_kept_secret(field["key"], value) and (in_clear or _BASE64.fullmatch(value)):
            found.append((start, start + len(value)))
    return found, position


class _Lines:
    """The lines of a text, read as lines of manifests; the number of those that are looked at is bounded."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._may_be = any(kind["kind"] == _KEPT_KIND for kind in _KIND.finditer(text))
        self._left = _MOST_LINES

    def are_of_secret(self, heading: re.Match[str]) -> bool:
        """Return whether the object with these data says that it is a Secret, before or after them, as far in."""
        if not self._may_be or self._left <= 0:
            return self._may_be
        line = line_at(self._text, heading.start())
        depth = heading.start() - line.start
        beside = list(_KIND.finditer(line.text))
        if beside:
            return min(beside, key=lambda kind: abs(kind.start() - depth))["kind"] == _KEPT_KIND
        return _KEPT_KIND in (*self._kinds(line, depth, self._before), *self._kinds(line, depth, self._after))

    def _kinds(self, line: Cell, depth: int, step: Callable[[Cell], Cell | None]) -> Iterator[str]:
        """Yield the kind among the lines of an object on one side of a line; `depth` is where its keys begin."""
        while (following := step(line)) is not None and self._left > 0:
            self._left -= 1
            line = following
            key = _INSIDE.search(line.text)
            found = _KIND.search(line.text)
            # The first line of a manifest in a string of JSON begins behind a quote.
            opened = found and found[0].startswith("kind:") and line.text[: found.start()].endswith(("'", '"'))
            column = found.start() if found and not opened else 0
            if found and column <= depth <= column + 1:
                yield found["kind"]
                return
            if line.text.startswith("---") or (key and key.start() < depth - 1):
                return

    def _before(self, line: Cell) -> Cell | None:
        if line.start == 0:
            return None
        return line_at(self._text, line.start - 1 - (self._text[line.start - 1] in "nr"))

    def _after(self, line: Cell) -> Cell | None:
        start = next_line(self._text, line.start + len(line.text))
        return line_at(self._text, start) if start >= 0 else None


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
        if found and MARK not in line.text and is_kept_secret(found["name"] or "", found["value"]):
            yield line.start + found.start("value"), line.start + found.end("value")


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found["indent"] if found else ""

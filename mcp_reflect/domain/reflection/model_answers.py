"""Parsing of a language model's answer into the fields of a reflection.

Models wrap JSON in code fences and chatter, think aloud, give a list instead of a string, or ignore the format
altogether. Usable parts are taken, and the rest is dropped without an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.limits import MAX_CLAIM_CHARS, MAX_CLAIMS, MAX_IDS
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.text.recalled import strip_recalled
from mcp_reflect.domain.truncate import truncate

AnswerForm = Literal["structured", "json", "prose"]
"""Form of an answer: JSON that the server enforces, JSON that the prompt asks for, or prose."""

ANSWER_FORMS: tuple[AnswerForm, ...] = get_args(AnswerForm)

MAX_FIELD_CHARS = 4_000
MAX_TOOLS = 20
MAX_TOOL_CHARS = 64
"""Most characters of a tool's name that clients allow."""
_MAX_ANSWER_CHARS = 200_000
_MAX_OBJECTS = 200
"""Most opening braces that are tried; bounds the time that a hostile answer takes."""

_THOUGHTS_BEGIN = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NOTHING = re.compile(r"(?:none|null|nil|n/?a|not applicable|empty|nothing|-+)?[.!]?", re.IGNORECASE)
_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)(?:\n```)?\Z", re.DOTALL)
# Models put line breaks into JSON strings; strict decoding would lose an otherwise good answer for it.
_DECODER = json.JSONDecoder(strict=False)


def read_answer(answer: str) -> ReflectionDraft:
    """Return the reflection in an answer: the fields of its JSON where it has some, otherwise its prose as `text`.

    Fields have at most 4,000 characters, `applicable_tools` at most 20 names. The draft is empty for an answer without
    text, for JSON without a field of a reflection, and for truncated JSON.
    """
    said = visible_answer(answer)
    for found in json_objects(said, _Fields.model_fields.keys()):
        draft = ReflectionDraft(**_Fields.model_validate(found).model_dump())
        if not draft.is_empty:
            return draft
    fenced = _FENCE.match(said)
    prose = fenced[1].strip() if fenced else said
    if prose.startswith(("{", "[")):
        return ReflectionDraft()
    return ReflectionDraft(text=_text(prose))


def visible_answer(answer: str) -> str:
    """Return an answer without the model's thoughts, NUL characters and lone surrogates."""
    said = _UNSTORABLE.sub("", answer[:_MAX_ANSWER_CHARS]).strip()
    return said if said.startswith("{") else _without_thoughts(said)


def _without_thoughts(answer: str) -> str:
    """Return the text after a reasoning model's thoughts; some servers omit the tag that opens the thoughts."""
    thought = max((end.end() for end in _THOUGHTS_END.finditer(answer)), default=0)
    said = answer[thought:].strip()
    return "" if _THOUGHTS_BEGIN.match(said) else said


def json_objects(said: str, wanted: AbstractSet[str]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text that have one of the wanted keys, outermost first, keys in snake_case."""
    start = -1
    for _ in range(_MAX_OBJECTS):
        start = said.find("{", start + 1)
        if start < 0:
            return
        try:
            found, _end = _DECODER.raw_decode(said, start)
        except (ValueError, RecursionError):
            continue  # no JSON, or JSON nested beyond all use
        named = {_key(key): value for key, value in found.items()}
        if named.keys() & wanted:
            yield named


def _key(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _text(value: Any) -> str:
    """Return any JSON value as text; expressions for "nothing", such as "n/a", become empty."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        try:
            value = json.dumps(value, ensure_ascii=False) if value else ""
        except RecursionError:  # a value that json could read may be nested too deeply for writing
            return ""
    words = _UNSTORABLE.sub("", value).strip()
    return "" if _NOTHING.fullmatch(words) else truncate(words, MAX_FIELD_CHARS)


def _tools(value: Any) -> tuple[str, ...]:
    """Return names of tools from a list, a comma-separated string, or objects with a name."""
    if isinstance(value, str):
        value = re.split(r"[,;\n]", value)
    if not isinstance(value, list):
        return ()
    entries = (entry.get("name") if isinstance(entry, dict) else entry for entry in value)
    names = (_text(entry).strip("`'\" ") for entry in entries if isinstance(entry, str))
    return tuple(dict.fromkeys(name for name in names if 0 < len(name) <= MAX_TOOL_CHARS))[:MAX_TOOLS]


def _claims(value: Any) -> tuple[str, ...]:
    """Return sentences from a list, a string of lines, or objects with a claim."""
    if isinstance(value, str):
        value = [line.lstrip("-*• ") for line in value.splitlines()]
    if not isinstance(value, list):
        return ()
    entries = (entry.get("claim") if isinstance(entry, dict) else entry for entry in value)
    texts = (strip_recalled(_text(entry)) for entry in entries if isinstance(entry, str))
    claims = (truncate(" ".join(text.split()), MAX_CLAIM_CHARS) for text in texts)
    return tuple(dict.fromkeys(claim for claim in claims if claim))[:MAX_CLAIMS]


def ids_in(value: Any) -> tuple[str, ...]:
    """Return ids from a list or a comma-separated string, unchecked; at most 100."""
    if isinstance(value, str):
        value = re.split(r"[,;\s]+", value)
    if not isinstance(value, list):
        return ()
    ids = (entry.strip("`'\"[]() ") for entry in value if isinstance(entry, str))
    return tuple(dict.fromkeys(entry for entry in ids if 0 < len(entry) <= MAX_TOOL_CHARS))[:MAX_IDS]


_Words = Annotated[str, BeforeValidator(_text)]


class _Fields(BaseModel):
    """The fields of a reflection in a model's JSON; any may be missing or of another type."""

    model_config = ConfigDict(extra="ignore")

    summary: _Words = ""
    key_mistake: _Words = ""
    correct_action: _Words = ""
    guidance: _Words = ""
    applicable_tools: Annotated[tuple[str, ...], BeforeValidator(_tools)] = ()
    claims: Annotated[tuple[str, ...], BeforeValidator(_claims)] = ()
    helpful_memory_ids: Annotated[tuple[str, ...], BeforeValidator(ids_in)] = ()
    harmful_memory_ids: Annotated[tuple[str, ...], BeforeValidator(ids_in)] = ()

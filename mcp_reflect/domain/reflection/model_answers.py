"""Parsing of a language model's answer into the fields of a reflection.

Models wrap JSON in code fences and chatter, think aloud, put a list where a string was asked for, or ignore the
format altogether. What can be used is used; the rest is left out, never an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict

from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.text.recalled import strip_recalled

AnswerForm = Literal["structured", "json", "prose"]
"""How an answer is asked for: the server enforces the JSON, the prompt asks for it, or words are enough."""

ANSWER_FORMS: tuple[AnswerForm, ...] = get_args(AnswerForm)

MAX_FIELD_CHARS = 4_000
MAX_TOOLS = 20
MAX_CLAIMS = 3
MAX_CLAIM_CHARS = 500
_MAX_IDS = 100
MAX_TOOL_CHARS = 64
"""What clients allow as the name of a tool."""
_MAX_ANSWER_CHARS = 200_000
_MAX_OBJECTS = 200
"""How many opening braces are tried: bounds the time that a hostile answer takes."""

_THOUGHTS_BEGIN = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NOTHING = re.compile(r"(?:none|null|nil|n/?a|not applicable|empty|nothing|-+)?[.!]?", re.IGNORECASE)
_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)(?:\n```)?\Z", re.DOTALL)
# Models put line breaks into JSON strings; strict decoding would lose an otherwise good answer for it.
_DECODER = json.JSONDecoder(strict=False)


def read_answer(answer: str) -> ReflectionDraft:
    """The reflection in an answer: the fields of its JSON where it has some, otherwise its prose as `text`.

    Fields are at most 4,000 characters, `applicable_tools` at most 20 names. Empty for an answer that holds nothing:
    no words, JSON without a field of a reflection, or JSON that was cut off.
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
    """An answer without its thoughts and without what cannot be stored."""
    said = _UNSTORABLE.sub("", answer[:_MAX_ANSWER_CHARS]).strip()
    return said if said.startswith("{") else _without_thoughts(said)


def clip(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, with a mark where its end was left out."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def clipped_line(text: str, limit: int) -> str:
    """The same in one line."""
    # Words are counted in a piece only: a text may be megabytes long.
    return clip(" ".join(text[: 4 * limit].split()), limit)


def _without_thoughts(answer: str) -> str:
    """What a reasoning model said after thinking aloud; some servers swallow the tag that opens the thoughts."""
    thought = max((end.end() for end in _THOUGHTS_END.finditer(answer)), default=0)
    said = answer[thought:].strip()
    return "" if _THOUGHTS_BEGIN.match(said) else said


def json_objects(said: str, wanted: AbstractSet[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text that have one of the wanted keys, outermost first, their keys in lower_case."""
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
    """Words from any JSON value; a model's ways of saying nothing become nothing."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        try:
            value = json.dumps(value, ensure_ascii=False) if value else ""
        except RecursionError:  # what could just be read may be too deep to be written
            return ""
    words = _UNSTORABLE.sub("", value).strip()
    return "" if _NOTHING.fullmatch(words) else clip(words, MAX_FIELD_CHARS)


def _tools(value: Any) -> tuple[str, ...]:
    """Names of tools from a list, a string with commas, or objects that have a name."""
    if isinstance(value, str):
        value = re.split(r"[,;\n]", value)
    if not isinstance(value, list):
        return ()
    entries = (entry.get("name") if isinstance(entry, dict) else entry for entry in value)
    names = (_text(entry).strip("`'\" ") for entry in entries if isinstance(entry, str))
    return tuple(dict.fromkeys(name for name in names if 0 < len(name) <= MAX_TOOL_CHARS))[:MAX_TOOLS]


def _claims(value: Any) -> tuple[str, ...]:
    """Sentences from a list, from a string of lines, or from objects that have a claim."""
    if isinstance(value, str):
        value = [line.lstrip("-*• ") for line in value.splitlines()]
    if not isinstance(value, list):
        return ()
    entries = (entry.get("claim") if isinstance(entry, dict) else entry for entry in value)
    texts = (strip_recalled(_text(entry)) for entry in entries if isinstance(entry, str))
    claims = (clip(" ".join(text.split()), MAX_CLAIM_CHARS) for text in texts)
    return tuple(dict.fromkeys(claim for claim in claims if claim))[:MAX_CLAIMS]


def ids_in(value: Any) -> tuple[str, ...]:
    """Ids from a list or from a string with commas, as they stand."""
    if isinstance(value, str):
        value = re.split(r"[,;\s]+", value)
    if not isinstance(value, list):
        return ()
    ids = (entry.strip("`'\"[]() ") for entry in value if isinstance(entry, str))
    return tuple(dict.fromkeys(entry for entry in ids if 0 < len(entry) <= MAX_TOOL_CHARS))[:_MAX_IDS]


_Words = Annotated[str, BeforeValidator(_text)]


class _Fields(BaseModel):
    """A reflection as a model gives it: anything may be missing or of another type."""

    model_config = ConfigDict(extra="ignore")

    summary: _Words = ""
    key_mistake: _Words = ""
    correct_action: _Words = ""
    guidance: _Words = ""
    applicable_tools: Annotated[tuple[str, ...], BeforeValidator(_tools)] = ()
    claims: Annotated[tuple[str, ...], BeforeValidator(_claims)] = ()
    helpful_memory_ids: Annotated[tuple[str, ...], BeforeValidator(ids_in)] = ()
    harmful_memory_ids: Annotated[tuple[str, ...], BeforeValidator(ids_in)] = ()

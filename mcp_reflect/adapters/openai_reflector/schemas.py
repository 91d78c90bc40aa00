"""JSON schemas of answers for OpenAI's strict mode: every field is required, no other is allowed."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_reflect.adapters.openai_reflector.chat import Schema

_WORDS: Mapping[str, object] = {"type": "string"}
_LIST: Mapping[str, object] = {"type": "array", "items": _WORDS}


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_REFLECTION = {
    "summary": _WORDS,
    "key_mistake": _WORDS,
    "correct_action": _WORDS,
    "guidance": _WORDS,
    "applicable_tools": _LIST,
    "claims": _LIST,
}
REFLECTION = Schema("reflection", _object(_REFLECTION))
JUDGING_REFLECTION = Schema(
    "reflection", _object({**_REFLECTION, "helpful_memory_ids": _LIST, "harmful_memory_ids": _LIST})
)
_INSIGHT = _object({"text": _WORDS, "importance": {"type": "number"}, "evidence": _LIST})
INSIGHTS = Schema("insights", _object({"insights": {"type": "array", "items": _INSIGHT}}))

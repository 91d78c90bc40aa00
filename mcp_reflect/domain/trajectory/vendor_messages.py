"""Messages of further frameworks in the shape of Anthropic's: a role, and blocks for texts, calls and results.

LangChain nests a message (`data`, `kwargs`), as Google's ADK does (`content`), Gemini, the AI SDK and Pydantic AI list
`parts`, Semantic Kernel `Items`, LlamaIndex `blocks`, Bedrock and Haystack wrap calls (`toolUse`, `tool_call`), AutoGen
lists them as the content of events, ShareGPT tells who a `value` is `from`, and SWE-agent what an action was. They are
told by what they hold, not by whose they are: a call has a name and arguments, a result has what came of it beside a
name or the id of its call. So a framework that nobody here knows is likely to be read, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mcp_reflect.domain.trajectory.tool_json import parse_json_object

Block = dict[str, Any]

_INNER = ("data", "kwargs", "lc_kwargs", "content")
_LISTS = ("parts", "content", "items", "Items", "blocks")
_NAMES = ("name", "toolName", "tool_name", "tool", "function_name", "FunctionName")
_GIVEN = (
    "args",
    "arguments",
    "input",
    "parameters",
    "params",
    "toolInput",
    "tool_input",
    "rawInput",
    "Arguments",
    "tool_kwargs",
)
_GOT = ("result", "output", "response", "content", "errorText", "error", "observation", "return_value", "Result")
_IDS = ("toolCallId", "tool_call_id", "toolUseId", "tool_use_id", "call_id", "callId", "CallId", "Id", "tool_id", "id")
_FLAGS = ("is_error", "isError")
_FAILED = frozenset(("error", "failed", "failure", "output-error"))
_CALLS = frozenset(("functioncall", "tooluse", "toolcall", "toolinvocation", "executablecode"))
_RESULTS = frozenset(
    ("functionresponse", "toolresult", "toolresponse", "codeexecutionresult", "functionresult", "toolcallresult")
)
_RESULT_KINDS = frozenset(("tool-result", "tool-return", "tool_result", "tool-response", "function-response"))
_NO_NAMES = _RESULT_KINDS | frozenset(("tool-call", "tool-invocation", "tool-use", "tool-error"))
_ROLES = {
    **dict.fromkeys(("human", "humanmessage", "user_proxy", "customer"), "user"),
    **dict.fromkeys(("ai", "aimessage", "aimessagechunk", "model", "bot", "agent", "chatbot"), "assistant"),
    **dict.fromkeys(("toolmessage", "functionmessage"), "tool"),
    **dict.fromkeys(("gpt", "chatgpt", "bing"), "assistant"),
    "systemmessage": "system",
}
_FLAT = frozenset(
    ("human", "humanmessage", "ai", "aimessage", "aimessagechunk", "tool", "toolmessage", "systemmessage")
)
"""What LangChain names the type of a message that it dumps with its fields beside each other."""
_KNOWN = frozenset(("user", "assistant", "system", "developer", "tool", "function"))


def read_vendor_message(message: Mapping[str, Any]) -> Block | None:
    """Return a message of another framework in Anthropic's shape; None for one of a shape that needs no translation."""
    if (inner := _inner(message)) is not None:
        plain = _plain({**inner, "role": _role(message, inner)})
        return read_vendor_message(plain) or plain
    parts = next((message[key] for key in _LISTS if isinstance(message.get(key), list)), None)
    is_listed = "content" not in message and isinstance(message.get("parts", message.get("Items")), list)
    if parts is not None and (is_listed or any(isinstance(part, dict) and _is_foreign(part) for part in parts)):
        return _listed(message, parts)
    return _said_at_once(message)


def _inner(message: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The message that another one holds; None for one that is a message itself."""
    held = (message[key] for key in _INNER if isinstance(message.get(key), dict))
    return next((each for each in held if not each.keys().isdisjoint(("content", "tool_calls", "parts"))), None)


def _said_at_once(message: Mapping[str, Any]) -> Block | None:
    """A message whose content is one text; None for one of a shape that needs no translation."""
    content = message.get("content")
    if isinstance(message.get("from"), str) and isinstance(message.get("value"), str):
        return _shared(message["from"].lower(), message["value"])
    if message.get("message_type") in {"action", "observation"} and isinstance(content, str):
        return _acted(message)
    if isinstance(message.get("source"), str) and isinstance(content, str) and "role" not in message:
        # What a tool returned, once more as the words of the agent.
        return {"role": _role(message, {}), "content": "" if "Summary" in str(message.get("type", "")) else content}
    role = str(message.get("role", "")).lower()
    if role in _ROLES:
        return {**message, "role": _ROLES[role]}
    kind = str(message.get("type", "")).lower()
    is_flat = not role and "content" in message and kind in _FLAT
    return _plain({**message, "role": _ROLES.get(kind, kind)}) if is_flat else None


def _listed(message: Mapping[str, Any], parts: list[Any]) -> Block:
    """A message whose parts are of other kinds; what a tool says in them is a result, whatever they are."""
    role = _role(message, {})
    blocks = list(_blocks(parts, role))
    more = message.get("additional_kwargs")
    more = more if isinstance(more, dict) else {}
    calls = more.get("tool_calls")
    for call in calls if isinstance(calls, list) and not message.get("tool_calls") else ():
        blocks += _read({"tool_call": call}, role)
    if role in {"tool", "function"} and not any(block.get("type") == "tool_result" for block in blocks):
        return {**more, "role": "tool", "content": parts}
    return {"role": "assistant" if role in {"tool", "function"} else role, "content": blocks}


def _acted(message: Mapping[str, Any]) -> Block:
    """A message of SWE-agent's history: an action of its shell with a thought, or what was observed."""
    if message["message_type"] == "observation":
        return {"role": "tool", "content": message["content"]}
    thought, action = message.get("thought"), message.get("action")
    said = [{"type": "text", "text": thought}] if isinstance(thought, str) and thought.strip() else []
    call = {"type": "tool_use", "name": "bash", "input": {"command": action}}
    return {"role": "assistant", "content": [*said, call] if isinstance(action, str) else message["content"]}


def _shared(sender: str, value: str) -> Block:
    """A message of ShareGPT: who it is from, and what it says, a call as JSON."""
    if sender in {"function_call", "tool_call"}:
        told = parse_json_object(value) or {}
        call = {"type": "tool_use", "name": _first(told, _NAMES) or "", "input": _first(told, _GIVEN) or {}}
        return {"role": "assistant", "content": [call]}
    if sender in {"observation", "tool", "tool_response", "function_response"}:
        return {"role": "tool", "content": value}
    return {"role": _ROLES.get(sender, sender), "content": value}


def _plain(message: Block) -> Block:
    """A message that was taken out of another one; its older calls stand among further arguments."""
    more = message.get("additional_kwargs")
    if not message.get("tool_calls") and isinstance(more, dict) and more.get("tool_calls"):
        message["tool_calls"] = more["tool_calls"]
    if message["role"] == "tool" and message.get("status") in _FAILED:
        message["is_error"] = True
    return message


def _role(message: Mapping[str, Any], inner: Mapping[str, Any]) -> str:
    """The role of a message by its role, its type, the name of its class or its source."""
    given = message.get("role", message.get("Role"))
    label = given.get("Label") if isinstance(given, dict) else given
    names = [label, inner.get("role"), inner.get("type"), message.get("type"), message.get("kind")]
    if isinstance(message.get("id"), list) and message["id"]:
        names.append(message["id"][-1])
    for name in names:
        lower = name.lower() if isinstance(name, str) else ""
        if lower in _KNOWN or lower in _ROLES:
            return _ROLES.get(lower, lower)
    if isinstance(source := message.get("source", message.get("author")), str):
        return "user" if source.lower().startswith(("user", "human")) else "assistant"
    return "user" if message.get("kind") == "request" else "assistant"


def _is_foreign(part: Mapping[str, Any]) -> bool:
    """Whether a part is of a kind that none of the shapes known otherwise has."""
    kind = _kind(part)
    if kind.startswith(("tool-", "dynamic-tool")) or "part_kind" in part or "toolName" in part:
        return True
    if "type" in part and not kind.endswith(("Call", "Result")):
        return False
    return "type" not in part or _has(part, _GIVEN) or _has(part, _GOT)


def _blocks(parts: list[Any], role: str) -> Iterator[Block]:
    for part in parts:
        if isinstance(part, str):
            yield {"type": "text", "text": part}
        elif isinstance(part, dict):
            yield from _read(part, role)


def _read(part: Mapping[str, Any], role: str) -> Iterator[Block]:
    """The blocks of one part: those that its keys wrap, else what it is itself."""
    wrapped = [(key.lower().replace("_", ""), each) for key, each in part.items() if isinstance(each, dict)]
    is_wrapper = False
    for key, each in wrapped:
        if key in _CALLS:
            is_wrapper = True
            yield from _call_and_result(each, part)
        elif key in _RESULTS:
            is_wrapper = True
            yield _result(each, part)
    if is_wrapper:
        return
    kind = _kind(part)
    if _is_call(part, kind):
        yield from _call_and_result(part, part)
    elif kind in _RESULT_KINDS or kind.endswith("Result") or (_has(part, _IDS[:-1]) and _has(part, _GOT)):
        yield _result(part, part)
    else:
        yield from _said(part, kind, role)


def _said(part: Mapping[str, Any], kind: str, role: str) -> Iterator[Block]:
    """What a part says that is neither a call nor a result."""
    if isinstance(part.get("Text"), str):
        yield {"type": "text", "text": part["Text"]}
    elif kind.startswith(("user", "system")) and role == "user" and isinstance(part.get("content"), str):
        yield {"type": "text", "text": "" if kind.startswith("system") else part["content"]}
    elif "text" in part or "content" in part:
        yield {**part, "type": "text"}
    elif set(part) - {"type", "id"}:  # what only parts steps from each other says nothing
        yield dict(part)


def _is_call(part: Mapping[str, Any], kind: str) -> bool:
    if kind in _RESULT_KINDS or kind.endswith("Result"):
        return False
    is_named = _has(part, _NAMES) or (kind.startswith("tool-") and kind not in _NO_NAMES)
    return is_named and (_has(part, _GIVEN) or kind in {"tool-call", "ToolCall"})


def _call_and_result(call: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[Block]:
    """A call, with its result where it carries that itself."""
    kind = _kind(part)
    name = _first(call, _NAMES)
    if not name and kind.startswith("tool-") and kind not in _NO_NAMES:
        name = kind.removeprefix("tool-")
    given = _first(call, _GIVEN)
    yield {"type": "tool_use", "id": _id(call), "name": name or "", "input": given if given is not None else {}}
    if _has(call, _GOT[:3]) or call.get("errorText"):
        yield _result(call, part)


def _result(result: Mapping[str, Any], part: Mapping[str, Any]) -> Block:
    got = next((result[key] for key in _GOT if result.get(key) not in (None, "")), "")
    block: Block = {"type": "tool_result", "tool_use_id": _id(result), "content": got}
    if name := _first(result, _NAMES):
        block["name"] = name
    states = {str(each.get(key, "")).lower() for each in (result, part) for key in ("state", "status")}
    flag = _first(result, _FLAGS)
    if isinstance(flag, bool):
        block["is_error"] = flag
    elif states & _FAILED or result.get("errorText"):
        block["is_error"] = True
    return block


def _kind(part: Mapping[str, Any]) -> str:
    kind = next((part[key] for key in ("type", "part_kind", "kind", "$type") if key in part), "")
    return kind.removesuffix("Content") if isinstance(kind, str) else ""


def _id(part: Mapping[str, Any]) -> str:
    found = _first(part, _IDS)
    return found if isinstance(found, str) else ""


def _has(part: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    return any(part.get(key) is not None for key in keys)


def _first(part: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((part[key] for key in keys if part.get(key) is not None), None)

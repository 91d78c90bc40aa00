"""Calls of Cline and of Roo Code: elements named like the tool, with one for each of its arguments."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.replaced_texts import replaced_texts
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object

_TOOLS = frozenset(
    {
        *("execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
        *("search_and_replace", "search_files", "list_files", "list_code_definition_names", "browser_action"),
        *("use_mcp_tool", "access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task", "condense"),
        *("plan_mode_respond", "plan_mode_response", "web_fetch", "web_search", "switch_mode", "fetch_instructions"),
        *(
            "codebase_search",
            "update_todo_list",
            "load_mcp_documentation",
            "new_rule",
            "edit_file",
            "run_slash_command",
        ),
        *("focus_chain", "generate_explanation", "use_skill"),
    }
)
_ELEMENT = re.compile(r"^<(?P<name>[a-z_]{3,40})>", re.MULTILINE)
_ARGUMENT = re.compile(r"<(?P<name>[a-z_]{1,40})>")
_LONG = frozenset({"content", "diff"})
"""Arguments that may hold their own end: they go on to the last one."""
_AROUND = frozenset({"args", "file"})
"""Elements around arguments."""
SPOKEN_TOOLS = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}
"""Tools by which the agent speaks to the user, and the argument that holds its words."""
_THOUGHT = re.compile(r"</?(?:thinking|thought)>")
_THOUGHTS = frozenset({"thinking", "thought"})
_THINKS = re.compile(r"<(?P<name>thinking|thought)>")
_INTERRUPTED = re.compile(r"\s{0,9}\[Response interrupted by a tool use result\b[^\n]{0,200}\]\s{0,9}\Z")
"""What the client writes where the agent went on behind a call."""
_PLACED = re.compile(r"(?::(?:start|end)_line:[ \t]{0,3}\d{1,7}\n){1,2}(?:-{5,9}\n)?|-{5,9}\n")
"""What Roo Code puts before the text that is replaced."""
_COMPLETION = "attempt_completion"
_LONGEST_NOTE = 300
_UNTOLD = frozenset({"update_todo_list", "focus_chain", "load_mcp_documentation", "condense"})


def add_cline_words(found: CollectedMessages, text: str) -> None:
    """Add the words of an agent, and the calls among them."""
    place = 0
    while element := _next_call(text, place):
        name = element["name"]
        end = text.find(f"</{name}>", element.end())
        end = len(text) if end < 0 else end
        found.say(_THOUGHT.sub("", text[place : element.start()]))
        add_cline_call(found, name, _arguments(text[element.end() : end]))
        place = min(len(text), end + len(name) + 3)
    found.say(_THOUGHT.sub("", text[place:]))


def add_closing_call(found: CollectedMessages, text: str, tool: str) -> bool:
    """Add a message of an agent that ends in a call of a tool: its words without thoughts, and that call.

    Return false, and add nothing, for a message that does not end so. Other calls in it are words: of those in one
    message the client makes only one.
    """
    mark = f"</{tool}>"
    body = text.rstrip()
    if note := _INTERRUPTED.search(body, max(0, len(body) - _LONGEST_NOTE)):
        body = body[: note.start()]
        body = body[: body.rfind(mark) + len(mark)] if mark in body else body
    begin = _place_of_closing_call(body, tool) if body.endswith(mark) else -1
    if begin < 0:
        return False
    found.say(without_thoughts(body[:begin]))
    add_cline_call(found, tool, _arguments(body[begin + len(mark) - 1 : -len(mark)]))
    return True


def without_thoughts(text: str) -> str:
    """Return the words of an agent without what stands in `<thinking>`; one that is not closed goes on to the end."""
    kept, place = list[str](), 0
    while thought := _THINKS.search(text, place):
        kept.append(text[place : thought.start()])
        mark = f"</{thought['name']}>"
        end = text.find(mark, thought.end())
        place = len(text) if end < 0 else end + len(mark)
    return "".join((*kept, text[place:]))


def _place_of_closing_call(text: str, tool: str) -> int:
    """Where the call begins that a text ends in; its texts may hold calls, such as the file of a manual.

    Negative where it begins nowhere.
    """
    last = len(text) - len(tool) - 3
    first, place, unclosed = -1, 0, set[str]()
    while element := _ELEMENT.search(text, place):
        name, place = element["name"], element.end()
        if name in unclosed or not (name in _TOOLS or name in _THOUGHTS or name == tool):
            continue
        first = element.start() if first < 0 and name == tool else first
        end = text.find(f"</{name}>", place)
        if end == last:
            return element.start()
        if end < 0:
            unclosed.add(name)
        place = max(place, end)
    return first if first >= 0 else text.find(f"<{tool}>")


def split_completion(text: str) -> tuple[str, str]:
    """Return a transcript without the call that ends it by telling what was done, and what that tells.

    One in the middle may be printed by an output; nothing stands behind that of the agent.
    """
    mark = f"</{_COMPLETION}>"
    body = text.rstrip()
    begin = body.rfind(f"\n<{_COMPLETION}>") if body.endswith(mark) else -1
    if begin < 0:
        return text, ""
    told = _arguments(body[begin + len(mark) : -len(mark)])
    return body[:begin], told.get(SPOKEN_TOOLS[_COMPLETION], "").strip()


def add_cline_call(found: CollectedMessages, tool: str, given: dict[str, str]) -> None:
    """Add a call of one of Cline's tools: what it says to the user is said, and what it writes an edit."""
    path = given.get("path", given.get("absolutepath", "")).strip()
    if tool in SPOKEN_TOOLS:
        found.say(given.get(SPOKEN_TOOLS[tool], ""))
    elif tool == "execute_command":
        found.run(given.get("command", ""), given.get("cwd", "").strip())
    elif tool == "write_to_file" and path:
        found.write(path, given.get("content", "").strip("\n"))
    elif tool in {"replace_in_file", "apply_diff"} and path:
        blocks = replaced_texts(given.get("diff", "").split("\n"))
        found.edit(
            path,
            *(
                (_PLACED.sub("", block.old, count=1) if _PLACED.match(block.old) else block.old, block.new)
                for block in blocks
            ),
        )
        if not blocks:
            found.call(tool, {**given})
    elif tool == "search_and_replace" and path:
        found.edit(path, (given.get("search", ""), given.get("replace", "")))
    elif tool == "use_mcp_tool":
        found.call(given.get("tool_name", tool).strip(), read_object(given.get("arguments", "").strip()) or {})
    elif tool not in _UNTOLD:
        found.call(tool, {name: value.strip() for name, value in given.items() if value.strip()})


def _next_call(text: str, place: int) -> re.Match[str] | None:
    element = _ELEMENT.search(text, place)
    while element is not None and element["name"] not in _TOOLS:
        element = _ELEMENT.search(text, element.end())
    return element


def _arguments(body: str) -> dict[str, str]:
    """The arguments of a call, by name."""
    given: dict[str, str] = {}
    place = 0
    while name := _ARGUMENT.search(body, place):
        if name["name"] in _AROUND:
            place = name.end()
            continue
        mark = f"</{name['name']}>"
        end = body.rfind(mark, name.end()) if name["name"] in _LONG else body.find(mark, name.end())
        end = len(body) if end < 0 else end
        given.setdefault(name["name"], body[name.end() : end])
        place = end
    return given

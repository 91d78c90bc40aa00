"""What a record of an agent tells: words, or a call as `tool=kubectl args="…"`, `exec> make`, `[tool ssh: df -h]`."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.tools import EDITORS, SHELLS, command_line, is_instrument, is_tool_name, path_of
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.key_values import KeyValue, object_of, read_key_values
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import add_tool_call, read_object
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_told_call
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import ARROW

TOOL_KEYS = frozenset({"tool", "tool_name", "call", "function", "fn", "action"})
"""Keys whose value is the tool that is called."""
COMMAND_KEYS = frozenset({"cmd", "command", "exec", "run", "shell", "bash"})
"""Keys whose value is a command line."""
NOTE_KEYS = frozenset({"note", "thought", "think", "thinking", "reasoning", "reason", "say", "why", "plan", "comment"})
"""Keys whose value the agent says."""
ARGUMENT_KEYS = frozenset({"args", "arguments", "input", "params", "parameters", "given"})
"""Keys whose value is all that a call is given."""
_IDS = frozenset({"id", "call_id", "step", "run", "session"})
_VERB = re.compile(
    r"(?P<verb>exec|execute|run|cmd|command|shell|bash|sh|note|say|says|think|thought|done|final|answer|call|calls"
    r"|tool|invoke)(?:[>»:]|\$)[ \t]{1,4}(?P<given>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_RUNS = frozenset({"exec", "execute", "run", "cmd", "command", "shell", "bash", "sh"})
_CALLS = frozenset({"call", "calls", "tool", "invoke"})
_END = re.compile(r"(?:FINAL(?: ANSWER)?|DONE|ANSWER|FINISHED)\b[:>]?[ \t]{1,4}(?P<words>\S.*)", re.DOTALL)
_CALLED = re.compile(
    rf"(?:{ARROW}|calls?(?: tool)?:?|calling|invokes?|uses)[ \t]{{1,4}}"
    r"(?=`?(?:[A-Za-z_][\w./-]{0,60}`?(?: ?[({]|: |[ \t]{1,4}\w{1,40}=)|[A-Za-z]\w{0,40}[._]\w))"
)
_PROMPT = re.compile(r"[$%] (?=\S)")
_BOXED = re.compile(
    r"\[(?P<mark>(?:tool|call|calls|run|exec|action)[ :]{1,2})?(?P<tool>[A-Za-z_][\w./-]{0,60})(?P<colon>:?)"
    r"(?:[ \t](?P<given>.*?))?\](?:[ \t]{1,4}(?P<outcome>[^\]\n]*))?[ \t]{0,9}"
)
_PROGRAMS = frozenset({"git", "docker", "kubectl", "npm", "make", "pytest", "cargo", "gh", "helm", "terraform", "ssh"})


def add_agent_act(found: CollectedMessages, text: str, lines: Sequence[str]) -> None:
    """Add what the first line of an agent's record tells: its calls, or its words.

    `lines` stand behind it in the record, where no output does: they go on with the call or the words.
    """
    if not _add_call(found, text.strip(), lines):
        end = _END.fullmatch(text)
        _add_words(found, [end["words"] if end else text, *lines])


def _add_call(found: CollectedMessages, text: str, lines: Sequence[str]) -> bool:
    if verb := _VERB.fullmatch(text):
        return _add_verb(found, verb["verb"].lower(), "\n".join((verb["given"], *lines)))
    if prompt := _PROMPT.match(text):
        found.run("\n".join((text[prompt.end() :], *lines)))
        return True
    if arrow := _CALLED.match(text):
        before = found.calls
        return add_noted_call(found, "", "\n".join((text[arrow.end() :], *lines))) and found.calls > before
    pairs, rest = read_key_values(text)
    return bool(pairs and not rest and _add_pairs(found, pairs, lines))


def _add_verb(found: CollectedMessages, verb: str, given: str) -> bool:
    if verb in _RUNS:
        found.run(given)
    elif verb not in _CALLS or not add_noted_call(found, "", given):
        found.say(given)
    return True


def _add_pairs(found: CollectedMessages, pairs: list[KeyValue], lines: Sequence[str]) -> bool:
    """Add the notes and the call that pairs tell; return false where they tell neither."""
    notes = [each for each in pairs if each.key.lower() in NOTE_KEYS]
    others = [each for each in pairs if each not in notes]
    tool = next((each for each in others if each.key.lower() in TOOL_KEYS), None)
    command = next((each for each in others if each.key.lower() in COMMAND_KEYS), None)
    if tool is None and command is None and (others or not notes):
        return False
    for each in notes:
        found.say(each.value)
    if tool is not None:
        add_keyed_call(found, tool.value, [each for each in others if each != tool], lines)
    elif command is not None:
        found.run("\n".join((command.value, *lines)))
    elif lines:
        found.say("\n".join(lines))
    return True


def add_call_record(found: CollectedMessages, tool: str, text: str, lines: Sequence[str]) -> None:
    """Add the call of a record that is one: of the tool that it names, or `name=http args={…}`, or `bash make`."""
    pairs, rest = read_key_values(text)
    named = next((each for each in pairs if each.key.lower() in TOOL_KEYS | {"name"}), None)
    if tool or named is None or rest:
        add_told_call(found, "tool", tool, "\n".join((text, *lines)))
    else:
        others = [each for each in pairs if each != named and each.key.lower() not in _IDS]
        add_keyed_call(found, named.value, others, lines)


def add_keyed_call(found: CollectedMessages, tool: str, pairs: list[KeyValue], lines: Sequence[str] = ()) -> None:
    """Add a call whose arguments are pairs; a diff in the lines behind it is the edit that it makes."""
    given = object_of(pairs)
    whole = next((each for each in pairs if each.key.lower() in ARGUMENT_KEYS), None)
    if whole is not None and len(given) == 1 and (told := read_object(whole.value)) is not None:
        given = told
    path = path_of(given)
    body = [line for line in lines if line.strip()]
    if path and body and all(line[0] in "+- @" for line in body) and any(line[0] in "+-" for line in body):
        before = found.calls
        found.patch(read_patch([f"+++ {path}", *lines]))
        if found.calls > before:
            return
    if body and is_instrument(tool):
        given.setdefault("command" if tool.lower() in SHELLS else "content", "\n".join(lines))
    elif body:
        given.setdefault("input", "\n".join(lines))
    if whole is not None and list(given) == [whole.key] and tool.lower() in SHELLS:
        given = {"command": whole.value}
    if is_tool_name(tool):
        add_tool_call(found, tool, given)


def _add_words(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add words, with the calls in brackets that have a line each: `[write_file a.md] 41 lines written`."""
    words: list[str] = []
    for line in lines:
        boxed = _BOXED.fullmatch(line)
        if boxed is None or not _is_call(boxed):
            words.append(line)
            continue
        found.say("\n".join(words))
        words = []
        _add_boxed(found, boxed["tool"], (boxed["given"] or "").strip())
        if boxed["outcome"]:
            found.answer(boxed["outcome"])
    found.say("\n".join(words))


def _is_call(boxed: re.Match[str]) -> bool:
    tool = boxed["tool"]
    return bool(boxed["mark"]) or is_instrument(tool) or "_" in tool or (tool in _PROGRAMS and bool(boxed["given"]))


def _add_boxed(found: CollectedMessages, tool: str, given: str) -> None:
    told = {"command": given}
    if tool in _PROGRAMS - {"ssh"}:
        found.run(f"{tool} {given}")
    elif command_line(tool, told):
        found.call(tool, told)
    elif tool.lower() in EDITORS and given and len(given.split()) == 1:
        found.call(tool, {"file_path": given})
    else:
        add_noted_call(found, tool, given)

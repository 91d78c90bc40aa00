"""Signs by which programs record a run: `[call]`, `⎿`, `<|tool|>`, `## Output` below `## Assistant`.

They tell a record that no reader knows from what an agent tells of its run in words.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re

_ROLES = r"(?:tool|results?|output|observation|call|function|response|answer|user|human|assistant|agent)"
_TOOLS = r"(?:bash|shell|sh|exec|run|terminal|powershell|python|edit|write|read|patch|apply_patch|grep|search|fetch)"
_MARKS = (
    r"<\|\w{1,30}\|>"
    r"|\[\[/?(?:results?|outputs?|tool_\w{1,20}|tool|call|think)\]\]"
    rf"|\[\[{_TOOLS}[ :]"
    r"|</?s>|\[/?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|TOOL_CONTENT)\]"
    r"|</?(?:tool_call|tool_response|tool_result|function_call|function_result|function_response|invoke|parameter)\b"
    r"|\[/?(?:tool[ _-]?)?(?:call|result|output|observation|bot|assistant|agent|tool|user|you|human)"
    r"(?:[:/][\w.:/-]{1,60}|[ _#-]?\d{1,4})?\][: \t\n]"
    r"|【[^【】\n]{1,20}】[ \t]{0,9}$"
    rf"|>{{3}} ?{_TOOLS}\b|<{{3}}(?:[ \t][^\n]{{1,60}})?$"
    r"|[> \t]{0,12}(?:⎿|[⏺●] ?[A-Za-z_][\w.]{0,60}\(|[⚙🔧🛠]\ufe0f? ?`?[A-Za-z_])"
    rf"|[ \t]{{1,12}}[→⇒] (?:{_TOOLS} |[a-z]{{1,20}}[_.][a-z])|[ \t]{{1,12}}[←⇐↳] \S"
    rf"|[ \t]{{0,12}}[·•] {_TOOLS}: \S"
    r"|<{7} (?:SEARCH|ORIGINAL)\b|>{7} (?:REPLACE|UPDATED)\b"
    r"|={8,80} (?:Human|User|Ai|AI|Tool|System|Assistant) Message ={8,80}[ \t]{0,9}$"
    r"|\*\*\w{1,30}(?:Action|Observation)(?:\*\*| \(|\()"
    r"|-{2,4} ?BEGIN \w{1,20} OBSERVATION|-{2,4} ?END \w{1,20} OBSERVATION"
    r"|(?:Tool|User|Text|System|Thinking)\w{0,20}Part\("
    r"|(?:USER|AGENT|ASSISTANT|TOOL|SYSTEM) (?:MESSAGE|CALL|RESULT)S?\b"
    r"|[Tt]ool (?:call|result|output|response)s?(?: ?\(?[\w.:-]{1,60}\)?)?: ?(?:\S|$)"
    r"|(?i:tool|werkzeug|outil|herramienta|ferramenta|strumento) \([A-Za-z][\w.:/-]{0,60}\): \S"
    r"|(?i:assistant|agent|ai|bot) ?(?:[-=]>|[→⇒]) ?[A-Za-z_][\w.-]{0,60}[({: ]"
)
_MARK = re.compile(rf"^(?:{_MARKS})", re.MULTILINE)
"""What no agent begins a line of its own words with."""
_SIGN = re.compile(
    r"^(?:[-=]{2,10} ?(?:step|turn|round) ?\d|\[[\w .-]{1,30}\] ?[$>] ?\S|\[exit(?: code)? ?\d|[→←»⇒] ?\w|\{\"|\[\{\""
    r"|\[?(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?Z?\]? \S"
    r"|(?:OUT|ERR|STDOUT|STDERR|RESULT|OUTPUT|EXIT)\b|</?\w[\w-]{0,30}[ >]"
    r"|<\|\w|\[\[/?\w|(?:- )?role: ?\w|[^\w\s]{0,4}(?i:step|turn|round) \d"
    rf"|[^\w\s]{{0,4}}(?i:{_ROLES})\b[^\w\n]{{0,4}}$|{_MARKS})",
    re.MULTILINE,
)
"""Beginnings of lines by which programs record what was called, and what came of it."""
_HEADING = re.compile(
    r"^#{1,6} (?P<name>(?:(?P<agent>assistant|agent|ai)|output|observation|tool(?: (?:output|result|response))?))"
    r"[: \t]{0,9}$",
    re.MULTILINE | re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)")
_LEAST_SIGNS = 3
_LEAST_MARKS = 2


def has_record_signs(text: str) -> bool:
    """Return true for a text with lines as programs record calls and outputs."""
    return len(_SIGN.findall(text)) >= _LEAST_SIGNS or has_machine_marks(text)


def has_machine_marks(text: str) -> bool:
    """Return true for a text in which marks of programs stand outside of fences: nobody tells a run in words so."""
    told = "\n".join(_outside_of_fences(text))
    if len(_MARK.findall(told)) >= _LEAST_MARKS:
        return True
    headings = [*_HEADING.finditer(told)]
    return len({bool(each["agent"]) for each in headings}) > 1 and len(headings) > _LEAST_MARKS


def _outside_of_fences(text: str) -> Iterator[str]:
    is_outside = True
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_outside = not is_outside
        elif is_outside:
            yield line

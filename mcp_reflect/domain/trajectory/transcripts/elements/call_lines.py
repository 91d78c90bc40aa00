"""Lines that calls of tools begin with, in a generic notation, and where such a call ends."""

from __future__ import annotations

from bisect import bisect_left

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.replaced_texts import begins_replacement, replaced_texts
from mcp_reflect.domain.trajectory.signed_edits import signed_lines_below
from mcp_reflect.domain.trajectory.tools import SHELLS, is_instrument
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import CALL_TAGS
from mcp_reflect.domain.trajectory.transcripts.elements.marked_calls import read_marked_call
from mcp_reflect.domain.trajectory.transcripts.elements.named_calls import (
    TOOL,
    CallLine,
    is_known_tool,
    read_named_call,
)
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import is_patcher, read_object
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import (
    TURN_ROLES,
    read_result_head,
    read_turn_head,
)

_PROMPT = re.compile(r"^(?:[\w.@~/:-]{0,40}\$|> \$) (?=\S)")
_NAMED_TOOL = re.compile(
    r"^(?:[^\w\s\x00-\x7f]{1,3} ?)?(?:\*\*|[-*] |#{1,6} )?Tool(?: name| used| called)?(?::\*\*|\*\*:|:) {0,3}" + TOOL
    + r"(?P<rest>\(.*\))?[ \t]{0,9}$",
    re.IGNORECASE,
)  # fmt: skip
_INPUT = re.compile(
    r"^(?:\*\*|[-*] |#{1,6} )?(?:Tool )?(?P<name>Input|Args|Arguments|Parameters|Params|Command)"
    r"(?::\*\*|\*\*:|:)[ \t]{0,9}(?P<rest>.*)$",
    re.IGNORECASE,
)
_TAG = re.compile(r"^[ \t]{0,8}<(?P<tag>[a-z_][\w:.-]{0,60})(?P<given>(?:[ \t][^<>\n]{0,400})?)>(?P<rest>.*)$")
_WRAPPER = re.compile(r"^[ \t]{0,8}</?(?:function_calls|tool_calls|tools)>[ \t]{0,9}$")
_CLOSING = re.compile(r"</([\w:.-]{1,60})>")
_DOUBLE = re.compile(r"^\[\[(?P<tool>[A-Za-z_][\w.-]{0,60})[: ][ \t]{0,3}(?P<given>\S.*)$")
"""A call in two brackets: `[[sh make]]`."""
_CLOSERS = ("}", ")", "]")
_MOST_LINES = 60
_NEXT = 2
"""Lines below the end of a call in which its result begins, one of them blank."""
_MOST_TOLD = 15
"""Lines of a call in words, below which its result has to begin."""
_MOST_TRIES = 5


def is_call_wrapper(line: str) -> bool:
    """Return true for a tag around calls that tells nothing itself."""
    return _WRAPPER.match(line) is not None


class CallLines:
    """Finds calls in lines, which may change while they are read, and where they end."""

    def __init__(self, lines: list[str]) -> None:
        self.parts = LogParts(lines)
        self._lines = lines
        self._closings: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            for tag in dict.fromkeys(_CLOSING.findall(line)) if "</" in line else ():
                self._closings.setdefault(tag, []).append(number)

    def at(self, number: int) -> CallLine | None:
        """Return what a line shows of the call that it begins; None for any other line."""
        line = self._lines[number]
        if prompt := _PROMPT.match(line):
            return CallLine("$", "bash", line[prompt.end() :], prompt.end())
        if line[:1] == "<" or line[:1].isspace():
            return self._tagged(number)
        if call := read_named_call(line, lambda: self._has_result_below(number)):
            return call
        head = read_turn_head(line)
        if head is not None and head.role == "call":
            return CallLine(f"call{head.form.kind}", head.of, head.rest, len(line) - len(head.rest))
        return self._named(number) or self._doubled(number) or read_marked_call(line)

    def survey(self, begin: int) -> tuple[bool, bool]:
        """Return whether results have heads, and whether turns and calls stand behind blank lines, from a line on.

        Most calls have to be followed by a head of a result: one may be printed by an output.
        """
        has_gaps = is_open = False
        with_head = without = 0
        for number in range(begin, len(self._lines)):
            head = read_turn_head(self._lines[number])
            is_call = self.at(number) is not None
            if is_call or (head is not None and head.role in TURN_ROLES):
                has_gaps = has_gaps or (number > begin and not self._lines[number - 1].strip())
                without += is_open
                is_open = is_call
            elif is_open and read_result_head(self._lines[number], head) is not None:
                with_head, is_open = with_head + 1, False
        return with_head > without, has_gaps

    def _has_result_below(self, number: int, within: int = _MOST_TOLD) -> bool:
        """Return true where the mark of a result stands below a line, in the next lines before anybody speaks."""
        for line in self._lines[number + 1 : number + 1 + within]:
            head = read_turn_head(line)
            result = read_result_head(line, head)
            if head is not None or (result is not None and result.is_strong):
                return result is not None and (result.is_strong or within == _NEXT)
        return False

    def _tagged(self, number: int) -> CallLine | None:
        line = self._lines[number]
        tag = _TAG.match(line)
        if tag and self._closing(number, tag["tag"]) >= 0 and self._is_tool(number, tag["tag"], tag["rest"]):
            return CallLine("<", tag["tag"], tag["given"], tag.start("rest"))
        return None

    def _named(self, number: int) -> CallLine | None:
        line = self._lines[number]
        named = _NAMED_TOOL.match(line)
        if named and named["rest"]:
            return CallLine("Tool:", named["tool"], named["rest"][1:-1], named.start("rest"))
        return CallLine("Tool:", named["tool"], "", len(line)) if named and self._input_after(number) else None

    def _doubled(self, number: int) -> CallLine | None:
        double = _DOUBLE.match(self._lines[number])
        if double is None or not (is_instrument(double["tool"]) or is_known_tool(double["tool"])):
            return None
        is_closed = self._end_of_double(number) > 0
        return CallLine("[[", double["tool"], double["given"], double.start("given")) if is_closed else None

    def _end_of_double(self, number: int) -> int:
        """The number of the line behind the two brackets that close a call; 0 where none do."""
        last = min(number + _MOST_LINES, len(self._lines))
        return next((n + 1 for n in range(number, last) if self._lines[n].rstrip().endswith("]]")), 0)

    def _is_tool(self, number: int, tag: str, rest: str) -> bool:
        if tag in CALL_TAGS or tag.rpartition(":")[2] in CALL_TAGS or is_instrument(tag):
            return True
        if "_" not in tag:
            return False
        inner = rest.strip() or (self._lines[number + 1].strip() if number + 1 < len(self._lines) else "")
        has_named = inner.startswith(("<path>", "<file_path>", "<query>", "<url>", "<regex>", "<command>"))
        return has_named or self._has_result_below(self._closing(number, tag), within=_NEXT)

    def _closing(self, number: int, tag: str) -> int:
        places = self._closings.get(tag, [])
        place = bisect_left(places, number)
        return places[place] if place < len(places) else -1

    def _input_after(self, number: int) -> int:
        """The number of the line with the input of a tool that a line names; 0 where there is none."""
        for behind in range(number + 1, min(number + 3, len(self._lines))):
            if _INPUT.match(self._lines[behind]):
                return behind
            if self._lines[behind].strip():
                break
        return 0

    def read(self, number: int, call: CallLine, *, has_results: bool) -> tuple[int, str, str]:
        """Return the number of the line behind a call, its tool, and the text of its arguments.

        Where results have heads, the call goes on up to one.
        """
        lines = self._lines
        if call.notation == "<":
            last = self._closing(number, call.tool)
            first = lines[number][call.begin :]
            inner = "\n".join((first, *lines[number + 1 : last + 1])) if last > number else first
            return last + 1, call.tool, inner.rpartition(f"</{call.tool}>")[0]
        if call.notation == "[[":
            end = self._end_of_double(number)
            text = "\n".join((call.given, *lines[number + 1 : end]))
            return end, call.tool, text.rstrip().removesuffix("]]").rstrip()
        begin, text = number, call.given
        if call.notation == "Tool:" and not text:
            begin = self._input_after(number)
            told = _INPUT.match(lines[begin])
            text = told["rest"] if told else ""
        end = self.parts.end_of_command(begin, len(lines[begin]) - len(text))
        if call.notation == "$":
            return end, "bash", "\n".join((text, *lines[number + 1 : end]))
        end = self._end_of_value(begin, text, end)
        if end < len(lines) and begins_replacement(lines[end]):
            blocks = replaced_texts(lines[end : end + _MOST_LINES])
            end += blocks[0].end if blocks else 0
        if is_patcher(call.tool):
            end += signed_lines_below(text, lines[end:])
        if not text.strip() or (has_results and not text.rstrip().endswith(_CLOSERS)) or self._is_name(call, text):
            end = self._end_of_body(end, has_results=has_results)
        return end, call.tool, "\n".join((text, *lines[begin + 1 : end]))

    @staticmethod
    def _is_name(call: CallLine, text: str) -> bool:
        return not call.tool and (text.strip("`* ").lower() in SHELLS or text.strip("`* ").isidentifier())

    def _end_of_value(self, number: int, text: str, end: int) -> int:
        """The number of the line behind an object or brackets that are opened in a line; `end` where none are."""
        if not text or "{" not in text[:200] or text.rstrip().endswith(_CLOSERS):
            return end
        value = text[text.index("{") :]
        tries = 0
        for last in range(number + 1, min(number + _MOST_LINES, len(self._lines))):
            if self._lines[last].strip() in {"}", "})", "}}", "}})", "})`"}:
                tries += 1
                told = "\n".join((value, *self._lines[number + 1 : last + 1])).rstrip("`").removesuffix(")")
                if read_object(told) is not None:
                    return last + 1
            if tries >= _MOST_TRIES:
                break
        return end

    def _end_of_body(self, end: int, *, has_results: bool) -> int:
        """The number of the line behind the lines that a call goes on in."""
        lines = self._lines
        is_empty, fence = True, False
        while end < len(lines):
            line = lines[end]
            if line.startswith(("```", "~~~")):
                fence, is_empty = not fence, False
                end += 1
                if not fence:
                    return end
                continue
            head = None if fence else read_turn_head(line)
            result = None if fence else read_result_head(line, head)
            if not fence and (head is not None or self.at(end) is not None or line.startswith("<")):
                break
            if result is not None and result.is_strong:
                break
            if not fence and not line.strip() and not has_results and not is_empty:
                break
            is_empty = is_empty and not line.strip()
            end += 1
        return end

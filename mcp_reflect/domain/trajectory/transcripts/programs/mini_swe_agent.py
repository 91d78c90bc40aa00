"""The console of mini-swe-agent: `mini-swe-agent (step 3, $0.02):`, a command in a fence, its output in `<output>`.

The output of a command ends at the last `</output>` before the next step. What stands behind it is the user's, who may
break in or refuse a command.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_STEP = re.compile(r"^mini-swe-agent \(step (?P<number>\d{1,5})(?:, ?\$[\d.]{1,12})?\):[ \t]{0,9}$")
_LABEL = re.compile(r"^(?P<name>System|User|Observation|Exit|Tool)(?: \(step \d{1,5}\))?:[ \t]{0,9}(?P<rest>.*)$")
_ASKED = re.compile(
    r"Please solve (?:this|the following) (?:task|issue|problem)[:.]?\s{1,9}(?P<task>.{1,20000}?)"
    r"\s{0,9}(?:\n\nYou can execute bash commands|\n#{1,4} |\n<instructions>|\Z)",
    re.DOTALL,
)
_OPENS = re.compile(r"^[ \t]{0,3}(?P<mark>`{3,8})(?:bash|sh|shell|mswea_\w{1,30})?[ \t]{0,9}$")
_END = "</output>"
_OUTPUT = re.compile(r"<(?:output|output_head)>\n?")
_FRAME = re.compile(r"\n?</?(?:output|output_head|output_tail|elided_chars|warning)>[ \t]{0,9}$", re.MULTILINE)
_CODE = re.compile(r"<returncode>(?P<code>-?\d{1,5})</returncode>")
_BROKE_IN = re.compile(
    r"^(?:User interrupted\. Comment/command|Interrupted by user|The user added a new task"
    r"|(?:Command not executed\. )?The user rejected your command with the following message):[ \t]{0,9}"
)
_MOST_BEFORE_OUTPUT = 400


def read_mini_swe_agent(text: str) -> list[Message] | None:
    """Return the messages of a console of mini-swe-agent; None for any other text."""
    lines = text.rstrip().split("\n")
    places, is_sure = _steps(lines)
    if not places:
        return None
    found = CollectedMessages()
    found.hear(_task(lines[: places[0]]))
    for begin, end in zip(places, [*places[1:], len(lines)], strict=True):
        _add_step(found, lines[begin + 1 : end], is_sure=is_sure, is_last=end == len(lines))
    return found.messages if found.calls else None


def _steps(lines: Sequence[str]) -> tuple[list[int], bool]:
    """The lines at which steps begin, each with the number behind that of the one before; and whether they are sure.

    They are where no other line looks like one, and no output ends behind the last: an output that shows another
    session has its own end below all that it shows. Of several steps with a number, the last one counts for that
    reason.
    """
    heads = [(number, int(step["number"])) for number, line in enumerate(lines) if (step := _STEP.match(line))]
    numbers = {number for _, number in heads}
    wanted = heads[0][1] if heads else 0
    while wanted + 1 in numbers:
        wanted += 1
    places: list[int] = []
    for place, number in reversed(heads):
        if number == wanted:
            places.append(place)
            wanted -= 1
    places.reverse()
    is_sure = bool(places) and len(places) == len(heads)
    return places, is_sure and not any(line.strip() == _END for line in lines[places[-1] :])


def _task(lines: Sequence[str]) -> str:
    """The user's words before the first step, without the prompt that the program puts around them."""
    begins = [number for number, line in enumerate(lines) if (label := _LABEL.match(line)) and label["name"] == "User"]
    if not begins:
        return ""
    label = _LABEL.match(lines[begins[0]])
    text = "\n".join((label["rest"] if label else "", *lines[begins[0] + 1 :])).strip()
    asked = _ASKED.match(text)
    return asked["task"] if asked else text


def _add_step(found: CollectedMessages, lines: Sequence[str], *, is_sure: bool, is_last: bool) -> None:
    """Add a step: words, the command in the first fence, its output, and what the user says behind that."""
    opened = next(((number, fence["mark"]) for number, line in enumerate(lines) if (fence := _OPENS.match(line))), None)
    opening, mark = opened or (len(lines), "")
    found.say("\n".join(lines[:opening]).strip().removeprefix("THOUGHT:"))
    if opened is None:
        return
    closing = next((n for n in range(opening + 1, len(lines)) if lines[n].strip() == mark), len(lines))
    behind = lines[closing + 1 :]
    end = max((number + 1 for number, line in enumerate(behind) if line.strip() == _END), default=0)
    is_sure = is_sure and (end > 0 or is_last)
    if not end and not is_last:  # older versions and refusals have no frame: an output may hold the same words
        end = next((number for number, line in enumerate(behind) if _BROKE_IN.match(_unlabelled(line))), len(behind))
    elif not end and any(_LABEL.match(line) for line in behind):
        end = len(behind)
    found.run("\n".join(lines[opening + 1 : closing]))
    _answer(found, behind[:end])
    _add_words_behind(found, behind[end:], is_sure=is_sure)


def _unlabelled(line: str) -> str:
    label = _LABEL.match(line)
    return label["rest"] if label and label["name"] == "User" else line


def _answer(found: CollectedMessages, lines: Sequence[str]) -> None:
    shown = "\n".join(lines).strip("\n")
    if label := _LABEL.match(lines[0] if lines else "") or _LABEL.match(shown.partition("\n")[0]):
        shown = shown.partition("\n")[2] if not label["rest"] else shown.removeprefix(label[0][: label.start("rest")])
    code = _CODE.search(shown[:_MOST_BEFORE_OUTPUT])
    begin = _OUTPUT.search(shown[:_MOST_BEFORE_OUTPUT])
    if begin:
        shown = _FRAME.sub("", shown[begin.end() :])
    elif code:
        shown = shown[code.end() :]
    if shown.strip() or code:
        found.answer(shown, code["code"] != "0" if code else None)


def _add_words_behind(found: CollectedMessages, lines: Sequence[str], *, is_sure: bool) -> None:
    """Add what stands behind an output: the user's words where the program says so, else the agent's last ones."""
    held: list[str] = []
    is_user = False
    for line in lines:
        told = _unlabelled(line)
        broke_in = _BROKE_IN.match(told)
        if broke_in is None and told is line:
            held.append(line)
            continue
        _speak(found, held, is_user=is_user, is_sure=is_sure)
        held, is_user = [told[broke_in.end() :] if broke_in else told], True
    _speak(found, held, is_user=is_user, is_sure=is_sure)


def _speak(found: CollectedMessages, lines: Sequence[str], *, is_user: bool, is_sure: bool) -> None:
    words = "\n".join(lines)
    if not words.strip():
        return
    if is_user:
        found.hear(words, is_sure=is_sure)
    elif is_sure:
        found.say(words)
    else:
        found.answer(words)


MINI_SWE_AGENT = TranscriptFormat(
    re.compile(r"\A\s{0,99}(?:[$%❯] mini\b.{0,400}\n\s{0,99})?.{0,20}\bmini-swe-agent version \S"), read_mini_swe_agent
)
MINI_SWE_AGENT_STEPS = TranscriptFormat(
    re.compile(r"^mini-swe-agent \(step \d{1,5}", re.MULTILINE), read_mini_swe_agent
)
"""The same without its banner."""

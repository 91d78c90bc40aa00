"""Headlines of an output: the lines that say what went wrong, each with where it happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.output_lines import (
    FRAME,
    begins_options,
    caret_label,
    clean_lines,
    complains_as_warning,
    frame_of,
    is_aside,
    is_complaint,
    is_error,
    is_error_code,
    is_frame,
    is_library,
    is_summary,
)
from mcp_reflect.domain.truncate import CUT

MAX_HEADLINES = 20
_DETAILS = 6
"""Lines below a headline that may say more about it."""
_REACH = 40
"""Lines below or above a headline in which its stack frames are looked for."""
_CALL = re.compile(r"^(?:\s*\d+:\s+)?([\w./*:<>{}]+)(?:\(.*\))?$")
"""A function in a line above its file, as in Go and Rust."""
_LABELLED = re.compile(r"\s{0,8}[^\W\d_a-z][^\W\d_]{1,23}\s?[:：]\s{0,4}\S")
"""A word and a colon before a message; names of programs begin with a small letter."""
_LINE_NUMBER = re.compile(r"^\s*\d+\s*[|:]")
_TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Headline:
    """An error line as printed, without decoration.

    `frame` is the path and the function of the innermost stack frame that is not a library's, each empty where unknown.
    `source` is the code that the output points at, `details` the lines that follow.
    """

    text: str
    frame: tuple[str, str] = ("", "")
    source: str = ""
    details: tuple[str, ...] = ()


def find_headlines(text: str) -> list[Headline]:
    """Return the headlines of an output, in order, each text once; none where it only says that something failed.

    A line that ends in the reason of an error line is one too. Where no line has the look of an error, as in other
    languages than English, the first and the last line that are no part of a stack trace, of those that begin with a
    label where there are such: `Fehler: …`, `ОШИБКА: …`. Of an output that holds only warnings, those that complain.
    """
    lines = clean_lines(text)
    places = _with_same_reason(lines, list(_places(lines))) or _telling(lines) or _complaining_warnings(lines)
    # A line that ends in a colon takes the next one along.
    places = [n for n in places if not (n - 1 in places and lines[n - 1].rstrip().endswith(":"))]
    found = {lines[place]: _headline(lines, place, places) for place in reversed(places)}
    ordered = list(reversed(found.values()))
    if len(ordered) > MAX_HEADLINES:
        # The end says what broke, the beginning what broke first.
        ordered = ordered[: MAX_HEADLINES // 2] + ordered[-MAX_HEADLINES // 2 :]
    return ordered


def _with_same_reason(lines: Sequence[str], places: Sequence[int]) -> list[int]:
    """The places with those of other lines for the same reason: `key ann: skipped: No name` under `failed: No name`."""
    reasons = {reason for place in places if (reason := _reason(lines[place]))}
    return [n for n, line in enumerate(lines) if n in places or (_tells(line) and _reason(line) in reasons)]


def _reason(line: str) -> str:
    """The last words of a line behind a program, what it did and to what; empty where it has fewer parts."""
    parts = line.rsplit(": ", 2)
    return parts[-1].strip() if len(parts) > 2 else ""  # noqa: PLR2004 - with one colon it is the whole message


def _telling(lines: Sequence[str]) -> list[int]:
    telling = [n for n, line in enumerate(lines) if _tells(line) and not is_frame(line) and not _is_code(lines, n)]
    telling = telling or [n for n, line in enumerate(lines) if _tells(line)]
    telling = [n for n in telling if _LABELLED.match(lines[n])] or telling
    return list(dict.fromkeys(telling[:1] + telling[-1:]))


def _complaining_warnings(lines: Sequence[str]) -> list[int]:
    return [n for n, line in enumerate(lines) if complains_as_warning(line)]


def _tells(line: str) -> bool:
    return bool(line.strip()) and not is_summary(line) and not is_aside(line) and any(map(str.isalpha, line))


def _places(lines: Sequence[str]) -> Iterator[int]:
    """The lines that report an error or complain, and what follows a traceback or the bare code of an error."""
    awaits_message = in_options = in_traceback = False
    for number, line in enumerate(lines):
        if _TRACEBACK in line:
            in_traceback = True
            continue
        if in_traceback:
            # Frames are indented.
            if not line or line[0].isspace():
                continue
            in_traceback = False
            if not is_summary(line):
                yield number
            continue
        awaits_message = awaits_message or is_error_code(line)
        in_options = in_options or begins_options(line)
        if not line or is_summary(line) or frame_of(line) is not None:
            continue
        if is_error(line):
            in_options = False
            yield number
        elif awaits_message or (
            is_complaint(line) and not in_options and not is_frame(line) and not _is_code(lines, number)
        ):
            yield number
        awaits_message = False


def _is_code(lines: Sequence[str], number: int) -> bool:
    """Return true for code that a stack trace shows below a frame."""
    return bool(number and lines[number].startswith("  ") and FRAME.match(lines[number - 1]))


def _headline(lines: Sequence[str], place: int, places: Sequence[int]) -> Headline:
    text = lines[place].strip()
    details = _details(lines, place, places)
    following = place + 1
    while text.endswith(":") and following < min(place + _DETAILS, len(lines)):
        message, following = lines[following].strip(), following + 1
        text, details = f"{text} {message}".strip(), [line for line in details if line.strip() != message]
    frame = _frame(lines, place)
    return Headline(text, _named_frame(lines, frame), _source(lines, place, frame), tuple(details))


def _details(lines: Sequence[str], place: int, places: Sequence[int]) -> list[str]:
    """The lines that follow up to the next headline, without frames and asides."""
    found: list[str] = []
    for number in range(place + 1, min(place + 2 * _DETAILS, len(lines))):
        line = lines[number]
        if number in places or _TRACEBACK in line or len(found) == _DETAILS:
            break
        if line.strip() and not is_summary(line) and not is_aside(line) and not is_frame(line):
            found.append(line)
    return found


def _frame(lines: Sequence[str], place: int) -> int | None:
    """The line of the innermost frame: the first one below a headline, else the last one above, in the same trace."""
    for number in range(place + 1, min(place + _REACH, len(lines))):
        if _TRACEBACK in lines[number]:
            break
        if frame_of(lines[number]):
            return number
        if lines[number].strip() and not is_frame(lines[number]) and number > place + 2:
            break
    for number in range(place - 1, max(place - _REACH, -1), -1):
        if frame_of(lines[number]):
            return number
        if _TRACEBACK in lines[number]:
            break
    return None


def _named_frame(lines: Sequence[str], number: int | None) -> tuple[str, str]:
    found = None if number is None else frame_of(lines[number])
    if found is None or number is None:
        return "", ""
    if found[1] or not number:
        return found
    above = _CALL.match(lines[number - 1])
    return (found[0], above[1]) if above else found


def _whole(code: str, line: str = "") -> str:
    """Return code, and nothing where its end or the `line` that it begins with was cut short."""
    return "" if code.endswith(CUT) or line.rstrip().endswith(CUT) else code


def _source(lines: Sequence[str], place: int, frame: int | None) -> str:
    """The code that an output points at: below the innermost frame, else above a caret near the headline.

    What stands beside the caret is part of it. Without code, the library's function that was called there; nothing
    where a part of the code is left out.
    """
    if frame is not None and frame + 1 < place and lines[frame + 1].startswith("    "):
        return _whole(lines[frame + 1].strip())
    for number in [*range(place + 2, min(place + 8, len(lines))), *range(place, max(place - 7, 0), -1)]:
        label = caret_label(lines[number])
        if label is not None and lines[number - 1].strip() and not (number > 1 and is_library(lines[number - 2])):
            return _whole(f"{_LINE_NUMBER.sub('', lines[number - 1]).strip()} {label}", lines[number - 1])
    if frame is not None and frame - 1 > place and (called := FRAME.match(lines[frame - 1])):
        return next((name for key, name in called.groupdict().items() if name and key.endswith("name")), "")
    return ""

"""The look of lists and long texts: wrapped at words on a terminal, whole where the output goes elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from mcp_reflect.cli.console import out
from mcp_reflect.domain.text.inert import visible

_INDENT = 2
_LEAST_WIDTH = 20


def show_entry(head: Text, *bodies: Text, most_lines: int = 2, indent: int = 0) -> None:
    """Print an entry of a list: a line of facts, and below it each text in at most `most_lines` lines.

    Where the output is no terminal every text is one line, not cut. `indent` spaces stand before the line of facts.
    """
    out.print(Text(" " * indent), head, sep="", soft_wrap=True)
    for body in bodies:
        show_text(body, most_lines=most_lines, indent=indent + _INDENT)


def show_text(text: Text, *, most_lines: int | None = None, indent: int = _INDENT) -> None:
    """Print a text indented; on a terminal wrapped at words and cut after `most_lines` lines, with an ellipsis."""
    pad = " " * indent
    for line in _lines(text, most_lines, indent):
        out.print(Text(pad), line, sep="", soft_wrap=True)


def _lines(text: Text, most_lines: int | None, indent: int) -> Iterable[Text]:
    if not out.is_terminal:
        return text.split("\n", allow_blank=False)
    width = max(out.width - indent, _LEAST_WIDTH)
    wrapped = list(text.wrap(out, width, tab_size=4))
    for line in wrapped:
        line.rstrip()
    if most_lines is None or len(wrapped) <= most_lines:
        return wrapped
    return [*wrapped[: most_lines - 1], _cut(wrapped[most_lines - 1], width)]


def _cut(line: Text, width: int) -> Text:
    """The line with an ellipsis at its end, for which its last word goes where there is no room."""
    if line.cell_len > width - 2:
        line.truncate(width - 2)
        line.right_crop(len(line.plain) - max(line.plain.rfind(" "), 1))
    line.append(" …")
    return line


def show_field(name: str, text: str) -> None:
    """Print `name: text`, on a terminal wrapped at words, the further lines indented."""
    whole = Text.assemble((f"{name}: ", "dim"), flat(text))
    if not out.is_terminal:
        out.print(whole, soft_wrap=True)
        return
    first, *rest = whole.wrap(out, max(out.width - _INDENT, _LEAST_WIDTH))
    first.rstrip()
    out.print(first, soft_wrap=True)
    for line in rest:
        line.rstrip()
        out.print(Text(" " * _INDENT), line, sep="", soft_wrap=True)


def show_beside(label: Text, text: Text) -> None:
    """Print a label and behind it a text, on a terminal wrapped at words, the further lines below the first.

    A word that is too long, such as a path, is not broken.
    """
    width = max(out.width - label.cell_len, _LEAST_WIDTH)
    text.overflow = "ignore"
    for line in text.wrap(out, width) if out.is_terminal else text.split("\n"):
        line.rstrip()
        out.print(label, line, sep="", soft_wrap=True)
        label = Text(" " * label.cell_len)


def flat(text: str, style: str = "") -> Text:
    """Return a text as one paragraph: what is not seen is taken out, and line ends become spaces."""
    return Text(" ".join(visible(text).split()), style=style)


def lesson_line(text: str) -> Text:
    """Return a lesson as one paragraph, with a dot between its lines: each of them is a part."""
    return Text(" · ".join(" ".join(line.split()) for line in visible(text).splitlines() if line.strip()))


def lines_of(text: str, style: str = "") -> Text:
    """Return a text with its line ends, what is not seen taken out."""
    return Text(visible(text), style=style)


def head(name: str, *facts: str, style: str = "bold") -> Text:
    """Return the first line of an entry: a name, and after it the facts that are not empty, two spaces apart, dim."""
    rest = "".join(f"  {fact}" for fact in facts if fact)
    return Text.assemble((visible(name), style), (visible(rest), "dim"))


def say_count(shown: int, total: int, thing: str, things: str = "", *, more: str = "") -> None:
    """Print `20 of 380 runs`, and how to see more where there is more."""
    name = thing if total == 1 else things or thing + "s"
    counted = f"{shown:,} of {total:,} {name}" if shown < total else f"{total:,} {name}"
    hint = f"; {more}" if more and shown < total else ""
    out.print(Text(f"{counted}{hint}", style="dim"), soft_wrap=True)

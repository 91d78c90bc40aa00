"""Reads a run into its texts by source: what the user said, what the agent read by which calls, and these calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import hides_status
from mcp_reflect.domain.lessons.run.followed_rules import rules_followed_in
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.lessons.run.recalled_readings import readings_recalled_in
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.call_sources import (
    LISTING,
    LISTING_TOOL,
    contents_of,
    shown_contents,
    source_of_call,
)
from mcp_reflect.domain.provenance.calls import Call
from mcp_reflect.domain.provenance.channels import Channel, channel_of
from mcp_reflect.domain.provenance.observed import Contents
from mcp_reflect.domain.provenance.remedies import Attempt
from mcp_reflect.domain.provenance.reports_and_logs import add_log, add_report
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.provenance.source_names import name_of_call
from mcp_reflect.domain.trajectory.editor_arguments import edits_of
from mcp_reflect.domain.trajectory.here_documents import file_written_by
from mcp_reflect.domain.trajectory.messages import (
    OBSERVATION_ROLE,
    OPERATOR_ROLES,
    ToolCall,
    ToolResult,
    TrajectoryEvent,
    Utterance,
)
from mcp_reflect.domain.trajectory.report import read_report
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.domain.trajectory.scripted_edits import read_scripted_edits
from mcp_reflect.domain.trajectory.tool_answers import reasons_in, warnings_in
from mcp_reflect.domain.trajectory.tools import argument_values, arguments_of, command_line, exit_code, is_edit

_LINE_NUMBER = re.compile(r"^\s{0,12}\d{1,7}(?:\t|→|:|\s{2})")
_OF_EVERY_EDIT = re.compile(
    r"\AThe file \S{1,300} has been (?:edited|updated|created)(?: successfully)?\.?(?=\s|\Z)"
    r"|\AFile created successfully at: \S+"
    r"|Here's the result of running `cat -n` on (?:a snippet of )?(?:\S{1,300}|the edited file):"
    r"|Review the changes and make sure they are as expected[^\n]{0,120}",
)
"""What clients say of an edit, whatever it was."""


class _Asked(NamedTuple):
    """A call as `RunTexts.add` takes it; `command` is its command line where it is one of a shell.

    `edits` are those that its command line made besides.
    """

    source: TextOrigin
    command: str
    holds: Contents
    name: str = ""
    channel: Channel = "own"
    call: Call | None = None
    only_asks: bool = False
    edits: tuple[Call, ...] = ()


def texts_of_run(run: ParsedRun) -> RunTexts:
    """Return the texts of a run: what it read, what the user said, and its calls; not what the agent itself said."""
    texts = RunTexts()
    for text in (run.trace.task, run.trace.reference_context):
        texts.add("user", text)
        texts.sure += f"{text}\n"
    if run.trajectory.messages is not None:
        _add_events(texts, run.trajectory.events, may_be_forged=run.trajectory.may_be_forged)
    elif report := read_report(run.trajectory):
        add_report(texts, report)
    else:
        add_log(texts, run.trajectory.text)
    recalled = rules_followed_in(run)
    if isinstance(run, ReviewedRun):  # a verdict of tests comes with their output
        texts.add("tool" if run.review.source == "tests" else "user", run.review.feedback)
        texts.sure += "" if run.review.source == "tests" else run.review.feedback
        recalled += readings_recalled_in(run)
    texts.recalled = " ".join("\n".join(recalled).split())
    texts.close()
    return texts


def _add_events(texts: RunTexts, events: Sequence[TrajectoryEvent], *, may_be_forged: bool = False) -> None:
    """Add what was said, called and read in messages; an output may have forged the calls of a transcript."""
    texts.may_be_forged = may_be_forged
    calls: dict[str, _Asked] = {}
    last = _Asked("tool", "", "prose")
    listings = set[str]()
    for event in events:
        if isinstance(event, ToolCall):
            before = len(texts.calls)
            command = _add_call(texts, event)
            edits = tuple(call for call in texts.calls[before:-1] if call.is_edit)
            source = source_of_call(event)
            is_listing = bool(LISTING_TOOL.fullmatch(event.name) or LISTING.fullmatch(command))
            holds = contents_of(command or str(event.arguments), source, is_listing=is_listing)
            name, asks = name_of_call(event, source, command), only_asks(event.name)
            channel = channel_of(source, event.name, command)
            last = calls[event.id] = _Asked(source, command, holds, name, channel, texts.calls[-1], asks, edits)
            if is_listing:
                listings.add(event.id)
        elif isinstance(event, ToolResult):
            asked = calls.get(event.call_id, last) if event.call_id else last
            failed = event.failed is True or exit_code(event.text, event.failed) not in {0, None}
            failed = failed or (bool(event.errors) and hides_status(asked.command))
            holds = shown_contents(event.text, asked.holds)
            read = _without_echo(event.text, asked.call.text) if asked.call and asked.call.is_edit else event.text
            texts.add(asked.source, read, asked.command if failed else "", holds, asked.name, asked.channel)
            texts.outcomes.add(texts.place, asked.command, failed=failed)
            if asked.source == "tool" and not (asked.command or asked.only_asks):
                texts.reasons += warnings_in(event.text)
                texts.reasons += reasons_in(event.text) if event.errors else ()
            if asked.call is not None:
                texts.attempts += [
                    Attempt(edit, texts.place, "", asked.source, is_troubled=False, has_passed=True)
                    for edit in asked.edits
                ]
                is_troubled = failed or (event.failed is None and bool(event.errors))
                attempt = (asked.call, texts.place, event.text, asked.source, is_troubled, event.failed is False)
                texts.attempts.append(Attempt(*attempt))
            if event.call_id in listings and event.call_id:
                texts.mentions.by_listing(event.text)
        else:
            _add_utterance(texts, event, may_be_forged=may_be_forged)
        texts.closing = "" if isinstance(event, ToolResult) else texts.closing


def _without_echo(result: str, written: str) -> str:
    """The result of an edit without the lines that show what the agent wrote: it did not read them there.

    Nor did anybody say what the client says of every edit.
    """
    lines = _OF_EVERY_EDIT.sub("", result).splitlines()
    told = ((line, _LINE_NUMBER.sub("", line).strip()) for line in lines)
    return "\n".join(
        line for line, text in told if text and text not in written and text.lstrip("+-").strip() not in written
    )


def _add_call(texts: RunTexts, call: ToolCall) -> str:
    """Add a call; return its command line, empty where it is none of a shell."""
    given, name = arguments_of(call.arguments), call.name.rpartition("__")[2]
    command = command_line(name, given)
    writes = command.lstrip().startswith("apply_patch") or file_written_by(command) is not None
    changes = is_edit(name, given) or writes
    command = "" if changes else command
    parts = read_scripted_edits(command)
    for part in parts:
        if isinstance(part, str):
            texts.call(call.name, part, part)
        else:
            texts.call(call.name, "\n".join((part.path, *chain(*part.changes))), is_edit=True)
    if not parts:
        named = "" if command or changes else _named(given)
        texts.call(call.name, "\n".join(argument_values(given)), command, is_edit=changes, named=named)
    texts.mentions.by_run(texts.place, command)
    texts.mentions.by_run(texts.place, name)
    texts.mentions.by_user("\n".join(given))
    for text in _replaced(given) if changes else ():
        texts.mentions.by_user(text)
        texts.replaced.append(text)
    return " && ".join(part for part in parts if isinstance(part, str)) if parts else command


def _add_utterance(texts: RunTexts, said: Utterance, *, may_be_forged: bool) -> None:
    if said.role in {"user", "human"}:
        texts.add("user", said.text)
        texts.sure += "" if texts.calls else f"{said.text}\n"
    elif said.role in {"assistant", "ai", "model"}:
        texts.say(said.text)
        texts.closing += f"{said.text}\n"
    elif said.role == OBSERVATION_ROLE:
        texts.add("tool", said.text)
    elif said.role in OPERATOR_ROLES:  # whoever runs the agent names its tools and rules there
        texts.mentions.by_user(said.text)
        texts.sure += "" if texts.calls else f"{said.text}\n"
        texts.of_operator += "" if may_be_forged else f"{' '.join(said.text.split())}\n"


def _replaced(given: dict[str, Any]) -> Iterator[str]:
    """The code that an edit replaces, and the file where it stands."""
    for edit in edits_of(given, ""):
        old = [before for before, _ in edit.changes if before]
        yield from old
        if old:
            yield edit.path


def _named(given: dict[str, Any]) -> str:
    """The arguments of a call that are no lists or objects, by name: lessons tell a call with these."""
    return ", ".join(f"{name}={value}" for name, value in given.items() if not isinstance(value, dict | list))

"""Reads a run that is told in plain text into its texts: a report in words, or a log of commands with their outputs."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.base64_texts import decoded
from mcp_reflect.domain.provenance.call_sources import LISTING, contents_of, shown_contents, source_of_command
from mcp_reflect.domain.provenance.channels import channel_of
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.provenance.source_names import name_of_command
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.report import ReportEntry, ToldWords
from mcp_reflect.domain.trajectory.shell_log import lines_with_commands
from mcp_reflect.domain.trajectory.told_acts import ToldEdit
from mcp_reflect.domain.trajectory.tools import exit_code
from mcp_reflect.domain.trajectory.transcripts.reading import looks_recorded

_LOGGED_OUTPUT = re.compile(
    r"(?:observation|output|result|response|tool(?:[ _](?:output|result|response))?|stdout|stderr)\b[ \d]*:",
    re.IGNORECASE,
)
_LOGGED_TURN = re.compile(
    r"(?:thought|action|assistant|agent|user|human|system|plan|final answer|reasoning)\b[ \d]*:", re.IGNORECASE
)


def add_report(texts: RunTexts, report: Sequence[ReportEntry]) -> None:
    """Add what a report tells: all of it are the agent's words, also what it quotes of others, but pasted outputs."""
    texts.is_told = True
    pasted = False
    for entry in report:
        if isinstance(entry, ToldWords):
            texts.say(entry.text)
        elif isinstance(entry, ToldEdit):
            texts.call("", "\n".join(filter(None, (entry.path, entry.old, entry.new))), is_edit=True)
        else:
            command = entry.command
            if pasted:  # an output may forge the end of its fence
                texts.mentions.by_text(texts.place, command, *decoded(command))
            texts.call("", command, command)
            texts.say(entry.error)
            if entry.output:
                pasted = True
                source = source_of_command(command)
                holds = contents_of(command, source, is_listing=bool(LISTING.fullmatch(command)))
                holds = shown_contents(entry.output, holds)
                has_failed = entry.failed or (entry.failed is None and any(errors_in_text(entry.output)))
                failed = command if has_failed else ""
                channel = channel_of(source, "", command)
                texts.add(source, entry.output, failed, holds, name_of_command(command, source), channel)
            texts.outcomes.add(texts.place, command, failed=entry.failed is True)


def add_log(texts: RunTexts, log: str) -> None:
    """Add the commands of a log, and its outputs: behind a command after a shell prompt, or behind `Observation:`."""
    source: TextOrigin | None = None
    command, output = "", list[str]()

    def add_output() -> None:
        if source is not None:
            text = "\n".join(output)
            holds = contents_of(command, source, is_listing=bool(LISTING.fullmatch(command))) if command else "prose"
            code = exit_code(text, None)
            failed = any(errors_in_text(text)) if code is None else code != 0
            holds = shown_contents(text, holds)
            name, channel = name_of_command(command, source), channel_of(source, "", command)
            texts.add(source, text, command if failed else "", holds, name, channel)
            texts.outcomes.add(texts.place, command, failed=failed)
        output.clear()

    for line, next_command in lines_with_commands(log):
        if next_command:
            add_output()
            command = next_command
            if texts.calls:  # the output of the command before may forge a prompt
                texts.mentions.by_text(texts.place, command, *decoded(command))
            source = source_of_command(command)
            texts.call("", command, command)
        elif _LOGGED_OUTPUT.match(line):
            add_output()
            source, command = "tool", ""
            output.append(line.partition(":")[2])
        elif _LOGGED_TURN.match(line):
            add_output()
            source = None
        else:
            output.append(line)
    add_output()
    if looks_recorded(log) and not (texts.calls or texts.observed):  # nothing tells the agent's words in it
        texts.add("tool", log)
    texts.is_told = bool(log.strip()) and not (texts.calls or texts.observed)

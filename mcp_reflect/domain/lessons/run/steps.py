"""Steps of a run: commands, edits and other tool calls, each with its result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_reflect.domain.lessons.run.file_names import find_run_folder, shown_name, whole_paths
from mcp_reflect.domain.lessons.run.former_text import with_former_text
from mcp_reflect.domain.lessons.run.printed_codes import with_failures_by_code
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.step_outcome import flags_failures, read_outcome, shows_file
from mcp_reflect.domain.trajectory.command_lists import in_one_command_line
from mcp_reflect.domain.trajectory.editor_arguments import edits_of
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.here_documents import file_written_by
from mcp_reflect.domain.trajectory.kept import keep_with_trajectory
from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult
from mcp_reflect.domain.trajectory.notebooks import notebook_source
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.patches import FilePatch
from mcp_reflect.domain.trajectory.report import ToldWords, read_report
from mcp_reflect.domain.trajectory.scripted_edits import read_scripted_edits
from mcp_reflect.domain.trajectory.shell_log import commands_with_output
from mcp_reflect.domain.trajectory.told_acts import ToldCommand, ToldEdit
from mcp_reflect.domain.trajectory.tools import arguments_of, command_line, exit_code, is_edit
from mcp_reflect.domain.truncate import truncate_middle

_FOLDERS = ("workdir", "cwd", "directory", "dir_path", "working_directory")
_MOST_OUTPUT = 20_000


@keep_with_trajectory
def find_steps(trajectory: Trajectory) -> Sequence[Step]:
    """Return the steps of a run in order.

    In plain text, lines behind a shell prompt (`$ make test`) are commands; without any, what a report tells as done.
    A command that a tool ran in another folder than the usual one begins with a change to it.
    """
    if trajectory.messages is None:
        report = read_report(trajectory)
        return [_told(act) for act in report if not isinstance(act, ToldWords)] or with_failures_by_code(
            list(_logged(trajectory.text))
        )
    found: list[Step] = []
    places: dict[str, range] = {}
    by_call = iter(steps_by_call(trajectory))
    flags = flags_failures(trajectory)
    for event in trajectory.events:
        if isinstance(event, ToolCall):
            begin = len(found)
            found += next(by_call)
            places[event.id] = range(begin, len(found))
        elif isinstance(event, ToolResult) and found:
            made = places.get(event.call_id, range(len(found) - 1, len(found)))
            for place in made:
                found[place] = _with_result(found[place], event, flags=flags)
            if found[made[-1]].whole:  # that it failed says nothing of the parts before
                for place in made[:-1]:
                    found[place] = replace(found[place], failed=False, errors=(), output="")
    return _with_file_names(_with_folders(with_former_text(with_failures_by_code(found))))


def _with_folders(steps: list[Step]) -> list[Step]:
    """The steps, commands with a change of the folder before them where their tool ran them in one of its own."""
    given = [_folder(step) for step in steps if step.kind == "command"]
    usual = min(given, key=len, default="")
    if not any(folder != usual for folder in given):
        return steps
    return [
        replace(step, subject=f"cd {_folder(step).removeprefix(f'{usual}/')} && {step.subject}")
        if step.kind == "command" and _folder(step) != usual
        else step
        for step in steps
    ]


def _folder(step: Step) -> str:
    return next((value.rstrip("/") for name in _FOLDERS if isinstance(value := step.arguments.get(name), str)), "")


def steps_before(trajectory: Trajectory, steps: Sequence[Step]) -> int:
    """Return the number of steps before the last ones of a run, `steps`; 0 in plain text, where turns have no place."""
    return sum(map(len, steps_by_call(trajectory))) - len(steps) if trajectory.messages is not None else 0


@keep_with_trajectory
def steps_by_call(trajectory: Trajectory) -> Sequence[Sequence[Step]]:
    """Return the steps that each call makes, before results: places are counted by what was read, not by a guess."""
    return tuple(map(_all_steps_of, trajectory.calls))


def _all_steps_of(call: ToolCall) -> Sequence[Step]:
    """The steps that a call makes, those of a command line of which parts are edits each for itself."""
    made = steps_of(call.name, call.arguments)
    parts = read_scripted_edits(made[0].subject) if made[0].kind == "command" else ()
    return [_part(made[0], each) for each in parts] or made


def _part(whole: Step, part: FilePatch | str) -> Step:
    if isinstance(part, str):
        return replace(whole, subject=part, whole=whole.subject)
    name = shown_name(part.path, "")
    return Step("edit", whole.tool, part.path, whole.arguments, part.changes, file=name, writes=part.writes)


def step_of(tool: str, given: Any) -> Step:
    """Return the first of the steps that a call of a tool makes."""
    return steps_of(tool, given)[0]


def steps_of(tool: str, given: Any) -> tuple[Step, ...]:
    """Return the steps that a call of a tool makes, before anything is known of its result: of a patch each file's.

    There is at least one.
    """
    arguments = arguments_of(given)
    name = tool.lower().rpartition("__")[2]
    command = command_line(tool, arguments)
    if (written := file_written_by(command)) is not None:
        name = shown_name(written.path, "")
        change = (("", notebook_source(written.path, written.text)),)
        return (Step("edit", tool, written.path, arguments, change, file=name, writes=not written.appends),)
    if command and not command.lstrip().startswith("apply_patch"):
        return (Step("command", tool, in_one_command_line(command.strip()), arguments),)
    if command or is_edit(name, arguments):
        edits = edits_of(arguments, command)
        return tuple(
            Step("edit", tool, each.path, arguments, each.changes, file=shown_name(each.path, ""), writes=each.writes)
            for each in edits
        )
    return (Step("call", tool, compact(arguments), arguments),)


def _with_result(step: Step, result: ToolResult, *, flags: bool) -> Step:
    command = step.subject if step.kind == "command" else ""
    failed, errors = read_outcome(command, result, flags=flags, shows_file=shows_file(step))
    return replace(step, failed=failed, errors=errors, output=truncate_middle(result.text, _MOST_OUTPUT))


def _with_file_names(steps: list[Step]) -> list[Step]:
    edited = [step.subject for step in steps if step.kind == "edit"]
    if not edited:
        return steps
    whole = whole_paths(edited)
    steps = [replace(step, subject=whole.get(step.subject, step.subject)) for step in steps]
    edited = [step.subject for step in steps if step.kind == "edit"]
    commands = [step for step in steps if step.kind == "command"]
    texts = [text for step in commands for text in (step.subject, *step.errors)]
    folder = find_run_folder(edited, texts)
    return [replace(step, file=shown_name(step.subject, folder)) if step.kind == "edit" else step for step in steps]


def _logged(text: str) -> Iterator[Step]:
    """The commands of a log, each with its output, and the files that they write by a here-document."""
    for command, printed in commands_with_output(text):
        found = tuple(dict.fromkeys(errors_in_text(printed)))
        code = exit_code(printed, None)
        failed = bool(found) if code is None else code != 0
        step = step_of("shell", {"command": command})
        yield replace(step, failed=failed, errors=found, output=truncate_middle(printed, _MOST_OUTPUT))


def _told(act: ToldCommand | ToldEdit) -> Step:
    """A command or an edit that a report tells; a command of which it says nothing else worked."""
    if isinstance(act, ToldEdit):
        change = ((act.old, act.new),) if act.old or act.new else ()
        return Step("edit", "edit", act.path, change=change, file=shown_name(act.path, ""))
    found = tuple(dict.fromkeys(errors_in_text(act.output)))
    code = exit_code(act.output, None)
    failed = act.failed
    if failed is None:
        failed = bool(found) if code is None else code != 0
    errors = (act.error, *found) if act.error else found
    output = truncate_middle(act.output or act.error, _MOST_OUTPUT)
    return replace(step_of("shell", {"command": act.command}), failed=failed, errors=errors, output=output)


def compact(arguments: Mapping[str, Any]) -> str:
    """Return arguments as `name=value, …`; values as they were, nested ones as JSON."""
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
        if value not in ("", None, [], {})
    )

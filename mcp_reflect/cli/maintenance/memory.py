"""`mcp-reflect memory adopt | deprecate | archive | restore | edit`: one memory, through the home's hub."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mcp_reflect.cli.common_options import JsonOption, PlainGroup, register
from mcp_reflect.cli.console import out, show_json
from mcp_reflect.cli.error_report import report_errors, typed_name
from mcp_reflect.cli.memory_access import call_tool
from mcp_reflect.cli.records.reading import Reading, read_records, resolve_ids
from mcp_reflect.cli.records.show import show_memory
from mcp_reflect.errors import ConfigurationError, InvalidArgument, UsageError

MemoryArgument = Annotated[str, typer.Argument(metavar="ID", help="A memory, or the beginning of its id.")]
ReasonOption = Annotated[str, typer.Option(help="Why; it is kept in the memory's log.")]

memory_app = typer.Typer(help="Change one memory: its status, or its words.", no_args_is_help=True, cls=PlainGroup)

_FIELDS = {
    "reflection": {"summary": "summary", "key_mistake": "key_mistake", "correct_action": "correct_action"}
    | {"guidance": "guidance"},
    "error": {"correct_action": "fix", "guidance": "rule"},
}
"""What can be edited, by kind: the field, and the argument of the tool that takes it."""


def _status_command(action: str, does: str) -> Callable[..., None]:
    def command(memory_id: MemoryArgument, reason: ReasonOption = "", as_json: JsonOption = False) -> None:
        arguments = {"memory_id": resolve_ids([(memory_id, "mem")])[0], "action": action, "reason": reason}
        with report_errors({"action": "ID"}):  # the action is the command itself
            done = call_tool("manage_memory", arguments)
        if as_json:
            show_json(done)
        else:
            out.print(f"{done['memory_id']}: {done['status_before']} → {done['status']}", markup=False)

    command.__doc__ = does
    return command


def edit_command(
    memory_id: MemoryArgument,
    summary: Annotated[str | None, typer.Option(help="What happened.")] = None,
    key_mistake: Annotated[str | None, typer.Option(help="What went wrong.")] = None,
    correct_action: Annotated[str | None, typer.Option(help="What to do instead; the fix of an error.")] = None,
    guidance: Annotated[str | None, typer.Option(help="A rule for next time.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Change the words of a lesson or of an error's fix, in $EDITOR without options; q_value and reviews stay."""
    with report_errors():
        reading = read_records("memory", beginning=memory_id)
        memory = reading.document
        given = {"summary": summary, "key_mistake": key_mistake}
        given |= {"correct_action": correct_action, "guidance": guidance}
        wanted = {name: text.strip() for name, text in given.items() if text is not None}
        editable = _FIELDS.get(memory["kind"], {})
        present = {name: str(memory[name]) for name in editable}
        if refused := [name for name in wanted if name not in editable]:
            allowed = ", ".join(typed_name(name) for name in editable) or "no text; forget it instead"
            raise InvalidArgument(refused[0], f"{memory['id']} is of kind {memory['kind']}", allowed)
        if not editable:
            raise InvalidArgument(
                "memory_id", f"{memory['id']} is of kind {memory['kind']}", "a reflection or an error"
            )
        typed = next(iter(wanted), "")
        wanted = present | (wanted or _edited(present))
        if memory["kind"] != "error" and not any(wanted.values()):
            raise _no_words_left(typed)
        if wanted != present:
            _store(reading, {argument: wanted[name] for name, argument in editable.items()})
        changed = read_records("memory", beginning=memory["id"]).document
    if as_json:
        show_json(changed)
    else:
        is_same = {name: str(changed[name]) for name in editable} == present
        out.print("Nothing was changed." if is_same else "Changed:")
        show_memory(changed)


def _no_words_left(typed: str) -> UsageError:
    """The refusal to leave a lesson without words; `typed` is an option that took some, empty for an editor."""
    problem, allowed = "the memory would have no words left", "some; or forget or deprecate it instead"
    return InvalidArgument(typed, problem, allowed) if typed else UsageError(f"{problem}. Allowed: {allowed}")


def _store(reading: Reading, words: dict[str, str]) -> None:
    memory = reading.document
    if memory["kind"] == "error":
        call_tool("record_error_fix", {"task": memory["task"], "mistake": reading.beside["headline"]} | words)
    else:
        call_tool("review_trace", {"trace_id": memory["source_trace_id"], "result": ""} | words)


def _edited(present: dict[str, str]) -> dict[str, str]:
    """The fields as a person leaves them in an editor, each below a heading; an editor left unsaved changes nothing."""
    shown = "\n\n".join(f"# {name}\n{text}" for name, text in present.items())
    text = _from_editor(shown + "\n")
    fields: dict[str, Any] = {}
    for part in f"\n{text}".split("\n# ")[1:]:
        name, _, words = part.partition("\n")
        if name.strip() not in present:
            known = ", ".join(f"# {each}" for each in present)
            raise UsageError(f"the edited text has a heading {name.strip()!r}. Allowed: {known}")
        fields[name.strip()] = words.strip()
    return fields


def _from_editor(text: str) -> str:
    """Return what a person leaves of a text in their editor. Raises UsageError where nobody is there to edit."""
    if not sys.stdin.isatty():
        options = "--summary, --key-mistake, --correct-action or --guidance"
        raise UsageError(f"no new words were given, and nobody is there to edit. Allowed: {options}")
    import shlex  # noqa: PLC0415 - the other commands of this file need none of these
    import subprocess  # noqa: PLC0415 - as above
    import tempfile  # noqa: PLC0415 - as above

    program = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.md"
        file.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*program, str(file)], check=True)  # noqa: S603 - the person's own editor
        except (OSError, subprocess.CalledProcessError) as error:
            raise ConfigurationError(f"$EDITOR: {error}; nothing was changed") from error
        return file.read_text(encoding="utf-8-sig")


_STATUS_COMMANDS = {
    "adopt": "Vouch for a memory: it ranks as proven, and prune leaves it alone.",
    "deprecate": "Take a memory out of use because it is wrong or outdated; it is kept.",
    "archive": "Put a memory away; it is kept.",
    "restore": "Undo the last change of a memory's status. To put back a backup: mcp-reflect restore FILE.",
}

for _action, _does in _STATUS_COMMANDS.items():
    register(memory_app, _action, _status_command(_action, _does), f"memory {_action} mem_phk4")
register(memory_app, "edit", edit_command, "memory edit mem_phk4 --guidance 'Ask for the id first.'")

"""Wording of steps and repairs in a lesson: their own commands, values and error lines, verbatim."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.change_text import describe_change, edits_by_file, holds_settings
from mcp_reflect.domain.lessons.failures.failure_text import short_error
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.run.call_text import (
    describe_call,
    describe_call_form,
    describe_two_calls,
    describe_two_forms,
)
from mcp_reflect.domain.lessons.run.case_data import without_given
from mcp_reflect.domain.lessons.run.code_cells import is_code_cell, looks_at_schema
from mcp_reflect.domain.lessons.run.commands.lines import inline_interpreter, without_noise
from mcp_reflect.domain.lessons.run.commands.told_command import told_command
from mcp_reflect.domain.lessons.run.commands.variants import parts_of
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights

ACCEPTED = ". Accepted, rightly or not:"
"""Before the form in which a tool accepted a call of a failed run."""
NEW_FILE = "writing "
"""Before the name of a file whose text is not told."""
TRIED = "Tried "
"""Before an edit that was taken back."""
RAN_THROUGH = "Then ran through, rightly or not: "
"""Before a command of a failed run: it is no advice."""

_COMMAND_CHARS = 220
_PROGRAM_CHARS = 300
"""A program that stands in its command line begins with what it imports."""
_CHANGE_CHARS, _SETTINGS_CHARS = 200, 320
_FURTHER_CHARS = 60
_MOST_CHARS = 360
"""Characters of one change, more for each further one of the same file, and of all together."""
_EDITS = 2
_PREPARATIONS = 2
_COMMITS = re.compile(r"(?:cd\s+\S+\s*&&\s*)?git\s+(?:commit|push)\b")
"""What keeps a change and makes none."""
_OF_COMMITS = re.compile(r"commit|push|clean|track|remote|upstream", re.IGNORECASE)
"""Words of a failure that a commit or a push may mend."""
_PLANS = re.compile(
    r"todo_?(?:write|read)|write_?todos|update_?plan|(?:enter|exit)_?plan_?mode|ask_?user_?question", re.IGNORECASE
)
"""Tools by which an agent keeps its own plan, or asks its user."""
_NAME = re.compile(r"[A-Za-z_]\w{3,}")
_NOTHING = """
could not find found finding no nothing none result match such exist error failed that page entry please try again
"""


def is_telling(step: Step) -> bool:
    """Return true for commands with arguments and for calls that change something, which a lesson may quote."""
    if step.kind == "edit" or not step.subject or _keeps_plan(step):
        return False
    if step.kind == "command":
        return not is_inspection(step) and len(step.subject) > 2  # noqa: PLR2004 - no command is shorter
    return not looks_at_schema(step) and (is_code_cell(step) or not is_lookup(step))


def _keeps_plan(step: Step) -> bool:
    if not _PLANS.fullmatch(step.tool):
        return False
    return not step.tool.lower().startswith("update") or isinstance(step.arguments.get("plan"), list)


def describe_step(step: Step) -> str:
    """Return a command in backquotes, another call as `tool(name=value)`; long ones cut."""
    if step.kind == "command":
        most = _PROGRAM_CHARS if inline_interpreter(step.subject) else _COMMAND_CHARS
        return f"`{told_command(step.subject, most)}`"
    return describe_call(step)


def describe_repair(repair: Repair) -> str:
    """Return what works, which the next run needs first, with the changes before it; then what failed, and how."""
    told = repair.error if repair.failed.kind == "command" else short_error(repair.error)
    error = f": {told}" if told else "."
    first = _first_failure(repair)
    changes = [describe_edit(step) for step in decisive_edits(repair.edits, repair.error)]
    kept = [step for step in repair.commands if not _COMMITS.match(step.subject)]
    if not (kept or repair.edits) or _OF_COMMITS.search(repair.failed.output):
        kept = list(repair.commands)
    commands = dict.fromkeys(describe_step(step) for step in reversed(kept))
    changes += reversed(list(commands)[:_PREPARATIONS])
    after = _after(changes)
    if repair.same_command:
        return f"{describe_step(repair.worked)}{after}; before that it failed{error}{first}"
    if repair.worked.kind == "call":
        worked, failed = describe_two_calls(repair.worked, repair.failed)
        if is_lookup(repair.worked) and not says_more(repair.error, failed):
            return f"{worked}{after}; {failed} found nothing"
    else:
        worked, failed = describe_step(repair.worked), _describe_failed(repair.failed)
    return f"{worked}{after}. {failed} failed{error}{first}"


def describe_attempt(repair: Repair) -> str:
    """Return what failed in a failed run, and what then ended well: nobody says that it was right."""
    changes = [describe_edit(step) for step in decisive_edits(repair.edits, repair.error)]
    changes += dict.fromkeys(map(describe_step, repair.commands[-_PREPARATIONS:]))
    told = repair.error if repair.failed.kind == "command" else short_error(repair.error)
    failed = f"{_describe_failed(repair.failed)} failed{f': {told}' if told else ''}"
    return f"{failed}. {RAN_THROUGH}{describe_step(repair.worked)}{_after(changes)}"


def describe_stage(failed: Step, error: str, changed: Sequence[Step]) -> str:
    """Return what failed, and after which changes it failed in another way."""
    edits = [describe_edit(step) for step in edits_by_file([step for step in changed if step.kind == "edit"])[-_EDITS:]]
    commands = dict.fromkeys(describe_step(step) for step in changed if step.kind == "command")
    changes = "; ".join([*edits, *list(commands)[-_PREPARATIONS:]])
    return f"{_describe_failed(failed)} failed: {error.rstrip('.')}; no longer in this way after {changes}"


def describe_further_failure(repair: Repair) -> str:
    """Return what else failed before a step that another repair tells already."""
    return f"{_describe_failed(repair.failed)} failed: {repair.error}" if repair.error else ""


def _describe_failed(step: Step) -> str:
    """A command that failed, without what only shortens its output."""
    if step.kind != "command":
        return describe_step(step)
    return f"`{told_command(without_noise(step.subject), _COMMAND_CHARS)}`"


def _first_failure(repair: Repair) -> str:
    """The first failure beside the last, where it was another: what the next run meets first."""
    if repair.first is None or repair.first.kind == "edit":
        return ""
    again = parts_of(repair.first.subject) == parts_of(repair.failed.subject)
    return f". {'At first it' if again else _describe_failed(repair.first)} failed: {repair.first_error}"


def describe_customer_repair(repair: Repair, *, passed: bool = True) -> str:
    """Return a repair as `describe_repair` does, of a call without the values that one customer's case had.

    Of a run that failed it says after the failure what was accepted: whether that was right nobody knows.
    """
    if repair.worked.kind != "call" or is_lookup(repair.worked):
        return describe_repair(repair)
    again = repair.failed.arguments == repair.worked.arguments
    worked, failed = (
        (describe_call_form(repair.worked), "") if again else describe_two_forms(repair.worked, repair.failed)
    )
    told = without_given(short_error(repair.error), repair.failed)
    error = f": {told}" if told else "."
    enabling = " and ".join(f"`{step.tool}`" for step in repair.commands)
    after = f" after {enabling}" if enabling else ""
    if not passed:
        bare = f"`{repair.worked.tool}`"
        others = "" if failed or worked == bare else worked.removeprefix(bare)
        accepted = others if others and others != worked else f" {worked}"
        refused = failed or bare
        return f"{refused} failed{error.rstrip('.')}{ACCEPTED}{accepted}{after}"
    if repair.first is not None and (first := without_given(short_error(repair.first_error), repair.first)):
        error = f"{error.rstrip('.')}. At first it failed: {first}"
    return f"{worked}{after}. {failed} failed{error}" if failed else f"{worked}{after}; before that it failed{error}"


def _after(changes: Sequence[str]) -> str:
    return f" after {'; '.join(changes)}" if changes else ""


def says_more(error: str, call: str) -> bool:
    """Return true where an error says more of a call than that nothing was found."""
    known = term_weights(f"{call} {_NOTHING}").keys()
    return bool(term_weights(short_error(error)).keys() - known)


def decisive_edits(edits: Sequence[Step], error: str) -> list[Step]:
    """Return the edits as one for each file, latest last; of more than two files those that the error names.

    A file is named by its own name, or by one that an edit took out of it. Where none is, the last two are returned.
    """
    files = edits_by_file(edits)
    if len(files) <= _EDITS:
        return files
    names = set(_NAME.findall(error))
    named = [step for step in files if step.subject and step.subject.rpartition("/")[2] in error]
    changed = [
        step
        for step in files
        if any(names & set(_NAME.findall(old)) - set(_NAME.findall(new)) for old, new in step.change)
    ]
    return (named or [step for step in files if step in changed or step in files[-_EDITS:]])[-_EDITS:]


def describe_edit(step: Step) -> str:
    """Return what an edit changed in which file; of a new file of many lines its name only."""
    is_new = len(step.change) == 1 and not step.change[0][0]
    room = _SETTINGS_CHARS if is_new or holds_settings(step) else _CHANGE_CHARS
    change = describe_change(step, min(room + _FURTHER_CHARS * max(len(step.change) - 1, 0), _MOST_CHARS))
    return f"editing {step.file} ({change})" if change else f"{NEW_FILE}{step.file}"

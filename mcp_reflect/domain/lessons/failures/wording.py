"""Wording of steps and repairs in a lesson: their own commands, values and error lines, verbatim."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.change_text import describe_change, edits_by_file
from mcp_reflect.domain.lessons.failures.failure_text import short_error
from mcp_reflect.domain.lessons.failures.repairs import Repair, is_inspection
from mcp_reflect.domain.lessons.run.call_text import describe_call, describe_two_calls, describe_two_forms
from mcp_reflect.domain.lessons.run.case_data import without_given
from mcp_reflect.domain.lessons.run.command_lines import parts_of, without_noise
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.truncate import in_one_line, truncate

ENDED_WELL = "Then ended well: "
"""Before a command of a failed run: it is no advice."""

_COMMAND_CHARS = 160
_CHANGE_CHARS = 200
_FURTHER_CHARS = 60
_MOST_CHARS = 360
"""Characters of one change, more for each further one of the same file, and of all together."""
_EDITS = 2
_PREPARATIONS = 2
_LOOKUP = re.compile(
    r"(?:get|list|search|find|read|fetch|query|lookup|look_up|think|view|show|describe|calculate|glob|grep|browse)"
    r"|(?:open|visit|load|goto|go_to|navigate)(?:_(?:to_)?(?:page|url|link|site|website))?$"
    r"|\w*(?:search|fetch|look_?up|query)$"
)

_NAME = re.compile(r"[A-Za-z_]\w{3,}")
_NOTHING = """
could not find found finding no nothing none result match such exist error failed that page entry please try again
"""
_SEARCH = re.compile(r"search|look_?up|query|brows|fetch")


def is_telling(step: Step) -> bool:
    """Return true for commands with arguments and for calls that change something, which a lesson may quote."""
    if step.kind == "edit" or not step.subject:
        return False
    if step.kind == "command":
        return not is_inspection(step) and len(step.subject) > 2  # noqa: PLR2004 - no command is shorter
    return not is_lookup(step)


def is_lookup(step: Step) -> bool:
    """Return true for a call that only asks for something, by the verb in its tool's name."""
    return step.kind == "call" and only_asks(step.tool)


def only_asks(tool: str) -> bool:
    """Return true for the name of a tool that begins with a verb of asking, or ends with one, as `web_fetch`."""
    return bool(_LOOKUP.match(tool.lower().rpartition("__")[2]))


def is_search(step: Step) -> bool:
    """Return true for a call that asks for something in words of its own: a search with one argument."""
    return is_lookup(step) and len(step.arguments) == 1 and bool(_SEARCH.search(step.tool.lower()))


def describe_step(step: Step) -> str:
    """Return a command in backquotes, another call as `tool(name=value)`; long ones cut."""
    if step.kind == "command":
        return f"`{truncate(in_one_line(step.subject), _COMMAND_CHARS)}`"
    return describe_call(step)


def describe_repair(repair: Repair) -> str:
    """Return what works, which the next run needs first, with the changes before it; then what failed, and how."""
    told = repair.error if repair.failed.kind == "command" else short_error(repair.error)
    error = f": {told}" if told else "."
    first = _first_failure(repair)
    changes = [describe_edit(step) for step in decisive_edits(repair.edits, repair.error)]
    commands = dict.fromkeys(describe_step(step) for step in reversed(repair.commands))
    changes += reversed(list(commands)[:_PREPARATIONS])
    after = f" after {'; '.join(changes)}" if changes else ""
    if repair.same_command:
        return f"{describe_step(repair.worked)}{after}; before that it failed{error}{first}"
    if repair.worked.kind == "call":
        worked, failed = describe_two_calls(repair.worked, repair.failed)
        if is_lookup(repair.worked) and not says_more(repair.error, failed):
            return f"{worked}{after}; {failed} found nothing"
    else:
        worked, failed = describe_step(repair.worked), _describe_failed(repair.failed)
    return f"{worked}{after}. {failed} failed{error}{first}"


def describe_failure(repair: Repair) -> str:
    """Return what failed and how, without what worked then: it is told elsewhere as what was not enough."""
    told = repair.error if repair.failed.kind == "command" else short_error(repair.error)
    return f"{_describe_failed(repair.failed)} failed{f': {told}' if told else ''}"


def describe_attempt(repair: Repair) -> str:
    """Return what failed in a failed run, and what then ended well: nobody says that it was right."""
    changes = [describe_edit(step) for step in decisive_edits(repair.edits, repair.error)]
    changes += dict.fromkeys(map(describe_step, repair.commands[-_PREPARATIONS:]))
    after = f" after {'; '.join(changes)}" if changes else ""
    return f"{describe_failure(repair)}. {ENDED_WELL}{describe_step(repair.worked)}{after}"


def describe_further_failure(repair: Repair) -> str:
    """Return what else failed before a step that another repair tells already."""
    return f"{_describe_failed(repair.failed)} failed: {repair.error}" if repair.error else ""


def _describe_failed(step: Step) -> str:
    """A command that failed, without what only shortens its output."""
    if step.kind != "command":
        return describe_step(step)
    return f"`{truncate(in_one_line(without_noise(step.subject)), _COMMAND_CHARS)}`"


def _first_failure(repair: Repair) -> str:
    """The first failure beside the last, where it was another: what the next run meets first."""
    if repair.first is None or repair.first.kind != "command":
        return ""
    again = parts_of(repair.first.subject) == parts_of(repair.failed.subject)
    return f". {'At first it' if again else _describe_failed(repair.first)} failed: {repair.first_error}"


def describe_customer_repair(repair: Repair, *, passed: bool = True) -> str:
    """Return a repair as `describe_repair` does, of a call without the values that one customer's case had.

    Of a run that failed it says after the failure what was accepted: whether that was right nobody knows.
    """
    if repair.worked.kind != "call" or is_lookup(repair.worked):
        return describe_repair(repair)
    worked, failed = describe_two_forms(repair.worked, repair.failed)
    told = without_given(short_error(repair.error), repair.failed)
    error = f": {told}" if told else "."
    if not passed:
        call, _, others = worked.partition(" with another ")
        accepted = f": {worked}" if failed else f" with another {others}"
        return f"{failed or call} failed{error.rstrip('.')}. Accepted{accepted}"
    return f"{worked}. {failed} failed{error}" if failed else f"{worked}; before that it failed{error}"


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
    change = describe_change(step, min(_CHANGE_CHARS + _FURTHER_CHARS * max(len(step.change) - 1, 0), _MOST_CHARS))
    return f"editing {step.file} ({change})" if change else f"writing {step.file}"

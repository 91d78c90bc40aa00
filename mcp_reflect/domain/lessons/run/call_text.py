"""Calls of tools as text: every argument by its name, long values cut, and of two calls what differs between them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.case_values import is_of_case, is_private
from mcp_reflect.domain.lessons.run.code_cells import (
    changed_code,
    code_argument,
    code_in_one_line,
    is_settings_step,
    telling_step,
    without_somebodys,
)
from mcp_reflect.domain.lessons.run.program_text import statement_without_data
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.truncate import truncate_line

CALL_CHARS = 200
_SHORTEST_VALUE = 16
_TELLING_VALUE = 32
_LONGEST_VALUE = 100
_CONTEXT = 12
"""Characters before the first difference of two long values that are shown, and a few more up to a separator."""
_MOST_NAMED = 2
"""New arguments of a call up to which they are named though their values are not told."""
_ANSWERS = re.compile(r"finish|answer|respon|submit|final|result|solution")
_LABEL = re.compile(r"[A-Z][\w ]+: ")
_BARE_CALL = re.compile(r"`([\w.:-]+)`(?:(?: and)? (?:with another|with|without) `\w+`(?: and `\w+`)*)*")
_SEPARATOR = re.compile(r"[\s{\[(,]")


def gives_answer(step: Step) -> bool:
    """Return true for a call that hands in the answer of a run, by its tool's name."""
    return is_for_answers(step.tool)


def is_for_answers(tool: str) -> bool:
    """Return true for the name of a tool that hands in the answer of a run."""
    return _ANSWERS.search(tool.lower()) is not None


def describe_answer(step: Step) -> str:
    """Return the answer that a call handed in, where it has a single value; otherwise the call with its values."""
    values = list(_values(step.arguments).values())
    return f"`{_cut(values[0], _LONGEST_VALUE)}`" if len(values) == 1 else describe_call_form(step)


def describe_call(step: Step) -> str:
    """Return a call as `tool(name=value, …)` of about 200 characters; long values are cut, no name is left out.

    Of a program or a query its telling lines are told.
    """
    if code_argument(step):
        return _describe_code(step)
    return f"`{step.tool}({_told(_values(step.arguments)) or truncate_line(step.subject, CALL_CHARS)})`"


def describe_call_form(step: Step, public: Collection[str] = ()) -> str:
    """Return a call with its short plain values only, for a run that served one case and failed; `…` for the others.

    The answer that such a run gave is told whole, and so are values that are `public` (`lookups.public_values`).
    """
    if is_settings_step(step) and (told := _describe_code(step, is_private=True)):
        return told
    values = _values(step.arguments)
    if not gives_answer(step):
        values = {
            name: statement_without_data(name, value, step.tool)
            or ("…" if is_of_case(name, value, step.tool, public) else value)
            for name, value in values.items()
        }
    return _with_told_values(step.tool, values)


def describe_case_call(step: Step) -> str:
    """Return a call of a run that served one case and passed: `…` for a text about that case and for personal data.

    The answer that such a run was asked for is told whole, and a program or a query but for what may be somebody's.
    """
    code = code_argument(step)
    if code and (told := _describe_code(step, is_private=True)):
        return told
    values = _values(step.arguments)
    if not gives_answer(step):
        values = {name: "…" if name == code or is_private(name, value) else value for name, value in values.items()}
    if values and all(value == "…" for value in values.values()):
        return f"`{step.tool}`"
    return f"`{step.tool}({_told(values) or truncate_line(step.subject, CALL_CHARS)})`"


def _describe_code(step: Step, failed: str = "", *, is_private: bool = False) -> str:
    """A call with its program; where that may hold somebody's data, without these, and nothing where they hide.

    `failed` is the program in the place of which it worked.
    """
    name = code_argument(step)
    told = str((telling_step(step, ()) or step).arguments[name])
    told = without_somebodys(told) if is_private else told
    return f"`{step.tool}({name}={code_in_one_line(told, failed)})`" if told else ""


def names_calls_only(text: str, tools: Collection[str]) -> bool:
    """Return true for calls of `tools` of which nothing is told, or only which argument was another one.

    Alone they say nothing of how a case is dealt with.
    """
    found = [_BARE_CALL.fullmatch(call) for call in _LABEL.sub("", text, 1).rstrip(".").split("; ")]
    return all(call is not None and call[1] in tools for call in found)


def _with_told_values(tool: str, values: Mapping[str, str], named: Collection[str] = ()) -> str:
    """A call with the values that are told, `…` for the others together but the `named`; its name alone without any."""
    told = _told({name: value for name, value in values.items() if value != "…" or name in named})
    values = {name: value for name, value in values.items() if name not in named}
    if not told:
        return f"`{tool}`"
    return f"`{tool}({told}{', …' if '…' in values.values() else ''})`"


def describe_two_calls(worked: Step, failed: Step) -> tuple[str, str]:
    """Return two calls of one tool, of the arguments that both share none but those that differ, from where they do.

    Of two programs the lines that differ are told.
    """
    if code_argument(worked) and code_argument(failed):
        return (
            _describe_code(changed_code(worked, failed) or worked, str(failed.arguments[code_argument(failed)])),
            _describe_code(telling_step(failed, [worked]) or failed),
        )
    ours, theirs = _values(worked.arguments), _values(failed.arguments)
    shared = [name for name, value in ours.items() if theirs.get(name) == value]
    changed = [name for name in dict.fromkeys([*ours, *theirs]) if name not in shared]
    if not shared or not changed:
        return describe_call(worked), describe_call(failed)
    for name in changed:
        if name in ours and name in theirs:
            ours[name], theirs[name] = _from_difference(ours[name], theirs[name])
    told = [_told({name: values[name] for name in changed if name in values}) for values in (ours, theirs)]
    one, other = (f"`{worked.tool}({', '.join(filter(None, (each, '…')))})`" for each in told)
    return one, other


def describe_two_forms(worked: Step, failed: Step) -> tuple[str, str]:
    """Return two calls of one tool with the short plain values that differ, for a run that served a customer.

    Where none of them does, the first says only which arguments differ, are new or left out, and the second is empty.
    """
    ours, theirs = _values(worked.arguments), _values(failed.arguments)
    changed = [name for name in dict.fromkeys([*ours, *theirs]) if ours.get(name) != theirs.get(name)]
    plain = [
        name
        for name in changed
        if not any(is_of_case(name, values.get(name, ""), worked.tool) for values in (ours, theirs))
    ]
    if not plain:
        return f"`{worked.tool}` {_told_difference(ours, theirs, changed)}", ""
    new = [name for name in changed if name not in theirs]
    one, other = (
        _with_told_values(
            worked.tool,
            {
                name: (statement_without_data(name, value, worked.tool) or value) if name in plain else "…"
                for name, value in values.items()
            },
            new if len(new) <= _MOST_NAMED else (),
        )
        for values in (ours, theirs)
    )
    return one, other


def _told_difference(ours: Mapping[str, str], theirs: Mapping[str, str], changed: Sequence[str]) -> str:
    """Which arguments one of two calls has with another value, which only it has, and which it lacks."""
    another = [name for name in changed if name in ours and name in theirs]
    more, less = ([name for name in changed if name not in values] for values in (theirs, ours))
    parts = (("with another", another), ("with", more), ("without", less))
    return " and ".join(f"{word} {' and '.join(f'`{name}`' for name in names)}" for word, names in parts if names)


def _values(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in arguments.items()
        if value not in ("", None, [], {})
    }


def _told(values: Mapping[str, str]) -> str:
    """Arguments with values so long that all of them have room: short ones leave theirs to the long ones."""
    room = CALL_CHARS
    most: dict[str, int] = {}
    for left, (name, value) in zip(
        range(len(values), 0, -1), sorted(values.items(), key=lambda each: len(each[1])), strict=True
    ):
        longest = _LONGEST_VALUE if len(values) > 1 else CALL_CHARS  # a query or a program
        most[name] = min(max(room // left - len(name) - 3, _SHORTEST_VALUE), longest)
        room -= min(len(value), most[name]) + len(name) + 3
    return ", ".join(f"{name}={_cut(value, most[name])}" for name, value in values.items())


def _cut(value: str, limit: int) -> str:
    if limit < _TELLING_VALUE:  # the beginning of an id or of a list tells nothing
        return value if len(value) <= _TELLING_VALUE else "…"
    return truncate_line(value, limit)


def _from_difference(one: str, other: str) -> tuple[str, str]:
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if same <= _CONTEXT + 1 or max(len(one), len(other)) <= _LONGEST_VALUE // 2:
        return one, other
    start = same - _CONTEXT
    while start and same - start < 2 * _CONTEXT and not _SEPARATOR.match(one[start - 1]):
        start -= 1
    return f"…{one[start:]}", f"…{other[start:]}"

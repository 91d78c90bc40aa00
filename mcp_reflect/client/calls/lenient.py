"""Stores of a run what is right: a client that is not strict makes a wrong part fit, or leaves it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_reflect.client.calls.run_content import build_trajectory, message_list, to_text_field
from mcp_reflect.domain.limits import MAX_FIELD, MAX_NAME
from mcp_reflect.errors import InvalidArgument

NAMED = ("helpful_memory_ids", "harmful_memory_ids")
"""The lists of memories that a verdict names."""

_LONGEST = {
    "summary": MAX_FIELD,
    "key_mistake": MAX_FIELD,
    "correct_action": MAX_FIELD,
    "guidance": MAX_FIELD,
    "model": MAX_NAME,
}
"""Texts whose meaning stays where their middle is left out, with the characters that they may have. A shortened
`trace_key` would be that of other runs, too."""


def without_wrong_part(arguments: Mapping[str, Any], problem: InvalidArgument) -> dict[str, Any] | None:
    """Return the arguments of submit_trace with the one at fault made to fit, or else left out.

    Of lists of ids only those go that `problem` names, where it names any. None where there is no run without the
    argument. Called again with what is still found wrong, it comes to an end: what did not become right is left out.
    """
    name = problem.argument
    if name not in arguments or name == "task":
        return None
    mended = _mended(name, arguments[name])
    if mended is not None and mended != arguments[name]:
        return {**arguments, name: mended}
    if name in NAMED:
        wrong = {*problem.ids}
        kept = [each for each in arguments[name] if each not in wrong] if wrong else []
        return with_named(arguments, {name: kept})
    return {other: value for other, value in arguments.items() if other != name}


def with_named(arguments: Mapping[str, Any], lists: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of submit_trace with other lists of the memories that its verdict names.

    Where none is left in them, the run is stored as one that was given nothing.
    """
    from mcp_reflect.application.requests import NO_RETRIEVAL  # noqa: PLC0415 - heavy

    changed = {**arguments, **lists}
    if arguments.get("review_result") and any(map(arguments.get, NAMED)) and not any(map(changed.get, NAMED)):
        # Where no memory is named all are credited, and that was not what the run said.
        changed |= {"retrieved_memory_ids": [], "retrieval_id": NO_RETRIEVAL}
    return changed


def named_wrongly(request: Any) -> tuple[InvalidArgument, dict[str, list[str]]] | None:
    """Return what is wrong with the memories that a Submission names, and its lists without those; None if nothing is.

    Without a verdict none may be named, and none in both lists.
    """
    lists = {name: list(getattr(request, name)) for name in NAMED}
    first = next((name for name in NAMED if lists[name]), "")
    if first and not request.review_result:
        allowed = "together with a verdict, or in review_trace() once it is known"
        return InvalidArgument(first, "given without a verdict", allowed), {name: [] for name in NAMED}
    both = {*lists[NAMED[0]]} & {*lists[NAMED[1]]}
    if not both:
        return None
    problem = InvalidArgument(NAMED[1], f"{', '.join(sorted(both))} is in both lists", "each id in one list", both)
    return problem, {name: [each for each in ids if each not in both] for name, ids in lists.items()}


def _mended(name: str, value: Any) -> Any:
    """A value of the same meaning that may fit; None where there is none."""
    if name == "trajectory":
        return build_trajectory(message_list(value))
    return to_text_field(value, _LONGEST[name]) if name in _LONGEST and isinstance(value, str) else None

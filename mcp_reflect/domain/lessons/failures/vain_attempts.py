"""Attempts that a run took back: an edit after which a command failed, and which did not stay.

The next run would try them again, so a lesson tells them with what came of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from mcp_reflect.domain.lessons.comparison.sameness import EXPLAINED
from mcp_reflect.domain.lessons.failures.failure_text import failure_text, is_same_failure
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.wording import TRIED, describe_edit, describe_step
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.responses import GIVEN_UP

_MOST = 20
_BEFORE = 40
"""The last edits taken back that are looked at, and steps before each in which its failure may stand."""


def find_vain_attempts(
    steps: Sequence[Step], reasons: Mapping[int, str] = MappingProxyType({})
) -> Iterator[tuple[str, str]]:
    """Yield the edits that were taken back, and a line that tells why: what failed behind them, or what the agent said.

    It is one sentence, so that neither is told without the other. Of several failures the last is told, after which the
    edit was given up. `reasons` are the agent's words by the place of the step before which they were said.
    """
    places = {id(step): place for place, step in enumerate(steps)}
    texts: dict[int, str] = {}
    told: dict[str, list[str]] = {}
    found = {id(earlier): (earlier, later) for earlier, later in reversed(NetChanges(steps).taken_back())}
    for earlier, later in sorted(found.values(), key=lambda pair: places[id(pair[0])])[-_MOST:]:
        before, between = steps[: places[id(earlier)]], steps[places[id(earlier)] + 1 : places[id(later)]]
        failed = next((step for step in reversed(between) if step.kind == "command" and step.failed), None)
        reason = reasons.get(places[id(later)], "")
        if failed is None and _restores(earlier, later) and GIVEN_UP.search(reason):
            yield (edit := describe_edit(earlier)), f"{TRIED}{edit}, and took it back{EXPLAINED}{reason}"
        if failed is None or is_inspection(failed) or not (error := _failure_of(failed, texts)):
            continue
        still = "still " if any(_says(step, error, texts) for step in before[-_BEFORE:]) else ""
        line = f"{describe_step(failed)} {still}failed: {error.rstrip('.!')}, after "
        told.setdefault(line, []).append(describe_edit(earlier))
    for line, edits in told.items():
        tried = " and ".join(dict.fromkeys(edits))
        yield tried, f"{line}{tried}, which was taken back."


def _restores(earlier: Step, later: Step) -> bool:
    """Return true where an edit puts back what another one had replaced, or taken out of a line."""
    if later.kind != "edit" or len(earlier.change) != 1:
        return False
    old, new = (text.strip() for text in earlier.change[0])
    return any(
        (before.strip(), after.strip()) == (new, old) or (not new and old in after) for before, after in later.change
    )


def _failure_of(step: Step, texts: dict[int, str]) -> str:
    """What a failed step says of what went wrong; `texts` holds what was read before, by the `id` of the step."""
    if id(step) not in texts:
        texts[id(step)] = failure_text([step])
    return texts[id(step)]


def _says(step: Step, error: str, texts: dict[int, str]) -> bool:
    """Return true where a step had failed in this way before, or had shown the failure."""
    return error in step.output or (step.failed is True and is_same_failure(_failure_of(step, texts), error))

"""Calls that have the words of one that failed, and beside them what may make them work: these are not warned of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.command_form import CHANGED_FOLDER, CommandForm, command_form
from mcp_reflect.domain.lessons.failures.triggers import (
    command_of_trigger,
    command_text,
    form_of_trigger,
    is_same_trigger,
    trigger_of_command,
)

_ENVIRONMENT = re.compile(
    r"uv|poetry|pdm|hatch|pipenv|rye|pixi|conda|(?:ba|z|da)?sh|.*/(?:bin|Scripts)|(?:.*/)?activate(?:\.\w+)?"
)
"""What has a command run by another environment or shell: where one of them helped, another one may."""
_NOT_ALLOWED = re.compile(r"\b(?:denied|not permitted|EACCES|EPERM|privileges?|superuser|root)\b", re.IGNORECASE)
_PLACE = re.compile(r"\w*(?:PATH|LIBS?|HOME|HOST|PORT|USER|URL|DATABASE|DIR|CONFIG|PROFILE)")
"""A variable that says where a program finds what it needs: such a one mends much."""
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_WORD = re.compile(r"\w+")
_LEAST_NAME = 5
"""Letters of an option from which a variable that ends in them is the same setting."""


def is_way_out(trigger: str, failed: Iterable[str], worked: Sequence[str], error: str) -> bool:
    """Return whether a call differs from those that failed by what may make it work, which stands beside its words.

    That is what a command that worked had there: a variable, a program that runs the command, a folder; or another one
    set to the same (`cd src` instead of `PYTHONPATH=src`). What worked as it stands is one, too. It is also a folder
    below in which none of them ran, a file of settings that none of them read, another environment where one helped, a
    variable that the error or an option of what worked names, and `sudo` where something was not allowed. `failed` are
    triggers, `worked` commands, `error` is what the failures said.
    """
    if not command_of_trigger(trigger):
        return False
    form = form_of_trigger(trigger)
    before = [form_of_trigger(each) for each in failed if command_of_trigger(each)]
    beside = frozenset[str]().union(*(each.beside for each in before))
    values = frozenset[str]().union(*(each.values for each in before))
    ways = [way for command in worked if is_same_trigger(trigger, way := trigger_of_command(command))]
    return any(
        (bool(own := way.beside - beside) and own <= form.beside)
        or bool((way.values & form.values) - values)
        or (way.beside == form.beside and all(each.beside != form.beside for each in before))
        for way in map(form_of_trigger, ways)
    ) or _is_elsewhere_or_set(form, beside, [*map(_form, worked)], before, error)


def _is_elsewhere_or_set(
    form: CommandForm, beside: frozenset[str], ways: Sequence[CommandForm], failed: Sequence[CommandForm], error: str
) -> bool:
    """Return whether a form has a folder or a variable, and no form that failed has, that may make it work."""
    added = form.beside - beside
    if any(each.startswith(f"{CHANGED_FOLDER}=") or each in {"source", "."} for each in added):
        return True
    if "sudo" in added and _NOT_ALLOWED.search(error):
        return True
    if any(map(_ENVIRONMENT.fullmatch, added)) and any(
        _ENVIRONMENT.fullmatch(each) for way in ways for each in way.beside - beside
    ):
        return True
    names = [each.removesuffix("=") for each in added if each.endswith("=")]
    if not names or any(map(_PLACE.fullmatch, names)):
        return bool(names)
    known = {word for each in failed for word in each.words}
    brought = {word for way in ways for word in way.words if word not in known}
    said = {part for word in brought for part in _WORD.findall(word)}.union(*(way.values for way in ways))
    if form.values and form.values <= said:
        return True
    return any(_is_named(name, error) or any(_is_same_setting(name, word) for word in brought) for name in names)


def _is_named(name: str, error: str) -> bool:
    """Return whether an error names a variable, or what stands behind the prefix of one (`TF_VAR_region`: `region`)."""
    parts = name.split("_")
    ends = ("_".join(parts[at:]) for at in range(len(parts)) if at == 0 or len(parts) - at > 1)
    return any(re.search(rf"(?<!\w){re.escape(end)}(?!\w)", error) for end in ends)


def _is_same_setting(name: str, option: str) -> bool:
    """Return whether a variable sets what an option does: `npm_config_legacy_peer_deps`, `--legacy-peer-deps`."""
    ours, theirs = (_NOT_LETTERS.sub("", word).lower() for word in (name, option))
    least = min(len(ours), len(theirs))
    return option.startswith("-") and least >= _LEAST_NAME and (ours.endswith(theirs) or theirs.endswith(ours))


def _form(command: str) -> CommandForm:
    return command_form(command_text(command))

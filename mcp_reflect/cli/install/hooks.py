"""Plans the change that puts our hooks into a client's configuration, or takes them out; other hooks stay."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from mcp_reflect.cli.install import files, json_edit
from mcp_reflect.cli.install.config_errors import MalformedConfig, UnexpectedConfig
from mcp_reflect.cli.install.hook_targets import HOOKS_KEY, HookTarget, hook_program, hooks_of
from mcp_reflect.cli.install.plan import Plan, empty_again, empty_before, holds_nothing
from mcp_reflect.errors import ConfigurationError


class OwnHook(NamedTuple):
    """A hook of ours in a file: its event, the place of its entry, its place in that, and the program it starts."""

    event: str
    group: int
    place: int
    program: str


def read_hooks(target: HookTarget, path: Path) -> list[OwnHook]:
    """Return our hooks in a file; none where there is no file. Raises ConfigurationError."""
    content = files.read_config_file(path)
    events = _events(path, _data(path, "" if content is None else files.decode_config(path, content)))
    return [
        OwnHook(event, number, place, program)
        for event, groups in events.items()
        for number, group in enumerate(groups)
        for place, hook in enumerate(hooks_of(group))
        if (program := hook_program(hook, target.client))
    ]


def plan_hooks(
    target: HookTarget,
    path: Path,
    wanted: Mapping[str, Any],
    *,
    deletable: bool = False,
    empty: Mapping[str, str] = MappingProxyType({}),
) -> Plan:
    """Plan that exactly the `wanted` hooks of ours stand in the file, by event; none: that none does.

    A file in which nothing else is left is to be deleted where it is `deletable`; `empty` as of `plan_uninstall`.
    Raises ConfigurationError, and changes nothing.
    """
    before = files.read_config_file(path)
    text = "" if before is None else files.decode_config(path, before)
    data = _data(path, text)
    expected = copy.deepcopy(data)
    events = _events(path, expected)
    ours = any(
        hook_program(hook, target.client) for groups in events.values() for each in groups for hook in hooks_of(each)
    )
    noted = empty_before(None if before is None else text, HOOKS_KEY) if wanted and not ours else {}
    try:
        for event in dict.fromkeys([*wanted, *events]):
            old = events.get(event, [])
            new = _merged(target, old, wanted.get(event))
            if new == old:
                continue
            if new:
                expected.setdefault(HOOKS_KEY, {})[event] = new
                text = json_edit.put_entry(text, (HOOKS_KEY, event), new, comments=True)
            else:
                del expected[HOOKS_KEY][event]
                text = json_edit.remove_entry(text, (HOOKS_KEY, event), comments=True, empty=empty.get(HOOKS_KEY))
    except UnexpectedConfig as error:
        raise ConfigurationError(f"{path}: {error}; it was left alone") from error
    if ours and not wanted:
        text, noted = empty_again(text, HOOKS_KEY, empty)
    found = _data(path, text)
    if not expected.get(HOOKS_KEY):
        expected.pop(HOOKS_KEY, None)
        found.pop(HOOKS_KEY, None)
    if found != expected:
        raise ConfigurationError(f"{path}: is written in a way that cannot be changed safely; it was left alone")
    deletes = deletable and before is not None and not wanted and not expected and holds_nothing(text, HOOKS_KEY)
    return Plan(path, before, b"" if deletes else files.encode_config(text, before), deletes, noted)


def _merged(target: HookTarget, old: list[Any], wanted: Any) -> list[Any]:
    """The entries of an event with ours in the place where it stood, which Codex knows trusted hooks by."""
    new: list[Any] = []
    for group in old:
        others = [hook for hook in hooks_of(group) if not hook_program(hook, target.client)]
        if len(others) == len(hooks_of(group)):
            new.append(group)
        elif others:  # somebody put theirs beside ours
            new.append({**group, "hooks": others})
        elif wanted is not None and wanted not in new:
            new.append(wanted)
    return new if wanted is None or wanted in new else [*new, wanted]


def _data(path: Path, text: str) -> Any:
    try:
        data = json_edit.parse_config(text, comments=True)
    except MalformedConfig as error:
        raise ConfigurationError(f"{path}, {error}; correct it and try again; it was not changed") from error
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path}: must be an object in braces; it was left alone")
    return data


def _events(path: Path, data: Any) -> dict[str, list[Any]]:
    events = data.get(HOOKS_KEY, {})
    if not isinstance(events, dict) or not all(isinstance(groups, list) for groups in events.values()):
        raise ConfigurationError(f"{path}: {HOOKS_KEY} must be an object with a list to each event; it was left alone")
    return events

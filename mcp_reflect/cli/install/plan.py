"""Plans a change of a client's configuration before anything is touched."""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mcp_reflect.cli.install import files, json_edit, toml_edit
from mcp_reflect.cli.install.clients import InstallTarget
from mcp_reflect.cli.install.config_errors import MalformedConfig, UnexpectedConfig
from mcp_reflect.cli.install.empty_parts import WHOLE
from mcp_reflect.cli.install.entry import is_ours, merge_entry
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.errors import ConfigurationError


@dataclass(frozen=True)
class Plan:
    """The content of a file before (None: there is no file) and after. `deletes`: nothing is left that it is for.

    `empty` is what is to be noted of its empty parts, as `EmptyParts.update` takes it.
    """

    path: Path
    before: bytes | None
    after: bytes
    deletes: bool = False
    empty: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def changes(self) -> bool:
        """Return whether the content changes; no file counts as empty content."""
        return self.after != (self.before or b"")

    @property
    def texts(self) -> tuple[str, str]:
        """Before and after, for people."""
        return (files.decode_config(self.path, self.before or b""), files.decode_config(self.path, self.after))


_EMPTY = {*' \t\r\n{}:"[]'}
"""Characters of a configuration that holds nothing, beside those of its section's name."""


def holds_nothing(text: str, section: str) -> bool:
    """Return whether a configuration holds at most its section, empty. Comments are somebody's words."""
    return set(text) <= _EMPTY | set(section)


def empty_before(text: str | None, section: str) -> dict[str, str | None]:
    """Return what is to be noted of a JSON text into whose section something of ours is put for the first time.

    None stands for a file that is not there.
    """
    if text is None:
        return {section: None, WHOLE: None}
    noted: dict[str, str | None] = {section: json_edit.empty_object(text, section, comments=True)}
    return noted | {WHOLE: text} if holds_nothing(text, section) else noted


def empty_again(text: str, section: str, empty: Mapping[str, str]) -> tuple[str, dict[str, str | None]]:
    """Return a JSON text without what was ours as it was before, if it is empty again, and what is to be forgotten."""
    if WHOLE not in empty or not holds_nothing(text, section):
        return text, {section: None}
    return empty[WHOLE], {section: None, WHOLE: None}


class TakenError(ConfigurationError):
    """The name belongs to a server that is not mcp-reflect."""

    def __init__(self, path: Path, name: str, entry: Any, remedy: str) -> None:
        super().__init__(f"{path}: {name} is another server there: {describe_entry(entry)}. {remedy}")


def describe_entry(entry: Any) -> str:
    """Return an entry in one line, without the values of its variables: there may be keys among them."""
    if isinstance(entry, dict):
        hidden = {"env", "headers", "http_headers"}
        entry = {
            key: dict.fromkeys(value, "***") if key in hidden and isinstance(value, dict) else value
            for key, value in entry.items()
        }
    return mask_secrets(json.dumps(entry, ensure_ascii=False, default=str))


def read_entries(client: InstallTarget, path: Path, *, confined: bool = False) -> dict[str, Any]:
    """Return the servers that a file of a client names; none where there is no file. Raises ConfigurationError."""
    content = files.read_config_file(path, confined=confined)
    return {} if content is None else _entries(client, path, _data(client, path, files.decode_config(path, content)))


def plan_install(
    client: InstallTarget,
    path: Path,
    name: str,
    entry: Mapping[str, Any],
    *,
    force: bool,
    confined: bool = False,
    dropped: Collection[str] = (),
) -> Plan:
    """Plan an installation. `force` puts the entry in the place of another server's; `dropped` variables are left out.

    Raises ConfigurationError, and changes nothing.
    """
    before = files.read_config_file(path, confined=confined)
    text = "" if before is None else files.decode_config(path, before)
    data = _data(client, path, text)
    old = _entries(client, path, data).get(name)
    if old is not None and not is_ours(old) and not force:
        raise TakenError(path, name, old, "--force replaces it, --name installs beside it; it was left alone")
    wanted = merge_entry(old, entry) if is_ours(old) else dict(entry)
    if dropped and isinstance(wanted.get("env"), dict):
        kept = {key: value for key, value in wanted.pop("env").items() if key not in dropped}
        wanted |= {"env": kept} if kept else {}
    expected = copy.deepcopy(data)
    expected.setdefault(client.root, {})[name] = wanted
    keys = (client.root, name)
    try:
        if client.format == "toml":
            after = toml_edit.put_entry(text, keys, wanted)
        else:
            after = json_edit.put_entry(text, keys, wanted, comments=client.format == "jsonc")
    except UnexpectedConfig as error:
        raise ConfigurationError(f"{path}: {error}; it was left alone") from error
    is_first = client.format != "toml" and old is None
    empty = empty_before(None if before is None else text, client.root) if is_first else {}
    return Plan(path, before, _checked(client, path, before, after, expected), empty=empty)


def plan_uninstall(
    client: InstallTarget,
    path: Path,
    name: str,
    *,
    force: bool,
    confined: bool = False,
    deletable: bool = False,
    empty: Mapping[str, str] = MappingProxyType({}),
) -> Plan:
    """Plan a removal; `force` removes the entry whatever it is. Raises ConfigurationError, and changes nothing.

    A file that holds nothing else is to be deleted where it is `deletable`. `empty` is what was noted of the file's
    empty parts when the server was put in.
    """
    before = files.read_config_file(path, confined=confined)
    if before is None:
        return Plan(path, None, b"")
    text = files.decode_config(path, before)
    data = _data(client, path, text)
    servers = _entries(client, path, data)
    if name not in servers:
        return Plan(path, before, before)
    if not is_ours(servers[name]) and not force:
        raise TakenError(path, name, servers[name], "--force removes it all the same; it was left alone")
    expected = copy.deepcopy(data)
    del expected[client.root][name]
    keys = (client.root, name)
    try:
        if client.format == "toml":
            after = toml_edit.remove_entry(text, keys)
        else:
            jsonc = client.format == "jsonc"
            after = json_edit.remove_entry(text, keys, comments=jsonc, empty=empty.get(client.root))
    except UnexpectedConfig as error:
        raise ConfigurationError(f"{path}: {error}; it was left alone") from error
    after, forgotten = empty_again(after, client.root, empty)
    left = _checked(client, path, before, after, expected)
    deletes = deletable and not any(expected[key] for key in expected) and holds_nothing(after, client.root)
    return Plan(path, before, b"" if deletes else left, deletes, forgotten)


def _data(client: InstallTarget, path: Path, text: str) -> Any:
    try:
        if client.format == "toml":
            return toml_edit.parse_config(text)
        return json_edit.parse_config(text, comments=client.format == "jsonc")
    except MalformedConfig as error:
        raise ConfigurationError(f"{path}, {error}; correct it and try again; it was not changed") from error


def _entries(client: InstallTarget, path: Path, data: Any) -> dict[str, Any]:
    servers = data.get(client.root, {}) if isinstance(data, dict) else None
    if not isinstance(servers, dict):
        what = client.root if isinstance(data, dict) else "the whole file"
        raise ConfigurationError(f"{path}: {what} must be an object with a server to a name; it was left alone")
    return servers


def _checked(client: InstallTarget, path: Path, before: bytes | None, after: str, expected: Any) -> bytes:
    """The new content, read once more: whatever the text looked like, no other entry may have been lost."""
    found = _data(client, path, after)
    if isinstance(found, dict) and found.get(client.root) is None and not expected.get(client.root):
        expected = {key: value for key, value in expected.items() if key != client.root}
    if found != expected:
        raise ConfigurationError(f"{path}: is written in a way that cannot be changed safely; it was left alone")
    return files.encode_config(after, before)

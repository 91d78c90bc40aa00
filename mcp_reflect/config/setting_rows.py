"""Every setting by its key: where it is set, and what people are told of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mcp_reflect.config.setting_types import Section, Setting
from mcp_reflect.config.settings import Settings

PREFIX = "MCP_REFLECT_"
CONFIG_VARIABLE = PREFIX + "CONFIG"

_ALIASES = {"q_learning.alpha": "Q_LEARNING_ALPHA", "reflection.base_url": "OPENAI_BASE_URL"}
ENVIRONMENT_ONLY = {"home": PREFIX + "HOME", "openai_api_key": "OPENAI_API_KEY"}


class SettingRow(NamedTuple):
    """A line for people: key in config.toml (empty: environment only), variables, default, meaning, allowed."""

    key: str
    environment: tuple[str, ...]
    default: str
    meaning: str
    allowed: str


def setting_rows() -> Iterator[SettingRow]:
    """Yield every setting, in the order of the classes."""
    yield SettingRow("", (CONFIG_VARIABLE,), "config.toml in home", "the file of settings", "the path of a file")
    for key, field in setting_fields(Settings):
        toml_key = "" if key in ENVIRONMENT_ONLY else key
        yield SettingRow(toml_key, setting_variables(key), field.shown, field.meaning, field.rule)


def setting_fields(section: type[Section], prefix: str = "") -> Iterator[tuple[str, Setting]]:
    """Yield the fields of a section and of those nested in it, each with its dotted key after `prefix`."""
    for name, field in section.model_fields.items():
        if isinstance(field.default, Section):
            yield from setting_fields(type(field.default), f"{prefix}{name}.")
        elif isinstance(field, Setting):
            yield prefix + name, field


def setting_variables(key: str) -> tuple[str, ...]:
    """Return the variables that set `key`, the one that counts first."""
    own = ENVIRONMENT_ONLY.get(key, PREFIX + key.upper().replace(".", "__"))
    return (own, _ALIASES[key]) if key in _ALIASES else (own,)

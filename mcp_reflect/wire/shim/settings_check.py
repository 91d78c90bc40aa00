"""Proves settings right without the libraries that read them. Standard library only: a shim imports this.

The rules are recorded from the settings' own classes into `front.json` by `python -m docs.tools.front`. They may be
narrower than those classes: what is not proven right here may still be right, and is for the hub to judge.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

Rules = Mapping[str, Mapping[str, Any]]
"""By key of a setting: its `variables`; its `kind`; for numbers `least`, `most`, `above`; for choices `choices`."""

_PATTERNS = {
    "integer": r"\d{1,9}",
    "number": r"\d{1,9}(\.\d{1,9})?",
    "boolean": r"true|1|yes|on|false|0|no|off",
    "path": r".+",
    "secret": r".+",
    "text": r"[ -~]{1,200}",
    "project": r"[A-Za-z0-9._-]{1,100}",
    "url": r"https?://[A-Za-z0-9][A-Za-z0-9.-]{0,200}(:[1-9]\d{0,3})?(/[A-Za-z0-9._/-]{0,200})?",
}
_TYPES: Mapping[str, set[type]] = {"integer": {int}, "number": {int, float}, "boolean": {bool}}
_ONLY_IN_ENVIRONMENT = {"path", "secret"}


def find_unproven_variables(rules: Rules, read: Mapping[str, str]) -> dict[str, str]:
    """Return those of the set variables, by name, whose values are not proven right."""
    by_variable = {variable: rule for rule in rules.values() for variable in rule["variables"]}
    return {
        name: value
        for name, value in read.items()
        if name not in by_variable or (value.strip() and not _is_right_text(by_variable[name], value.strip()))
    }


def is_proven_config(rules: Rules, content: bytes) -> bool:
    """Return whether every setting in a config.toml is proven right."""
    config = _parse(content)
    return config is not None and all(
        key in rules and rules[key]["kind"] not in _ONLY_IN_ENVIRONMENT and _is_right_value(rules[key], value)
        for key, value in _entries(config)
    )


def is_proven_combination(rules: Rules, environ: Mapping[str, str], content: bytes | None) -> bool:
    """Return whether settings that are right one by one also agree with each other."""
    values = dict(_entries(_parse(content or b"") or {}))
    for key, rule in rules.items():
        given = next((environ[name].strip() for name in rule["variables"] if environ.get(name, "").strip()), "")
        if given:
            values[key] = given
    if not values.get("reflection.model"):
        return values.get("reflection.author") != "llm"
    return bool(values.get("openai_api_key") or values.get("reflection.base_url"))


def _parse(content: bytes) -> dict[str, Any] | None:
    if not content:
        return None
    import tomllib  # noqa: PLC0415 - most homes have no config.toml

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except ValueError:  # no UTF-8, or no TOML
        return None


def _entries(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield "" if "." in name else name, value  # a quoted key with a dot is no section


def _is_right_text(rule: Mapping[str, Any], value: str) -> bool:
    if rule["kind"] == "choice":
        return value in rule["choices"]
    if not re.fullmatch(_PATTERNS.get(rule["kind"], r"(?!)"), value):
        return False
    return rule["kind"] not in {"integer", "number"} or _is_within(rule, float(value))


def _is_right_value(rule: Mapping[str, Any], value: object) -> bool:
    """Values of TOML have types; a text does not stand for a number there."""
    types = _TYPES.get(rule["kind"])
    if types is None:
        return isinstance(value, str) and _is_right_text(rule, value)
    if type(value) not in types:
        return False
    return rule["kind"] == "boolean" or _is_within(rule, value)


def _is_within(rule: Mapping[str, Any], value: Any) -> bool:
    return bool(
        rule.get("least", -math.inf) <= value <= rule.get("most", 10**9) and value > rule.get("above", -math.inf)
    )

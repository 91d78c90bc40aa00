"""What is proven of settings must hold for the classes that read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_reflect.config.load import load_settings
from mcp_reflect.config.setting_rows import setting_fields, setting_variables
from mcp_reflect.config.settings import Settings
from mcp_reflect.wire.shim import front
from tests.config.test_settings import EXAMPLES
from tests.support.waiting import HANG_S

KEYS = [key for key, _ in setting_fields(Settings) if key != "home"]
VARIABLES = sorted({variable for key in KEYS for variable in setting_variables(key)} | {"MCP_REFLECT_NONE"})
TEXTS = st.one_of(
    st.sampled_from(sorted({value for pair in EXAMPLES.values() for value in pair})),
    st.sampled_from(["llm", "true", "5", "007", "1e9", "bundled", "https://a.b", "http://a:99999", "a b", " "]),
    st.from_regex(r"[0-9]{1,12}(\.[0-9]{1,12})?", fullmatch=True),
    st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=8),
)
VALUES = st.one_of(TEXTS, st.integers(-1, 10**10), st.floats(), st.booleans())
CONFIGS = st.dictionaries(st.sampled_from([*KEYS, "memory", "hub.none", "none"]), VALUES, max_size=2)
RULES = json.loads(Path(front.__file__).with_name(front.ANSWERS_NAME).read_text(encoding="utf-8"))["settings"]


def toml(entries: dict[str, Any]) -> str:
    document: dict[str, Any] = {}
    for key, value in sorted(entries.items(), key=lambda entry: entry[0].count(".")):
        section, _, name = key.rpartition(".")
        target = document.setdefault(section, {}) if section else document
        if isinstance(target, dict):
            target[name] = value
    return tomlkit.dumps(document)


@pytest.mark.slow
@given(environ=st.dictionaries(st.sampled_from(VARIABLES), TEXTS, max_size=2), config=st.none() | CONFIGS)
@settings(max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=HANG_S * 1000)
def test_settings_that_are_proven_right_are_never_refused(
    tmp_path: Path, environ: dict[str, str], config: dict[str, Any] | None
) -> None:
    (tmp_path / "config.toml").unlink(missing_ok=True)
    if config is not None:
        (tmp_path / "config.toml").write_text(toml(config), encoding="utf-8")
    variables = {**environ, "MCP_REFLECT_HOME": str(tmp_path)}
    if front.fingerprint_settings(RULES, variables, str(tmp_path), str(tmp_path)) == "":
        load_settings(variables, tmp_path)


@pytest.mark.parametrize("variable", sorted(set(EXAMPLES) - {"MCP_REFLECT_CONFIG"}))
def test_ordinary_values_are_proven_right_but_of_settings_that_take_an_address_or_a_file(
    tmp_path: Path, variable: str
) -> None:
    proven = front.fingerprint_settings(RULES, {variable: EXAMPLES[variable][0]}, str(tmp_path), str(tmp_path)) == ""
    unprovable = {"EMBEDDING__MODEL", "INDEX__URL", "LEDGER__URL", "ERRORS__MIRROR", "REFLECTION__MODEL"}
    needs_more = EXAMPLES[variable][0] == "llm"
    assert proven != (variable.removeprefix("MCP_REFLECT_") in unprovable or needs_more)

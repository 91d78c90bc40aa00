"""What registries and bundles are told: valid where a validator is found, in shape and in step everywhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect import __version__
from mcp_reflect.config.load import setting_rows
from mcp_reflect.server.tools.all_tools import TOOLS
from tests.support.waiting import HANG_S

ROOT = Path(__file__).resolve().parent.parent
SERVER = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
MANIFEST = json.loads((ROOT / "mcpb" / "manifest.json").read_text(encoding="utf-8"))
PACKAGE = SERVER["packages"][0]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def validator() -> str:
    found = os.environ.get("MCP_REFLECT_TEST_MCPB") or shutil.which("mcpb")
    if found is None:
        pytest.skip("mcpb is not here (npm install @anthropic-ai/mcpb); MCP_REFLECT_TEST_MCPB names its program")
    return found


def run(*command: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=HANG_S, stdin=subprocess.DEVNULL, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_version_is_the_package_s() -> None:
    assert {SERVER["version"], PACKAGE["version"], MANIFEST["version"]} == {__version__}


def test_every_name_is_the_package_s() -> None:
    assert {PACKAGE["identifier"], MANIFEST["name"]} == {PYPROJECT["name"]}
    assert SERVER["description"] == MANIFEST["description"]
    assert MANIFEST["license"] == PYPROJECT["license"]
    assert MANIFEST["compatibility"]["runtimes"]["python"] == PYPROJECT["requires-python"]


def test_the_registry_entry_is_valid() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    spec = importlib.util.find_spec("skillsaw")
    if spec is None or spec.origin is None:
        pytest.skip("skillsaw, which brings the official schema, is not here")
    released = re.search(r"/schemas/([0-9-]+)/server\.schema\.json$", SERVER["$schema"])
    assert released is not None
    folder = Path(spec.origin).parent / "schemas" / "mcp_registry" / f"v{released[1].replace('-', '_')}"
    schema = json.loads((folder / "server.schema.json").read_text(encoding="utf-8"))
    assert schema["$id"] == SERVER["$schema"]
    jsonschema.Draft7Validator(schema).validate(SERVER)


def test_the_registry_entry_has_the_shape_that_is_demanded() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 1 <= len(SERVER["description"]) <= 100
    assert (PACKAGE["registryType"], PACKAGE["transport"]) == ("pypi", {"type": "stdio"})
    assert "registryBaseUrl" not in PACKAGE


def test_the_readme_carries_the_name_by_which_the_registry_knows_the_owner() -> None:
    assert f"<!-- mcp-name: {SERVER['name']} -->" in (ROOT / "README.md").read_text(encoding="utf-8")


def variables() -> set[str]:
    return {name for row in setting_rows() for name in row.environment}


def test_only_variables_that_are_read_are_offered() -> None:
    assert {variable["name"] for variable in PACKAGE["environmentVariables"]} <= variables()
    assert set(MANIFEST["server"]["mcp_config"]["env"]) <= variables()


def test_keys_are_marked_as_secret() -> None:
    secret = {variable["name"] for variable in PACKAGE["environmentVariables"] if variable.get("isSecret")}
    assert secret == {"OPENAI_API_KEY"}
    assert MANIFEST["user_config"]["api_key"]["sensitive"] is True


def test_the_bundle_names_every_tool() -> None:
    assert [tool["name"] for tool in MANIFEST["tools"]] == [tool.name for tool in TOOLS]


def test_what_the_bundle_asks_for_is_what_it_uses() -> None:
    used = re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(MANIFEST["server"]))
    assert sorted(used) == sorted(MANIFEST["user_config"])
    # What is not filled in must reach the server as nothing, not as the name of the field.
    assert all(field["default"] == "" and not field["required"] for field in MANIFEST["user_config"].values())


def test_the_bundle_starts_what_is_in_it() -> None:
    server: dict[str, Any] = MANIFEST["server"]
    assert (ROOT / server["entry_point"]).is_file()
    assert server["mcp_config"]["args"][-1] in PYPROJECT["scripts"]


@pytest.mark.slow
def test_the_bundle_is_valid_and_can_be_packed(tmp_path: Path) -> None:
    mcpb = validator()
    assert "passes" in run(mcpb, "validate", str(ROOT / "mcpb" / "manifest.json"))
    folder = tmp_path / "bundle"
    shutil.copytree(ROOT / "mcp_reflect", folder / "mcp_reflect", ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("mcpb/manifest.json", "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / file, folder)
    run(mcpb, "pack", str(folder), str(tmp_path / "mcp-reflect.mcpb"))
    assert (tmp_path / "mcp-reflect.mcpb").stat().st_size > 100_000

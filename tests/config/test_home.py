"""The home is its owner's alone, whoever made the folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mcp_reflect.config.home import Home
from mcp_reflect.errors import ConfigurationError


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
@pytest.mark.parametrize("there_before", [False, True])
def test_others_cannot_look_into_the_home(tmp_path: Path, there_before: bool) -> None:
    folder = tmp_path / "home"
    if there_before:
        folder.mkdir(mode=0o755)
    with Home(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_home_that_cannot_be_made_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigurationError, match="MCP_REFLECT_HOME"):
        Home(tmp_path / "file" / "home")

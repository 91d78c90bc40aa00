"""The hub's log stays inside of the home."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcp_reflect.wire.hub_launcher import open_log


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_in_the_place_of_the_log_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "profile"
    outside.write_text("alias ls=ls\n")
    log = tmp_path / "hub.log"
    log.symlink_to(outside)
    opened = open_log(log)
    os.write(opened, b"a line\n")
    os.close(opened)
    assert outside.read_text() == "alias ls=ls\n"
    assert log.read_text() == "a line\n"

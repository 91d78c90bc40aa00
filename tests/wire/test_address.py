"""Where the shim looks is where the settings say, and only what belongs to the user is trusted."""

from __future__ import annotations

import os
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.config.load import load_settings, setting_rows
from mcp_reflect.config.project import _LOGIN_VARIABLES
from mcp_reflect.errors import ConfigurationError
from mcp_reflect.hub.listener import open_listener
from mcp_reflect.wire import address, handshake
from tests.support.hubs import posix
from tests.support.waiting import HANG_S


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"MCP_REFLECT_HOME": "/srv/reflect"},
        {"MCP_REFLECT_HOME": "relative/../home"},
        {"MCP_REFLECT_HOME": "~/reflect"},
        {"MCP_REFLECT_HOME": "  "},
        {"XDG_DATA_HOME": "/srv/data"},
        {"XDG_DATA_HOME": "relative"},
        {"XDG_DATA_HOME": ""},
    ],
)
def test_the_shim_and_the_settings_agree_on_the_home(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert address.home_folder(environ, str(tmp_path)) == str(load_settings(environ, tmp_path).home)


@pytest.mark.parametrize("value", ["true", "1", "YES", "on", "false", "0", "No", "off", "F", "n", "", "  ", "maybe"])
@pytest.mark.parametrize("config", ["", "[hub]\nenabled = false", "[hub]\nenabled = true", "hub = 1", "no toml"])
def test_the_shim_and_the_settings_agree_on_whether_there_is_a_hub(value: str, config: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(config, encoding="utf-8")
    environ = {"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_HUB__ENABLED": value}
    enabled = address.hub_enabled(environ, str(tmp_path), "/")
    try:
        settings = load_settings(environ, tmp_path)
    except ConfigurationError:
        return  # whoever reads the settings says so: the hub, or this process where the hub is switched off
    assert enabled is settings.hub.enabled


def test_the_hello_carries_every_variable_that_settings_read() -> None:
    known = {variable for row in setting_rows() for variable in row.environment}
    environ = dict.fromkeys({*known, *_LOGIN_VARIABLES, "CLAUDE_PROJECT_DIR", "UNRELATED_SECRET"}, "value")
    sent = handshake.select_settings_environ(environ, "/home", "/work")
    assert set(sent) == set(environ) - {"UNRELATED_SECRET"}
    assert (sent["MCP_REFLECT_HOME"], sent["MCP_REFLECT_CONFIG"]) == ("/home", "/work/value")


@posix
def test_a_socket_of_another_user_is_not_talked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_listener(tmp_path):
        address.connect_socket(str(tmp_path))[0].close()
        user = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
        with pytest.raises(PermissionError):
            address.connect_socket(str(tmp_path))


@pytest.mark.parametrize("loopback", [False, True])
def test_nothing_of_an_address_is_left_or_readable_by_others(tmp_path: Path, loopback: bool) -> None:
    with open_listener(tmp_path, loopback=loopback) as listening:
        files = list(tmp_path.iterdir())
        assert files == [listening.file]
        assert stat.S_IMODE(listening.file.stat().st_mode) == 0o600
        link, token = address.connect_socket(str(tmp_path))
        link.close()
        assert token == listening.token
        assert bool(token) is loopback
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on the system
        address.connect_socket(str(tmp_path))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"unix": "/etc/passwd"}', '{"port": 1, "token": "t"}'])
def test_a_note_that_means_nothing_is_no_hub_and_is_swept_away(tmp_path: Path, text: str) -> None:
    (tmp_path / address.ADDRESS_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on the system
        address.connect_socket(str(tmp_path))
    with open_listener(tmp_path):
        address.connect_socket(str(tmp_path))[0].close()
    assert Path("/etc/passwd").exists()


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"\r")), max_size=8), st.data())
def test_lines_come_out_as_they_went_in_however_they_were_cut(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(line + b"\n" for line in lines) + b"unfinished"
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader = handshake.LineReader(ours)
        found = []
        while whole:
            cut = data.draw(st.integers(1, len(whole)))
            theirs.sendall(whole[:cut])
            found += [reader.next() for _ in range(whole[:cut].count(b"\n"))]
            whole = whole[cut:]
        theirs.close()
        assert reader.next() is None
    assert found == [line + b"\n" for line in lines]


@pytest.mark.parametrize(
    ("version", "than", "newer"),
    [
        ("0.2.0", "0.1.0", True),
        ("0.10.0", "0.9.9", True),
        ("0.1.0", "0.1.0", False),
        ("0.1.0", "0.2.0", False),
        ("1.0", "0.9.9", True),
        ("unknown", "0.1.0", False),
        ("0.1.0rc1", "0.1.0", False),
    ],
)
def test_only_a_higher_number_is_newer(version: str, than: str, newer: bool) -> None:
    assert handshake.is_newer(version, than) is newer


@posix
def test_a_hub_to_which_too_many_connect_at_once_is_waited_for(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener, ExitStack() as stack:
        listener.bind(str(tmp_path / address.SOCKET_NAME))
        listener.listen(0)

        def connect() -> None:
            stack.enter_context(closing(address.connect_socket(str(tmp_path))[0]))

        connect()  # the one that the queue has room for on Linux
        with ThreadPoolExecutor(1) as pool:
            second = pool.submit(connect)
            for _ in range(2):
                stack.enter_context(listener.accept()[0])
            second.result(HANG_S)

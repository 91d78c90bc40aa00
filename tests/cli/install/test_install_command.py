"""`mcp-reflect install` on configurations as people have them."""

from __future__ import annotations

import functools
import json
import os
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from mcp_reflect.cli.app import build_app
from mcp_reflect.cli.install import carry_out, files, json_edit
from mcp_reflect.cli.install.clients import CLIENTS, ClientName, Machine
from mcp_reflect.cli.install.hook_targets import HOOK_TARGETS
from mcp_reflect.errors import ConfigurationError
from tests.support.hubs import hubs_ended, run_command
from tests.support.waiting import HANG_S

BOM = b"\xef\xbb\xbf"

CONFIGURATIONS: dict[str, bytes] = {
    "claude-code": b"""{
  "numStartups": 41,
  "oauthAccount": {
    "emailAddress": "ann@example.org"
  },
  "projects": {
    "/home/ann/a": {
      "allowedTools": [],
      "mcpServers": {
        "reflect": {
          "command": "local-one"
        }
      }
    }
  },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://example.org/mcp",
      "headers": {
        "Authorization": "Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a"
      }
    }
  },
  "userID": "x"
}""",
    "claude-desktop": b"""{
	"globalShortcut": "",
	"mcpServers": {
		"files": {"command": "npx"}
	}
}
""".replace(b"\n", b"\r\n"),
    "cursor": b'{"mcpServers":{"a":{"command":"npx","args":["-y","a"],"env":{"API_KEY":"k"}},"b":{"url":"http://x"}}}',
    "vscode": b"""{
\t// asked for once
\t"inputs": [
\t\t{ "type": "promptString", "id": "key", "password": true },
\t],
\t"servers": {
\t\t"github": {
\t\t\t"type": "http",
\t\t\t"url": "https://example.org/mcp", // remote
\t\t},
\t},
}
""",
    "codex": b"""model = "gpt-5"  # the large one

[projects."/home/ann/a"]
trust_level = "trusted"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]

[mcp_servers.docs.env]
KEY = "1"

# quiet, please
[tui]
notifications = false
""",
    "gemini": b"""{
    "security": {"auth": {"selectedType": "oauth-personal"}},
    "mcpServers": {
        "python": {
            "command": "python", /* the system's */
            "timeout": 15000
        }
    },
    "ui": {"theme": "GitHub"}
}
""",
    "windsurf": BOM
    + b'{\n  "mcpServers": {\n    "x": {\n      "serverUrl": "https://example.org/sse"\n    }\n  }\n}\n',
    "zed": b"""// Zed settings
//
// For information on how to configure Zed, see the documentation.
{
  "theme": "One Dark", // dark
  "context_servers": {
    // "old": { "source": "custom", "command": "old" },
    "context7": {
      "source": "extension",
      "settings": {},
    },
  },
  /* fonts */
  "buffer_font_size": 15,
}
""",
}


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder of its own, with no variable in force that moves a client's file."""
    for name in list(os.environ):
        moves = name.startswith(("MCP_REFLECT_", "XDG_", "CLAUDE", "CODEX", "OPENAI")) or name == "APPDATA"
        if moves and not name.startswith("MCP_REFLECT_TEST_"):
            monkeypatch.delenv(name)
    home = tmp_path / "ann"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(home)
    return home


def run(*words: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(_app(), ["install", *words], input=answer)


@functools.cache
def _app() -> typer.Typer:
    return build_app("install")


def file_of(name: str, home: Path) -> Path:
    return CLIENTS[ClientName(name)].user_file(Machine(os.environ, home))


def existing(name: str, home: Path) -> Path:
    file = file_of(name, home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(CONFIGURATIONS[name])
    return file


def backups(file: Path) -> list[Path]:
    return sorted(file.parent.glob(f"{file.name}.*.bak"))


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_server_comes_and_goes_and_the_file_is_the_same_to_the_byte(name: str, user: Path) -> None:
    file = existing(name, user)
    installed = run(name, "--yes")
    assert installed.exit_code == 0, installed.output
    assert "mcp-reflect" in file.read_bytes().decode("utf-8-sig")
    assert CONFIGURATIONS[name].count(b"\r\n") == 0 or b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    assert [copy.read_bytes() for copy in backups(file)] == [CONFIGURATIONS[name]]
    removed = run(name, "--uninstall", "--yes")
    assert removed.exit_code == 0, removed.output
    assert file.read_bytes() == CONFIGURATIONS[name]


EMPTY = {
    "claude-code": [
        '{"mcpServers": {}}',
        '{\n  "a": 1,\n  "mcpServers": {}\n}\n',
        '{\n  "mcpServers": {\n  },\n  "a": 1\n}',
        '{"a":1,"mcpServers":{ }}',
        '{"a": 1}',
    ],
    "claude-desktop": ["", "\n", "{}", "{ }\n", "{\n}\n", '{\n\t"mcpServers": {}\n}\n'],
    "zed": ['{\r\n  // font\r\n  "context_servers": {},\r\n  "size": 15,\r\n}\r\n', "// nothing yet\n{}\n", ""],
    "codex": ["", "\n", "[mcp_servers]\n", 'model = "o"\n\n[mcp_servers]\n'],
    "gemini": ['{"mcpServers": {}, "hooks": {}}', "", "{\n}\n", '{\n  "hooks": {},\n  "mcpServers": {}\n}\n'],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in EMPTY.items() for text in texts])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_what_was_empty_before_is_so_again_to_the_byte(name: str, text: str, mark: bytes, user: Path) -> None:
    file = file_of(name, user)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(mark + text.encode())
    hooks = ["--hooks"] if name == "gemini" else []
    for _ in range(2):
        for _ in range(2):
            assert run(name, "--yes", *hooks).exit_code == 0
        assert b"mcp-reflect" in file.read_bytes()
        assert run(name, "--uninstall", "--yes").exit_code == 0
        assert file.read_bytes() == mark + text.encode()
    assert not carry_out.install_home().exists()


def test_what_was_empty_is_forgotten_where_the_user_wrote_the_file_anew(user: Path) -> None:
    file = file_of("cursor", user)
    file.parent.mkdir(parents=True)
    for before, anew in (('{"mcpServers": {}}', '{"theme": "dark"}'), ('{"mcpServers": {}}', None)):
        file.write_text(before, encoding="utf-8")
        run("cursor", "--yes")
        if anew is None:
            file.unlink()
        else:
            file.write_text(anew, encoding="utf-8")
        run("cursor", "--yes")
        run("cursor", "--uninstall", "--yes")
        assert (file.read_text(encoding="utf-8") if file.exists() else None) == anew


def test_what_the_user_added_meanwhile_stays_beside_a_section_that_was_empty(user: Path) -> None:
    file = file_of("cursor", user)
    file.parent.mkdir(parents=True)
    file.write_text('{"mcpServers": {}}', encoding="utf-8")
    run("cursor", "--yes")
    file.write_text(file.read_text(encoding="utf-8")[:-1] + ', "theme": "dark"}', encoding="utf-8")
    run("cursor", "--uninstall", "--yes")
    assert file.read_text(encoding="utf-8") == '{"mcpServers": {}, "theme": "dark"}'


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_second_time_nothing_changes(name: str, user: Path) -> None:
    file = existing(name, user)
    run(name, "--yes")
    once, copies = file.read_bytes(), backups(file)
    again = run(name, "--yes")
    assert again.exit_code == 0
    assert "already there" in again.output
    assert (file.read_bytes(), backups(file)) == (once, copies)
    run(name, "--uninstall", "--yes")
    assert "is not there" in run(name, "--uninstall").output


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_client_without_a_file_gets_one_for_its_user_alone(name: str, user: Path) -> None:
    file = file_of(name, user)
    assert "is not there" in run(name, "--uninstall", "--yes").output
    assert not file.exists()
    assert run(name, "--yes").exit_code == 0
    text = file.read_text(encoding="utf-8")
    said = tomllib.loads(text) if name == "codex" else json.loads(text)
    entry = said[CLIENTS[ClientName(name)].root]["reflect"]
    assert Path(entry["command"]).is_absolute()
    assert Path(entry["command"]).exists()
    assert backups(file) == []
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_dry_run_shows_the_change_and_makes_none(name: str, user: Path) -> None:
    file = existing(name, user)
    shown = run(name, "--dry-run")
    assert shown.exit_code == 0
    assert "+++" in shown.output or name == "cursor"
    assert "mcp-reflect" in shown.output
    assert "nothing was changed" in shown.output
    assert file.read_bytes() == CONFIGURATIONS[name]
    assert backups(file) == []


def test_keys_of_other_servers_are_not_shown(user: Path) -> None:
    existing("claude-code", user)
    assert "gho_16C7" not in run("claude-code", "--dry-run").output
    text = CONFIGURATIONS["claude-code"].replace(b"\n", b" ")
    file_of("claude-code", user).write_bytes(text)
    assert "gho_16C7" not in run("claude-code", "--dry-run").output


def test_without_a_terminal_nobody_is_asked_and_nothing_changes(user: Path) -> None:
    file = existing("zed", user)
    refused = run("zed")
    assert refused.exit_code == 2
    assert "--yes" in refused.output
    assert file.read_bytes() == CONFIGURATIONS["zed"]


@pytest.mark.skipif(os.name == "nt", reason="a terminal of POSIX")
@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 1)])
def test_people_are_asked(answer: bytes, code: int, user: Path) -> None:
    import pty  # noqa: PLC0415 - does not exist on Windows

    file = existing("zed", user)
    terminal, theirs = pty.openpty()
    with os.fdopen(terminal, "wb", buffering=0) as keyboard, os.fdopen(theirs, "rb", buffering=0) as stdin:
        keyboard.write(answer)
        done = subprocess.run(
            [sys.executable, "-m", "mcp_reflect", "install", "zed"],
            stdin=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
        )
    assert "Change Zed" in done.stdout
    assert done.returncode == code, done.stderr
    assert (file.read_bytes() == CONFIGURATIONS["zed"]) is (code == 1)


FOREIGN = {"mcpServers": {"reflect": {"command": "npx", "args": ["reflect-mcp"], "env": {"KEY": "hunter2"}}, "x": {}}}


def test_the_entry_of_another_server_is_replaced_only_by_force(user: Path) -> None:
    file = file_of("gemini", user)
    file.parent.mkdir()
    file.write_text(json.dumps(FOREIGN, indent=2), encoding="utf-8")
    for words in (["--yes"], ["--uninstall", "--yes"]):
        refused = run("gemini", *words)
        assert refused.exit_code == 2
        assert "npx" in refused.output
        assert "hunter2" not in refused.output
        assert json.loads(file.read_text(encoding="utf-8")) == FOREIGN
    assert run("gemini", "--yes", "--force").exit_code == 0
    servers = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]
    assert servers["x"] == {}
    assert set(servers["reflect"]) == {"command"}


def test_another_name_stands_beside_it(user: Path) -> None:
    file = file_of("gemini", user)
    file.parent.mkdir()
    file.write_text(json.dumps(FOREIGN, indent=2), encoding="utf-8")
    before = file.read_bytes()
    assert run("gemini", "--yes", "--name", "lessons").exit_code == 0
    assert set(json.loads(file.read_text(encoding="utf-8"))["mcpServers"]) == {"reflect", "x", "lessons"}
    assert run("gemini", "--uninstall", "--yes", "--name", "lessons").exit_code == 0
    assert file.read_bytes() == before
    assert run("gemini", "--yes", "--name", " ").exit_code == 2


def test_an_installation_that_moved_is_followed_and_what_the_user_added_stays(user: Path) -> None:
    file = file_of("vscode", user)
    file.parent.mkdir(parents=True)
    text = """{
  "servers": {
    "reflect": {
      "type": "stdio",
      "command": "/gone/mcp-reflect", // mine
      "env": {"MCP_REFLECT_PROJECT": "p"}
    }
  }
}
"""
    file.write_text(text, encoding="utf-8")
    assert run("vscode", "--yes").exit_code == 0
    changed = file.read_text(encoding="utf-8")
    command = changed.split('"command": "')[1].split('"')[0]
    assert changed == text.replace("/gone/mcp-reflect", command)
    assert Path(command).exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("claude-desktop", b'{\n  "mcpServers": {},\n}', "line 2, column 19: a comma before }"),
        ("claude-code", b"{\n  // no\n}", "line 2, column 3: comments are not allowed"),
        ("zed", b'{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma or }"),
        ("codex", b'model = "o3"\n[mcp_servers\n', "line 2, column 13"),
        ("cursor", b'{"mcpServers": ["a"]}', "mcpServers must be an object"),
        ("gemini", b"\xff\xfe{\x00}\x00", "must be UTF-8"),
        ("vscode", b"[]", "the whole file must be an object"),
    ],
)
def test_a_broken_file_is_left_alone(name: str, content: bytes, said: str, user: Path) -> None:
    file = file_of(name, user)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    for words in (["--yes"], ["--yes", "--force"], ["--uninstall", "--yes"]):
        refused = run(name, *words)
        assert refused.exit_code == 2
        assert said in refused.output.replace("\n", " ")
        assert str(file) in refused.output
    assert file.read_bytes() == content
    assert backups(file) == []


def test_a_project_gets_a_file_that_others_can_share(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = user / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (repository / "src").mkdir()
    monkeypatch.chdir(repository / "src")
    monkeypatch.setenv("MCP_REFLECT_HOME", str(user / "memory"))
    for name, client in CLIENTS.items():
        done = run(name, "--project", "--yes")
        if not client.project_file:
            assert done.exit_code == 2
            assert "leave --project out" in done.output
            continue
        assert done.exit_code == 0, done.output
        text = (repository / client.project_file).read_text(encoding="utf-8")
        assert str(user) not in text
        entry = (tomllib.loads(text) if client.format == "toml" else json.loads(text))[client.root]["reflect"]
        assert entry["command"] == "mcp-reflect"


def test_uninstalling_from_a_project_leaves_neither_an_empty_file_nor_copies(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = user / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(repository)
    monkeypatch.setenv("MCP_REFLECT_HOME", str(user / "memory"))
    for name, client in CLIENTS.items():
        if client.project_file:
            assert run(name, "--project", "--yes").exit_code == 0
            done = run(name, "--project", "--uninstall", "--yes")
            assert "held nothing else and was deleted" in done.output
    assert [file for file in repository.rglob("*") if file.is_file() and ".git" not in file.parts] == []
    shared = repository / ".mcp.json"
    shared.write_bytes(CONFIGURATIONS["claude-code"])
    run("claude-code", "--project", "--yes")
    run("claude-code", "--project", "--uninstall", "--yes")
    assert shared.read_bytes() == CONFIGURATIONS["claude-code"]
    assert backups(shared) == []
    first, second = sorted((user / "memory" / "config-backups").iterdir())
    assert first.name.startswith("repository-.mcp.json.")
    assert CONFIGURATIONS["claude-code"] in {first.read_bytes(), second.read_bytes()}


@pytest.mark.parametrize("name", CLIENTS)
def test_uninstalling_deletes_what_installing_created(name: str, user: Path) -> None:
    hooks = ["--hooks"] if name in HOOK_TARGETS and os.name == "posix" else []
    before = files_in(user)
    assert run(name, *hooks, "--yes").exit_code == 0
    assert files_in(user) != before
    done = run(name, "--uninstall", "--yes")
    assert "held nothing else and was deleted" in done.output
    assert files_in(user) == before


def test_a_file_that_installing_created_stays_with_what_its_user_wrote(user: Path) -> None:
    run("cursor", "--yes")
    file = file_of("cursor", user)
    file.write_text(file.read_text(encoding="utf-8").replace("{", '{\n  "theme": "dark",', 1), encoding="utf-8")
    assert "Backup" in run("cursor", "--uninstall", "--yes").output
    assert json.loads(file.read_bytes()) == {"theme": "dark"}
    file.write_text("{}", encoding="utf-8")
    run("cursor", "--yes")
    run("cursor", "--uninstall", "--yes")
    assert not file.exists()


def files_in(folder: Path) -> set[Path]:
    return {file for file in folder.rglob("*") if file.is_file()}


@pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")
def test_a_link_stays_a_link_and_a_mode_stays(user: Path) -> None:
    real = user / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(CONFIGURATIONS["claude-code"])
    real.chmod(0o640)
    link = file_of("claude-code", user)
    link.symlink_to(real)
    assert run("claude-code", "--yes").exit_code == 0
    assert link.is_symlink()
    assert b"mcp-reflect" in real.read_bytes()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [stat.S_IMODE(copy.stat().st_mode) for copy in backups(link)] == [0o640]
    assert list(real.parent.iterdir()) == [real]


def test_a_file_that_changed_while_people_were_asked_is_left_alone(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = existing("claude-code", user)
    later = CONFIGURATIONS["claude-code"].replace(b"41", b"42")
    monkeypatch.setattr(carry_out, "_confirm", lambda _: file.write_bytes(later))
    refused = run("claude-code")
    assert refused.exit_code == 2
    assert "changed by another program" in refused.output
    assert file.read_bytes() == later


def fail(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("broken", ["fsync", "chown"])
def test_a_write_that_fails_leaves_the_file_as_it_was(broken: str, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = existing("gemini", user)
    monkeypatch.setattr(files.os, broken, fail)
    refused = run("gemini", "--yes")
    assert refused.exit_code == 2
    assert "No space left on device" in refused.output
    assert file.read_bytes() == CONFIGURATIONS["gemini"]
    assert {each.suffix for each in file.parent.iterdir()} == {".json", ".bak"}


def test_backups_of_one_second_do_not_overwrite_each_other(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.time, "strftime", lambda _: "20261121-000000")
    file = existing("cursor", user)
    run("cursor", "--yes")
    installed = file.read_bytes()
    run("cursor", "--uninstall", "--yes")
    assert {copy.read_bytes() for copy in backups(file)} == {CONFIGURATIONS["cursor"], installed}


def test_a_folder_in_the_place_of_the_file_is_an_error(user: Path) -> None:
    file_of("cursor", user).mkdir(parents=True)
    refused = run("cursor", "--yes")
    assert refused.exit_code == 2
    assert "cannot be read" in refused.output


def test_an_edit_that_would_lose_an_entry_is_refused(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = existing("cursor", user)
    monkeypatch.setattr(json_edit, "put_entry", lambda *_, **__: '{"mcpServers": {"reflect": {}}}')
    refused = run("cursor", "--yes")
    assert refused.exit_code == 2
    assert "cannot be changed safely" in refused.output
    assert file.read_bytes() == CONFIGURATIONS["cursor"]


def test_an_unknown_client_is_told_which_there_are() -> None:
    refused = run("emacs")
    assert refused.exit_code == 2
    assert "windsurf" in refused.output


def test_the_file_must_not_be_huge(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LARGEST", 10)
    with pytest.raises(ConfigurationError, match="too large"):
        files.read_config_file(existing("zed", user))


@pytest.mark.slow
def test_claude_code_itself_connects_to_what_was_installed(user: Path, tmp_path: Path) -> None:
    claude = os.environ.get("MCP_REFLECT_TEST_CLAUDE") or shutil.which("claude")
    if claude is None:
        pytest.skip("Claude Code is not here; MCP_REFLECT_TEST_CLAUDE names its program")
    with hubs_ended(tmp_path / "home") as home:
        installed = run_command(home, "install", "claude-code", "--yes", HOME=str(user))
        assert installed.returncode == 0, installed.stderr
        variables = {"HOME": str(user), "PATH": os.environ["PATH"], "MCP_REFLECT_HUB__IDLE_EXIT_S": "1"}
        told = subprocess.run(
            [claude, "mcp", "get", "reflect"],
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
            stdin=subprocess.DEVNULL,
        )
        assert "Connected" in told.stdout, told.stdout + told.stderr
        assert str(home) in (user / ".claude.json").read_text(encoding="utf-8")


def test_beside_the_plugin_no_second_server_is_installed_and_the_plugin_is_shown_the_program(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_REFLECT_HOME", str(tmp_path / "memory"))
    settings = user / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"enabledPlugins": {"mcp-reflect@mcp-reflect": true}}', encoding="utf-8")
    file = existing("claude-code", user)
    done = run("claude-code", "--yes")
    assert (done.exit_code, file.read_bytes()) == (0, CONFIGURATIONS["claude-code"])
    assert str(settings) in done.output
    launch = tmp_path / "memory" / "launch"
    assert str(launch) in done.output
    told = subprocess.run([launch, "--version"], capture_output=True, text=True, check=True, timeout=HANG_S)
    assert told.stdout.startswith("mcp-reflect ")
    assert run("claude-code", "--yes", "--force").exit_code == 0
    assert "reflect" in json.loads(file.read_bytes())["mcpServers"]
    again = run("claude-code", "--yes")
    assert "mcp-reflect install claude-code --uninstall" in again.output

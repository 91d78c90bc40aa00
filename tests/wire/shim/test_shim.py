"""The process that a client starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcp_reflect.server.tools.all_tools import TOOLS
from tests.support.forks import SHIM
from tests.support.home_files import files_with
from tests.support.hubs import RawClient, alive, hub_pids, kill_hub, posix, run_command, status
from tests.support.servers import environment
from tests.support.waiting import until

pytestmark = [posix, pytest.mark.own_start]

HANDED_OVER_S = 1.0
"""Nothing shows from outside when the shim has handed a call over to a hub that is stopped; one that it had not is
sent to the next hub, and answered."""
LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}


def test_the_shim_loads_the_standard_library_and_its_own_few_modules(home: Path) -> None:
    report = (
        "import json, sys, os; sys.argv = ['mcp-reflect']\n"
        "from mcp_reflect.wire.shim import relay\n"
        "def leave(code):\n"
        "    files = {n: getattr(m, '__file__', None) or '' for n, m in sys.modules.items()}\n"
        "    os.write(2, json.dumps(files).encode()); os._exit(0)\n"
        "from mcp_reflect.wire.shim import command as shim; shim.exit_now = leave\n"
        "from mcp_reflect.__main__ import main; main()"
    )
    with RawClient(environment(home), [sys.executable, "-c", report]) as client:
        client.shake_hands()
        client.close()
        _, lines = client.ended()
    files = json.loads(lines[-1])
    ours = {name for name in files if name.partition(".")[0] == "mcp_reflect"}
    both = {"address", "handshake", "hub_connection", "hub_errors", "hub_launcher", "json_rpc", "light_json"}
    both |= {"outbox_process", "owner_note", "request_meta", "version"}
    own = {
        "client_handshake", "command", "deadlines", "downstream", "front", "hub_finder", "hub_link", "line_queue",
        "overdue", "relay", "repeatable", "settings_check", "stdio", "unserved", "upstream",
    }  # fmt: skip
    assert ours == {
        "mcp_reflect",
        "mcp_reflect.__main__",
        "mcp_reflect.own_files",
        "mcp_reflect.wire",
        "mcp_reflect.wire.shim",
    } | {
        *(f"mcp_reflect.wire.{name}" for name in both),
        *(f"mcp_reflect.wire.shim.{name}" for name in own),
    }
    foreign = [n for n, file in files.items() if "site-packages" in file and not n.startswith("_")]
    assert foreign == []


def test_a_client_that_closes_stdin_is_rid_of_its_shim_and_the_hub_of_its_session(home: Path) -> None:
    with RawClient(environment(home, **LASTING)) as client:
        client.shake_hands()
        assert len(status(home)["clients"]) == 1
        client.close()
        assert client.ended()[0] == 0
        until(lambda: status(home)["clients"] == [])


def test_a_request_that_came_just_before_the_end_is_still_answered(home: Path) -> None:
    with RawClient(environment(home, **LASTING)) as client:
        client.shake_hands()
        number = client.send("tools/list")
        client.close()
        assert client.answer()["id"] == number


def test_a_killed_shim_leaves_no_session_behind(home: Path) -> None:
    with RawClient(environment(home, **LASTING)) as client:
        client.shake_hands()
        client.process.kill()
        until(lambda: status(home)["clients"] == [])


def test_a_shim_goes_with_its_parent_even_where_stdin_stays_open(home: Path) -> None:
    # The parent hands its own stdin, which this test keeps open, to the shim, and then is killed.
    parent = (
        "import signal, subprocess, sys\n"
        f"child = subprocess.Popen({SHIM!r})\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "signal.pause()"
    )
    with RawClient(environment(home), [sys.executable, "-c", parent]) as client:
        client.shake_hands()
        assert client.process.stderr is not None
        shim = int(client.process.stderr.readline())
        assert alive(shim)
        client.process.kill()
        until(lambda: not alive(shim))


@pytest.mark.parametrize("hub", ["true", "false"])
def test_a_wrong_setting_is_told_to_person_and_client(home: Path, hub: str) -> None:
    wrong = environment(home, MCP_REFLECT_MEMORY__LIMIT="many", MCP_REFLECT_HUB__ENABLED=hub)
    with RawClient(wrong) as client:
        number = client.send("initialize", {})
        answer = client.answer()
        code, lines = client.ended()
    assert code == 2
    assert len(lines) == 1
    assert "memory.limit" in lines[0]
    assert answer["id"] == number
    assert "memory.limit" in answer["error"]["message"]


def test_a_wrong_setting_of_one_client_is_no_other_clients_trouble(home: Path) -> None:
    with RawClient(environment(home)) as good, RawClient(environment(home, Q_LEARNING_ALPHA="2")) as wrong:
        good.shake_hands()
        wrong.send("initialize", {})
        assert "alpha" in wrong.answer()["error"]["message"]
        assert wrong.ended()[0] == 2
        good.call("memory_stats")


def test_each_client_has_its_own_project_user_and_defaults(home: Path) -> None:
    own = {"MCP_REFLECT_PROJECT": "other-project", "MCP_REFLECT_USER": "bob", "Q_LEARNING_ALPHA": "0.5"}
    with RawClient(environment(home)) as ann, RawClient(environment(home, **own)) as bob:
        ann.shake_hands()
        bob.shake_hands()
        for client in (ann, bob):
            client.call("submit_trace", task="t", review_result="pass", guidance="g")
            client.call("query_memories", task="t")
        moved = [client.call("submit_trace", task="t", review_result="pass")["q_updates"] for client in (ann, bob)]
        assert [updates[0]["alpha"] for updates in moved] == [0.3, 0.5]
        assert moved[0][0]["memory_id"] != moved[1][0]["memory_id"]
        assert {(c["project"], c["user"]) for c in status(home)["clients"]} == {
            ("test-project", "ann"),
            ("other-project", "bob"),
        }


def test_a_client_that_wants_another_store_is_told_in_one_line_and_served(home: Path) -> None:
    other = environment(home, MCP_REFLECT_EMBEDDING__MODEL="openai:text-x", OPENAI_API_KEY="sk-" + "a1" * 20)
    with RawClient(environment(home)) as first:
        first.shake_hands()
        with RawClient(other) as second:
            second.shake_hands()
            assert second.call("query_memories", task="t")["memories"] == []
            second.close()
            _, lines = second.ended()
    told, line = lines
    assert told == "mcp-reflect: project test-project (MCP_REFLECT_PROJECT)"
    assert "embedding.model = openai:text-x" in line
    assert "bundled" in line
    assert files_with(home, b"a1a1a1a1") == []


def test_a_killed_hub_costs_nothing_that_may_be_sent_again(home: Path) -> None:
    with RawClient(environment(home)) as client:
        client.shake_hands()
        client.call("submit_trace", task="t", review_result="pass", guidance="g")
        told = client.call("query_memories", task="t")
        pid = status(home)["pid"]
        os.kill(pid, signal.SIGSTOP)
        number = client.send("tools/call", {"name": "submit_trace", "arguments": {"task": "u"}})
        fix = {"task": "u", "mistake": "It stops.", "fix": "Start it."}
        other = client.send("tools/call", {"name": "record_error_fix", "arguments": fix})
        time.sleep(HANDED_OVER_S)
        os.kill(pid, signal.SIGKILL)
        answers = {answer["id"]: answer for answer in (client.answer(), client.answer())}
        assert answers[other]["error"]["code"] == -32000
        assert "retry" in answers[other]["error"]["message"]
        # The new hub knows the client, and what this connection was shown before.
        trace_id = answers[number]["result"]["structuredContent"]["trace_id"]
        outcome = client.call("review_trace", trace_id=trace_id, result="pass")
        assert client.call("memory_stats")["traces"]["total"] == 2
        assert [update["memory_id"] for update in outcome["q_updates"]] == [told["memories"][0]["id"]]
        assert sum("protocolVersion" in json.loads(line).get("result", {}) for line in client.lines) == 1


def test_what_only_tells_about_the_server_is_asked_again_by_the_shim(home: Path) -> None:
    with RawClient(environment(home)) as client:
        client.shake_hands()
        pid = status(home)["pid"]
        os.kill(pid, signal.SIGSTOP)
        number = client.send("tools/list")
        os.kill(pid, signal.SIGKILL)
        answer = client.answer()
        assert answer["id"] == number
        assert len(answer["result"]["tools"]) == len(TOOLS)


def test_a_hub_killed_before_the_handshake_was_answered_is_never_noticed(home: Path) -> None:
    with RawClient(environment(home)) as client:
        pid = until(lambda: (home / "hub.sock").exists() and hub_pids(home))[0]
        os.kill(pid, signal.SIGSTOP)
        client.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x"}})
        os.kill(pid, signal.SIGKILL)
        assert client.answer()["error"]["code"] != -32000


def test_a_server_without_a_hub_and_a_hub_keep_out_of_each_others_way(home: Path) -> None:
    alone = environment(home, MCP_REFLECT_HUB__ENABLED="false")
    with RawClient(alone) as first:
        first.shake_hands()
        assert hub_pids(home) == []
        with RawClient(environment(home)) as second:
            second.send("initialize", {})
            answer = second.answer()
            code, lines = second.ended()
        assert code == 2
        assert f"in use by process {first.process.pid}, a server without a hub" in lines[-1]
        assert "a server without a hub" in answer["error"]["message"]
    with RawClient(environment(home, **LASTING)) as first:
        first.shake_hands()
        with RawClient(alone) as second:
            second.send("initialize", {})
            assert "a hub" in second.answer()["error"]["message"]
            assert second.ended()[0] == 2


def test_config_toml_can_switch_the_hub_off(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[hub]\nenabled = false\n", encoding="utf-8")
    with RawClient(environment(home)) as client:
        client.shake_hands()
        assert hub_pids(home) == []


def test_where_no_hub_can_be_started_the_shim_serves_alone(home: Path) -> None:
    script = (
        "import sys; sys.argv = ['mcp-reflect']; sys.executable = '/nonexistent/python'\n"
        "from mcp_reflect.__main__ import main; main()"
    )
    with RawClient(environment(home), [sys.executable, "-c", script]) as client:
        client.shake_hands()
        assert client.call("memory_stats")["traces"]["total"] == 0
        client.close()
        _, lines = client.ended()
    assert "without a hub" in lines[-1]
    assert hub_pids(home) == []


def test_stdout_carries_nothing_but_the_protocol(home: Path) -> None:
    with RawClient(environment(home)) as client:
        client.shake_hands()
        assert client.process.stdin is not None
        client.process.stdin.write(b"no json\n\n[1, 2]\n{}\n\xff\xfe\n")
        client.process.stdin.write(b'{"params":' * 5_000 + b"1" + b"}" * 5_000 + b"\n")
        client.request("no/such/method")
        client.request("tools/call", {"name": "no_such_tool", "arguments": {}})
        kill_hub(home)
        client.request("tools/list")
        client.close()
        client.ended()
    assert len(client.lines) == 5
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)


def test_verify_and_reindex_are_done_by_the_hub_that_runs(home: Path) -> None:
    with RawClient(environment(home)) as client:
        client.shake_hands()
        client.call("submit_trace", task="t", review_result="pass", guidance="g")
        verified = run_command(home, "verify")
        assert (verified.returncode, verified.stdout) == (0, "Everything agrees.\n")
        rebuilt = run_command(home, "reindex", "--all")
        assert (rebuilt.returncode, rebuilt.stdout) == (0, "test-project: 0 embedded, 1 written to the index\n")


def test_verify_says_where_the_hub_works_with_another_store(home: Path, tmp_path: Path) -> None:
    other = {"MCP_REFLECT_LEDGER__URL": f"sqlite:///{tmp_path / 'other.db'}"}
    with RawClient(environment(home)) as client:
        client.shake_hands()
        verified = run_command(home, "verify", **other)
        assert (verified.returncode, verified.stdout) == (0, "Everything agrees.\n")
        assert "ledger.url = " in verified.stderr
        assert "hub restart" in verified.stderr
        assert run_command(home, "verify").stderr == ""


def test_a_home_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with RawClient(environment(tmp_path / "file" / "home")) as client:
        client.send("initialize", {})
        assert "MCP_REFLECT_HOME" in client.answer()["error"]["message"]
        code, lines = client.ended()
    assert (code, len(lines)) == (2, 1)


def test_modules_in_the_clients_folder_are_not_taken_for_ours(home: Path, tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("raise SystemExit('taken')")
    command = [str(Path(sys.executable).parent / "mcp-reflect")]
    with RawClient(environment(home), command, cwd=tmp_path) as client:
        assert client.shake_hands()["result"]["serverInfo"]["name"] == "mcp-reflect"
    assert subprocess.run([*command, "--version"], capture_output=True, check=True).stdout.startswith(b"mcp-reflect ")

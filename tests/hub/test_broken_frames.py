"""Messages that cannot be read, and connections that say nothing: the others are served, and a request is answered."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack, closing
from pathlib import Path

from mcp_reflect import __version__
from mcp_reflect.errors import UsageError
from mcp_reflect.hub.session import MOST_BROKEN_LINES
from mcp_reflect.wire import handshake
from mcp_reflect.wire.handshake import MAX_HELLO_BYTES, LineReader
from mcp_reflect.wire.hub_connection import try_connect
from tests.support.hubs import RawClient, changed_hub, posix, status
from tests.support.servers import environment
from tests.support.waiting import HANG_S

pytestmark = posix

WITHOUT_PAUSES = "from mcp_reflect.hub import session; session.BROKEN_LINE_PAUSE_S = 0; run_hub()"
BROKEN = b"{\0GET / HTTP/1.1\r\r\n"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
DEEP = "[" * 100_000 + "]" * 100_000


def test_a_request_that_is_nested_without_end_is_answered_and_the_session_goes_on(home: Path) -> None:
    with RawClient(environment(home)) as client:
        client.shake_hands()
        call = (
            f'"method":"tools/call","params":{{"name":"submit_trace","arguments":{{"task":"t","trajectory":{DEEP}}}}}'
        )
        assert client.process.stdin is not None
        for line, number in (
            (f'{{"jsonrpc":"2.0","id":777,{call}}}', 777),
            (f'{{{call},"jsonrpc":"2.0","id":"x"}}', "x"),
        ):
            client.process.stdin.write(line.encode() + b"\n")
            client.process.stdin.flush()
            answer = client.answer()
            assert (answer["id"], answer["error"]["code"]) == (number, -32700)
            assert "nested too deeply. Nothing was done." in answer["error"]["message"]
            assert answer["error"]["data"]["code"] == UsageError.code
        assert client.call("memory_stats")["traces"]["total"] == 0


def test_a_message_of_too_many_values_is_refused_unparsed_and_one_of_long_texts_is_read(home: Path) -> None:
    with RawClient(environment(home)) as client:
        client.shake_hands()
        number = client.send("tools/call", run([{"role": "user", "content": ""}] * 100_000))
        answer = client.answer()
        assert (answer["id"], answer["error"]["code"]) == (number, -32700)
        assert "more than 250,000 JSON values. Nothing was done." in answer["error"]["message"]
        assert answer["error"]["data"]["code"] == UsageError.code
        marks = 'a,b["{\\"' * 200_000
        number = client.send("tools/call", run([{"role": "user", "content": marks}]))
        assert client.answer()["id"] == number
        assert client.call("memory_stats")["traces"]["total"] == 1


def test_a_connection_on_which_nothing_can_be_read_is_ended_with_a_last_word(home: Path) -> None:
    with changed_hub(home, WITHOUT_PAUSES), closing(connected(home)) as link:
        lines = LineReader(link)
        for _ in range(3):  # a message begins the count anew
            link.sendall(BROKEN * (MOST_BROKEN_LINES - 1) + PING)
            assert json.loads(lines.next() or b"{}")["id"] == 1
        link.sendall(BROKEN * MOST_BROKEN_LINES)
        last = json.loads(lines.next() or b"{}")
        assert (last["id"], last["error"]["code"]) == (None, -32700)
        assert "20 lines in a row are no messages. The connection is ended." in last["error"]["message"]
        assert lines.next() is None


def test_a_client_whose_connection_was_ended_is_served_over_another_one(home: Path) -> None:
    with changed_hub(home, WITHOUT_PAUSES), RawClient(environment(home)) as client:
        client.shake_hands()
        assert client.process.stdin is not None
        client.process.stdin.write(BROKEN * 3 * MOST_BROKEN_LINES)
        client.process.stdin.flush()
        number = client.send("tools/call", {"name": "memory_stats", "arguments": {}})
        while (answer := client.answer())["id"] is None:
            assert "The connection is ended." in answer["error"]["message"]
        assert (answer["id"], answer["result"]["structuredContent"]["traces"]["total"]) == (number, 0)


def connected(home: Path) -> socket.socket:
    """Return a connection to the hub of a home, as a shim makes it."""
    hello = handshake.build_hello(__version__, str(home), environment(home), str(home), handshake.new_connection_id())
    found = try_connect(str(home), hello)
    assert found is not None
    found.link.settimeout(HANG_S)
    return found.link


def run(trajectory: list[dict[str, str]]) -> dict[str, object]:
    """Return the parameters of a call that hands in a run."""
    return {"name": "submit_trace", "arguments": {"task": "t", "trajectory": trajectory}}


def test_strangers_at_the_socket_leave_its_clients_served(home: Path) -> None:
    with RawClient(environment(home)) as client, ExitStack() as crowd:
        client.shake_hands()
        for said in (b"", b"{", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 1000 + b"\n", DEEP.encode() + b"\n") * 10:
            link = crowd.enter_context(socket.socket(socket.AF_UNIX))
            link.connect(str(home / "hub.sock"))
            link.sendall(said)
        giant = crowd.enter_context(socket.socket(socket.AF_UNIX))
        giant.connect(str(home / "hub.sock"))
        try:
            for _ in range(10):
                giant.sendall(b"a" * MAX_HELLO_BYTES)
        except OSError:
            pass  # the hub has closed the connection
        else:
            raise AssertionError("a hello without end was read on and on")
        assert client.call("memory_stats")["traces"]["total"] == 0
        assert len(status(home)["clients"]) == 1

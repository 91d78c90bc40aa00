"""Messages that cannot be read, and connections that say nothing: the others are served, and a request is answered."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

from mcp_reflect.errors import UsageError
from mcp_reflect.wire.handshake import MAX_HELLO_BYTES
from tests.support.hubs import RawClient, posix, status
from tests.support.servers import environment

pytestmark = posix

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

"""Makes processes of the package by forking one that has imported it already.

An interpreter and its imports are most of what a command or a hub costs, and the tests start hundreds. What is forked
is a process as any other: with its own arguments, environment, folder and descriptors, and it ends with an exit code.
What a test shows about starting, imports or an executable, it has to show without this (the mark `own_start`).

`python fork_server.py SOCKET` serves until its stdin is closed, and then kills what is left of its processes.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

PRELOADED = (
    *("chromadb", "tokenizers", "snowballstemmer", "jinja2", "openai", "tomlkit"),
    *("rich.logging", "rich.progress", "rich.table", "rich.markup", "rich.text", "rich._emoji_codes", "typer"),
    *("anyio.streams.tls", "filelock", "sqlalchemy.dialects.sqlite"),
    *("mcp_reflect.hub.owner", "mcp_reflect.hub.standalone", "mcp_reflect.wire.caller", "mcp_reflect.wire.shim.relay"),
    *("mcp_reflect.adapters.chroma_index", "mcp_reflect.adapters.fastembed_embedder"),
    *("mcp_reflect.adapters.openai_embedder", "mcp_reflect.adapters.openai_reflector", "mcp_reflect.adapters.prompts"),
    *("mcp_reflect.adapters.sql_ledger", "mcp_reflect.application.maintenance", "mcp_reflect.server.views.records"),
)
"""What commands and hubs import, each when it needs it.

Left out: what looks at its environment as it is imported (the commands), and what starts a thread (onnxruntime).
"""


class ForkServer:
    """Serves one request after the other; each is a line of JSON that comes with three descriptors."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{path}.new")
        self._listener.listen(64)
        Path(f"{path}.new").rename(path)
        self._woken, self._waking = os.pipe()
        os.set_blocking(self._waking, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        self._children: dict[int, socket.socket] = {}

    def serve(self) -> dict[str, Any]:
        """Return in each new process, with its request; the server itself does not return."""
        lifeline = sys.stdin.fileno()
        while True:
            ready = select.select([lifeline, self._woken, self._listener], [], [])[0]
            if lifeline in ready:
                self._end()
            if self._woken in ready:
                os.read(self._woken, 1 << 16)
                self._bury()
            if self._listener in ready:
                asker, _ = self._listener.accept()
                if request := self._fork(asker):
                    return request

    def _fork(self, asker: socket.socket) -> dict[str, Any]:
        """Return the request in the new process, nothing in the server."""
        line, descriptors, _, _ = socket.recv_fds(asker, 1 << 16, 3)
        while line and not line.endswith(b"\n"):
            more = asker.recv(1 << 16)
            line = line + more if more else b""
        if not line:  # whoever asked is gone
            asker.close()
            return {}
        pid = os.fork()
        if not pid:
            asker.close()
            self._leave_to_the_server()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
            os.closerange(3, max(descriptors) + 1)
            return dict(json.loads(line))
        for descriptor in descriptors:
            os.close(descriptor)
        self._children[pid] = asker
        with suppress(OSError):
            asker.sendall(b"%d\n" % pid)
        return {}

    def _leave_to_the_server(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._listener.close()
        for asker in self._children.values():
            asker.close()
        os.close(self._woken)
        os.close(self._waking)

    def _bury(self) -> None:
        """Tell the exit codes of processes that have ended."""
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._children.pop(pid) as asker, suppress(OSError):
                asker.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))

    def _end(self) -> None:
        for pid in self._children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os._exit(0)


def show_as(words: list[str]) -> None:
    """Make the process table show this command, as by it tests find the hubs of a home. Linux only."""
    fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    begin, end = map(int, fields[45:47])
    text = "\0".join(words).encode()[: end - begin - 1]
    ctypes.memmove(begin, text.ljust(end - begin, b"\0"), end - begin)


def open_streams() -> None:
    """Open what Python calls stdin, stdout and stderr as for descriptors that were there from the start."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        buffering, mode = 1 if name == "stderr" else -1, "w" if descriptor else "r"
        new = open(descriptor, mode, buffering, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def become(request: dict[str, Any], server: str) -> None:
    """Turn this new process into what was asked for. The hubs that it starts are forked, too."""
    if request["session"]:
        os.setsid()
    os.environ.clear()
    os.environ.update(request["environ"])
    os.chdir(request["cwd"])
    open_streams()
    module, *arguments = request["command"]
    if sys.platform == "linux":
        show_as([sys.executable, "-m", module, *arguments])
    sys.argv = [module, *arguments]
    code: Any = None
    try:
        with hubs_forked(lambda: server):
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
    if code is None or isinstance(code, int):
        end_now(code or 0)
    raise SystemExit(code)


def end_now(code: int) -> None:
    """End the process as Python does, but leave its memory to the system.

    Taking apart what the server imported copies all of its pages, and costs more than most commands.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120  # as Python's own
    os._exit(code & 0xFF)


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    from tests.support.forking import hubs_forked

    del sys.path[0]
    gc.disable()
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()
    gc.enable()
    become(ForkServer(sys.argv[1]).serve(), sys.argv[1])

"""Where the tests of this process take their commands and hubs from: a fork server of its own, started when needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.support.forking import fork, hubs_forked
from tests.support.waiting import HANG_S, until

SHIM = [sys.executable, "-m", "mcp_reflect"]

_POSSIBLE = sys.platform == "linux"
"""Elsewhere processes are found by other means than /proc, and libraries of the system may not outlive a fork."""

_OWN_COMMAND = " " * 2_000
"""Makes the server's own command long enough for any other to be written over it."""


class Forks:
    """The fork server of this process; `allowed` while a test may be given forked processes."""

    def __init__(self) -> None:
        self.allowed = False
        self._folder = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()

    def socket(self) -> str:
        """Return where the server listens; it is started first."""
        with self._starting:
            if self._process is None:
                self._process = self._start()
            return str(Path(self._folder, "socket"))

    def _start(self) -> subprocess.Popen[bytes]:
        self._folder = tempfile.mkdtemp()
        path = Path(self._folder, "socket")
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fork_server.py")), str(path), _OWN_COMMAND],
            env=kept | {"HOME": self._folder},
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        until(lambda: path.exists() or process.poll() is not None)
        assert process.poll() is None, "the fork server did not start"
        return process

    @contextmanager
    def use(self, wanted: bool) -> Iterator[None]:
        """Give a test forked processes, if that is wanted and can be done here."""
        if not (wanted and _POSSIBLE):
            yield
            return
        self.allowed = True
        try:
            with hubs_forked(self.socket):
                yield
        finally:
            self.allowed = False

    def run(self, command: Sequence[str], environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Run `python -m MODULE ARGUMENT …` to its end."""
        (out, out_written), (err, err_written) = os.pipe(), os.pipe()
        try:
            with Path(os.devnull).open("rb") as nothing:
                descriptors = (nothing.fileno(), out_written, err_written)
                process = fork(self.socket(), command, environ, str(Path.cwd()), descriptors)
        finally:
            os.close(out_written)
            os.close(err_written)
        with os.fdopen(out, encoding="utf-8") as told, os.fdopen(err, encoding="utf-8") as complained:
            with ThreadPoolExecutor(1) as pool:
                complaints = pool.submit(complained.read)
                text = told.read()
            return subprocess.CompletedProcess(list(command), process.wait(HANG_S), text, complaints.result())

    def end(self) -> None:
        """End the server, and with it what is left of its processes."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(HANG_S)
            self._process = None
            shutil.rmtree(self._folder, ignore_errors=True)


forks = Forks()


def shim_command() -> list[str]:
    """Return what a client starts; where the test allows it, the hub is forked."""
    if forks.allowed:
        return [sys.executable, str(Path(__file__).with_name("shim.py")), forks.socket()]
    return SHIM

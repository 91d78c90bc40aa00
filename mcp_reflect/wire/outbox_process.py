"""Puts a run into the outbox of the home where no hub can be had. Standard library only: every shim imports this."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_reflect.errors import ErrorData

KEEPING_TIMEOUT_S = 30.0


class NotKept(Exception):
    """The run could not be put into the outbox; the message says why, and `data` is the error of the writing process.

    `data` is None where that process could not be run, or did not answer.
    """

    def __init__(self, message: str, data: ErrorData | None = None) -> None:
        super().__init__(message)
        self.data = data


class OutboxProcess:
    """Writes to the outbox by a process of its own, with the settings of `environ` and `cwd`. Thread-safe."""

    def __init__(self, environ: Mapping[str, str], cwd: str) -> None:
        self._environ = dict(environ)
        self._cwd = cwd
        self._prepared: Any = None
        self._changing = threading.Lock()

    def prepare(self) -> None:
        """Start the process for the next run, which takes a second on a busy machine. It waits for the run."""
        with self._changing, suppress(OSError):  # the run itself will tell
            self._prepared = self._prepared or self._start()

    def release(self) -> None:
        """End a process that was prepared and is not needed."""
        process = self._take_prepared()
        if process is not None:
            with suppress(OSError):
                process.communicate()  # without a run it has nothing to do

    def keep(
        self, arguments: Mapping[str, Any], *, trace_key: str = "", source: str = "", connection: str = ""
    ) -> None:
        """Keep a run, the arguments of submit_trace, for the next hub.

        `trace_key` counts where the arguments have none, and one of the two must be given; `source` is what a program
        took the verdict from; `connection` is that whose retrievals the run may have used. Raises NotKept.
        """
        import subprocess  # noqa: PLC0415 - nothing else in a shim waits for a process

        told = {"arguments": dict(arguments), "trace_key": trace_key, "source": source, "connection": connection}
        try:
            with self._take_prepared() or self._start() as process:
                try:
                    said, _ = process.communicate(json.dumps(told).encode(), KEEPING_TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    raise
            answer = json.loads(said)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise NotKept(f"the outbox could not be written: {type(error).__name__}") from error
        if answer.get("error"):
            from mcp_reflect.errors import error_from_data, read_error_data  # noqa: PLC0415 - shims wait for imports

            data = read_error_data(answer["error"])
            raise NotKept(str(error_from_data(data)), data)

    def _take_prepared(self) -> Any:
        with self._changing:
            process, self._prepared = self._prepared, None
        return process

    def _start(self) -> Any:
        import subprocess  # noqa: PLC0415 - as above

        return subprocess.Popen(
            # -P: the project's folder must not be searched for modules.
            [sys.executable, "-P", "-m", "mcp_reflect.hub.outbox_writer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environ,
            cwd=self._cwd,
        )

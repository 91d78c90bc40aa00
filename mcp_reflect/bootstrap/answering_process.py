"""A Python process of our own that answers requests, both pickled, one after the other, on its stdin and stdout."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

_END_S = 5.0


class ProcessEnded(Exception):
    """The process ended before it had answered."""


class NoAnswerInTime(ProcessEnded):
    """The process was killed, as it had not answered in the time that it was given."""


class AnsweringProcess:
    """A process that runs `function` of `module`, which has to call `answer_requests`. Not thread-safe."""

    def __init__(self, module: str, function: str) -> None:
        """Start it. Raises OSError where none can be started."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(_command(module, function), stdin=pipe, stdout=pipe)  # noqa: S603 - our own

    @property
    def pid(self) -> int:
        """Return the process's id."""
        return self._process.pid

    def ask(self, request: object, within_s: float | None = None) -> Any:
        """Return the answer to a request. Raises ProcessEnded; NoAnswerInTime after `within_s` seconds, None: never."""
        if within_s is None:
            return self._ask(request)
        is_over = threading.Event()

        def kill() -> None:
            is_over.set()
            self._process.kill()  # ends both waits, that for room in the pipe and that for the answer

        late = threading.Timer(within_s, kill)
        late.daemon = True
        late.start()
        try:
            return self._ask(request)
        except ProcessEnded as error:
            if is_over.is_set():
                raise NoAnswerInTime from error
            raise
        finally:
            late.cancel()

    def _ask(self, request: object) -> Any:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        try:
            asked.write(pickle.dumps(request, pickle.HIGHEST_PROTOCOL))
            asked.flush()
            return pickle.load(answers)  # noqa: S301 - of a process that this one started
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise ProcessEnded from error

    def end(self) -> None:
        """Let the process end, and kill one that does not."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        with suppress(OSError):
            asked.close()
        answers.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _command(module: str, function: str) -> Sequence[str]:
    # -P: the working directory must not be searched for modules. What a module that is run defines cannot be pickled.
    return sys.executable, "-P", "-c", f"from {module} import {function} as run; run()"


def answer_requests(answer: Callable[[Any], object]) -> None:
    """Answer the requests of the process that started this one until there are no more.

    A crash ends this process, with its traceback in the log of the one that asks.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks decides when to end
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    while True:
        try:
            asked = pickle.load(requests)  # noqa: S301 - of the process that started this one
        except EOFError:
            return
        pickle.dump(answer(asked), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
        del asked

"""Reads sessions in processes of their own, because one interpreter uses one core for most of that work."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Self

from mcp_reflect.bootstrap.answering_process import AnsweringProcess, ProcessEnded
from mcp_reflect.cli.learn.session_reader import ReadingRequest, ReadRuns, read_session

MOST_READERS = 4
"""With more of them the process that stores the runs is the one that the others wait for."""
RUNS_A_READER = 150
"""Fewer runs for each reader are read as fast in this process: one takes half a second to start."""
_AHEAD = 64
_AHEAD_BYTES = 16_000_000
"""Sessions, and bytes of them, that are read before they are asked for: no reader waits while runs are stored."""

_Reading = tuple[ReadingRequest, Future[ReadRuns]]


def reader_count(runs: int) -> int:
    """Return how many processes are worth their start for that many runs, beside this one, which reads as well.

    None is where no core is free: a system that shares its cores by sessions gives two processes no more than one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    busy = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0
    return max(min(cores - max(busy, 1), runs // RUNS_A_READER, MOST_READERS), 0)


class ReaderPool:
    """Processes that read sessions. Ends them when it is left.

    This one reads what none of them has begun with, rather than wait for them.
    """

    def __init__(self, readers: int) -> None:
        self._processes = [_start() for _ in range(readers)]
        self._idle: SimpleQueue[AnsweringProcess] = SimpleQueue()
        for process in self._processes:
            self._idle.put(process)
        self._threads = ThreadPoolExecutor(max(readers, 1), "mcp-reflect-reading")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.end()

    def read(self, requests: Iterable[ReadingRequest]) -> Iterator[tuple[ReadingRequest, ReadRuns]]:
        """Yield the runs of sessions, in order."""
        if not self._processes:
            yield from ((request, read_session(request)) for request in requests)
            return
        waiting: deque[_Reading] = deque()
        ahead = 0
        for request in requests:
            waiting.append((request, self._threads.submit(self._ask, request)))
            ahead += request.session.size
            while len(waiting) > _AHEAD or (ahead > _AHEAD_BYTES and len(waiting) > 1):
                ahead -= waiting[0][0].session.size
                yield _oldest(waiting)
        while waiting:
            yield _oldest(waiting)

    def _ask(self, request: ReadingRequest) -> ReadRuns:
        """Have a session read by a process that has nothing to do; by this one where that process is gone."""
        process = self._idle.get()
        try:
            answer: ReadRuns = process.ask(request)
        except ProcessEnded:
            return read_session(request)
        else:
            return answer
        finally:
            self._idle.put(process)


def _oldest(waiting: deque[_Reading]) -> tuple[ReadingRequest, ReadRuns]:
    """Take out the oldest request with its answer; until it is there, read what no other process has begun with."""
    for number, (request, answer) in enumerate(waiting):
        if waiting[0][1].done():
            break
        if answer.cancel():
            read: Future[ReadRuns] = Future()
            read.set_result(read_session(request))
            waiting[number] = (request, read)
    request, answer = waiting.popleft()
    return request, answer.result()


def _start() -> AnsweringProcess:
    return AnsweringProcess(read_session.__module__, "serve_readings")

"""A worker waits for a pause between notifications, though not for ever, and not once it is closed."""

from __future__ import annotations

import time

from mcp_reflect.application.project_worker import ProjectWorker
from tests.support.waiting import HANG_S, until

PAUSE_S = 0.05
NEVER_S = 2 * HANG_S


def test_work_begins_when_nobody_has_notified_for_the_pause() -> None:
    began: list[float] = []
    worker = ProjectWorker("test", lambda _: not began.append(time.monotonic()), pause_s=PAUSE_S)
    worker.notify("alpha")
    notified = time.monotonic()
    worker.notify("alpha")
    worker.start()
    assert until(lambda: began)[0] - notified >= PAUSE_S
    worker.close(HANG_S)


def test_work_begins_although_notifications_keep_coming() -> None:
    done: list[str] = []
    worker = ProjectWorker("test", lambda project: not done.append(project), pause_s=PAUSE_S)
    worker.start()

    def is_done_after_another_notification() -> bool:
        worker.notify("alpha")
        return bool(done)

    until(is_done_after_another_notification)
    worker.close(HANG_S)


def test_a_worker_that_is_closed_does_at_once_what_waits_for_a_pause() -> None:
    done: list[str] = []
    worker = ProjectWorker("test", lambda project: not done.append(project), pause_s=NEVER_S)
    worker.start()
    for project in ("alpha", "beta", "alpha"):
        worker.notify(project)
    worker.close(HANG_S)
    assert sorted(done) == ["alpha", "beta"]


def test_what_failed_is_left_where_the_worker_is_closed() -> None:
    tried: list[str] = []
    worker = ProjectWorker("test", lambda project: bool(tried.append(project)), retry_s=NEVER_S)
    worker.start()
    worker.notify("alpha")
    until(lambda: tried)
    worker.close(HANG_S)
    assert tried == ["alpha"]

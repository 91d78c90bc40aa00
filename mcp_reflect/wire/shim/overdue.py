"""Answers the requests that no hub has answered in time, and keeps the runs that are left when the client is gone.

Standard library only: every shim imports this.
"""

from __future__ import annotations

import time

from mcp_reflect.wire.json_rpc import cancellation
from mcp_reflect.wire.shim.upstream import Upstream

_PREPARED_S = 2.0
"""How long before a run's time is over its outbox is prepared."""


class OverdueRequests:
    """The requests of one client whose time is over; `upstream` holds them until then."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    def answer(self) -> bool:
        """Answer the calls whose clients wait no longer; runs are put into the outbox. To be called again and again.

        Returns whether there was one.
        """
        upstream = self._upstream
        if upstream.finder.serves_itself:
            return False
        if not upstream.sending.acquire(blocking=False):
            return False  # something is being sent, and may be for long
        try:
            now = time.monotonic()
            link = upstream.link
            late = upstream.queue.take_overdue(now)
            sent = [] if link is None else link.take_overdue(now)
            upstream.downstream.drop_answers(str(request.key) for request in sent)
            for request in sent:
                if link is not None and not request.is_run:  # what it finds will not be seen by the model
                    link.send(cancellation(str(request.key)))
        finally:
            upstream.sending.release()
        for request in [*late, *sent]:
            upstream.unserved.answer_late(request)
        soon = now + _PREPARED_S
        if upstream.queue.has_due(soon) or (link is not None and link.has_due(soon)):
            upstream.unserved.outbox.prepare()
        else:
            upstream.unserved.outbox.release()
        return bool(late or sent)

    def keep_runs(self) -> None:
        """Put runs into the outbox that nobody has answered when the client is gone; no hub stores them twice."""
        upstream = self._upstream
        if upstream.finder.serves_itself:
            return
        left = [] if upstream.link is None else upstream.link.take_runs()
        for request in [*left, *upstream.queue.clear()]:
            upstream.unserved.keep_silently(request)

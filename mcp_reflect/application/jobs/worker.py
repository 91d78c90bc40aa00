"""Works off the jobs of one kind: takes those that are due under a lease, retries what fails, and keeps to the budget.

Every kind of job has a worker, and with it a thread, of its own: a question about many runs never keeps the
reflection on a single one waiting.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Generic, Protocol, TypeVar

from mcp_reflect.application.jobs.leases import JobLeases
from mcp_reflect.application.jobs.retry import MAX_ATTEMPTS, is_retried, pause_after
from mcp_reflect.application.ports import Clock, Ledger, ReadSession, WriteSession
from mcp_reflect.domain.models import InsightJob, ReflectionJob
from mcp_reflect.errors import ModelUnavailable, ReflectError, ReflectorBusy, ReflectorError

log = logging.getLogger(__name__)

_IDLE_S = 60.0
_LEAST_PAUSE_S = 0.5
_REMEMBERED = 1_000

J = TypeVar("J", ReflectionJob, InsightJob)


class JobKind(Protocol[J]):
    """One kind of job: where its jobs are kept, and how one is done.

    `name` is what people are told of; `project` is whose jobs are done; `uses_model` tells whether that costs tokens.
    """

    @property
    def name(self) -> str:
        """Return the name of the kind, for logs and threads."""
        ...

    @property
    def project(self) -> str:
        """Return the project whose jobs are done."""
        ...

    @property
    def uses_model(self) -> bool:
        """Return whether a job costs tokens of a model."""
        ...

    def due(self, session: ReadSession, now: datetime) -> Sequence[J]:
        """Return the jobs to try now, longest due first."""
        ...

    def next_due_at(self, session: ReadSession) -> datetime | None:
        """Return the time at which the next job falls due; None where there is none."""
        ...

    def find(self, session: ReadSession, job: J) -> J | None:
        """Return the job as it is stored now."""
        ...

    def put(self, session: WriteSession, job: J) -> None:
        """Store a job in place of the one with its id."""
        ...

    def do(self, job: J) -> J | None:
        """Do a job and store its result with its end; return the job to store where nothing else was stored.

        Raises ReflectorError or ModelUnavailable where it failed.
        """
        ...


class JobWorker(Generic[J]):
    """A thread for the jobs of one kind. Thread-safe.

    `tokens_per_day` bounds what the model may use in a UTC day; 0 means no bound.
    """

    def __init__(
        self, kind: JobKind[J], ledger: Ledger, clock: Clock, leases: JobLeases, *, tokens_per_day: int = 0
    ) -> None:
        self._kind: JobKind[J] = kind
        self._ledger = ledger
        self._clock = clock
        self._leases = leases
        self._tokens_per_day = tokens_per_day
        self._wake = threading.Condition()
        self._nudged = False
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._attempted: deque[str] = deque(maxlen=_REMEMBERED)

    def start(self) -> None:
        """Start the thread."""
        if self._kind.uses_model:
            self._leases.add_model_worker(self._kind.project)
        self._thread = threading.Thread(target=self._run, name=f"mcp-reflect {self._kind.name}", daemon=True)
        self._thread.start()

    def close(self, timeout: float = 2.0) -> None:
        """Stop taking jobs. One under way is given up after `timeout` seconds; it stays queued in the ledger."""
        if self._thread is not None and self._kind.uses_model:
            self._leases.remove_model_worker(self._kind.project)
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(timeout)

    def notify(self) -> None:
        """Look for jobs at once: one was queued."""
        with self._wake:
            self._nudged = True
            self._wake.notify_all()

    def wait_attempt(self, key: str, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the first try at the job of that key, and return whether there was one."""
        with self._wake:
            return self._wake.wait_for(lambda: self._stopping or key in self._attempted, timeout)

    def work_off(self) -> int:
        """Try every job that is due once, and return how many were tried; a worker with a model keeps its own."""
        if not self._kind.uses_model and self._leases.has_model(self._kind.project):
            return 0
        tried = 0
        with self._ledger.reading() as session:
            due = self._kind.due(session, self._clock())
        for job in due:
            if self._stopping:
                break
            with self._leases.lease(job.key) as ours:
                if ours:
                    self._attempt(job)
                    tried += 1
        return tried

    def next_due(self) -> datetime | None:
        """Return the time at which the next job falls due; None where there is none."""
        with self._ledger.reading() as session:
            return self._kind.next_due_at(session)

    # -- one job

    def _attempt(self, job: J) -> None:
        try:
            self._try(job)
        except (ReflectorError, ModelUnavailable) as error:
            self._put_off(job, error)
        except ReflectError:
            raise
        except Exception as error:  # one job must not keep all others waiting
            log.exception("a job failed")
            self._put_off(job, ReflectorBusy(f"{type(error).__name__}: {error}"))
        finally:
            with self._wake:
                self._attempted.append(job.key)
                self._wake.notify_all()

    def _try(self, job: J) -> None:
        tomorrow = self._over_budget()
        if tomorrow is not None:
            self._store(job, next_attempt_at=tomorrow, last_error="the daily limit of model tokens is reached")
            return
        ended = self._kind.do(job)
        if ended is not None:
            self._store(ended)

    def _over_budget(self) -> datetime | None:
        """Return when to go on, where today's tokens are used up."""
        limit, now = self._tokens_per_day, self._clock().astimezone(UTC)
        if not self._kind.uses_model or not limit:
            return None
        with self._ledger.reading() as session:
            if session.usage.tokens(now.date().isoformat()) < limit:
                return None
        return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)

    def _put_off(self, job: J, error: ReflectError) -> None:
        attempts = job.attempts + 1
        log.info("%s, job %s, try %d of %d: %s", self._kind.name, job.key, attempts, MAX_ATTEMPTS, error)
        self._store(
            job,
            state="queued" if is_retried(attempts, error) else "failed",
            attempts=attempts,
            next_attempt_at=self._clock() + timedelta(seconds=pause_after(attempts, error)),
            last_error=str(error),
        )

    def _store(self, job: J, **update: object) -> None:
        """Store how a job stands, unless somebody else has ended or replaced it meanwhile."""
        with self._ledger.writing() as session:
            present = self._kind.find(session, job)
            if present is not None and present.key == job.key and present.state == "queued":
                self._kind.put(session, job.model_copy(update=update))

    # -- the thread

    def _run(self) -> None:
        while not self._stopping:
            try:
                # A job may be due and yet not ours to try: never turn without a pause.
                pause = 0.0 if self.work_off() else max(self._pause(), _LEAST_PAUSE_S)
            except ReflectError as error:
                log.warning("the %s are served again in a minute: %s", self._kind.name, error)
                pause = _IDLE_S
            except Exception:  # a mistake in one job must not end the thread that serves all others
                log.exception("the %s are served again in a minute", self._kind.name)
                pause = _IDLE_S
            with self._wake:
                self._wake.wait_for(lambda: self._stopping or self._nudged, pause)
                self._nudged = False

    def _pause(self) -> float:
        due = self.next_due()
        return _IDLE_S if due is None else min(max((due - self._clock()).total_seconds(), 0.0), _IDLE_S)

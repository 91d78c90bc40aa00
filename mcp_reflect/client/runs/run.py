"""One run of an agent: memories before it, what it did, how it ended."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp_reflect.client.calls import tool_calls as calls
from mcp_reflect.client.calls.fields import ReflectionFields, ReviewFields, RunResult
from mcp_reflect.client.calls.fitting import fitting_fields, fitting_task
from mcp_reflect.client.calls.results import Augmented, Memory, Outcome
from mcp_reflect.client.calls.run_content import (
    build_trajectory,
    exception_report,
    exception_summary,
    message_list,
    to_text_field,
)
from mcp_reflect.client.calls.tool_calls import ToolRequest
from mcp_reflect.client.connection import MemoryConnection, latest_unique
from mcp_reflect.client.runs.ending import classify_ending
from mcp_reflect.client.runs.messages import RunMessages
from mcp_reflect.client.runs.submission import submit_run
from mcp_reflect.domain.limits import MAX_FIELD, MAX_TEXT
from mcp_reflect.domain.truncate import truncate, truncate_middle

log = logging.getLogger("mcp_reflect.client")

INTERRUPTED_S = 1.0
"""How long an interrupted program may be held up for storing its run."""

_current: ContextVar[Run | None] = ContextVar("run", default=None)


def current_run() -> Run | None:
    """Return the innermost run that the present thread or task is in; None outside of one."""
    return _current.get()


class Run(RunMessages):
    """A run, made by `client.trace(task)`. Change it from any thread or task; it is stored when its block ends.

    `augmented_task` is the task with `memories` below it. `messages` is the trajectory: chat messages of any vendor, as
    dictionaries or as the vendor's own objects, and lines of log as strings. `final_response`, `reference_context`
    (what a correct answer is), `model` and `metadata` are stored with the run. `outcome` is the result of storing it;
    None before, and where it could not be stored.
    """

    def __init__(
        self,
        connection: MemoryConnection,
        task: str,
        *,
        options: Mapping[str, Any],
        augment: bool,
        model: str,
        metadata: Mapping[str, Any] | None,
        reference_context: str,
        trace_key: str,
        alpha: float | None,
    ) -> None:
        super().__init__(connection)
        self.task = task
        given = {"model": model, "reference_context": reference_context, "trace_key": trace_key, "metadata": metadata}
        given_fields = fitting_fields(given)
        self._fits(calls.check_run, fitting_task(task), **given_fields)
        if alpha is not None and not self._fits(calls.check_verdict, alpha=alpha):
            alpha = None
        self._augmentation = calls.augment_request(task, options)
        if connection.strict and self._augmentation.problem is not None:
            raise self._augmentation.problem
        self._augments = augment
        self._augmented = Augmented(task)
        self._entered = False
        self._outer: Run | None = None
        self._result: RunResult | None = None
        self._review: ReviewFields = {} if alpha is None else {"alpha": alpha}
        self._helpful: list[str] = []
        self._harmful: list[str] = []
        self._retrieved: list[str] = []
        self._counting = threading.Lock()
        self.reference_context = reference_context
        self.model = model
        self.metadata = dict(metadata) if isinstance(metadata, Mapping) else {}
        self.trace_key = trace_key
        self.outcome: Outcome | None = None

    def _fits(self, check: Callable[..., Any], *args: Any, **given: Any) -> bool:
        """Return whether a check finds nothing wrong; what it finds is raised of a strict client, and else logged."""
        problem = calls.found_wrong(check, *args, **given)
        if problem is not None:
            self._connection.refuse(f"a part of a run of {truncate(str(self.task), 200)!r}", problem)
        return problem is None

    @property
    def augmented_task(self) -> str:
        """The task with the memories written below; the task itself where there are none."""
        return self._augmented.augmented_task

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The memories that the run was given, best first."""
        return self._augmented.memories

    @property
    def retrieval_id(self) -> str:
        """The id under which the memory recorded what the run was given; empty without memories."""
        return self._augmented.retrieval_id

    @property
    def result(self) -> RunResult | None:
        """The verdict so far."""
        return self._result

    # -- how it ended

    def passed(self, feedback: str = "") -> None:
        """Note that the run did what it should; `feedback` is the evidence. The last verdict counts."""
        self._judge("pass", feedback)

    def failed(self, feedback: str = "") -> None:
        """Note that the run did not do what it should; `feedback` says why."""
        self._judge("fail", feedback)

    def helpful(self, *memories: Memory | str) -> None:
        """Note that these memories helped. Where any is named, helpful or harmful, those not named are not credited."""
        self._name(self._helpful, self._harmful, memories)

    def harmful(self, *memories: Memory | str) -> None:
        """Note that these memories misled."""
        self._name(self._harmful, self._helpful, memories)

    def reflect(self, **reflection: Any) -> None:
        """Hand in a reflection of one's own; see ReflectionFields. Fields given again replace the earlier ones."""
        self._expect_open("reflect()")
        calls.refuse_unknown_names("reflect", reflection, ReflectionFields)
        if not self._connection.strict:
            reflection = {
                name: to_text_field(item, MAX_FIELD) if isinstance(item, str) else item
                for name, item in reflection.items()
            }
        for name, item in reflection.items():
            if self._fits(calls.check_verdict, **{name: item}):
                self._review[name] = item  # type: ignore[literal-required]  # the names were checked

    def _judge(self, result: RunResult, feedback: str) -> None:
        self._expect_open("passed()" if result == "pass" else "failed()")
        if isinstance(feedback, str) or not self._connection.strict:  # often it is what a test wrote, of any length
            feedback = to_text_field(feedback)
        calls.check_verdict(feedback=feedback)
        self._result, self._review["feedback"] = result, feedback

    def _name(self, these: list[str], others: list[str], memories: Sequence[Memory | str]) -> None:
        self._expect_open("helpful() or harmful()")
        ids = [memory.id if isinstance(memory, Memory) else memory for memory in memories]
        together = list(dict.fromkeys([*these, *ids]))
        # Here it can still be mended; at the end it costs the run.
        if not all(self._fits(calls.check_verdict, helpful_memory_ids=each) for each in (ids, together)):
            return
        these[:] = together
        others[:] = [memory_id for memory_id in others if memory_id not in ids]

    # -- its beginning and end, shared by both kinds

    def count_retrieved(self, connection: MemoryConnection, memories: Sequence[Memory]) -> bool:
        """Count memories that were asked for during the run towards it; false where another client asked."""
        if connection is not self._connection:
            return False
        with self._counting:
            self._retrieved = latest_unique([*self._retrieved, *(memory.id for memory in memories)])
        return True

    @contextmanager
    def is_current(self) -> Iterator[None]:
        """Make this the current run inside the block."""
        outer = _current.get()
        _current.set(self)
        try:
            yield
        finally:
            _current.set(outer)

    def _begin(self) -> ToolRequest[Augmented] | None:
        if self._entered:
            raise RuntimeError("a run is entered once; call trace() again for another one")
        self._entered = True
        return self._augmentation if self._augments else None

    def _push(self) -> None:
        self._outer = _current.get()
        _current.set(self)

    def _pop(self) -> None:
        # Not by the token of `_push`: a generator's block may end in another context than it began in.
        if _current.get() is self:
            _current.set(self._outer)

    def _end(self, error: BaseException | None) -> ToolRequest[Outcome]:
        """Return what is to be stored; what was set wrongly on the run is raised only where the block ended well."""
        if error is not None and classify_ending(error) == "failed":
            why = [self._review.get("feedback", "")] if self._result == "fail" else []
            self._result = "fail"
            said = "\n".join(filter(None, [*why, exception_summary(error)]))
            self._review["feedback"] = truncate_middle(said, MAX_TEXT)
            self.messages = [*message_list(self.messages), exception_report(error)]
        fields: dict[str, Any] = {
            **self._review,
            "trajectory": build_trajectory(message_list(self.messages)),
            "final_response": "" if self.final_response is None else to_text_field(self.final_response),
            "reference_context": self.reference_context,
            "model": self.model,
            "metadata": self.metadata,
            "retrieval_id": self.retrieval_id,
            "retrieved_memory_ids": self._retrieved,
            "helpful_memory_ids": self._helpful,
            "harmful_memory_ids": self._harmful,
            "trace_key": self.trace_key,
            "review_result": self._result or "",
        }
        return calls.submit_request(self.task, fields, strict=self._connection.strict and error is None)

    def _store(self, error: BaseException | None, within: float | None = None) -> None:
        """Raises UsageError, and MemoryUnavailable where the client is strict."""
        self._is_over = True
        call = self._end(error)
        # What it was shown may have been forgotten since; any other id is a mistake, of which a strict client tells.
        dispensable = {self.retrieval_id, *self._retrieved, *(memory.id for memory in self.memories)}
        if not self._connection.strict:
            dispensable |= {*self._helpful, *self._harmful}
        outcome = submit_run(self._connection, call, dispensable, within)
        self.outcome = outcome if outcome.available else None
        if outcome.waiting:
            log.warning("a run of %r waits in the outbox for the next hub", truncate(str(self.task), 200))
        elif not outcome.available:
            self._lost("the memory was not reached")

    def _lost(self, why: str) -> None:
        log.warning("a run of %r was not stored: %s", truncate(str(self.task), 200), why)

    def _not_stored(self, problem: Exception, error: BaseException | None) -> None:
        """A run that cannot be stored must not cost its result, nor hide what the run itself raised."""
        if self._connection.strict and error is None:
            raise problem
        log.error("a run of %r was not stored: %s", truncate(str(self.task), 200), problem)

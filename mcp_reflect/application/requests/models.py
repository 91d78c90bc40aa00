"""Request models, one for each tool.

The tools' schemas and descriptions, the checks, the defaults and the fields of the Python API follow from these.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from mcp_reflect.application.requests.arguments import (
    ClaimList,
    ErrorText,
    FieldText,
    Fraction,
    FractionOrDefault,
    IdList,
    ItemLimit,
    LongText,
    MemoryId,
    MetadataFilter,
    MetadataTags,
    MistakeText,
    NameList,
    OptionalId,
    OptionalResultArgument,
    ProgramOnly,
    RetrievalArgument,
    RevisedResultArgument,
    RunId,
    ShortText,
    TaskText,
    TextList,
    TrajectoryText,
)
from mcp_reflect.application.requests.checks import DEFAULT
from mcp_reflect.application.requests.request_model import RequestModel
from mcp_reflect.domain import defaults
from mcp_reflect.domain.limits import MAX_CLAIMS
from mcp_reflect.domain.models import Action, ReflectionDraft
from mcp_reflect.errors import InvalidArgument

NO_RETRIEVAL = "none"
"""As a retrieval_id: the run was given no memory, whatever its connection retrieved for others."""


class Query(RequestModel):
    """Arguments of a retrieval; DEFAULT in `similarity_threshold` stands for the configured one."""

    task: TaskText = Field(description="in the user's words")
    limit: ItemLimit = defaults.LIMIT
    lambda_: Fraction = Field(default=defaults.LAMBDA, description="0 to 1: weight of q_value")
    mmr_lambda: Fraction = Field(default=defaults.MMR_LAMBDA, description="0 to 1; lower: fewer near-duplicates")
    similarity_threshold: FractionOrDefault = Field(default=DEFAULT, description="least relevance, 0 to 1; -1: default")
    metadata_filter: MetadataFilter = Field(default={}, description="tags that must match")
    retrieval: RetrievalArgument = Field(default="", description="by meaning, or by words too")


class MemoryQuery(Query):
    """A query whose answer is a list of memories."""

    response_format: Literal["concise", "detailed"] = Field(
        default="concise", description="concise shortens lessons; detailed: all fields"
    )


class AugmentQuery(Query):
    """A query whose answer is a prompt, which holds fewer memories than a list."""

    limit: ItemLimit = 5


class ReviewArguments(RequestModel):
    """Optional arguments of a review.

    `source` says from what a program took the verdict.
    """

    feedback: LongText = Field(default="", description="evidence: test output, the user's words")
    alpha: FractionOrDefault = Field(default=DEFAULT, description="learning rate, 0 to 1; -1: default")
    helpful_memory_ids: IdList = Field(default=(), description="memories that helped")
    harmful_memory_ids: IdList = Field(default=(), description="memories that misled")
    source: Annotated[ShortText, ProgramOnly()] = ""


class ReflectionArguments(RequestModel):
    """A reflection that the calling agent wrote itself."""

    summary: FieldText = Field(default="", description="the run in one sentence")
    key_mistake: FieldText = Field(default="", description="what went wrong")
    correct_action: FieldText = Field(default="", description="what works: tool and arguments")
    guidance: FieldText = Field(default="", description="the lesson: a rule for similar tasks")
    applicable_tools: NameList = ()
    claims: ClaimList = Field(default=(), description=f"up to {MAX_CLAIMS} facts that stand alone")

    @property
    def draft(self) -> ReflectionDraft:
        """The words that are given, without the space around them."""
        given = self.model_dump(include=set(ReflectionArguments.model_fields))
        return ReflectionDraft.model_validate({n: v.strip() if isinstance(v, str) else v for n, v in given.items()})


class Verdict(ReflectionArguments, ReviewArguments):
    """A review as it is handed in; without a result there is none yet."""

    result: OptionalResultArgument = ""

    def require_content(self) -> None:
        """Raise InvalidArgument for a verdict without a result that brings no lesson either."""
        if not self.result and self.draft.is_empty and not self.draft.claims:
            problem = "is empty, and no lesson is given"
            raise InvalidArgument("result", problem, '"pass" or "fail"; or summary, correct_action or guidance')


class TraceRequest(RequestModel):
    """Names a run."""

    trace_id: RunId


class ReviewRequest(Verdict, TraceRequest):
    """A verdict on a run that was submitted before; an empty one adds a lesson and leaves the verdict as it is."""

    result: RevisedResultArgument = Field(description="empty: only adds a lesson")


class RunArguments(RequestModel):
    """A run, and whether it passed where that is known.

    `ended_at` is when a run of the past ended, with its zone; None for one that has just ended.
    """

    task: TaskText = Field(description="in the user's words")
    trajectory: TrajectoryText = Field(
        default="", description="what you did: a log of commands, errors, results; or chat messages as JSON"
    )
    final_response: LongText = ""
    retrieved_memory_ids: IdList = Field(default=(), description="in place of retrieval_id")
    retrieval_id: OptionalId = Field(default="", description="of the query_memories or augment_task before")
    model: ShortText = ""
    metadata: MetadataTags = Field(default={}, description="tags")
    reference_context: LongText = Field(default="", description="the correct answer, if known")
    trace_key: ShortText = Field(default="", description="a retry with the same key stores nothing twice")
    review_result: OptionalResultArgument = Field(default="", description="empty: review later")
    ended_at: Annotated[datetime | None, ProgramOnly()] = None


class Submission(ReflectionArguments, ReviewArguments, RunArguments):
    """A run as it is handed in, with its review where `review_result` is given."""

    @property
    def verdict(self) -> Verdict:
        """Return the review that came with the run; its `result` is empty where none did."""
        shared = {name: getattr(self, name) for name in Verdict.model_fields if name != "result"}
        return Verdict.model_construct(result=self.review_result, **shared)


class TraceListRequest(RequestModel):
    """A request for a list of runs."""

    review_status: Literal["pending", "reviewed", "all"] = "pending"
    limit: ItemLimit = 20


class PlannedCall(BaseModel):
    """A call of a tool that an agent is about to make, in its present folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: ShortText
    folder: str = ""
    arguments: dict[str, Any]


class ErrorQuery(RequestModel):
    """Arguments of a search for known errors: a message, a log or a stack trace.

    `planned`: the call to which an error is looked for before there is one; `error` repeats it in words then.
    """

    error: ErrorText = Field(description="message, log or whole stack trace")
    limit: ItemLimit = 5
    planned: Annotated[PlannedCall | None, ProgramOnly()] = None


class ErrorFix(RequestModel):
    """An error with its fix as it is handed in; an empty fix records an error that nobody has solved yet."""

    task: TaskText
    mistake: MistakeText = Field(description="what went wrong")
    fix: FieldText = Field(description="empty: not solved yet")
    evidence: LongText = Field(default="", description="error text")
    rule: FieldText = Field(default="", description="how to avoid it")
    tests: TextList = Field(default=(), description="how to check the fix")
    metadata: MetadataTags = {}


class StatusRequest(RequestModel):
    """A change of a memory's status that somebody asks for."""

    memory_id: MemoryId
    action: Action
    reason: FieldText = ""


class ContextRequest(RequestModel):
    """A request for what to know at the start of a session; at most `limit` of each."""

    limit: ItemLimit = 5


class FiguresRequest(RequestModel):
    """The figures of a project; there is nothing to choose."""

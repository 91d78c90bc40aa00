"""Every error that this package raises on purpose, as one tree, and as data between its processes.

ReflectError
├── UsageError                the caller's arguments: can be mended by calling again
│   ├── InvalidArgument       a value that is not allowed
│   ├── UnknownId             an id that was never issued, or belongs to someone else
│   └── TraceKeyConflict      a trace_key that already names a different task
├── MemoryUnavailable         a program's memory cannot be reached, or went before it answered
├── ConfigurationError        a setting with a wrong value; stops the start
├── HomeInUse                 another process owns the home
├── ModelUnavailable          the embedding model cannot be loaded or does not fit
├── LedgerError               the ledger cannot be read or written
├── IndexFailure              the vector index failed; the ledger is not affected
├── ArchiveError              an export or a backup is damaged, or does not fit what is here
└── ReflectorError            no reflection could be written
    ├── ReflectorBusy         try again later: time-out, rate limit, server error
    └── ReflectorRefused      trying again will not help: key, model or request refused

Between processes an error travels as ErrorData: `error_data` makes it, `error_from_data` turns it back into an error
of the same class. No process reads the message of another one's error to find out what happened, or edits it: a message
holds neither the argument's name nor a remedy. Tools, commands and programs add both in the words of their readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypedDict


class ErrorData(TypedDict):
    """An error as JSON.

    `code` is that of its class, `argument` the argument at fault and `ids` the ids it is about, both empty where there
    are none. `message` says what is wrong and what is allowed.
    """

    code: str
    argument: str
    ids: list[str]
    message: str


class ReflectError(Exception):
    """Base of every error this package raises on purpose.

    `code` names the class between processes and never changes; the rest is as in ErrorData. As text it is the argument,
    where there is one, and the message.
    """

    code: ClassVar[str] = "unknown"
    argument: str = ""
    ids: tuple[str, ...] = ()

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"{self.argument}: {self.message}" if self.argument else self.message


class UsageError(ReflectError):
    """The caller can correct this by calling again with other arguments. Nothing was changed."""

    code = "usage"

    @property
    def name(self) -> str:
        """The same as `argument`, for programs that were written before it."""
        return self.argument


class InvalidArgument(UsageError):
    """An argument has a value that is not allowed.

    `problem` says what was given, `allowed` what may be given; both are empty in an error of another process, whose
    message holds them.
    """

    code = "invalid_argument"
    problem = ""
    allowed = ""

    def __init__(self, argument: str, problem: str, allowed: str, ids: Iterable[str] = ()) -> None:
        super().__init__(f"{problem}. Allowed: {allowed}")
        self.argument = argument
        self.ids = tuple(ids)
        self.problem = problem
        self.allowed = allowed


_LISTED_IDS = 5


class UnknownId(UsageError):
    """Ids that do not exist here. The message lists the first five, `ids` holds all of them."""

    code = "unknown_id"

    def __init__(self, argument: str, ids: Iterable[str]) -> None:
        self.argument = argument
        self.ids = tuple(ids)
        more = len(self.ids) - _LISTED_IDS
        listed = ", ".join(self.ids[:_LISTED_IDS]) + (f" and {more} more" if more > 0 else "")
        super().__init__(f"unknown {listed}")


class TraceKeyConflict(UsageError):
    """The same trace_key was used for another task; `ids` holds the trace that has it."""

    code = "trace_key_conflict"
    argument = "trace_key"

    def __init__(self, key: str, trace_id: str) -> None:
        super().__init__(
            f"{key!r} already belongs to trace {trace_id}, whose task is a different one. Allowed: one key per run"
        )
        self.ids = (trace_id,)

    @property
    def trace_id(self) -> str:
        """The trace that has the key already."""
        return self.ids[0]


class MemoryUnavailable(ReflectError):
    """A program asked its memory and got no answer. Whether a call was carried out may be unknown."""

    code = "memory_unavailable"


class ConfigurationError(ReflectError):
    """A setting has a wrong value. The message is one line: setting, value, what it must be."""

    code = "configuration"


class HomeInUse(ReflectError):
    """Another process owns the home; two writers would corrupt the index."""

    code = "home_in_use"

    def __init__(self, home: str, owner: str) -> None:
        super().__init__(
            f"{home} is in use by {owner}. Stop it, or give this process a home of its own with MCP_REFLECT_HOME."
        )


class ModelUnavailable(ReflectError):
    """The embedding model cannot be loaded, or its file is not the expected one."""

    code = "model_unavailable"


class LedgerError(ReflectError):
    """The ledger cannot be read or written. What was acknowledged before is still there."""

    code = "ledger"


class IndexFailure(ReflectError):
    """The vector index failed. The ledger is untouched; the index is caught up or rebuilt later."""

    code = "index"


class ArchiveError(ReflectError):
    """A file of an export or a backup cannot be taken in; nothing was changed. The message says why."""

    code = "archive"


class ReflectorError(ReflectError):
    """No reflection could be written from a run."""

    code = "reflector"


class ReflectorBusy(ReflectorError):
    """A later attempt may work. `retry_after` is in seconds, or None where the server did not say."""

    code = "reflector_busy"
    retry_after: float | None = None

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ReflectorRefused(ReflectorError):
    """Another attempt with the same settings cannot work."""

    code = "reflector_refused"


_CLASSES: tuple[type[ReflectError], ...] = (
    ReflectError,
    UsageError,
    InvalidArgument,
    UnknownId,
    TraceKeyConflict,
    MemoryUnavailable,
    ConfigurationError,
    HomeInUse,
    ModelUnavailable,
    LedgerError,
    IndexFailure,
    ArchiveError,
    ReflectorError,
    ReflectorBusy,
    ReflectorRefused,
)

ERRORS_BY_CODE: Mapping[str, type[ReflectError]] = {each.code: each for each in _CLASSES}
"""Every class of this module by its code. An error without data, or of a newer version, is a plain ReflectError."""


def error_data(error: ReflectError) -> ErrorData:
    """Return the error as JSON. A class of another module has the code of the class here that it derives from."""
    return {"code": error.code, "argument": error.argument, "ids": list(error.ids), "message": error.message}


def read_error_data(given: Any, message: str = "") -> ErrorData:
    """Return an error's data as another process sent it; what is missing or wrong is empty, a missing code "unknown".

    `message` stands for one that is missing.
    """
    data: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    ids = data.get("ids")
    return {
        "code": str(data.get("code") or ReflectError.code),
        "argument": str(data.get("argument") or ""),
        "ids": [each for each in ids if isinstance(each, str)] if isinstance(ids, list) else [],
        "message": str(data.get("message") or message),
    }


def error_from_data(data: ErrorData) -> ReflectError:
    """Return the error of which another process made the data, without calling its class, which would word it anew."""
    kind = ERRORS_BY_CODE.get(data["code"], ReflectError)
    error = kind.__new__(kind, data["message"])
    error.message = data["message"]
    error.argument = data["argument"]
    error.ids = tuple(data["ids"])
    return error

"""What can go wrong, as one tree.

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
"""

from __future__ import annotations

from collections.abc import Iterable


class ReflectError(Exception):
    """Base of every error this package raises on purpose."""


class UsageError(ReflectError):
    """The caller can mend this by calling again with other arguments. Nothing was changed."""


class InvalidArgument(UsageError):
    """An argument has a value that is not allowed.

    `name` is the argument, `problem` what was given, `allowed` what may be given.
    """

    def __init__(self, name: str, problem: str, allowed: str) -> None:
        super().__init__(f"{name}: {problem}. Allowed: {allowed}. Nothing was changed; correct it and call again.")
        self.name = name
        self.problem = problem
        self.allowed = allowed


_LISTED_IDS = 5


class UnknownId(UsageError):
    """Ids that do not exist here. `name` is the argument they were given in."""

    def __init__(self, name: str, ids: Iterable[str], source: str) -> None:
        self.name = name
        self.ids = tuple(ids)
        more = len(self.ids) - _LISTED_IDS
        listed = ", ".join(self.ids[:_LISTED_IDS]) + (f" and {more} more" if more > 0 else "")
        super().__init__(
            f"{name}: unknown {listed}. Allowed: ids as issued by {source}. "
            "Nothing was changed; correct it and call again."
        )


class TraceKeyConflict(UsageError):
    """The same trace_key was used for another task."""

    def __init__(self, key: str, trace_id: str) -> None:
        super().__init__(
            f"trace_key: {key!r} already belongs to trace {trace_id}, whose task is a different one. "
            "Use one key per run. Nothing was changed."
        )
        self.trace_id = trace_id


class MemoryUnavailable(ReflectError):
    """A program asked its memory and got no answer. Whether a call was carried out may be unknown."""


class ConfigurationError(ReflectError):
    """A setting has a wrong value. The message is one line: setting, value, what it must be."""


class HomeInUse(ReflectError):
    """Another process owns the home; two writers would corrupt the index."""

    def __init__(self, home: str, owner: str) -> None:
        super().__init__(
            f"{home} is in use by {owner}. Stop it, or give this process a home of its own with MCP_REFLECT_HOME."
        )


class ModelUnavailable(ReflectError):
    """The embedding model cannot be loaded, or its file is not the expected one."""


class LedgerError(ReflectError):
    """The ledger cannot be read or written. What was acknowledged before is still there."""


class IndexFailure(ReflectError):
    """The vector index failed. The ledger is untouched; the index is caught up or rebuilt later."""


class ArchiveError(ReflectError):
    """A file of an export or a backup cannot be taken in; nothing was changed. The message says why."""


class ReflectorError(ReflectError):
    """No reflection could be written from a run."""


class ReflectorBusy(ReflectorError):
    """A later attempt may work. `retry_after` is in seconds, or None where the server did not say."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ReflectorRefused(ReflectorError):
    """Another attempt with the same settings cannot work."""

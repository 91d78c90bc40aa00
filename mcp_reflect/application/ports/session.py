"""One look at the ledger, and one unit of work on it, as repositories."""

from __future__ import annotations

from typing import Protocol

from mcp_reflect.application.ports.change_feed import ChangeFeed, ChangeFeedQueries
from mcp_reflect.application.ports.index_positions import IndexPositionQueries, IndexPositionRepository
from mcp_reflect.application.ports.jobs import JobQueries, JobRepository
from mcp_reflect.application.ports.memories import MemoryQueries, MemoryRecords, MemoryRepository
from mcp_reflect.application.ports.mirrors import MirrorQueries, MirrorRepository
from mcp_reflect.application.ports.projects import ProjectQueries, ProjectRecords, ProjectRepository
from mcp_reflect.application.ports.retrievals import RetrievalQueries, RetrievalRecords, RetrievalRepository
from mcp_reflect.application.ports.reviews import ReviewQueries, ReviewRecords, ReviewRepository
from mcp_reflect.application.ports.stored_vectors import VectorQueries, VectorRecords, VectorRepository
from mcp_reflect.application.ports.token_usage import UsageQueries, UsageRepository
from mcp_reflect.application.ports.traces import TraceQueries, TraceRecords, TraceRepository
from mcp_reflect.application.ports.utility_events import (
    UtilityEventQueries,
    UtilityEventRecords,
    UtilityEventRepository,
)
from mcp_reflect.application.ports.witnesses import WitnessQueries, WitnessRecords, WitnessRepository


class RecordSession(Protocol):
    """Reads of records for people, which all see the ledger as of one moment."""

    @property
    def traces(self) -> TraceRecords:
        """Return the queries of traces."""
        ...

    @property
    def reviews(self) -> ReviewRecords:
        """Return the queries of reviews."""
        ...

    @property
    def events(self) -> UtilityEventRecords:
        """Return the queries of utility events."""
        ...

    @property
    def memories(self) -> MemoryRecords:
        """Return the queries of memories."""
        ...

    @property
    def witnesses(self) -> WitnessRecords:
        """Return the queries of witnesses."""
        ...

    @property
    def vectors(self) -> VectorRecords:
        """Return the queries of what is to be embedded."""
        ...

    @property
    def retrievals(self) -> RetrievalRecords:
        """Return the queries of retrievals."""
        ...

    @property
    def projects(self) -> ProjectRecords:
        """Return the queries of projects."""
        ...


class ReadSession(RecordSession, Protocol):
    """Reads that all see the ledger as of one moment."""

    @property
    def traces(self) -> TraceQueries:
        """Return the queries of traces."""
        ...

    @property
    def reviews(self) -> ReviewQueries:
        """Return the queries of reviews."""
        ...

    @property
    def events(self) -> UtilityEventQueries:
        """Return the queries of utility events."""
        ...

    @property
    def memories(self) -> MemoryQueries:
        """Return the queries of memories."""
        ...

    @property
    def witnesses(self) -> WitnessQueries:
        """Return the queries of witnesses."""
        ...

    @property
    def vectors(self) -> VectorQueries:
        """Return the queries of stored vectors."""
        ...

    @property
    def retrievals(self) -> RetrievalQueries:
        """Return the queries of retrievals."""
        ...

    @property
    def jobs(self) -> JobQueries:
        """Return the queries of jobs of both kinds."""
        ...

    @property
    def projects(self) -> ProjectQueries:
        """Return the queries of projects."""
        ...

    @property
    def feed(self) -> ChangeFeedQueries:
        """Return the queries of the change feed."""
        ...

    @property
    def mirrors(self) -> MirrorQueries:
        """Return the queries of mirror files."""
        ...

    @property
    def usage(self) -> UsageQueries:
        """Return the queries of token usage."""
        ...

    @property
    def index_positions(self) -> IndexPositionQueries:
        """Return the queries of positions of the vector index."""
        ...


class WriteSession(ReadSession, Protocol):
    """Reads and writes that are committed together, or not at all. Nobody else writes meanwhile."""

    @property
    def traces(self) -> TraceRepository:
        """Return the repository of traces."""
        ...

    @property
    def reviews(self) -> ReviewRepository:
        """Return the repository of reviews."""
        ...

    @property
    def events(self) -> UtilityEventRepository:
        """Return the repository of utility events."""
        ...

    @property
    def memories(self) -> MemoryRepository:
        """Return the repository of memories."""
        ...

    @property
    def witnesses(self) -> WitnessRepository:
        """Return the repository of witnesses."""
        ...

    @property
    def vectors(self) -> VectorRepository:
        """Return the repository of stored vectors."""
        ...

    @property
    def retrievals(self) -> RetrievalRepository:
        """Return the repository of retrievals."""
        ...

    @property
    def jobs(self) -> JobRepository:
        """Return the repository of jobs of both kinds."""
        ...

    @property
    def projects(self) -> ProjectRepository:
        """Return the repository of projects."""
        ...

    @property
    def feed(self) -> ChangeFeed:
        """Return the change feed, which also numbers changes."""
        ...

    @property
    def mirrors(self) -> MirrorRepository:
        """Return the repository of mirror files."""
        ...

    @property
    def usage(self) -> UsageRepository:
        """Return the repository of token usage."""
        ...

    @property
    def index_positions(self) -> IndexPositionRepository:
        """Return the repository of positions of the vector index."""
        ...

"""A session as its repositories, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property

from sqlalchemy import Connection

from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed
from mcp_reflect.adapters.sql_ledger.repositories.bookkeeping import SqlIndexPositions, SqlMirrors, SqlUsage
from mcp_reflect.adapters.sql_ledger.repositories.jobs import SqlJobs
from mcp_reflect.adapters.sql_ledger.repositories.memories import SqlMemories
from mcp_reflect.adapters.sql_ledger.repositories.projects import SqlProjects
from mcp_reflect.adapters.sql_ledger.repositories.retrievals import SqlRetrievals
from mcp_reflect.adapters.sql_ledger.repositories.reviews import SqlReviews
from mcp_reflect.adapters.sql_ledger.repositories.stored_vectors import SqlVectors
from mcp_reflect.adapters.sql_ledger.repositories.traces import SqlTraces
from mcp_reflect.adapters.sql_ledger.repositories.utility_events import SqlUtilityEvents
from mcp_reflect.adapters.sql_ledger.repositories.witnesses import SqlWitnesses


class SqlSession:
    """Implements ports.WriteSession, and by that ReadSession, on an open connection.

    On the connection of a read session the database refuses to write.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.feed = SqlChangeFeed(connection)

    @cached_property
    def traces(self) -> SqlTraces:
        """Return the repository of traces on this session's connection."""
        return SqlTraces(self._connection, self.feed)

    @cached_property
    def reviews(self) -> SqlReviews:
        """Return the repository of reviews on this session's connection."""
        return SqlReviews(self._connection, self.feed)

    @cached_property
    def events(self) -> SqlUtilityEvents:
        """Return the repository of utility events on this session's connection."""
        return SqlUtilityEvents(self._connection, self.feed)

    @cached_property
    def memories(self) -> SqlMemories:
        """Return the repository of memories on this session's connection."""
        return SqlMemories(self._connection, self.feed)

    @cached_property
    def witnesses(self) -> SqlWitnesses:
        """Return the repository of witnesses on this session's connection."""
        return SqlWitnesses(self._connection, self.feed)

    @cached_property
    def vectors(self) -> SqlVectors:
        """Return the repository of stored vectors on this session's connection."""
        return SqlVectors(self._connection, self.feed)

    @cached_property
    def retrievals(self) -> SqlRetrievals:
        """Return the repository of retrievals on this session's connection."""
        return SqlRetrievals(self._connection, self.feed)

    @cached_property
    def jobs(self) -> SqlJobs:
        """Return the repository of jobs of both kinds on this session's connection."""
        return SqlJobs(self._connection, self.feed)

    @cached_property
    def projects(self) -> SqlProjects:
        """Return the repository of projects on this session's connection."""
        return SqlProjects(self._connection, self.feed)

    @cached_property
    def mirrors(self) -> SqlMirrors:
        """Return the repository of mirror files on this session's connection."""
        return SqlMirrors(self._connection, self.feed)

    @cached_property
    def usage(self) -> SqlUsage:
        """Return the repository of token usage on this session's connection."""
        return SqlUsage(self._connection, self.feed)

    @cached_property
    def index_positions(self) -> SqlIndexPositions:
        """Return the repository of positions of the vector index on this session's connection."""
        return SqlIndexPositions(self._connection, self.feed)

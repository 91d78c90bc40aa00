"""What the ledger keeps about its surroundings."""

from __future__ import annotations

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.application.ports import Usage
from tests.support.ledgers import read


def test_tokens_add_up_per_day(ledger: SqlLedger) -> None:
    with ledger.writing() as session:
        session.usage.add("2026-01-01", Usage(10, 5))
    with ledger.writing() as session:
        session.usage.add("2026-01-01", Usage(1, 1))
    assert read(ledger, lambda s: s.usage.tokens("2026-01-01")) == 17
    assert read(ledger, lambda s: s.usage.tokens("2026-01-02")) == 0


def test_the_index_position_is_remembered_per_collection(ledger: SqlLedger) -> None:
    assert read(ledger, lambda s: s.index_positions.get("a")) == ("", 0)
    with ledger.writing() as session:
        session.index_positions.put("a", "g1", 5)
    with ledger.writing() as session:
        session.index_positions.put("a", "g2", 9)
    assert read(ledger, lambda s: s.index_positions.get("a")) == ("g2", 9)
    assert read(ledger, lambda s: s.index_positions.get("b")) == ("", 0)

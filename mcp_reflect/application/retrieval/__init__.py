"""How memories are found: the tables that follow the ledger, ranking, and what was shown to whom."""

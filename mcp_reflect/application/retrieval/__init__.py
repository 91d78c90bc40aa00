"""Retrieval of memories: the tables that follow the ledger, the ranking, and what was shown to whom."""

"""Background jobs: kept in the ledger, done by threads."""

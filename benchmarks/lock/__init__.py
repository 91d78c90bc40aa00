"""Time under the write lock of the ledger, before and now."""

"""Puts a memory together from its parts: whole in `memory`, the ledger alone in `ledger`.

`store` opens what all connections of a home share. `parts` chooses the adapters, which nothing else knows but commands
that examine one. Nothing is imported here, since commands that read the ledger wait for no use case.
"""

"""The version of the tables, apart from the tables: who only reads does not wait for what describes them."""

SCHEMA_VERSION = 14
"""Raised with every change of a table. A new column has a server_default: what the rows of older ledgers hold in it."""

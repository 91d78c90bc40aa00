"""The version of the tables, apart from the tables: who only reads does not wait for what describes them."""

SCHEMA_VERSION = 15
"""Raised with every change of a table, and of the rule by which q_values follow from reviews.

A new column has a server_default: what the rows of older ledgers hold in it.
"""

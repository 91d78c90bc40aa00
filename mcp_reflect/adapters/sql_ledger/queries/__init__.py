"""Queries of records in plain SQL, which a write session runs through SQLAlchemy and a command for people without it.

Importing SQLAlchemy takes as long as all else that such a command does.
"""

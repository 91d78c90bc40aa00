"""Maintenance of a project: audit, reindexing, export, import, backup, erasure, rewriting."""

"""What all tables share: their registry, and the types of ids and names."""

from __future__ import annotations

from sqlalchemy import MetaData, String

metadata = MetaData()

Id = String(64)
Name = String(200)

"""The settings that a command works by, and the files that the home of these lives by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.errors import ConfigurationError

if TYPE_CHECKING:
    from mcp_reflect.config.load import Settings


def current_settings() -> Settings:
    """Return the settings in force. Raises ConfigurationError."""
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy

    return load_settings()


def refuse_own_file(file: Path, wanted: Settings) -> None:
    """Raise ConfigurationError for a file that the home lives by; nothing else is written over it."""
    from mcp_reflect.config.home import is_own  # noqa: PLC0415 - heavy

    if is_own(wanted.home, file):
        raise ConfigurationError(f"{file}: belongs to the memory itself and would be lost; name another file")

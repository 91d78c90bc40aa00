"""Settings that say where texts are sent, or which model or file gets them: never taken over without being named."""

from __future__ import annotations

import tomllib

from mcp_reflect.errors import ConfigurationError

REDIRECTING = (
    *("reflection.model", "reflection.base_url", "embedding.model", "index.url", "ledger.url", "errors.mirror"),
    *("index.token", "index.tenant", "index.database"),
    "hooks.submit",
)

SECRET = frozenset({"index.token"})
"""Those whose value is never shown."""


def redirections(text: str) -> dict[str, object]:
    """Return the settings of REDIRECTING in the text of a `config.toml`, by name.

    Raises ConfigurationError for no TOML.
    """
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"config.toml in the backup is no TOML ({error}); nothing was changed") from error
    found: dict[str, object] = {}
    for key in REDIRECTING:
        section, _, name = key.partition(".")
        inner = values.get(section)
        if isinstance(inner, dict) and name in inner:
            found[key] = inner[name]
        elif section in values and not isinstance(inner, dict):
            raise ConfigurationError(f"{section} in the backup's config.toml must be a table; nothing was changed")
    return found

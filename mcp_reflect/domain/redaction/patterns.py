"""All patterns of secrets, in the order in which they are searched."""

from __future__ import annotations

from functools import cache

from mcp_reflect.domain.redaction.by_pattern.compound_names import COMPOUND_PATTERNS
from mcp_reflect.domain.redaction.by_pattern.format_patterns import FORMAT_PATTERNS
from mcp_reflect.domain.redaction.by_pattern.grouped_secrets import GROUPED_PATTERNS
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.by_pattern.vendor_patterns import vendor_patterns
from mcp_reflect.domain.redaction.by_position.account_records import ACCOUNT_PATTERNS
from mcp_reflect.domain.redaction.by_position.command_secrets import COMMAND_PATTERNS
from mcp_reflect.domain.redaction.by_position.context_secrets import CONTEXT_PATTERNS
from mcp_reflect.domain.redaction.by_position.literal_settings import SETTING_PATTERNS
from mcp_reflect.domain.redaction.by_position.login_secrets import LOGIN_PATTERNS
from mcp_reflect.domain.redaction.by_position.positional_secrets import POSITIONAL_PATTERNS
from mcp_reflect.domain.redaction.by_position.stored_secrets import STORE_PATTERNS
from mcp_reflect.domain.redaction.by_position.syntax_secrets import SYNTAX_PATTERNS


@cache
def secret_patterns() -> tuple[SecretPattern, ...]:
    """Return all patterns."""
    return (
        *FORMAT_PATTERNS,
        *COMMAND_PATTERNS,
        *LOGIN_PATTERNS,
        *CONTEXT_PATTERNS,
        *SETTING_PATTERNS,
        *POSITIONAL_PATTERNS,
        *STORE_PATTERNS,
        *SYNTAX_PATTERNS,
        *ACCOUNT_PATTERNS,
        *COMPOUND_PATTERNS,
        *GROUPED_PATTERNS,
        *vendor_patterns(),
    )

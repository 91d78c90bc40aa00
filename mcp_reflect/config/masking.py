"""Keeps secrets out of what people are shown of settings and addresses."""

from __future__ import annotations

import re


def mask_secrets(text: str) -> str:
    """Return `text` without what may be a secret: credentials in addresses, and long words that look like keys."""
    text = re.sub(r"(://|:)\S*@", r"\1***@", text)
    text = re.sub(r"(?i)((?:password|passwd|token|key|secret)=)[^&\s'\"]+", r"\1***", text)
    return re.sub(r"(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}", "***", text)

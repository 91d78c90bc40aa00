"""Secrets recognised by their own format: prefixes of vendors, headers, URLs, blocks and groups."""

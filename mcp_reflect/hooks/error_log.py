"""The log of errors in hooks: a file of the home, bounded in size, that holds no words of a session."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from mcp_reflect import own_files
from mcp_reflect.wire.caller import RemoteError

HOOK_LOG = "hooks.log"
MAX_HOOK_LOG_BYTES = 200_000
"""Bytes; one older file of about that length is kept."""


def log_hook_error(home: str, where: str, error: BaseException) -> None:
    """Append one line: when, which hook, what. Never raises: there is nobody left to tell."""
    if isinstance(error, RemoteError):
        told = f"{error.code} {error.argument}"  # the message may quote what was given
    elif isinstance(error, ValueError):
        told = ""  # a decoder quotes its input
    else:
        told = " ".join(str(error).split())
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {os.getpid()} {where}: {type(error).__name__} {told[:200]}\n"
    path = os.path.join(home, HOOK_LOG)
    with suppress(OSError):
        own_files.refuse_foreign(home)
        os.makedirs(home, mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            if os.path.getsize(path) > MAX_HOOK_LOG_BYTES:
                os.replace(path, path + ".1")
        descriptor = own_files.open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(descriptor, line.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)

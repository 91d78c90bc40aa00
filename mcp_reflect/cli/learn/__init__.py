"""`mcp-reflect learn`: runs out of the sessions that coding agents left on this machine."""

from __future__ import annotations

from mcp_reflect.cli.learn.command import learn_command

__all__ = ["learn_command"]

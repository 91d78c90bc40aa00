"""All tools, in the order in which clients list them."""

from __future__ import annotations

from mcp_reflect.server.tools.error_tools import ERROR_TOOLS
from mcp_reflect.server.tools.insight_tools import INSIGHT_TOOLS
from mcp_reflect.server.tools.loop_tools import QUERY_TOOLS, REVIEW_TOOLS, TRACE_TOOLS

TOOLS = (*QUERY_TOOLS, *REVIEW_TOOLS, *ERROR_TOOLS, *TRACE_TOOLS, *INSIGHT_TOOLS)

"""An OpenAIReflector on a scripted server, and a run for it to reflect on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcp_reflect.adapters.openai_reflector import OpenAIReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from tests.support.llm_server import LLMServer
from tests.support.values import make_review, make_trace
from tests.support.waiting import HANG_S

KEY = "sk-test-0123456789abcdef"
TASK = "Find the private ledger of Atlantis."


def asking(
    server: LLMServer | str, timeout_s: float = HANG_S, *, prompts: Prompts | None = None, **more: Any
) -> OpenAIReflector:
    url = server if isinstance(server, str) else server.base_url
    return OpenAIReflector("scripted", url, KEY, timeout_s, prompts or Prompts(), **more)


def a_run(result: str = "fail") -> ReviewedRun:
    trace = make_trace(task=TASK, trajectory="$ grep --fast\nerror: unknown flag")
    review = make_review(trace, 1, result=result, feedback="Wrong flag.")
    return replace(ParsedRun.of(trace).reviewed(review), errors=())

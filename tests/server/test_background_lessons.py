"""A server embeds what memories teach by itself, beside the requests that it answers."""

from __future__ import annotations

from pathlib import Path

from mcp_reflect.application.lesson_embedding import AT_ONCE
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.config.load import load_settings
from tests.support.composition import PROJECT, open_memory
from tests.support.waiting import until

LESSONS = {
    "handle transient failures of the payment interface": "Retry with exponential backoff and jitter.",
    "handle wrong amounts of the payment interface": "Store money as integers of cents, never as floats.",
    "handle refunds of the payment interface": "A refund needs the id of the charge that it belongs to.",
    "handle receipts of the payment interface": "Print the date in the time zone of the shop.",
    "handle coupons of the payment interface": "Apply the discount before the tax.",
}
RUNS = [Submission(task=task, review_result="pass", guidance=lesson) for task, lesson in LESSONS.items()]


def test_what_was_imported_before_a_crash_is_embedded_after_the_next_start(tmp_path: Path) -> None:
    settings = load_settings({"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_PROJECT": PROJECT}, tmp_path)
    asked = Query(task="the amounts of the payment interface are off by rounding")
    with open_memory(settings) as memory:
        assert len(RUNS) > AT_ONCE  # few would be embedded by the query
        under_way = memory.submit_all(RUNS)
        next(under_way)
        assert {each.parts.lesson for each in memory.query(asked).matches} == {0.0}
    with open_memory(settings) as memory:
        assert until(lambda: any(each.parts.lesson < 0.0 for each in memory.query(asked).matches))

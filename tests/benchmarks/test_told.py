"""Recorded sessions that are told in words are reports: no reader of transcripts may take them for one."""

from __future__ import annotations

import json

import pytest

from benchmarks.lessons.__main__ import RECORDED
from benchmarks.lessons.told import tell
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.report import read_report
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript


@pytest.mark.parametrize("style", ["list", "prose"])
def test_a_session_in_words_is_read_as_a_report(style: str) -> None:
    for file in sorted(RECORDED.glob("*.json")):
        session = json.loads(file.read_text(encoding="utf-8"))
        told = parse(tell(parse(session.get("log") or session["messages"]), style))
        assert read_transcript(told).messages is None, file.stem
        assert read_report(told), file.stem

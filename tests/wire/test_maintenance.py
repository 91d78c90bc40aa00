"""Maintenance of a home that no hub owns: by a process of its own, whose errors arrive as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_reflect.errors import ConfigurationError, HomeInUse, UnknownId
from mcp_reflect.wire.caller import Caller
from mcp_reflect.wire.maintenance import MaintenanceEvent, request_maintenance
from tests.support.hubs import hub_pids
from tests.support.servers import environment
from tests.support.waiting import HANG_S

PROJECT = "test-project"
ALONE = {"MCP_REFLECT_HUB__ENABLED": "false", "MCP_REFLECT_PROJECT": PROJECT}


def maintained(home: Path, command: str, thing: str = "", **more: str) -> list[MaintenanceEvent]:
    events: list[MaintenanceEvent] = []
    environ = environment(home, **ALONE, **more)
    request_maintenance(command, str(home), PROJECT, events.append, thing=thing, environ=environ, cwd=str(home.parent))
    return events


def test_a_run_is_forgotten_and_the_rest_agrees(home: Path) -> None:
    with Caller(environment(home, **ALONE), str(home.parent), "tester") as caller:
        gone, kept = (
            caller.call("submit_trace", {"task": f"Deploy {name}", "review_result": "pass"}, HANG_S)["trace_id"]
            for name in ("billing", "search")
        )
        with pytest.raises(HomeInUse):
            maintained(home, "forget", gone)
    assert maintained(home, "forget", gone)[-1] == {"findings": 0}
    assert maintained(home, "verify")[-1] == {"findings": 0}
    with pytest.raises(UnknownId) as refused:
        maintained(home, "forget", gone)
    assert refused.value.ids == (gone,)
    with Caller(environment(home, **ALONE), str(home.parent), "tester") as caller:
        assert [trace["trace_id"] for trace in caller.call("list_traces", {"review_status": "all"})["traces"]] == [kept]
    assert not hub_pids(home)


def test_wrong_settings_arrive_as_such(home: Path) -> None:
    with pytest.raises(ConfigurationError, match="alpha"):
        maintained(home, "verify", MCP_REFLECT_Q_LEARNING__ALPHA="much")

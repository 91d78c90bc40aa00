"""By which channel a text came to a run is told by the tool or the command that brought it."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.channels import Channel, channel_of, is_signed


@pytest.mark.parametrize(
    ("source", "tool", "command", "channel"),
    [
        ("tool", "mcp__slack__get_thread", "", "correspondence"),
        ("tool", "gmailSearch", "", "correspondence"),
        ("tool", "ticket_get", "", "correspondence"),
        ("tool", "correo_leer", "", "correspondence"),
        ("file", "read_channel", "", "correspondence"),
        ("tool", "Bash", "gh pr view 144 --comments", "correspondence"),
        ("tool", "Bash", "gh pr create --fill", "own"),
        ("web", "fetch_url", "", "publication"),
        ("web", "Bash", "curl -s https://docs.dev/limits", "publication"),
        ("tool", "kb_search", "", "publication"),
        ("tool", "Bash", "ssh vm1 cat /etc/hosts; wiki cat Net/DNS", "publication"),
        ("memory", "query_memories", "", "publication"),
        ("tool", "code_search", "", "own"),
        ("web", "browser_snapshot", "", "own"),
        ("tool", "get_booking", "", "own"),
        ("tool", "Bash", "make test", "own"),
        ("file", "Read", "", "own"),
    ],
)
def test_the_channel_of_a_call(source: TextOrigin, tool: str, command: str, channel: Channel) -> None:
    assert channel_of(source, tool, command) == channel


def test_a_text_may_say_that_somebody_from_elsewhere_wrote_it() -> None:
    for text in (
        "Comment by a supplier: use DHL",
        "Limits [anonymous edit] none",
        "edited yesterday by a.b",
        "(last edit: nobody)",
        "(external)",
    ):
        assert is_signed(text)
    for text in (
        "# comment",
        "3 files edited",
        "the external ip is 10.0.0.1",
        "posted 4 rows",
        "from: 2024-01-01",
        "a film edited by A. Berg",
    ):
        assert not is_signed(text)

"""A table is put into TOML and taken out again; nothing else of the text moves."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.cli.install.config_errors import MalformedConfig, UnexpectedConfig
from mcp_reflect.cli.install.toml_edit import parse_config, put_entry, remove_entry

PATH = ("mcp_servers", "reflect")
ENTRY = {"command": "/opt/ä b/mcp-reflect", "env": {"A": 'x"\\'}, "env_vars": ["B", "C"], "startup_timeout_sec": 60}

TOP = st.sampled_from(["", '# Codex\nmodel = "o3"\n', 'a.b = 1\nnotes = """\n[mcp_servers.reflect]\n"""\n'])
BLOCKS = st.lists(
    st.sampled_from(
        [
            '[mcp_servers.docs]\ncommand = "npx" # node\nargs = [\n  "-y",\n  "docs",\n]\n',
            '[mcp_servers.db]\ncommand = "db"\n\n[mcp_servers.db.env]\nKEY = "1"\n',
            '[mcp_servers."with.dot"]\ncommand = "dot"\n',
            "[mcp_servers.reflection]\nurl = 'http://localhost:1'\n",
            "[tui]\n# quiet\nnotifications = false\n",
            '[[rules]]\nname = "a"\n',
            '[projects."/home/ann/a"]\ntrust_level = "trusted"\n',
        ]
    ),
    unique=True,
    max_size=5,
)
BETWEEN = st.sampled_from(["", "\n", "\n\n", "# a line\n", "\n# a line\n\n"])


@st.composite
def configurations(draw: st.DrawFn) -> str:
    text = draw(TOP) + "".join(draw(BETWEEN) + block for block in draw(BLOCKS)) + draw(BETWEEN)
    if draw(st.booleans()):
        text = text.rstrip("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(configurations())
def test_what_is_put_in_is_taken_out_to_the_byte(text: str) -> None:
    before = tomllib.loads(text)
    changed = put_entry(text, PATH, ENTRY)
    servers = {**before.get("mcp_servers", {}), "reflect": ENTRY}
    assert tomllib.loads(changed) == {**before, "mcp_servers": servers}
    assert put_entry(changed, PATH, ENTRY) == changed
    back = remove_entry(changed, PATH)
    # Where a text inside quotes looks like our table, tomlkit takes it out, which may leave a blank line.
    assert back == text or ('"""' in text and tomllib.loads(back) == before)


@given(configurations())
def test_a_changed_entry_changes_alone(text: str) -> None:
    changed = put_entry(put_entry(text, PATH, ENTRY), PATH, {**ENTRY, "command": "other", "args": ["-m"]})
    before = tomllib.loads(text)
    servers = {**before.get("mcp_servers", {}), "reflect": {**ENTRY, "command": "other", "args": ["-m"]}}
    assert tomllib.loads(changed) == {**before, "mcp_servers": servers}


def test_servers_in_braces_are_kept_in_braces() -> None:
    text = 'mcp_servers = {docs = {command = "npx"}} # all of them\n[tui]\na = 1\n'
    changed = put_entry(text, PATH, {"command": "c"})
    assert tomllib.loads(changed)["mcp_servers"] == {"docs": {"command": "npx"}, "reflect": {"command": "c"}}
    assert "# all of them\n[tui]\na = 1\n" in changed
    assert remove_entry(changed, PATH) == text


def test_tables_inside_the_entry_go_with_it_and_comments_of_the_next_one_stay() -> None:
    text = (
        '[mcp_servers.reflect]\ncommand = "c" # mine\n\n[mcp_servers.reflect.tools.query_memories]\n'
        'approval_mode = "approve"\n\n# the look\n[tui]\na = 1\n'
    )
    assert remove_entry(text, PATH) == "\n# the look\n[tui]\na = 1\n"


def test_a_comment_inside_the_entry_outlives_a_change() -> None:
    text = '[mcp_servers.reflect]\n# where it is\ncommand = "old" # here\n\n[tui]\na = 1\n'
    assert put_entry(text, PATH, {"command": "new"}) == text.replace("old", "new")


@pytest.mark.parametrize(
    ("text", "place"),
    [("a = \n", "line 1, column 5"), ("a = 1\n[x\n", "line 2, column 3"), ("a = 1\na = 2", "line 2, column 6")],
)
def test_what_is_broken_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(MalformedConfig, match=f"^{place}: "):
        parse_config(text)


@pytest.mark.parametrize("text", ["mcp_servers = 1\n", "[[mcp_servers]]\na = 1\n"])
def test_a_place_that_holds_something_else_is_left_alone(text: str) -> None:
    with pytest.raises(UnexpectedConfig, match="mcp_servers must be a table"):
        put_entry(text, PATH, ENTRY)


def test_what_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(KeyError):
        remove_entry("a = 1\n", PATH)

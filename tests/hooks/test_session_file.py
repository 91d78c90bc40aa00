from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.config.sections import HookSettings
from mcp_reflect.hooks import error_log, rendering
from mcp_reflect.hooks.options import HookOptions, read_options
from mcp_reflect.hooks.session_state import MAX_SESSION_BYTES, SESSION_RETENTION_S, SessionState, remove_old_sessions


def test_a_session_is_remembered_by_the_next_hook(tmp_path: Path) -> None:
    SessionState(str(tmp_path), "claude-code", "s").show("t1", ["mem_a"], [])
    SessionState(str(tmp_path), "claude-code", "s").show("t2", ["mem_b"], ["mem_a"])
    session = SessionState(str(tmp_path), "claude-code", "s")
    assert session.shown == {"mem_a", "mem_b"}
    assert session.given("t1", 0) == ["mem_a"]
    assert session.given("t2", 0) == ["mem_b", "mem_a"]
    assert SessionState(str(tmp_path), "claude-code", "other").shown == set()


def test_what_was_shown_to_an_unnamed_turn_counts_for_the_next_one_handed_in(tmp_path: Path) -> None:
    session = SessionState(str(tmp_path), "cursor", "s")
    session.show("", ["mem_a"], [])
    since = session.times_shown
    session.show("", ["mem_b"], [])
    assert session.given("1", 0) == ["mem_a", "mem_b"]
    assert session.given("2", since) == ["mem_b"]


def test_a_sessions_file_is_its_owners_alone_and_bounded(tmp_path: Path) -> None:
    session = SessionState(str(tmp_path), "claude-code", "../../etc/passwd")
    for number in range(30):
        session.show("t", [f"mem_{number}_{'x' * 50_000}"], [])
    (file,) = (tmp_path / "sessions").iterdir()
    assert file.stat().st_size <= MAX_SESSION_BYTES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_broken_lines_cost_no_more_than_themselves(tmp_path: Path) -> None:
    session = SessionState(str(tmp_path), "claude-code", "s")
    session.show("t", ["mem_a"], [])
    file = tmp_path / "sessions" / "claude-code-s.jsonl"
    file.write_bytes(b'{"shown": 3}\n[]\n\xff\n{"shown": ["mem_0", 1]}\n' + file.read_bytes() + b'{"shown": ["mem')
    assert SessionState(str(tmp_path), "claude-code", "s").shown == {"mem_a", "mem_0"}


def test_files_of_old_sessions_go(tmp_path: Path) -> None:
    SessionState(str(tmp_path), "claude-code", "old").show("t", ["mem_a"], [])
    SessionState(str(tmp_path), "claude-code", "new").show("t", ["mem_a"], [])
    old = time.time() - SESSION_RETENTION_S - 60
    os.utime(tmp_path / "sessions" / "claude-code-old.jsonl", (old, old))
    remove_old_sessions(str(tmp_path))
    assert [file.name for file in (tmp_path / "sessions").iterdir()] == ["claude-code-new.jsonl"]


def test_the_log_stays_short_and_quotes_nobody(tmp_path: Path) -> None:
    for _ in range(3_000):
        error_log.log_hook_error(str(tmp_path), "claude-code prompt", ValueError("SECRET in the input"))
        error_log.log_hook_error(str(tmp_path), "claude-code prompt", TimeoutError("too slow " * 20))
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert max(sizes) <= error_log.MAX_HOOK_LOG_BYTES + 300
    assert "SECRET" not in (tmp_path / error_log.HOOK_LOG).read_text(encoding="utf-8")


def test_options_and_settings_agree(tmp_path: Path) -> None:
    assert HookSettings().model_dump(exclude={"active"}) == vars(HookOptions())  # that one is the server's
    (tmp_path / "config.toml").write_text("[hooks]\nmemories = 1\nsubmit = false\n", encoding="utf-8")
    assert vars(read_options({}, str(tmp_path), "/")) == vars(HookOptions(1, 800, submit=False))
    given = {"MCP_REFLECT_HOOKS__MEMORIES": "0", "MCP_REFLECT_HOOKS__SUBMIT": "yes"}
    assert vars(read_options(given, str(tmp_path), "/")) == vars(HookOptions(0, 800, submit=True))
    for wrong in ("many", "9" * 5000):
        options = read_options({"MCP_REFLECT_HOOKS__TOKENS": wrong}, str(tmp_path / "none"), "/")
        assert vars(options) == vars(HookOptions())


@given(
    st.lists(
        st.builds(
            lambda n, task, text, success: {
                "id": f"mem_{n}",
                "task": task,
                "reflection": text,
                "q_value": 0.5,
                "success": success,
            },
            st.integers(),
            st.text(),
            st.text(max_size=3_000),
            st.none() | st.booleans(),
        ),
        max_size=6,
    ),
    st.integers(0, 2_000),
)
def test_lessons_stay_within_their_room(memories: list[dict[str, object]], tokens: int) -> None:
    text, ids = rendering.render_lessons(memories, tokens)
    assert rendering.estimate_tokens(text) <= max(tokens, 0)
    assert bool(text) == bool(ids)
    assert ids == [memory["id"] for memory in memories[: len(ids)]]

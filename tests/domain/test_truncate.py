"""Shortened texts: never longer than allowed, unchanged where they fit, and honest about what is missing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.truncate import truncate, truncate_bytes, truncate_line, truncate_middle

limits = st.integers(0, 300)


@given(st.text(), limits)
def test_a_text_loses_its_end_only_where_it_is_too_long(text: str, limit: int) -> None:
    short = truncate(text, limit)
    assert len(short) <= limit
    if len(text) <= limit:
        assert short == text
    elif limit:
        assert short.endswith("…")
        assert text.startswith(short[:-1])


@given(st.text(max_size=2_000), limits)
def test_a_line_holds_the_words_in_their_order_with_single_spaces(text: str, limit: int) -> None:
    line = truncate_line(text, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())
    assert " ".join(text.split()).startswith(line.removesuffix("…"))


@given(st.text("aé字😀 "), st.integers(3, 300))
def test_bytes_are_counted_and_no_character_is_cut_in_two(text: str, limit: int) -> None:
    short = truncate_bytes(text, limit)
    assert len(short.encode()) <= limit
    if len(text.encode()) <= limit:
        assert short == text
    else:
        assert short.endswith("…")
        assert text.startswith(short[:-1])
        assert len(short.encode()) > limit - len("😀".encode())


@given(
    st.text("ab ", max_size=1_000), limits, st.sampled_from([0.0, 0.25, 0.5, 2 / 3, 1.0]), st.sampled_from(["", "; x"])
)
def test_a_text_loses_its_middle_and_says_how_much(text: str, limit: int, head: float, hint: str) -> None:
    short = truncate_middle(text, limit, head=head, hint=hint)
    assert len(short) <= limit
    if len(text) <= limit:
        assert short == text
        return
    start, gap, rest = short.partition("\n[… ")
    assert text.startswith(start)
    if gap:
        count, _, end = rest.partition(f" characters left out{hint} …]\n")
        assert text.endswith(end)
        assert len(start) + int(count.replace(",", "")) + len(end) == len(text)
        assert abs(len(start) - head * (len(start) + len(end))) <= 1


def test_where_the_note_has_no_room_the_end_goes() -> None:
    assert truncate_middle("0123456789" * 10, 12) == "012345678901"
    assert truncate("text", 0) == ""

"""Functions that remember their results for short texts."""

from __future__ import annotations

from mcp_reflect.domain.text.memoize import memoize_short


def test_a_short_text_is_looked_at_once_and_a_long_one_each_time_it_is_asked() -> None:
    asked: list[str] = []

    @memoize_short(entries=2, chars=4)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length("four"), length("four"), length("longer"), length("longer")] == [4, 4, 6, 6]
    assert asked == ["four", "longer", "longer"]


def test_results_make_room_for_others() -> None:
    asked: list[str] = []

    @memoize_short(entries=2, chars=4)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    for text in ("a", "bb", "ccc", "a"):
        length(text)
    assert asked == ["a", "bb", "ccc", "a"]

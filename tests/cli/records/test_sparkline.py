from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.cli.records.sparkline import sparkline


@pytest.mark.parametrize(("values", "line"), [([], ""), ([0, 0.5, 1], "▁▅█"), ([0.124, 0.126], "▁▂")])
def test_a_value_has_a_bar_of_its_height(values: list[float], line: str) -> None:
    assert sparkline(values) == line


@given(st.lists(st.floats(0, 1)))
def test_higher_values_never_have_lower_bars(values: list[float]) -> None:
    ordered = sorted(values)
    assert list(sparkline(ordered)) == sorted(sparkline(ordered))
    assert len(sparkline(values)) == len(values)

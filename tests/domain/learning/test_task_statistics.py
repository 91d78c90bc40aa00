"""What rows earned task by task, against plain dictionaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import TaskRecord, TaskWording
from mcp_reflect.domain.learning.task_statistics import TaskStatistics

trials = st.floats(0.01, 50)
record_sets = st.dictionaries(st.integers(0, 4), st.tuples(trials, st.floats(0, 1)), max_size=4).map(
    lambda found: tuple(TaskRecord(task, n, share * n) for task, (n, share) in found.items())
)


@given(st.lists(record_sets, min_size=1, max_size=6), st.data())
def test_tasks_find_their_rows_and_rows_their_sums(rows: list[tuple[TaskRecord, ...]], data: st.DataObject) -> None:
    held = TaskStatistics()
    for records in rows:
        held.append_row(records)
    for _ in range(data.draw(st.integers(0, 5))):
        row = data.draw(st.integers(0, len(rows) - 1))
        rows[row] = data.draw(record_sets)
        sums = held.replace_row(row, rows[row])
        expected = [
            sum(min(1.0, record.trials) for record in rows[row]),
            sum(min(1.0, record.trials) * record.successes / record.trials for record in rows[row]),
        ]
        assert sums == pytest.approx(expected)
    kept = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1))))
    for table, numbers in ((held, range(len(rows))), (held.select(np.array(kept, np.int64)), kept)):
        for task in range(5):
            found = table.slice_of(TaskWording(task))
            expected_rows = {
                place: record for place, row in enumerate(numbers) for record in rows[row] if record.task == task
            }
            assert found.rows.tolist() == sorted(expected_rows)
            assert found.trials.tolist() == [expected_rows[place].trials for place in found.rows]
            assert found.successes.tolist() == [expected_rows[place].successes for place in found.rows]


def test_a_task_that_is_not_known_has_no_rows() -> None:
    held = TaskStatistics()
    held.append_row((TaskRecord(1, 2.0, 1.0),))
    assert len(held.slice_of(TaskWording(2)).rows) == len(held.slice_of(None).rows) == 0

"""A later run that changed what an earlier one had left is known by what both did."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.comparison.changed_ways import changes_way

TASKS = ("Install the admin console's packages", "Clean install of the admin console fails")


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("What worked: `make deploy`", "What worked: `ship deploy api`. `make deploy` failed: make: no rule"),
        ("What worked: `npm ci`; `npm test`", "What worked: `npm ci --legacy-peer-deps`; `npm test`"),
        (
            "What worked: editing a.toml (`line-length = 88` → `line-length = 100`)",
            "What worked: `ruff check` after editing a.toml (`line-length = 100` → `line-length = 120`)",
        ),
        (
            'What worked: editing job.yaml (+ `schedule: "0 2 * * *"`)',
            'What worked: editing job.yaml (`schedule: .*` → `schedule: "30 4 * * *"`)',
        ),
        (
            "The server simulates at 30 Hz.",
            "editing clock.h (`constexpr int TICK_HZ = 30;` → `constexpr int TICK_HZ = 60;`)",
        ),
    ],
)
def test_another_way_in_the_same_place_changes_the_earlier_one(earlier: str, later: str) -> None:
    assert changes_way(later, earlier, TASKS)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("What worked: `npm ci`", "What worked: `npm ci --legacy-peer-deps web`"),
        ("What worked: editing a.yaml (+ `replicas: 2`)", "What worked: editing b.yaml (+ `replicas: 6`)"),
        ("What worked: editing a.yaml (+ `replicas: 2`)", "What worked: editing a.yaml (+ `replicas: 2`)"),
        ("Logs are kept for 30 days.", "editing clock.h (`TICK_HZ = 30` → `TICK_HZ = 60`)"),
        ("`make deploy` failed: no rule", "`make deploy` failed: no rule"),
        ("Worked after editing a.py (+ `wait = 5`; + `wait = 9`)", "Worked after editing a.py (+ `wait = 5`)"),
        ("What worked: `book(seat=2A)`", "`book(seat=2A)` failed: the seat is taken"),
        ("What worked: `update_booking` with another `seat`", "`update_booking` failed: not enough seats"),
    ],
)
def test_another_place_or_matter_changes_nothing(earlier: str, later: str) -> None:
    assert not changes_way(later, earlier, TASKS)


def test_an_option_for_another_subject_changes_nothing() -> None:
    lessons = "What worked: `npm ci --omit=dev`", "What worked: `npm ci`"
    assert not changes_way(*lessons, ("Pack the mobile bundle", "Install the reports service"))

"""Immutable values with checked fields."""

from __future__ import annotations

import json
import pickle
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import pytest

from mcp_reflect.domain.field_checks import InvalidRecord
from mcp_reflect.domain.record import Record


class Place(NamedTuple):
    path: str
    line: int


class Part(Record):
    name: str
    weight: float = 1.0


class Whole(Record):
    kind: Literal["a", "b"] = "a"
    count: int = 0
    success: bool | None = None
    parts: tuple[Part, ...] = ()
    places: tuple[Place, ...] = ()
    tags: dict[str, str | int | float | bool | list[str | int | float | bool]] = {}
    made: datetime | None = None

    @property
    def names(self) -> list[str]:
        return [part.name for part in self.parts]


FULL = Whole(
    kind="b",
    count=3,
    success=True,
    parts=(Part(name="x", weight=0.5),),
    places=(Place("a.py", 3),),
    tags={"t": ["u", 1, True], "n": 1.5},
    made=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
)


def test_a_record_comes_back_from_its_json() -> None:
    dumped = json.loads(json.dumps(FULL.model_dump(mode="json")))
    assert dumped["made"] == "2026-01-02T03:04:05.000006Z"
    again = Whole.model_validate(dumped)
    assert again == FULL
    assert (type(again.parts[0]), type(again.places[0]), again.tags["t"]) == (Part, Place, ["u", 1, True])


def test_a_record_comes_back_from_its_fields_and_from_another_process() -> None:
    assert Whole.model_validate(FULL.model_dump()) == FULL == pickle.loads(pickle.dumps(FULL))
    assert FULL.model_dump(include={"count", "kind"}, exclude={"kind"}) == {"count": 3}
    assert Whole(count=1).model_dump(exclude_defaults=True) == {"count": 1}


def test_a_flag_and_a_number_may_come_as_a_database_holds_them() -> None:
    read = Whole.model_validate({"success": 1, "parts": [{"name": "x", "weight": 2}], "count": 2.0})
    assert (read.success, type(read.parts[0].weight), type(read.count)) == (True, float, int)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kind": "c"}, r"^kind: must be one of 'a', 'b'$"),
    ({"count": "3"}, r"^count: must be a whole number$"),
    ({"count": 1.5}, r"^count: must be a whole number$"),
    ({"success": 2}, r"^success: must be true or false or null$"),
    ({"parts": "x"}, r"^parts: must be a list$"),
    ({"parts": [{"name": "x"}, {"name": 1}]}, r"^parts\.1\.name: must be text$"),
    ({"parts": [{}]}, r"^parts\.0\.name: must be given$"),
    ({"parts": [{"name": "x", "length": 1}]}, r"^parts\.0\.length: is no field$"),
    ({"parts": [{"name": "x", "weight": None}]}, r"^parts\.0\.weight: must be a number$"),
    ({"places": [["a.py"]]}, r"^places\.0: must be a list of 2$"),
    ({"tags": {"t": None}}, r"^tags\.t: must be text or "),
    ({"made": "today"}, r"^made: must be a time in ISO 8601 or null$"),
    ({"names": []}, r"^names: is no field$"),
]


@pytest.mark.parametrize(("fields", "problem"), WRONG)
def test_a_wrong_field_is_named_with_what_it_must_be(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidRecord, match=problem):
        Whole.model_validate(fields)


def test_a_record_cannot_be_changed_and_shares_no_default() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        FULL.count = 4  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del FULL.count
    first = Whole()
    first.tags["t"] = "u"
    assert Whole().tags == {}


def test_a_copy_has_the_other_values_and_leaves_the_record_as_it_was() -> None:
    other = FULL.model_copy(update={"count": 4})
    assert (other.count, FULL.count, other.names) == (4, 3, ["x"])
    assert other != FULL
    assert Whole.model_construct(count=4).kind == "a"


def test_records_of_other_classes_differ_and_equal_ones_are_one_in_a_set() -> None:
    class Other(Part):
        pass

    assert Part(name="x") != Other(name="x")
    assert len({Part(name="x"), Part(name="x"), Part(name="y")}) == 2
    assert repr(Part(name="x")) == "Part(name='x', weight=1.0)"

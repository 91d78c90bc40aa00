"""Large banks: two stages find what comparing every row finds, up to the one in a hundred that is promised."""

from __future__ import annotations

import numpy as np
import pytest

from mcp_reflect.domain.changes import Changes, MemoryChange, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.ranking import candidate_generation, columns
from mcp_reflect.domain.ranking.candidate_generation import two_stage_top_k
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Vector

DIMENSION = 384
SIZE = 5_000
TOPICS = 300
WANTED = 20
chance = np.random.default_rng(20261121)


def unit(vectors: Vector) -> Vector:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def topics() -> Vector:
    """As texts lie: far more of their length in some directions than in others."""
    spread = 1.0 / np.arange(1, DIMENSION + 1) ** 0.7
    return unit(chance.standard_normal((TOPICS, DIMENSION)) * spread)


CENTRES = topics()


def near(topic: int) -> Vector:
    other = CENTRES[int(chance.integers(TOPICS))]
    return unit(CENTRES[topic] + 0.5 * chance.random() * other + 0.01 * chance.standard_normal(DIMENSION))


def change(number: int, seq: int, vector: Vector, topic: int, lesson: Vector | None = None) -> MemoryChange:
    return MemoryChange(
        memory_id=f"m{number:05}",
        user="ann" if number % 3 else "bob",
        retrievable=True,
        metadata={"half": number % 2},
        q_value=float(np.clip(chance.normal(0.5, 0.2), 0, 1)),
        created=number,
        vector=vector,
        seq=seq,
        terms=terms(f"topic{topic} word{topic % 7} common number{number}"),
        lesson_vector=lesson,
    )


def filled(size: int = SIZE) -> FeatureTable:
    table = FeatureTable(DIMENSION)
    drawn = chance.integers(TOPICS, size=size)
    table.apply(
        Changes(1, [change(number, 1, near(topic), topic, near(topic)) for number, topic in enumerate(drawn)], [])
    )
    return table


@pytest.fixture(scope="module")
def table() -> FeatureTable:
    made = filled()
    gone = [change(number, 2, None, 0) for number in range(0, SIZE, 50)]  # type: ignore[arg-type]
    made.apply(Changes(2, gone, []))
    return made


@pytest.fixture(autouse=True)
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate_generation, "EXACT_SCAN_LIMIT", 1_000)


def test_whether_the_best_match_stands_out_is_judged_as_by_comparing_every_row() -> None:
    table = filled(2_000)
    lone = topics()[:20]
    table.apply(Changes(2, [change(9_000 + number, 2, vector, 900 + number) for number, vector in enumerate(lone)], []))
    shown = []
    for vector in [*unit(lone + 0.01 * chance.standard_normal(lone.shape)), *(near(topic) for topic in range(20))]:
        asked = TaskWording(1, terms("asked for"), vector)
        best = float(table.relevance_to(asked).max())
        query = RankingQuery(vector, 0.0, best + 0.05, terms=asked.terms, by_lead=True)
        exact, quick = (rank(table, query, WANTED) for rank in (top_k, two_stage_top_k))
        assert exact.rows.tolist() == quick.rows.tolist()
        shown.append(len(exact))
    assert set(shown) == {0, 1}


@pytest.mark.slow
def test_the_best_match_is_found_where_lessons_speak_of_other_matters_than_their_tasks() -> None:
    table = FeatureTable(DIMENSION)
    drawn = chance.integers(TOPICS, size=(2, SIZE))
    table.apply(
        Changes(
            1, [change(number, 1, near(topic), topic, near(other)) for number, (topic, other) in enumerate(drawn.T)], []
        )
    )
    missed = wanted = 0
    for topic in range(60):
        query = RankingQuery(near(topic), 0.5, 0.4, terms=terms(f"word{topic % 7} asked"))
        exact, quick = top_k(table, query, WANTED), two_stage_top_k(table, query, WANTED)
        missed += len(np.setdiff1d(exact.rows, quick.rows))
        wanted += len(exact)
    assert wanted > 600
    assert missed <= 0.01 * wanted


@pytest.mark.slow
@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("hybrid", [True, False])
@pytest.mark.parametrize("part", ["all", "half", "user"])
def test_hardly_any_of_the_best_is_missed(table: FeatureTable, lambda_: float, hybrid: bool, part: str) -> None:
    rows = {"all": None, "half": table.rows_matching({"half": 1}, None), "user": table.rows_matching({}, "ann")}[part]
    missed = wanted = skipped = 0
    for topic in range(40):
        words = terms(f"topic{topic} word{topic % 7} other") if hybrid else None
        query = RankingQuery(near(topic), lambda_, 0.51 if hybrid else 0.25, terms=words)
        exact = top_k(table, query, WANTED, rows)
        projection = table.projection()
        assert projection is not None
        looked_at = candidate_generation.CandidateGenerator(table, projection, query, rows).candidates(1_000)
        assert table.alive[looked_at].all()
        if rows is not None:
            assert np.isin(looked_at, rows).all()
        found = two_stage_top_k(table, query, WANTED, rows)
        missed += len(np.setdiff1d(exact.rows, found.rows))
        wanted += len(exact)
        skipped += len(table) - len(looked_at)
        # What both hold has the same score: a hybrid one hangs on the best match, so that was found too.
        both = np.isin(found.rows, exact.rows)
        assert found.score[both].tolist() == exact.score[np.isin(exact.rows, found.rows)].tolist()
    assert wanted > 100
    assert missed <= 0.01 * wanted
    assert skipped > 0.5 * 40 * len(table)


@pytest.mark.slow
@pytest.mark.parametrize("in_place", [1, 8, 1_000])
@pytest.mark.parametrize("lambda_", [0.5, 1.0])
def test_where_few_of_the_promising_clear_the_threshold_more_are_looked_at(
    table: FeatureTable, monkeypatch: pytest.MonkeyPatch, lambda_: float, in_place: int
) -> None:
    monkeypatch.setattr(candidate_generation, "_MIN_RESULTS", 1)
    monkeypatch.setattr(candidate_generation, "_CANDIDATES_PER_RESULT", 1)
    monkeypatch.setattr(columns, "_GATHER_SHARE", in_place)
    projection = table.projection()
    assert projection is not None
    further = 0
    for topic in range(20):
        query = RankingQuery(near(topic), lambda_, 0.6)
        exact = top_k(table, query, WANTED)
        further += len(
            top_k(
                table,
                query,
                WANTED,
                candidate_generation.CandidateGenerator(table, projection, query).candidates(WANTED),
            )
        )
        further -= len(exact)
        assert len(two_stage_top_k(table, query, WANTED)) == len(exact)
    assert further < 0


def test_estimates_are_as_far_off_as_they_say_and_further_for_what_lies_outside(table: FeatureTable) -> None:
    projection = table.projection()
    assert projection is not None
    outside = unit(chance.standard_normal(DIMENSION))
    errors = []
    for vector in (near(5), outside):
        estimated, error = projection.cosines(vector)
        # Of those beyond, most are the few of its own topic: alike in the other directions too, and far above anyway.
        assert np.mean(np.abs(estimated - table.vectors @ vector) > error) < 0.01
        errors.append(error)
    assert errors[0] < errors[1]
    row = 17
    rough = projection.similarity_to_row(row, slice(None))
    assert np.corrcoef(rough, table.vectors @ table.vectors[row])[0, 1] > 0.9
    few = np.arange(5, len(projection), 100)
    assert projection.similarity_to_row(row, few) == pytest.approx(rough[few], abs=1e-5)


def test_rows_that_came_later_are_looked_at_too() -> None:
    table = filled(1_200)
    assert table.projection() is not None
    for number in range(1_200, 3_000, 300):
        vector = near(7)
        added = [change(number + place, number, near(3), 3) for place in range(299)]
        table.apply(Changes(number, [*added, change(number + 299, number, vector, 7)], []))
        found = two_stage_top_k(table, RankingQuery(vector, 0.0, 0.25), 5)
        assert table.ids[found.rows[0]] == f"m{number + 299:05}"
        projection = table.projection()
        assert projection is not None
        assert len(projection) == number + 300
        assert len(projection) <= 2 * projection.fitted_rows


@pytest.mark.parametrize("dimension", [8, 100, DIMENSION])
def test_where_vectors_have_no_directions_in_common_every_row_is_compared(dimension: int) -> None:
    table = FeatureTable(dimension)
    vectors = unit(chance.standard_normal((1_500, dimension)))
    table.apply(Changes(1, [change(number, 1, vector, 0) for number, vector in enumerate(vectors)], []))
    query = RankingQuery(vectors[3], 0.5, 0.0)
    assert table.projection() is None
    assert two_stage_top_k(table, query, 50).rows.tolist() == top_k(table, query, 50).rows.tolist()


def test_nothing_is_found_where_nothing_may_be(table: FeatureTable) -> None:
    projection = table.projection()
    assert projection is not None
    query = RankingQuery(near(1), 0.5, 0.25, terms=terms("topic1"))
    generator = candidate_generation.CandidateGenerator(table, projection, query, np.zeros(0, np.int64))
    assert len(generator) == 0
    assert len(generator.candidates(5)) == 0


@pytest.mark.slow
def test_what_proved_itself_on_the_task_comes_through_however_little_its_words_promise() -> None:
    table = filled()
    tried = chance.choice(SIZE, 400, replace=False)
    proven = [TaskRecord(7, 6.0, float(successes)) for successes in chance.integers(0, 7, len(tried))]
    table.apply(
        Changes(2, [], [UtilityChange(f"m{n:05}", 0.5, (record,)) for n, record in zip(tried, proven, strict=True)])
    )
    missed = wanted = known = 0
    for topic in range(40):
        query = RankingQuery(
            near(topic), 0.5, 0.25, terms=terms(f"topic{topic} other"), optimism=0.75, task=TaskWording(7)
        )
        exact, found = top_k(table, query, WANTED), two_stage_top_k(table, query, WANTED)
        missed += len(np.setdiff1d(exact.rows, found.rows))
        wanted += len(exact)
        known += len(np.intersect1d(exact.rows, tried))
    assert known > 100
    assert missed <= 0.01 * wanted

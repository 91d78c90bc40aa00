"""The whole benchmark on invented data, and the parts of it that figures hang on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality.__main__ import main
from benchmarks.quality.agent import RATE_BOUNDS, Growing, attention, draws, simulate
from benchmarks.quality.banks import Laboratory, laboratory
from benchmarks.quality.data import SETS, TAU, by_task, read_runs, read_set
from benchmarks.quality.features import CREDITS, HYBRID, RETRIEVALS, Credit, environment
from benchmarks.quality.graded import remember
from benchmarks.quality.learning import ORACLE, RELEVANCE, Laps, Trial, closed, rules, run
from benchmarks.quality.log_lines import PROMPT, after_log, after_prompt
from benchmarks.quality.noise import Watching
from benchmarks.quality.references import Explorer, Oracle
from benchmarks.quality.servers import DifferentialServer, InMemory, Real, Rule
from benchmarks.quality.world import World, build_world, steps
from tests.support.ledgers import read

pytestmark = pytest.mark.slow  # a benchmark at work


@pytest.fixture(scope="module")
def lab() -> Iterator[Laboratory]:
    """A home for all tests of this file; what a test stores goes into a project of its own."""
    with laboratory() as made:
        yield made


@pytest.fixture(scope="module")
def world(lab: Laboratory, invented: Path) -> World:
    with lab.memory("world") as memory:
        return build_world(lab, memory, read_runs(TAU, invented), poisoned=True)


def test_every_part_runs_and_tells_its_goals(
    invented: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ("retrieval", "long", "graded", "learning", "unfiltered", "false")
    parts = [word for part in chosen for word in ("--only", part)]
    small = ["--seeds", "2", "--steps", "24", "--workers", "1", "--set", SETS[0], "--set", SETS[1]]
    main([*parts, *small, "--data", str(invented), "--out", str(tmp_path / "out")])
    told = capsys.readouterr().out
    assert told == (tmp_path / "out" / "quality.txt").read_text(encoding="utf-8")
    assert "R@5, mean of the sets" in told
    assert "real memory differ, semantic: 0 (goal ≤ 0: met)" in told
    assert "rank differently at first, " in told
    assert "false retrieval, mean of the pairs" in told
    assert "graded by outcome" in told
    assert "all tasks together" in told


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is not here"):
        main(["--data", str(tmp_path / "nowhere")])


def test_a_sample_keeps_what_its_questions_need(invented: Path) -> None:
    whole = read_set(invented / f"{SETS[0]}.jsonl")
    sample = whole.sample(2, 5, seed=1)
    assert len(sample.questions) == 2
    assert len(sample.documents) == 5
    for question in sample.questions:
        assert question.relevant | question.excluded <= sample.documents.keys()


def test_the_agent_looks_less_at_each_further_memory() -> None:
    assert attention(1).tolist() == [1.0]
    weights = attention(3)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[1] / weights[0] == pytest.approx(1 / np.log2(3))
    assert weights[2] / weights[0] == pytest.approx(1 / 2)


def test_a_seed_means_the_same_luck_and_poison_never_helps(world: World) -> None:
    one, same, other = draws(world, 3, 40), draws(world, 3, 40), draws(world, 4, 40)
    assert one.helpful.tolist() == same.helpful.tolist() != other.helpful.tolist()
    assert one.task.tolist() == same.task.tolist()
    assert len(world.poisoned) == len(world.tasks)
    assert not one.helpful[list(world.poisoned)].any()


def test_the_oracle_earns_the_most_that_an_order_can_and_its_first_memory_alone_the_most_of_all(world: World) -> None:
    """What is left out of an answer is not followed, so that a rule can earn more than the order of all would."""
    drawn = draws(world, 0, 60)
    alone, ordered = (simulate(world, Oracle(world, drawn, shown), drawn) for shown in (1, 2))
    by_relevance = simulate(world, InMemory(world, Rule("followed", lambda_=0.0), 2), drawn)
    assert (by_relevance <= ordered + 1e-12).all()
    assert (ordered <= alone + 1e-12).all()
    for rule in rules():
        assert (simulate(world, InMemory(world, rule, 2), drawn) <= alone + 1e-12).all()


def test_the_explorer_shows_what_was_followed_least_until_it_is_judged_and_then_what_helped_most(world: World) -> None:
    members = world.members[0].tolist()
    explorer = Explorer(world, 1, judged_from=2 * len(members))
    followed = []
    for _ in range(2 * len(members)):
        [memory] = explorer.shown(0)
        followed.append(memory)
        explorer.reviewed(0, [memory], memory, memory, passed=memory == members[1])
    assert sorted(followed) == sorted(2 * members)
    assert explorer.shown(0) == [members[1]]
    explorer.reviewed(0, [members[1]], members[1], members[1], passed=True)
    assert explorer.shown(0) == [members[1]]


def test_in_a_growing_memory_each_run_handed_in_can_be_shown_and_followed(world: World) -> None:
    drawn = draws(world, 0, 60)
    ours, oracle = InMemory(world, Rule("followed", optimism=1.0), 2), Oracle(world, drawn, 1)
    earned, most = simulate(world, Growing(ours), drawn), simulate(world, Growing(oracle), drawn)
    assert (earned <= most + 1e-12).all()
    late = [position for task in range(len(world.tasks)) for position in ours.shown(task)]
    assert max(late) >= len(world.memories)
    assert len(ours.q) == len(world.memories) + drawn.steps
    assert (ours.q[len(world.memories) :] != 0.5).any()


def test_the_world_knows_nothing_yet_of_a_lesson_that_several_runs_taught(lab: Laboratory, invented: Path) -> None:
    runs = read_runs(TAU, invented)
    with lab.memory("borne-out") as memory:
        world = build_world(lab, memory, [*runs, *runs])
        stored = memory.memories(tuple(each.id for each in world.memories))
    assert any(each.trials and each.q_value != each.initial_q for each in stored)
    assert all(each.q_value == each.initial_q for each in world.memories)
    assert all(change.q_value == change.initial_q and not change.records for change in world.changes.memories)


def test_without_a_filter_memories_of_other_tasks_are_shown_and_help_as_little_as_any_can(world: World) -> None:
    server = InMemory(world, Rule("followed", lambda_=0.0), 1, HYBRID, whole=True)
    everything = InMemory(world, Rule("followed", lambda_=0.0), len(world.memories), HYBRID, whole=True)
    for task in range(len(world.tasks)):
        assert world.task_of[server.shown(task)] == [task]
        assert len(everything.shown(task)) > len(world.members[task])

    class Astray:
        """Shows a memory of another task."""

        def shown(self, task: int) -> list[int]:
            return [int(world.members[task - 1][0])]

        def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
            assert followed == shown[0]

    assert simulate(world, Astray(), draws(world, 0, 20)).tolist() == [RATE_BOUNDS[0]] * 20


def test_the_share_of_the_gap_is_nothing_for_relevance_alone_and_all_for_the_oracle(world: World) -> None:
    laps = Laps(seeds=3, steps=48)
    trials = [Trial("tau", 1, rule) for rule in (RELEVANCE, ORACLE, Rule("followed"))]
    curves = run({"tau": world}, trials, laps, workers=1)
    assert closed(curves, trials[0]) == (0.0, 0.0)
    assert closed(curves, trials[1])[0] == pytest.approx(100.0)
    assert all(values.shape == (3, 24) for values in curves.values())


@pytest.mark.parametrize("optimism", [0.0, 0.75])
@pytest.mark.parametrize("credit", CREDITS)
def test_the_simulation_moves_what_the_real_memory_moves(
    lab: Laboratory, invented: Path, credit: Credit, optimism: float
) -> None:
    rule = Rule(credit, optimism=optimism)
    setting = "used" if credit == "used" else "retrieved"
    variables = environment(q_learning__credit=setting, q_learning__optimism=optimism)
    with lab.memory(f"twins-{credit}-{optimism}", **variables) as memory:
        world = build_world(lab, memory, read_runs(TAU, invented))
        quick, real = InMemory(world, rule, 3, one_session=True), Real(world, memory, rule, 3)
        paired_servers = DifferentialServer(quick, real)
        simulate(world, paired_servers, draws(world, 0, 40))
    assert paired_servers.differences == 0
    assert np.unique(quick.q).size > 2


def test_a_difference_between_simulation_and_memory_is_counted(lab: Laboratory, invented: Path) -> None:
    variables = environment(q_learning__credit="retrieved", q_learning__optimism=0)
    with lab.memory("apart", **variables) as memory:
        world = build_world(lab, memory, read_runs(TAU, invented))
        paired_servers = DifferentialServer(
            InMemory(world, Rule("followed"), 3, one_session=True), Real(world, memory, Rule("retrieved"), 3)
        )
        simulate(world, paired_servers, draws(world, 0, 10))
    assert paired_servers.differences == 10


@pytest.mark.parametrize("retrieval", RETRIEVALS)
def test_the_simulation_ranks_as_the_real_memory_does(lab: Laboratory, invented: Path, retrieval: str) -> None:
    with lab.memory(f"ranks-{retrieval}") as memory:
        world = build_world(lab, memory, read_runs(TAU, invented), poisoned=True)
        for lambda_ in (0.0, 0.5, 1.0):
            rule = Rule("followed", lambda_)
            quick, real = InMemory(world, rule, 5, retrieval), Real(world, memory, rule, 5, retrieval)
            for task in range(len(world.tasks)):
                assert quick.shown(task) == real.shown(task)


def test_comparing_perfectly_credits_the_memories_whose_own_run_made_the_same_calls(world: World) -> None:
    server = InMemory(world, Rule("source"), 4)
    first, *others = world.members[0].tolist()
    server.reviewed(0, [first, *others[:2]], others[0], first, passed=True)
    assert server.q[first] == pytest.approx(0.65)
    assert server.q[others].tolist() == [0.5] * len(others)
    server.reviewed(0, others[:2], others[0], first, passed=False)
    assert server.q[others[:2]].tolist() == pytest.approx([0.35, 0.35])


def test_a_false_memory_stands_first_and_sinks(world: World) -> None:
    watching = Watching(world, Rule("followed"))
    simulate(world, watching, draws(world, 0, 300))
    assert all(seen[0] for seen in watching.seen)
    assert not all(all(seen) for seen in watching.seen)


def test_following_a_memory_once_gives_it_the_q_value_of_its_outcome(lab: Laboratory, invented: Path) -> None:
    runs = read_runs(TAU, invented)
    with lab.memory("graded") as memory:
        for position in range(2):
            remember(memory, runs[position], str(position))
        stored = read(lab.store.ledger, lambda s: s.projects.audit_rows("graded"))[0]
    q = {each.metadata["document"]: each.q_value for each in stored if each.status == "active"}
    assert q == {"0": pytest.approx(0.7), "1": pytest.approx(0.3)}


def test_steps_are_the_calls_with_their_arguments() -> None:
    arguments = json.dumps({"user": "ann", "bags": 2})
    call = {"id": "c", "type": "function", "function": {"name": "book", "arguments": arguments}}
    assert steps(json.dumps([{"role": "assistant", "tool_calls": [call]}])) == "book(user=ann, bags=2)"
    assert steps("plain text") == ""


def test_runs_are_grouped_by_task(invented: Path) -> None:
    groups = by_task(read_runs(TAU, invented))
    assert [list(members) for members in groups.values()] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_long_tasks_end_with_the_question_and_come_out_the_same_again() -> None:
    def made() -> str:
        return after_log("Which flag?", ["words of another subject altogether", "one"], random.Random(7))

    assert made() == made()
    assert made().endswith("\n\nWhich flag?")
    assert made().count("\n") == 61
    assert 140 <= len(PROMPT.split()) <= 170
    assert after_prompt("Which flag?", random.Random(7)).endswith("\n\nWhich flag?")

"""Learning curves of the simulated agent for every rule of credit, between relevance alone and an oracle.

The oracle ranks by the hidden helpfulness and shows as many memories. What a rule earns is told as the share of the gap
between the two that it closes, in the last sixth of the steps, beside what can be found out in so many steps at all.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.quality.agent import Draws, Growing, GrowingServer, Server, draws, simulate
from benchmarks.quality.banks import Laboratory
from benchmarks.quality.baselines import Floats
from benchmarks.quality.data import Run, by_task
from benchmarks.quality.features import CREDITS, OPTIMISMS, SEMANTIC, environment
from benchmarks.quality.references import Explorer, Oracle
from benchmarks.quality.report import Report
from benchmarks.quality.servers import DifferentialServer, InMemory, Real, Rule
from benchmarks.quality.world import World, build_world

SHOWN = (1, 3, 5)
LAMBDAS = (0.5, 1.0)
JUDGED_LAMBDA = 0.5
"""The default, for which the goals hold."""
BUCKETS = 24
LAST = BUCKETS // 6
GOALS = {"followed": 90.0, "used": 70.0}
"""Percent of the gap: where the review says which memory was followed, and where only the trace tells."""
CHECK_TASKS = 20
CHECK_STEPS = 200
CHECK_SHOWN = 3

RELEVANCE, EXPLORER, ORACLE = "relevance", "explorer", "oracle"
"""See `references.py`; the explorer's share is what the number of steps leaves to any rule."""


@dataclass(frozen=True)
class Trial:
    """What is simulated: in which world, showing how many, by which rule or reference, with which wrong reviews, and
    whether the runs handed in become memories, whether all tasks' memories are ranked for each, and whether each step
    words its task anew.
    """

    world: str
    k: int
    rule: Rule | str
    flipped: float = 0.0
    growing: bool = False
    whole: bool = False
    reworded: bool = False


Curves = Mapping[Trial, Floats]
"""Expected reward by seed and bucket of steps."""


@dataclass(frozen=True)
class Laps:
    """The number of steps and seeds, and the kind of retrieval, of all simulations."""

    seeds: int
    steps: int
    retrieval: str = SEMANTIC


_worlds: Mapping[str, World] = {}


def _enter(worlds: Mapping[str, World]) -> None:
    global _worlds  # noqa: PLW0603 - what a process of the pool is given once, when it starts
    _worlds = worlds


def run(worlds: Mapping[str, World], trials: Sequence[Trial], laps: Laps, workers: int) -> Curves:
    """Simulate each trial with each seed. A seed means the same luck for every trial in a world."""
    jobs = [(trial, seed, laps) for trial in trials for seed in range(laps.seeds)]
    if workers > 1:
        # Not forked: the model's and the index's threads would be missing in the copy.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, context, initializer=_enter, initargs=(worlds,)) as pool:
            rows = list(pool.map(_simulated, jobs, chunksize=laps.seeds))
    else:
        _enter(worlds)
        rows = [_simulated(job) for job in jobs]
    return {
        trial: np.stack(rows[number * laps.seeds : (number + 1) * laps.seeds]) for number, trial in enumerate(trials)
    }


def _simulated(job: tuple[Trial, int, Laps]) -> Floats:
    trial, seed, laps = job
    world = _worlds[trial.world]
    drawn = draws(world, seed, laps.steps)
    expected = simulate(world, _server(trial, world, drawn, laps), drawn, trial.flipped)
    return np.array([part.mean() for part in np.array_split(expected, BUCKETS)])


def _server(trial: Trial, world: World, drawn: Draws, laps: Laps) -> Server:
    if trial.rule == EXPLORER:
        return Explorer(world, trial.k, laps.steps - laps.steps * LAST // BUCKETS)
    server: GrowingServer
    if trial.rule == ORACLE:
        server = Oracle(world, drawn, trial.k)
    else:
        rule = trial.rule if isinstance(trial.rule, Rule) else Rule("retrieved", lambda_=0.0)
        wordings = drawn.wording if trial.reworded else None
        server = InMemory(world, rule, trial.k, laps.retrieval, whole=trial.whole, wordings=wordings)
    return Growing(server) if trial.growing else server


def rules(lambdas: Iterable[float] = LAMBDAS) -> list[Rule]:
    """Every rule that can be set, at each lambda."""
    return [Rule(credit, lambda_, optimism) for lambda_ in lambdas for credit in CREDITS for optimism in OPTIMISMS]


def bounds(lambdas: Iterable[float] = LAMBDAS) -> list[Rule]:
    """Return the rules that bound what inference from traces can earn; see `Rule.source`."""
    return [Rule("source", lambda_, optimism) for lambda_ in lambdas for optimism in OPTIMISMS]


def closed(curves: Curves, trial: Trial) -> tuple[float, float]:
    """Percent of the gap that a trial closes in the last sixth, and the standard error of that over the seeds.

    Both are ratios of sums over the seeds; the error is the jackknife's (Efron, Annals of Statistics 7, 1979). A seed
    makes relevance and oracle luckier or not, and the rule with them, so that shares hardly differ between seeds.
    """

    def last(trial: Trial) -> Floats:
        earned: Floats = curves[trial][:, -LAST:].mean(axis=1)
        return earned

    low, high = (last(replace(trial, rule=end, flipped=0.0)) for end in (RELEVANCE, ORACLE))
    gained, gap = last(trial) - low, high - low
    share = 100.0 * gained.sum() / gap.sum()
    seeds = len(gap)
    if seeds == 1:
        return float(share), 0.0
    without = 100.0 * (gained.sum() - gained) / (gap.sum() - gap)
    return float(share), float(np.sqrt((seeds - 1) * np.var(without)))


def measure(worlds: Mapping[str, World], laps: Laps, workers: int, report: Report) -> Curves:
    """Simulate everything, print what each rule earns, and hold it against the goals."""
    wanted: list[Rule | str] = [RELEVANCE, EXPLORER, ORACLE, *rules(), *bounds()]
    trials = [Trial(world, k, rule) for world in worlds for k in SHOWN for rule in wanted]
    curves = run(worlds, trials, laps, workers)
    for world in worlds:
        for lambda_ in LAMBDAS:
            shown: list[Rule | str] = [*rules([lambda_]), *bounds([lambda_]), EXPLORER]
            rows = [Trial(world, SHOWN[0], rule) for rule in shown]
            table(curves, rows, f"{world}, λ {lambda_:g}", laps, report)
    for trial in trials:
        if isinstance(trial.rule, Rule) and trial.rule.credit in GOALS and trial.rule.lambda_ == JUDGED_LAMBDA:
            what = f"{trial.world}, λ {trial.rule.lambda_:g}, {trial.k} shown, {trial.rule}: percent of the gap closed"
            report.goal(what, closed(curves, trial)[0], GOALS[trial.rule.credit], least=True, digits=0)
    return curves


def table(curves: Curves, trials: Sequence[Trial], title: str, laps: Laps, report: Report) -> None:
    """Rewards of the last sixth, and the share of the gap closed, in percent with its standard error; a row for each of
    the trials, all of one world, whatever their k.
    """

    def row(trial: Trial, *, share: bool) -> list[str]:
        cells = []
        for each in (replace(trial, k=k) for k in SHOWN):
            cell = f"{curves[each][:, -LAST:].mean():.3f}"
            if share:
                percent, error = closed(curves, each)
                cell += f"  {percent:.0f} ±{error:.0f}%"
            cells.append(cell)
        return [str(trial.rule), *cells]

    first, last = (row(replace(trials[0], rule=end, flipped=0.0), share=False) for end in (RELEVANCE, ORACLE))
    report.table(
        f"{title}, {laps.retrieval}: reward in the last sixth of {laps.steps:,} steps, {laps.seeds} seeds, "
        "and share of the gap closed",
        ["rule", *(f"{k} shown" for k in SHOWN)],
        [first, *(row(trial, share=True) for trial in trials), last],
    )


def worlds_of(
    lab: Laboratory, sources: Mapping[str, Sequence[Run]], part: str, *, with_steps: bool = True, poisoned: bool = False
) -> dict[str, World]:
    """A world in a bank of its own for each source of runs, of which no other part of the benchmark knows."""
    kind = "poisoned" if poisoned else "steps" if with_steps else "plain"
    found: dict[str, World] = {}
    for name, runs in sources.items():
        with lab.memory(f"{part}-{name}-{kind}") as memory:
            found[name] = build_world(lab, memory, runs, with_steps=with_steps, poisoned=poisoned)
    return found


def check(lab: Laboratory, runs: Sequence[Run], report: Report, retrieval: str, steps: int) -> None:
    """Run the simulation side by side with a whole MemoryService, for every rule, on the first tasks of `runs`.

    Step by step it goes by meaning alone. By words too the first ranks are compared, before anything is handed in:
    later on a real bank holds more texts, and weighs words a little differently than the simulation, which keeps to the
    weights that it began with.
    """
    tasks = by_task(runs)
    few = [runs[i] for members in list(tasks.values())[:CHECK_TASKS] for i in members]
    ranks = differences = 0
    for number, rule in enumerate(rules()):
        variables = environment(
            q_learning__optimism=rule.optimism,
            q_learning__credit="retrieved" if rule.credit == "followed" else rule.credit,
        )
        with lab.memory(f"check-{number}", **variables) as memory:
            world = build_world(lab, memory, few)
            first = InMemory(world, rule, CHECK_SHOWN, retrieval), Real(world, memory, rule, CHECK_SHOWN, retrieval)
            ranks += sum(first[0].shown(task) != first[1].shown(task) for task in range(len(world.tasks)))
            paired_servers = DifferentialServer(
                InMemory(world, rule, CHECK_SHOWN, one_session=True), Real(world, memory, rule, CHECK_SHOWN)
            )
            simulate(world, paired_servers, draws(world, number, steps))
            differences += paired_servers.differences
    count = len(rules())
    what = f"tasks for each of {count} rules that simulation and real memory rank differently at first, {retrieval}"
    report.goal(what, ranks, 0.0, least=False, digits=0)
    what = f"steps of {steps} for each of {count} rules at which simulation and real memory differ, {SEMANTIC}"
    report.goal(what, differences, 0.0, least=False, digits=0)

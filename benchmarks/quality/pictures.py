"""The curves as PNG. matplotlib is in the dependency group `bench`; without it there are tables only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.quality.false_retrieval import MOST_FALSE, MOST_LOST, Curve
from benchmarks.quality.learning import BUCKETS, ORACLE, RELEVANCE, SHOWN, Curves, Trial, rules

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LAMBDA = 0.5
COLOURS = {"retrieved": "#d1790f", "used": "#1f77b4", "followed": "#2a8c3c"}
TITLES = {
    "retrieved": "all retrieved credited",
    "used": "inferred from the trace",
    "followed": "the review says which",
}
DPI = 130


def available() -> bool:
    try:
        import matplotlib as mpl  # noqa: PLC0415 - optional, and heavy
    except ImportError:
        return False
    mpl.use("Agg")  # no display is needed to write a file
    return True


def draw_learning(curves: Curves, worlds: Sequence[str], steps: int, folder: Path) -> list[Path]:
    """One picture for each world, with a panel for each number of memories shown; lambda 0.5."""
    return [_learning(curves, world, steps, folder / f"learning-{world}.png") for world in worlds]


def _learning(curves: Curves, world: str, steps: int, path: Path) -> Path:
    from matplotlib import pyplot as plt  # noqa: PLC0415 - optional, and heavy

    figure, panels = plt.subplots(1, len(SHOWN), figsize=(4.4 * len(SHOWN), 4.6), sharey=True)
    at = (np.arange(BUCKETS) + 0.5) * steps / BUCKETS
    for panel, k in zip(panels, SHOWN, strict=True):
        low, high = (curves[Trial(world, k, end)].mean(axis=0) for end in (RELEVANCE, ORACLE))
        panel.axhline(0, color="grey", linestyle=":", label="relevance alone")
        panel.axhline(100, color="black", linestyle=":", label="oracle")
        for rule in rules([LAMBDA]):
            # All rules met the same tasks, so that the ups and downs of luck fall out of the share.
            share = 100 * (curves[Trial(world, k, rule)].mean(axis=0) - low) / (high - low)
            style = "-" if rule.optimism else "--"
            title = TITLES[rule.credit] + (f", optimism {rule.optimism:g}" if rule.optimism else ", plain q_value")
            panel.plot(at, share, color=COLOURS[rule.credit], linestyle=style, label=title)
        panel.set_title(f"{k} shown: 0% is {low.mean():.3f}, 100% is {high.mean():.3f}", fontsize=11)
        panel.set_xlabel("steps")
        _plain(panel)
    panels[0].set_ylabel("share of the gap closed, percent")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, frameon=False)
    figure.suptitle(f"{world}: expected reward between relevance alone and the oracle (λ {LAMBDA:g})")
    figure.tight_layout(rect=(0, 0.13, 1, 1))
    return _saved(figure, path)


def draw_false_retrieval(curves: Mapping[str, Curve], folder: Path) -> Path:
    """False retrieval against what the threshold costs, over all thresholds; the default one is marked."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - optional, and heavy

    figure, panel = plt.subplots(figsize=(7.2, 5.0))
    panel.axhspan(0, 100 * MOST_FALSE, xmax=MOST_LOST / 0.1, color="#2a8c3c", alpha=0.12, label="goal")
    for (kind, curve), colour in zip(curves.items(), ("#1f77b4", "#d1790f"), strict=False):
        lost = [100 * value for value in curve.worst_loss.values()]
        false = [100 * value for value in curve.mean_rate.values()]
        panel.plot(lost, false, marker=".", color=colour, label=f"{kind}, thresholds 0 to 0.9")
        for number, at in enumerate(curve.worst_loss):
            if number % 2 == 0 and 0 < lost[number] <= 10:
                panel.annotate(
                    f"{at:.1f}", (lost[number], false[number]), xytext=(4, 4), textcoords="offset points", fontsize=8
                )
        mean = 100 * sum(curve.rates.values()) / len(curve.rates)
        label = f"{kind}, default {curve.threshold:.2f}"
        panel.plot(
            [100 * max(curve.losses.values())],
            [mean],
            marker="o",
            markersize=9,
            linestyle="",
            color=colour,
            label=label,
        )
    panel.set_xlim(0, 10)
    panel.set_ylim(0, 100)
    panel.set_xlabel("R@5 lost by the threshold in the worst set, points")
    panel.set_ylabel("unrelated queries that get anything, percent")
    panel.set_title("False retrieval against recall, over thresholds")
    panel.legend(frameon=False)
    _plain(panel)
    figure.tight_layout()
    return _saved(figure, folder / "false-retrieval.png")


def _plain(panel: Axes) -> None:
    panel.grid(visible=True, alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)


def _saved(figure: Figure, path: Path) -> Path:
    from matplotlib import pyplot as plt  # noqa: PLC0415 - optional, and heavy

    figure.savefig(path, dpi=DPI)
    plt.close(figure)
    return path

"""Tracking regret of a million people: `python -m benchmarks.million [--people N] [--out FILE]` draws it.

Prints the regret at the last decision, the time and the peak memory. No trace is kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.measure import clock
from benchmarks.memory import peak
from benchmarks.truths import LOGISTIC
from rogue_bandits import POLICIES, simulate_curves

SHOWN = ("epsilon-rogue", "tuned-rogue-ucb", "random")


def main() -> None:
    """Simulate, print, draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.million", description=__doc__)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--horizon", type=int, default=100)
    parser.add_argument("--policy", action="append", help="may be repeated")
    parser.add_argument("--out", type=Path, help="PNG of the curves")
    chosen = parser.parse_args()
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes, numbers = figure.subplots(), np.arange(1, chosen.horizon + 1)
    for name in chosen.policy or SHOWN:
        begin = clock()
        curves = simulate_curves(LOGISTIC, POLICIES[name](), chosen.horizon, chosen.people)
        low, middle, high = curves.tracking_regret_quantiles
        print(f"{name}: {chosen.people:,} people, tracking regret {curves.tracking_regret[-1]:.4f} "
              f"± {curves.tracking_regret_error[-1]:.4f}, quantiles {low[-1]:.2f} {middle[-1]:.2f} {high[-1]:.2f}, "
              f"{clock() - begin:.0f} s of processor time, peak memory {peak() / 1e6:,.0f} MB", flush=True)  # fmt: skip
        (line,) = axes.plot(numbers, curves.tracking_regret, label=name)
        axes.fill_between(numbers, low, high, color=line.get_color(), alpha=0.15, linewidth=0.0)
    axes.set(xlabel="decision", ylabel="tracking regret", title=f"{chosen.people:,} people: mean, and 90 % of them")
    axes.legend(frameon=False)
    if chosen.out is not None:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(chosen.out, dpi=120)


if __name__ == "__main__":
    main()

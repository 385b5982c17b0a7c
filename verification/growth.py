"""The growth of regret with the horizon, doubling by doubling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from rogue_bandits.plotting import RC, draw_grid, image
from rogue_bandits.types import Floats, Ints
from verification.estimates import LEVEL, Interval, bootstrap
from verification.finding import Finding

DOUBLINGS = 6
NEARLY_LINEAR = 0.9
NOTHING = 1e-3  # regret: less than this counts as this much
CORRECTED = "tuned-rogue-ucb-corrected"


class Scenario(NamedTuple):
    """An experiment: its name, a description, the longest horizon, and its tracking regret."""

    name: str
    about: str
    horizon: int
    regret: Callable[[Any, int, int, int, Ints], Floats]  # policy, horizon, people, seed, ends: [people, ends]


def growth(scenario: Scenario, learn: Mapping[str, Any], others: Mapping[str, Any], people: int, seed: int) -> Finding:
    """Estimate the exponent of each doubling of the horizon: near 0 while regret is logarithmic, 1 while linear."""
    ends = scenario.horizon // 2 ** np.arange(DOUBLINGS + 1)[::-1]
    regret = {
        row: scenario.regret(policy, scenario.horizon, people, seed, ends)
        for row, policy in {**learn, **others}.items()
    }
    local = {row: local_exponents(values, seed) for row, values in regret.items()}
    rows = [cells for row in regret for cells in rows_of(row, regret[row], local[row])]
    said = {row: verdict(exponents[-1]) for row, exponents in local.items()}
    of_others = [said[row] for row in others]
    return Finding(
        f"Growth of regret: {scenario.name}",
        "Mean tracking regret after so many decisions, and the exponent of the doubling up to there, log₂(R(2T)/R(T)): "
        "1 where regret is linear, ½ where it grows as a root, 0 where it has stopped growing, and about 1/log T where "
        "it grows as log T. One power law for all T would hide that the exponent changes with T. "
        f"{scenario.about}, {people:,} people, the same for all policies; those that are tuned for a horizon are tuned "
        f"for the last. {LEVEL:.0%} bootstrap intervals over people, which are too narrow where few people have most "
        f"of the regret. At the last doubling a policy is linear if its interval begins above {NEARLY_LINEAR}, slower "
        "if it ends below, and undecided otherwise. "
        f"Criterion: {CORRECTED} is slower, and all policies without a model are linear. A policy that learns nothing "
        "is not in this table: see “radii that exclude nothing”.",
        ("policy", "", *(f"{end:,}" for end in ends)),
        rows,
        f"At the last doubling: {'; '.join(f'{row} {word}' for row, word in said.items())}.",
        said[CORRECTED] == "slower" and all(word == "linear" for word in of_others),
        {f"growth-{scenario.name}.png": growth_figure(ends, regret, list(learn))},
    )


def rows_of(row: str, regret: Floats, exponents: list[Interval]) -> list[tuple[str, ...]]:
    """Return two rows of the table: the regret at the ends, and the exponents between them."""
    values = (f"{r:,.1f}" for r in regret.mean(axis=0))
    return [(row, "regret", *values), ("", "exponent", "", *(str(exponent) for exponent in exponents))]


def verdict(last: Interval) -> str:
    """Return whether regret is linear at the last doubling.

    >>> verdict(Interval(1.0, 0.95, 1.1)), verdict(Interval(0.5, 0.1, 0.8)), verdict(Interval(0.9, 0.5, 1.0))
    ('linear', 'slower', 'undecided')
    """
    return "linear" if last.lo > NEARLY_LINEAR else "slower" if last.hi < NEARLY_LINEAR else "undecided"


def local_exponents(regret: Floats, seed: int) -> list[Interval]:
    """Return log₂(R(2T)/R(T)) of each doubling, with intervals over people."""

    def exponent(people: Floats) -> float:
        at = np.maximum(people.mean(axis=0), NOTHING)
        return float(np.log2(at[1] / at[0]))

    return [bootstrap(regret[:, i : i + 2], exponent, seed) for i in range(regret.shape[1] - 1)]


def growth_figure(ends: Ints, regret: Mapping[str, Floats], learn: list[str]) -> bytes:
    """Draw the regret by the number of decisions on log axes, with bands of one standard error over people."""
    with mpl.rc_context(RC):
        fig = Figure(figsize=(7.2, 4.4), layout="constrained")
        axes = fig.subplots()
        for row, values in regret.items():
            mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
            dash, width = ("-", 1.8) if row in learn else ("--", 1.0)
            (line,) = axes.plot(ends, mean, dash, lw=width, marker="o", ms=3.0, label=row)
            axes.fill_between(ends, np.maximum(mean - error, NOTHING), mean + error, color=line.get_color(), alpha=0.15)
        axes.set(xscale="log", yscale="log", xlabel="decisions", ylabel="tracking regret")
        axes.set_xticks(ends.tolist(), [f"{end:,}" for end in ends.tolist()])
        axes.minorticks_off()
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
        draw_grid(axes)
        return image(fig, "png", 150)

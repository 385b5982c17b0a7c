"""What the theorems say of an experiment: in words, and as files."""

from __future__ import annotations

import csv
import io
import json
import math
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rogue_bandits.checkpoint import write_whole
from rogue_bandits.experiments.theory import Bounds, Theory, bounds_at, table_decisions
from rogue_bandits.report.figures import image
from rogue_bandits.report.numbers import shown
from rogue_bandits.report.theory_figure import theory_figure
from rogue_bandits.theory import radius_factor


def write_theory(theory: Theory, folder: Path) -> list[Path]:
    """Write theory.json, theory.csv and the figure; their paths, in this order."""
    fig = theory_figure(theory)
    files = {
        "theory.json": theory_json(theory),
        "theory.csv": theory_csv(theory),
        "theory.png": image(fig, "png"),
        "theory.svg": image(fig, "svg"),
    }
    return [write_whole(folder / name, content) for name, content in files.items()]


def verdicts(theory: Theory) -> list[str]:
    """What each bound is worth at this horizon, in plain words."""
    horizon, last = theory.results.settings.horizon, bounds_at(theory, theory.results.settings.horizon)
    most = f"larger than the largest regret possible, {theory.gap:.4f} × {horizon:,} = {last.possible:,.0f}"
    told = [
        regret_verdict(
            "Theorem 3 (regret of ROGUE-UCB, with the δ of this run)",
            last.theorem_3,
            last.possible,
            most,
            theory.onset.theorem_3,
        ),
        regret_verdict(
            "Corollary 2 (the same without δ)", last.corollary_2, last.possible, most, theory.onset.corollary_2
        ),
    ]
    return [*told, greedy_verdict(theory, last)]


def regret_verdict(name: str, bound: float, possible: float, most: str, onset: float | None) -> str:
    """Whether a bound on the regret says anything."""
    if bound < possible:
        return f"{name}: at most {shown(bound)}, of {possible:,.0f} possible."
    return f"{name} is vacuous: {shown(bound)} is {most}. {from_where(onset)}"


def greedy_verdict(theory: Theory, last: Bounds) -> str:
    """Whether Theorem 4 says anything, and what its c would make of ε-ROGUE."""
    name = "Theorem 4 (chance that ε-ROGUE plays a given worse arm)"
    if theory.policy is None or theory.policy.c is None or theory.policy.delta_min is None:
        return f"{name} does not apply: some δ is 0 on this run, or nothing depends on what is unknown."
    always = theory.policy.c * len(theory.truth.arms) / theory.policy.delta_min**2
    means = f"With the c it recommends, {theory.policy.c:.3g}, ε-ROGUE plays at random for {shown(always)} decisions."
    if last.theorem_4 < last.at_random:
        return f"{name}: at most {last.theorem_4:.3g} at decision {last.decision:,}. {means}"
    no_less = f"{last.theorem_4:.3g} is no less than the {last.at_random:.3g} of choices at random"
    return f"{name} is vacuous: {no_less}. {from_where(theory.onset.theorem_4)} {means}"


def from_where(onset: float | None) -> str:
    """From where on a bound says something."""
    if onset is None:
        return "It says nothing within 10³⁰⁰ decisions."
    return f"It says something from {shown(onset)} decisions on."


def theory_json(theory: Theory) -> bytes:
    """The content of theory.json; what is infinite, or does not exist, is null."""
    s = theory.results.settings
    content: dict[str, Any] = {
        "experiment": theory.results.experiment.name,
        "version": version("rogue-bandits"),
        "settings": s.model_dump(mode="json"),
        "largest_gap": theory.gap,
        "arms": [
            {
                **c._asdict(),
                "A": finite(radius_factor(arm, s.horizon)),
                "epsilon": finite(e),
                "delta": finite(d),
                "delta_pairs": finite(p),
            }
            for arm, c, e, d, p in zip(
                theory.truth.arms,
                theory.constants,
                theory.apart.epsilon,
                theory.apart.delta,
                theory.pairs.delta,
                strict=True,
            )
        ],
        "epsilon_rogue": None if theory.policy is None else theory.policy._asdict(),
        "says_something_from": theory.onset._asdict(),
        "bounds": [
            {name: finite(value) for name, value in bounds_at(theory, t)._asdict().items()}
            for t in table_decisions(s.horizon)
        ],
        "simulated": {row: r.tracking_regret.last()._asdict() for row, r in theory.results.policies.items()},
        "verdicts": verdicts(theory),
    }
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def finite(value: float) -> float | None:
    """A number that JSON has."""
    return value if math.isfinite(value) else None


def theory_csv(theory: Theory) -> bytes:
    """The content of theory.csv: bounds and simulated tracking regret, decision by decision; infinite is 'inf'."""
    policies = theory.results.policies
    with io.StringIO() as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([*Bounds._fields, *(f"{row}_{part}" for row in policies for part in ("mean", "stderr"))])
        for i, decision in enumerate(next(iter(policies.values())).decisions):
            curves = [result.tracking_regret for result in policies.values()]
            values = [v for c in curves for v in (c.mean[i], None if c.stderr is None else c.stderr[i])]
            table.writerow([*bounds_at(theory, decision), *values])
        return file.getvalue().encode()

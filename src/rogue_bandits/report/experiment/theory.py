"""The theorems' constants and bounds beside the simulated regret: text, tables and files."""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.table import Table

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.experiments.results import Estimate
from rogue_bandits.experiments.theory import Bounds, Theory, bounds_at, table_decisions
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.tables import short_number, with_stderr
from rogue_bandits.report.experiment.theory_figure import theory_figure
from rogue_bandits.report.plotting import image
from rogue_bandits.report.terminal import csv_text, plain_table
from rogue_bandits.theory import radius_factor

COLUMNS = 4  # as many as a terminal of 80 characters holds


def write_theory(theory: Theory, folder: Path) -> list[Path]:
    """Write theory.json, theory.csv and the figure; return their paths in this order."""
    fig = theory_figure(theory)
    files = {
        "theory.json": theory_json(theory),
        "theory.csv": theory_csv(theory),
        "theory.png": image(fig, "png"),
        "theory.svg": image(fig, "svg"),
    }
    return [write_atomic(folder / name, content) for name, content in files.items()]


def verdicts(theory: Theory) -> list[str]:
    """Whether each bound is informative at this horizon, one sentence or two each."""
    horizon, last = theory.results.settings.horizon, bounds_at(theory, theory.results.settings.horizon)
    most = f"larger than the largest possible regret, {theory.gap:.4f} × {horizon:,} = {last.possible:,.0f}"

    def regret(name: str, bound: float, onset: float | None) -> str:
        if bound < last.possible:
            return f"{name}: at most {short_number(bound)}, of {last.possible:,.0f} possible."
        return f"{name} is vacuous: {short_number(bound)} is {most}. {onset_text(onset)}"

    return [
        regret("Theorem 3 (regret of ROGUE-UCB, with the δ of this run)", last.theorem_3, theory.onset.theorem_3),
        regret("Corollary 2 (the same without δ)", last.corollary_2, theory.onset.corollary_2),
        greedy_verdict(theory, last),
    ]


def greedy_verdict(theory: Theory, last: Bounds) -> str:
    """Whether Theorem 4 is informative, and how long ε-ROGUE would explore with the c that it recommends."""
    name = "Theorem 4 (probability that ε-ROGUE plays a given suboptimal arm)"
    if theory.policy is None or theory.policy.c is None or theory.policy.delta_min is None:
        return f"{name} does not apply: some δ is 0 on this run, or the rewards do not depend on the unknowns."
    always = theory.policy.c * len(theory.truth.arms) / theory.policy.delta_min**2
    explores = f"With the recommended c, {theory.policy.c:.3g}, ε-ROGUE explores for {short_number(always)} decisions."
    if last.theorem_4 < last.at_random:
        return f"{name}: at most {last.theorem_4:.3g} after {last.decisions:,} decisions. {explores}"
    no_less = f"{last.theorem_4:.3g} is not below {last.at_random:.3g}, the probability under random choices"
    return f"{name} is vacuous: {no_less}. {onset_text(theory.onset.theorem_4)} {explores}"


def onset_text(onset: float | None) -> str:
    """The number of decisions from which a bound is informative."""
    if onset is None:
        return "It is not informative within 10³⁰⁰ decisions."
    return f"It is informative from {short_number(onset)} decisions on."


def constants_table(theory: Theory) -> Table:
    """The constants of each arm."""
    horizon = theory.results.settings.horizon
    table = plain_table(
        title="Constants of the theorems, by arm", caption=f"ε and δ: after {horizon:,} decisions of ROGUE-UCB"
    )
    table.add_column("constant")
    table.add_column("meaning")
    for k, arm in enumerate(theory.truth.arms):
        table.add_column(arm.name or f"arm {k}", justify="right")
    for name, meaning, values in constant_rows(theory):
        table.add_row(name, meaning, *map(short_number, values))
    return table


def constant_rows(theory: Theory) -> list[tuple[str, str, list[float]]]:
    """The symbol of each constant, its meaning, and its values."""
    horizon, every = theory.results.settings.horizon, theory.constants
    factors = [radius_factor(arm, horizon) for arm in theory.truth.arms]
    return [
        ("L_f", "Lipschitz constant of log p in θ and x", [c.L_f for c in every]),
        ("L_g", "Lipschitz constant of the mean reward", [c.L_g for c in every]),
        ("L_p", "Lipschitz constant of log p(r)/p'(r) in r", [c.L_p for c in every]),
        ("σ", "rewards are sub-Gaussian with σ", [c.sigma for c in every]),
        ("diam X", "largest |x|", [c.diam_state for c in every]),
        ("diam X×Θ", "largest norm of (θ, x)", [c.diam_box for c in every]),
        ("c_f", "of Theorem 1", [c.c_f for c in every]),
        ("A(T)", f"factor of the radius at T = {horizon:,}", factors),
        ("ε", "least difference from another arm's mean", theory.apart.epsilon),
        ("δ", "least mean divergence that reveals it", theory.apart.delta),
        ("δ, pairs", "the same between any two points", theory.pairs.delta),
    ]


def bounds_table(theory: Theory) -> Table:
    """The bounds, and below them the simulated regret."""
    s = theory.results.settings
    stderr = "; ± one standard error" if s.replicates > 1 else ""
    table = plain_table(
        title=f"Bounds and simulated regret: {s.replicates:,} replicates",
        caption=f"v: vacuous, not below the largest possible regret or the probability under random choices{stderr}",
    )
    decisions = table_decisions(s.horizon)[-COLUMNS:]
    every = [bounds_at(theory, n) for n in decisions]
    table.add_column("after decisions")
    for n in decisions:
        table.add_column(f"{n:,}", justify="right")
    table.add_row("largest possible regret", *(short_number(b.possible) for b in every))
    table.add_row("Theorem 3, regret", *(marked(b.theorem_3, b.possible) for b in every))
    table.add_row("Corollary 2, regret", *(marked(b.corollary_2, b.possible) for b in every))
    table.add_row("Theorem 4, probability", *(marked(b.theorem_4, b.at_random) for b in every))
    table.add_section()
    for name in theory.results.policies:
        table.add_row(POLICIES[name].label, *(with_stderr(regret_after(theory, name, n), 1) for n in decisions))
    return table


def marked(bound: float, possible: float) -> str:
    """A bound, marked if it is vacuous."""
    return f"{short_number(bound)} v" if bound >= possible else short_number(bound)


def regret_after(theory: Theory, policy: str, decisions: int) -> Estimate:
    """The simulated regret after a number of decisions, or at the last earlier point of the curve."""
    result = theory.results.policies[policy]
    place = max(i for i, number in enumerate(result.decisions) if number < decisions)
    curve = result.tracking_regret
    return Estimate(curve.mean[place], None if curve.stderr is None else curve.stderr[place])


def theory_json(theory: Theory) -> bytes:
    """The content of theory.json; infinite and missing numbers are null."""
    s = theory.results.settings
    each = zip(
        theory.truth.arms, theory.constants, theory.apart.epsilon, theory.apart.delta, theory.pairs.delta, strict=True
    )
    content: dict[str, Any] = {
        "experiment": theory.results.experiment.name,
        "version": version("rogue-bandits"),
        "settings": s.model_dump(mode="json"),
        "largest_gap": theory.gap,
        "arms": [
            {
                **c._asdict(),
                "A": finite(radius_factor(arm, s.horizon)),
                "epsilon": finite(epsilon),
                "delta": finite(delta),
                "delta_pairs": finite(delta_pairs),
            }
            for arm, c, epsilon, delta, delta_pairs in each
        ],
        "epsilon_rogue": None if theory.policy is None else theory.policy._asdict(),
        "says_something_from": theory.onset._asdict(),
        "bounds": [
            {name: finite(value) for name, value in bounds_at(theory, n)._asdict().items()}
            for n in table_decisions(s.horizon)
        ],
        "simulated": {name: r.tracking_regret.last()._asdict() for name, r in theory.results.policies.items()},
        "verdicts": verdicts(theory),
    }
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def finite(value: float) -> float | None:
    """The number, or None where JSON has no such number."""
    return value if math.isfinite(value) else None


def theory_csv(theory: Theory) -> bytes:
    """The content of theory.csv: bounds and simulated tracking regret by the number of decisions; infinite is 'inf'."""
    policies = theory.results.policies
    rows: list[Any] = [[*Bounds._fields, *(f"{name}_{part}" for name in policies for part in ("mean", "stderr"))]]
    for i, number in enumerate(next(iter(policies.values())).decisions):
        curves = [result.tracking_regret for result in policies.values()]
        values = [v for c in curves for v in (c.mean[i], None if c.stderr is None else c.stderr[i])]
        rows.append([*bounds_at(theory, number + 1), *values])
    return csv_text(rows).encode()

"""The theorems' constants and bounds beside the simulated regret: text, tables and files."""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.table import Table

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.experiments.theory import Bounds, Theory, bounds_at, table_decisions
from rogue_bandits.model.problem import shown_names
from rogue_bandits.plotting import image
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.tables import short_number, with_stderr
from rogue_bandits.report.experiment.theory_figure import theory_figure
from rogue_bandits.report.table_file import Rows, as_files
from rogue_bandits.report.terminal import plain_table
from rogue_bandits.theory import radius_factor
from rogue_bandits.wording import counted

COLUMNS = 4  # as many as a terminal of 80 characters holds


def write_theory(theory: Theory, folder: Path, kind: str = "csv") -> list[Path]:
    """Write theory.json, the table theory (`kind`: csv or parquet) and the figure; return their paths in this order."""
    fig = theory_figure(theory)
    files = {
        "theory.json": theory_json(theory),
        **as_files({"theory": theory_table(theory)}, kind, folder),
        "theory.png": image(fig, "png"),
        "theory.svg": image(fig, "svg"),
    }
    return [write_atomic(folder / name, content) for name, content in files.items()]


def verdicts(theory: Theory) -> list[str]:
    """Return whether each bound is informative at this horizon, one sentence or two each."""
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
    """Return whether Theorem 4 is informative, and how long ε-ROGUE would explore with the c that it recommends."""
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
    """Return the number of decisions from which a bound is informative."""
    if onset is None:
        return "It is not informative within 10³⁰⁰ decisions."
    return f"It is informative from {short_number(onset)} decisions on."


def constants_table(theory: Theory) -> Table:
    """Return the constants of each arm as a table."""
    horizon, every = theory.results.settings.horizon, theory.constants
    constants = {
        ("L_f", "Lipschitz constant of log p in θ and x"): [c.L_f for c in every],
        ("L_g", "Lipschitz constant of the mean reward"): [c.L_g for c in every],
        ("L_p", "Lipschitz constant of log p(r)/p'(r) in r"): [c.L_p for c in every],
        ("σ", "rewards are sub-Gaussian with σ"): [c.sigma for c in every],
        ("diam X", "largest |x|"): [c.diam_state for c in every],
        ("diam X×Θ", "largest norm of (θ, x)"): [c.diam_box for c in every],
        ("c_f", "constant of Theorem 1"): [c.c_f for c in every],
        ("A(T)", f"factor of the radius at T = {horizon:,}"): [radius_factor(a, horizon) for a in theory.truth.arms],
        ("ε", "least difference from another arm's mean"): theory.apart.epsilon,
        ("δ", "least mean divergence that reveals it"): theory.apart.delta,
        ("δ, pairs", "the same between any two points"): theory.pairs.delta,
    }
    headings = ["constant", "meaning", *shown_names(theory.truth.arms)]
    rows = ([*names, *map(short_number, values)] for names, values in constants.items())
    caption = f"ε and δ: after {horizon:,} decisions of ROGUE-UCB"
    return plain_table(headings, rows, "llr", title="Constants of the theorems, by arm", caption=caption)


def bounds_table(theory: Theory) -> Table:
    """Return the bounds, and below them the simulated regret, as a table."""
    s = theory.results.settings
    decisions = table_decisions(s.horizon)[-COLUMNS:]
    every = [bounds_at(theory, n) for n in decisions]
    rows = [
        ["largest possible regret", *(short_number(b.possible) for b in every)],
        ["Theorem 3, regret", *(marked(b.theorem_3, b.possible) for b in every)],
        ["Corollary 2, regret", *(marked(b.corollary_2, b.possible) for b in every)],
        ["Theorem 4, probability", *(marked(b.theorem_4, b.at_random) for b in every)],
    ]
    stderr = "; ± one standard error" if s.replicates > 1 else ""
    table = plain_table(
        ["after decisions", *(f"{n:,}" for n in decisions)],
        rows,
        title=f"Bounds and simulated regret: {counted(s.replicates, 'replicate')}",
        caption=f"v: vacuous, not below the largest possible regret or the probability under random choices{stderr}",
    )
    table.add_section()
    for name, result in theory.results.policies.items():
        # At the last point of the curve up to this number of decisions.
        places = [max(i for i, number in enumerate(result.decisions) if number < n) for n in decisions]
        table.add_row(POLICIES[name].label, *(with_stderr(result.tracking_regret.at(i), 1) for i in places))
    return table


def marked(bound: float, possible: float) -> str:
    """Return a bound, marked if it is vacuous."""
    return f"{short_number(bound)} v" if bound >= possible else short_number(bound)


def theory_json(theory: Theory) -> bytes:
    """Return the content of theory.json; infinite and missing numbers are null."""
    s = theory.results.settings
    separations = zip(theory.apart.epsilon, theory.apart.delta, theory.pairs.delta, strict=True)
    arms = [
        constants._asdict()
        | finite({"A": radius_factor(arm, s.horizon), "epsilon": epsilon, "delta": delta, "delta_pairs": pairs})
        for arm, constants, (epsilon, delta, pairs) in zip(
            theory.truth.arms, theory.constants, separations, strict=True
        )
    ]
    content: dict[str, Any] = {
        "experiment": theory.results.experiment.name,
        "version": version("rogue-bandits"),
        "settings": s.model_dump(mode="json"),
        "largest_gap": theory.gap,
        "arms": arms,
        "epsilon_rogue": None if theory.policy is None else theory.policy._asdict(),
        "says_something_from": theory.onset._asdict(),
        "bounds": [finite(bounds_at(theory, n)._asdict()) for n in table_decisions(s.horizon)],
        "simulated": {name: r.tracking_regret.last()._asdict() for name, r in theory.results.policies.items()},
        "verdicts": verdicts(theory),
    }
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def finite(values: dict[str, float]) -> dict[str, float | None]:
    """Return the numbers, with None for those that JSON does not have."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def theory_table(theory: Theory) -> Rows:
    """Return the table theory: bounds and simulated tracking regret by the number of decisions."""
    policies = theory.results.policies
    rows: list[Any] = [[*Bounds._fields, *(f"{name}_{part}" for name in policies for part in ("mean", "stderr"))]]
    for i, number in enumerate(next(iter(policies.values())).decisions):
        simulated = (value for result in policies.values() for value in result.tracking_regret.at(i))
        rows.append([*bounds_at(theory, number + 1), *simulated])
    return rows

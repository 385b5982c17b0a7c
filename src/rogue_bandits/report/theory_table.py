"""The tables of `rogue theory`: the constants, and the bounds beside what happened."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from rogue_bandits.experiments.results import Curve, Estimate
from rogue_bandits.experiments.theory import Theory, bounds_at, table_decisions
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.numbers import shown
from rogue_bandits.report.table import written
from rogue_bandits.theory import radius_factor

COLUMNS = 4  # as many as a terminal of 80 characters holds


def constants_table(theory: Theory) -> Table:
    """The constants of each arm."""
    horizon = theory.results.settings.horizon
    table = plain_table("Constants of the theorems, by arm", f"ε and δ: after {horizon:,} decisions of ROGUE-UCB")
    table.add_column("constant")
    table.add_column("what it is")
    for k, arm in enumerate(theory.truth.arms):
        table.add_column(arm.name or f"arm {k}", justify="right")
    for name, words, values in constant_rows(theory):
        table.add_row(name, words, *map(shown, values))
    return table


def constant_rows(theory: Theory) -> list[tuple[str, str, list[float]]]:
    """Each constant: its letter, what it is, and its values."""
    horizon, every = theory.results.settings.horizon, theory.constants
    return [
        ("L_f", "steepness of log p in θ and x", [c.L_f for c in every]),
        ("L_g", "steepness of the mean reward in θ and x", [c.L_g for c in every]),
        ("L_p", "steepness of log p(r)/p'(r) in r", [c.L_p for c in every]),
        ("σ", "rewards are sub-Gaussian with σ", [c.sigma for c in every]),
        ("diam X", "largest |x|", [c.diam_state for c in every]),
        ("diam X×Θ", "largest norm of (θ, x)", [c.diam_box for c in every]),
        ("c_f", "of Theorem 1", [c.c_f for c in every]),
        (
            "A(T)",
            f"factor of the radius at decision {horizon:,}",
            [radius_factor(a, horizon) for a in theory.truth.arms],
        ),
        ("ε", "least difference from another arm's mean", theory.apart.epsilon),
        ("δ", "least mean divergence that would show it", theory.apart.delta),
        ("δ, pairs", "the same between any two points", theory.pairs.delta),
    ]


def bounds_table(theory: Theory) -> Table:
    """The bounds above, what happened below."""
    s = theory.results.settings
    table = plain_table(
        f"Proved and simulated: {s.replicates:,} replicates",
        "v: vacuous, no better than losing all there is, or than choices at random"
        + ("; ± one standard error" if s.replicates > 1 else ""),
    )
    decisions = table_decisions(s.horizon)[-COLUMNS:]
    every = [bounds_at(theory, decision) for decision in decisions]
    table.add_column("after decisions")
    for decision in decisions:
        table.add_column(f"{decision:,}", justify="right")
    table.add_row("largest regret possible", *(shown(b.possible) for b in every))
    table.add_row("Theorem 3, regret", *(marked(b.theorem_3, b.possible) for b in every))
    table.add_row("Corollary 2, regret", *(marked(b.corollary_2, b.possible) for b in every))
    table.add_row("Theorem 4, chance of worse", *(marked(b.theorem_4, b.at_random) for b in every))
    table.add_section()
    for row in theory.results.policies:
        table.add_row(POLICIES[row].label, *(written(regret_after(theory, row, decision), 1) for decision in decisions))
    return table


def marked(bound: float, possible: float) -> str:
    """A bound, with a mark if it says nothing."""
    return f"{shown(bound)} v" if bound >= possible else shown(bound)


def regret_after(theory: Theory, row: str, decision: int) -> Estimate:
    """The simulated regret at the last decision of its curve that is not later."""
    result = theory.results.policies[row]
    place = max(i for i, kept in enumerate(result.decisions) if kept <= decision)
    curve: Curve = result.tracking_regret
    return Estimate(curve.mean[place], None if curve.stderr is None else curve.stderr[place])


def plain_table(title: str, caption: str) -> Table:
    """A table as all of ours are."""
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, title=title, caption=caption)

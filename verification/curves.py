"""Do policies that plan with unknown curves earn more than those of the literature on its own problems?"""

from __future__ import annotations

from typing import Any

import numpy as np

import rogue_bandits as rb
from rogue_bandits.planning.plan import myopic_plan
from rogue_bandits.types import Floats
from verification.finding import Finding

OURS = (rb.PlanTS(), rb.PlanUCB(), rb.PlanUCB(beta=0.2), rb.PlanUCB(beta=0.1), rb.RogueTS())
SHAPED = (rb.PlanTS(), rb.PlanUCB(), rb.PlanUCB(beta=0.1))  # with other priors too
ERRORS = 3.0  # standard errors by which the best of ours may be behind the best baseline


def scenarios(people: int, seed: int) -> Finding:
    """The total expected reward of our policies and of those of the literature, on every scenario."""
    rows, behind = [], []
    for name, scenario in rb.scenarios.SCENARIOS.items():
        plan = rb.optimal_plan(scenario.truth, scenario.horizon)
        myopic = myopic_plan(scenario.truth, scenario.horizon)
        rows.append((name, "best plan found, curves known", f"{plan.total:,.1f} (bound {plan.upper:,.1f})"))
        rows.append(("", "greedy oracle, curves known", f"{myopic.total:,.1f}"))
        ours = {str(policy): totals_of(scenario, policy, people, seed) for policy in OURS}
        for prior in scenario.priors:
            for policy in SHAPED:
                ours[f"{policy}, {prior}"] = totals_of(scenario.under(prior), policy, people, seed)
        theirs = {str(policy): totals_of(scenario, policy, people, seed) for policy in scenario.baselines}
        rows += [("", name, f"{of.mean():,.1f} ± {error_of(of):.1f}") for name, of in (ours | theirs).items()]
        if theirs:
            best, other = best_of(list(ours.values())), best_of(list(theirs.values()))
            if best.mean() < other.mean() - ERRORS * np.hypot(error_of(best), error_of(other)):
                behind.append(name)
    return Finding(
        "Scenarios of the literature",
        f"{people} people each; total expected reward ± standard error. Policies of the literature have the settings "
        "of their authors. Asked for: on no scenario is the best of ours behind the best of theirs by more than "
        f"{ERRORS:g} standard errors.",
        ("scenario", "policy", "total"),
        rows,
        "Behind: " + ", ".join(behind) + "." if behind else "Nowhere behind.",
        not behind,
    )


def totals_of(scenario: rb.scenarios.Scenario, policy: Any, people: int, seed: int) -> Floats:
    """The total expected reward of each person."""
    total: Floats = rb.simulate(scenario.truth, policy, scenario.horizon, people, seed).mean.sum(axis=1)
    return total


def error_of(totals: Floats) -> float:
    """The standard error of the mean."""
    return float(totals.std(ddof=1) / np.sqrt(totals.size))


def best_of(totals: list[Floats]) -> Floats:
    """Those with the largest mean."""
    return max(totals, key=lambda of: float(of.mean()))

"""Why the corrected radius has more tracking regret than the printed one on Gaussian arms: smaller radii have less."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.types import Problem, start
from verification.finding import Finding
from verification.random_arms import random_truth

ARMS, HORIZON = 4, 5_000


class ScaledRadius(NamedTuple):
    """Tuned ROGUE-UCB with this share of the corrected bound on n·divergence."""

    share: float


@start.register(ScaledRadius)
def start_scaled(policy: ScaledRadius, problem: Problem, people: int) -> Any:
    """The corrected variant, with another slope."""
    state = start(rb.TunedRogueUCB(variant="corrected"), problem, people)
    rule = state.shared.rule
    return state._replace(shared=state.shared._replace(rule=rule._replace(slope=rule.slope * math.sqrt(policy.share))))


POLICIES: dict[str, Any] = {
    "as printed": rb.TunedRogueUCB(),
    "corrected": rb.TunedRogueUCB(variant="corrected"),
    "corrected, half": ScaledRadius(0.5),
    "corrected, a tenth": ScaledRadius(0.1),
}


def corrected_radius(people: int, seed: int) -> Finding:
    """Tracking regret and expected reward by the size of the radius."""
    truth = random_truth(np.random.default_rng((ARMS, 0)), "Gaussian", ARMS)
    traces = {name: rb.simulate(truth, policy, HORIZON, people, seed) for name, policy in POLICIES.items()}
    regret = {name: trace.tracking_regret()[:, -1] for name, trace in traces.items()}
    rows = [
        (
            name,
            f"{regret[name].mean():.0f} ± {regret[name].std(ddof=1) / math.sqrt(people):.0f}",
            f"{trace.mean.mean():.4f}",
        )
        for name, trace in traces.items()
    ]
    falls = regret["corrected, a tenth"].mean() < regret["corrected"].mean()
    earns = traces["corrected"].mean.mean() > traces["as printed"].mean.mean()
    return Finding(
        "The corrected radius on four Gaussian arms",
        f"{people} people, {HORIZON:,} decisions. Shares are of the bound on n·divergence. Asked for: a smaller "
        "radius has less tracking regret, and the corrected variant a larger expected reward than the printed one.",
        ("radius", "tracking regret", "expected reward"),
        rows,
        "The tracking regret is that of exploration." if falls and earns else "Not so here.",
        bool(falls and earns),
    )

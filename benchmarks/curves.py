"""What a decision costs on ten arms whose curve is unknown: `python -m benchmarks.curves`."""

from __future__ import annotations

import time
from typing import Any

import rogue_bandits as rb
from benchmarks.results import Requirement

LIMIT = 100.0  # µs
DECISIONS, ROUNDS = 1_000, 9
POLICIES = {"plan-ts": rb.PlanTS(), "plan-ucb": rb.PlanUCB(), "rogue-ts": rb.RogueTS()}


def main() -> None:
    """Print a row for each policy."""
    for found in curve_requirements():
        print(f"{found.name}: {found.measured:.1f} µs", flush=True)


def microseconds(truth: rb.Truth, policy: Any) -> float:
    """Return the processor time of a decision and its reward: the least of several rounds, the first compiles."""
    costs = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        rb.simulate(truth, policy, DECISIONS, people=1, seed=1)
        costs.append(time.process_time() - began)
    return 1e6 * min(costs[1:]) / DECISIONS


def curve_requirements() -> list[Requirement]:
    """Ten recovering arms with delays up to 30, and ten rotting arms of 51 cells: normal, and 0/1 rewards."""
    found = []
    for kind, name in (("recovering", "recovering-gamma"), ("rotting", "rotting-ten")):
        normal = rb.scenarios.SCENARIOS[name].truth
        if kind == "rotting":  # so that many cells have rewards
            arms = [arm._replace(dynamics=arm.dynamics._replace(longest=1_000, width=20)) for arm in normal.arms]
            normal = normal._replace(arms=arms)
        binary = normal._replace(arms=[arm._replace(rewards=rb.BernoulliLogit(1.0, 0.0)) for arm in normal.arms])
        for rewards, truth in (("normal", normal), ("0/1", binary)):
            for policy, made in POLICIES.items():
                what = f"{policy}, ten {kind} arms, {rewards} rewards, a decision"
                found.append(Requirement(what, microseconds(truth, made), LIMIT, "µs"))
    return found


if __name__ == "__main__":
    main()

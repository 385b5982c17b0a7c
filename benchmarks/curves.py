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
    """Ten recovering arms with delays up to 30: normal rewards, and 0/1 rewards on the same curves."""
    normal = rb.scenarios.SCENARIOS["recovering-gamma"].truth
    binary = normal._replace(arms=[arm._replace(rewards=rb.BernoulliLogit(1.0, 0.0)) for arm in normal.arms])
    return [
        Requirement(f"{name}, ten unknown curves, {kind} rewards, a decision", microseconds(truth, policy), LIMIT, "µs")
        for kind, truth in (("normal", normal), ("0/1", binary))
        for name, policy in POLICIES.items()
    ]


if __name__ == "__main__":
    main()

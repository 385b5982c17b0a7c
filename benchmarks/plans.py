"""How close optimal_plan comes, and how long it takes: `python -m benchmarks.plans [truths] [horizon]`."""

from __future__ import annotations

import sys
import time

import numpy as np

from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, LaplaceAgent, Truth, optimal_plan

FAMILIES = "BernoulliLogit", "LaplaceAgent"


def five_arms(family: str, seed: int) -> Truth:
    """Five arms with decays up to 0.95, that wear and recover at rates of their own."""
    return some_arms(family, seed, 5)


def some_arms(family: str, seed: int, arms: int) -> Truth:
    """The same for any number of arms."""
    rng = np.random.default_rng(seed)

    def some(lo: float, hi: float) -> list[float]:
        return [float(value) for value in rng.uniform(lo, hi, size=arms)]

    decay, wear, recovers = some(0.0, 0.95), some(0.05, 1.0), some(0.1, 0.9)
    moves = [ClippedAffine(a, -b, b * share) for a, b, share in zip(decay, wear, recovers, strict=True)]
    weights = list(zip(some(0.2, 2.0), some(0.2, 2.0), strict=True))
    families = [BernoulliLogit(*pair) if family == "BernoulliLogit" else LaplaceAgent() for pair in weights]
    made = [Arm(move, f, theta_lo=0.01) for move, f in zip(moves, families, strict=True)]
    return Truth(made, some(0.05, 0.5), some(0.0, 1.0))


def main(truths: int = 20, horizon: int = 1000) -> None:
    """Print the gap of each truth, and the worst."""
    for family in FAMILIES:
        optimal_plan(five_arms(family, 0), 50)  # compiles
    for family in FAMILIES:
        gaps, seconds = [], []
        for seed in range(truths):
            began = time.perf_counter()
            plan = optimal_plan(five_arms(family, seed), horizon)
            seconds.append(time.perf_counter() - began)
            gaps.append(100.0 * plan.gap)
            print(f"{family} {seed}: {plan}, {seconds[-1]:.1f} s", flush=True)
        print(f"{family}: gap {np.median(gaps):.2f} % in the middle, {max(gaps):.2f} % at most; {max(seconds):.1f} s")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))

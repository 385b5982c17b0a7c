"""Seeded runs of every policy × family × dynamics, and the decisions that they made when they were recorded.

`golden.json` was recorded by the version before shared and personal arrays were taken apart. To record anew what has
changed on purpose: `python -m tests.policies.golden`.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rogue_bandits as rb

FILE = Path(__file__).with_suffix(".json")
SHOWN = 60
LINES: dict[str, Any] = {
    "ClippedAffine": lambda k: rb.ClippedAffine(0.6 + 0.1 * k, -1.0 - 0.2 * k, 0.5),
    "ClippedAffineSlow": lambda k: rb.ClippedAffine(0.8 + 0.05 * k, -0.15, 0.15 - 0.03 * k),
    "SwitchedAffine": lambda k: rb.SwitchedAffine(0.5 + 0.1 * k, 0.0, 0.9 - 0.1 * k, 0.1),
    "Coupled": lambda k: rb.Coupled(0.6, tuple(np.roll((-0.5, 0.1, -0.1), k).tolist()), 0.4),
}
PLAY_LOGS: dict[str, Any] = {
    "Saturating": lambda k: rb.Saturating(0.2 + 0.1 * k, 0.4, 0.3 + 0.1 * k),
    "PiecewiseAffine": lambda k: rb.PiecewiseAffine((0.1, 0.5, 0.9), (0.0, 0.1 + 0.05 * k, 0.4)),
}
FAMILIES: dict[str, Any] = {
    "BernoulliLogit": (lambda k: rb.BernoulliLogit(0.4 + 0.3 * k, 0.6 - 0.3 * k * 0.9), 0.0, 1.0),
    "BernoulliProbit": (lambda k: rb.BernoulliProbit(-0.8, 0.6 + 0.2 * k), 0.0, 1.0),
    "BetaFraction": (lambda k: rb.BetaFraction(2.0, 1.0, 2.5), 1.0, 2.0),
    "BinomialLogit": (lambda k: rb.BinomialLogit(1.0, 0.6 + 0.1 * k, 7.0), 0.0, 1.0),
    "ContinuousBernoulli": (lambda k: rb.ContinuousBernoulli(3.0, -2.0 + k), 0.0, 1.0),
    "Gaussian": (lambda k: rb.Gaussian(0.4 + 0.3 * k, 0.6 - 0.2 * k, 0.5), 0.0, 1.0),
    "GaussianAgent": (lambda k: rb.GaussianAgent(), 0.1, 0.6),
    "LaplaceAgent": (lambda k: rb.LaplaceAgent(), 0.1, 0.6),
    "LogisticAgent": (lambda k: rb.LogisticAgent(), 0.1, 0.6),
    "PoissonLog": (lambda k: rb.PoissonLog(1.0, 1.0 - 0.2 * k), 0.0, 1.0),
    "TruncatedGaussian": (lambda k: rb.TruncatedGaussian(1.0, 0.5, 0.2), 0.0, 1.0),
}
NUMERIC = ("BernoulliProbit", "GaussianAgent", "LogisticAgent")
NO_THEOREM = (*NUMERIC, "BetaFraction", "PoissonLog")  # lack a constant of Theorem 1
BOUNDS: Any = {"reward_lo": -2.0, "reward_hi": 8.0}
BASELINES: dict[str, Any] = {
    "random": rb.Random(),
    "ucb1-tuned": rb.UCB1Tuned(**BOUNDS),
    "d-ucb": rb.DUCB(**BOUNDS),
    "sw-ucb": rb.SWUCB(**BOUNDS),
    "exp3s": rb.Exp3S(**BOUNDS),
    "rexp3": rb.Rexp3(**BOUNDS),
}
ROGUE: dict[str, Any] = {
    "tuned-rogue-ucb": rb.TunedRogueUCB(eta=1.0),
    "tuned-rogue-ucb-corrected": rb.TunedRogueUCB(eta=1.0, variant="corrected"),
    "rogue-ucb": rb.RogueUCB(scale=0.001),
    "epsilon-rogue": rb.EpsilonRogue(),
}


class Case(NamedTuple):
    """A run: who plays against what, for how long."""

    name: str
    truth: rb.Truth
    policy: Any
    horizon: int
    people: int


def truth_of(dynamics: Any, family: str, arms: int) -> rb.Truth:
    make, lo, hi = FAMILIES[family]
    u = np.random.default_rng(5).random((arms, 2))
    return rb.Truth(
        [rb.Arm(dynamics(k), make(k), lo, hi) for k in range(arms)],
        [lo + (hi - lo) * float(a) for a in u[:, 0]],
        [float(b) for b in u[:, 1]],
    )


def short_cases() -> Iterator[Case]:
    """Runs of a few decisions, which can be interpreted."""
    for family in FAMILIES:
        for dynamics, make in LINES.items():
            if family in NUMERIC and dynamics not in ("ClippedAffine", "Coupled"):
                continue
            horizon, people = (12, 1) if family in NUMERIC else (40, 2)
            for name, policy in ROGUE.items():
                if name != "rogue-ucb" or family not in NO_THEOREM:
                    yield Case(f"{name}/{family}/{dynamics}", truth_of(make, family, 3), policy, horizon, people)
        for name, policy in BASELINES.items():
            truth = truth_of(LINES["ClippedAffine"], family, 3)
            yield Case(f"{name}/{family}/ClippedAffine", truth, policy, 60, 2)


def long_cases() -> Iterator[Case]:
    """Long runs, and runs of arms whose dynamics have no closed form: to be compiled."""
    for family in ("BernoulliLogit", "Gaussian", "LaplaceAgent"):
        for name, policy in {**ROGUE, **(BASELINES if family == "BernoulliLogit" else {})}.items():
            for dynamics in ("ClippedAffine", "ClippedAffineSlow"):
                truth = truth_of(LINES[dynamics], family, 3)
                yield Case(f"long/{name}/{family}/{dynamics}", truth, policy, 1500, 3)
    for dynamics, make in PLAY_LOGS.items():
        for name in ("tuned-rogue-ucb", "epsilon-rogue"):
            truth = truth_of(make, "BernoulliLogit", 2)
            yield Case(f"{name}/BernoulliLogit/{dynamics}", truth, ROGUE[name], 60, 2)
    arms = [
        rb.Arm(rb.MatrixAffine(((0.6, s), (0.0, 0.9)), (-1.0, -0.2), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0)),
               rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4, -0.3), (0.6, w)), (0.0, 0.0), (1.0, 1.0))
        for s, w in ((0.1, 0.5), (0.3, 0.8))
    ]  # fmt: skip
    vectors = rb.Truth(arms, [(0.3, 0.6), (0.7, 0.2)], [(0.2, 0.8), (0.5, 0.4)])
    for name in ("tuned-rogue-ucb", "epsilon-rogue"):
        yield Case(f"{name}/Weighted/MatrixAffine", vectors, ROGUE[name], 40, 1)


def decisions(case: Case) -> list[str]:
    """The arms that each person played, a digit each; of many the first, and a hash of all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of costs that grow
        trace = rb.simulate(case.truth, case.policy, case.horizon, case.people, seed=3)
    return [shortened("".join(map(str, row))) for row in trace.arm]


def shortened(row: str) -> str:
    return row if len(row) <= SHOWN else f"{row[:SHOWN]}…{hashlib.sha256(row.encode()).hexdigest()[:16]}"


def recorded() -> dict[str, list[str]]:
    """What each run decided when it was recorded."""
    found: dict[str, list[str]] = json.loads(FILE.read_text())
    return found


def main() -> None:
    """Record all runs, and name those that have changed."""
    before = recorded() if FILE.exists() else {}
    after = {case.name: decisions(case) for case in (*short_cases(), *long_cases())}
    FILE.write_text(json.dumps(after, indent=0, ensure_ascii=False) + "\n")
    changed = [name for name in after if before.get(name) != after[name]]
    print(f"{len(after)} runs recorded, changed: {', '.join(changed) or 'none'}")  # noqa: T201  what it is for


if __name__ == "__main__":
    main()

"""Do the probabilities that index-ts and rogue-ts state agree with the frequencies of a million choices?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2

import rogue_bandits as rb
from rogue_bandits.compile.laws import kernel
from rogue_bandits.types import Bools, Floats, Problem, Request, choose, learn, play, probabilities, start, uniforms
from verification.finding import Finding

ARMS = [
    rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3)),
    rb.Arm(rb.ClippedAffine(0.9, -0.2, 0.1), rb.BernoulliLogit(0.5, 0.5)),
]
CASES: list[tuple[str, Any, int]] = [
    ("rogue-ts", rb.RogueTS(), 0), ("rogue-ts", rb.RogueTS(), 4), ("rogue-ts", rb.RogueTS(), 300),
    ("index-ts", rb.IndexTS(), 0), ("index-ts", rb.IndexTS(), 4), ("index-ts", rb.IndexTS(), 300),
]  # fmt: skip
LEAST_P = 1e-4  # for each case: 6 × 1e-4 that a correct law fails


@kernel
def live(state: Any, u: Floats, available: Bools, rewards: Floats) -> None:
    """Make decisions with given uniforms and rewards."""
    for t in range(rewards.size):
        arm, _ = choose(state, 0, Request(t, available, u[t]))
        learn(state, 0, t, arm, 1.0, play(state, 0, t, arm), rewards[t])


@kernel
def count(state: Any, number: int, u: Floats, available: Bools, counts: Floats) -> None:
    """Count the choices at each row of uniforms."""
    for i in range(u.shape[0]):
        counts[choose(state, 0, Request(number, available, u[i]))[0]] += 1.0


@kernel
def tell(state: Any, number: int, u: Floats, available: Bools, out: Floats) -> None:
    """Work out the probabilities."""
    probabilities(state, 0, Request(number, available, u), out)


def probabilities_by_draws(draws: int, seed: int) -> Finding:
    """A chi-squared test of the stated probabilities in each case."""
    rows, least = [], 1.0
    for name, policy, decisions in CASES:
        rng, problem, available = np.random.default_rng((seed, decisions)), Problem(tuple(ARMS)), np.ones(3, np.bool_)
        state, m = start(policy, problem, 1), uniforms(policy, problem)
        live(state, rng.random((decisions, m)), available, (rng.random(decisions) < 0.6).astype(np.float64))
        counts, stated = np.zeros(3), np.zeros(3)
        for _ in range(max(1, draws // 100_000)):
            count(state, decisions, rng.random((min(draws, 100_000), m)), available, counts)
        tell(state, decisions, rng.random(m), available, stated)
        expected = stated * counts.sum()
        p = float(chi2.sf(((counts - expected) ** 2 / np.maximum(expected, 1e-9)).sum(), 2))
        rows.append((name, str(decisions), *(f"{one:.4f}" for one in stated),
                     *(f"{one:.4f}" for one in counts / counts.sum()), f"{p:.3f}"))  # fmt: skip
        least = min(least, p)
    return Finding(
        "Stated probabilities and frequencies",
        f"{int(draws):,} choices from one state, with fresh uniforms, beside the stated probabilities. Asked for: "
        f"no chi-squared test has a p-value below {LEAST_P:g}.",
        ("policy", "after decisions", *(f"stated {k}" for k in range(3)), *(f"frequency {k}" for k in range(3)), "p"),
        rows,
        f"The least p-value is {least:.3f}.",
        least >= LEAST_P,
    )

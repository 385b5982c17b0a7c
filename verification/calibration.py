"""Simulation-based calibration of the bank: is the truth a typical draw from the posterior?

Kind, dynamics, x0 and theta are drawn from the prior, as `rb.Unknown` describes it and not by its code, and a history
from them. If the belief is the posterior, the rank of a true number among `DRAWS` draws from it is uniform on
0, 1, …, DRAWS (S. Talts, M. Betancourt, D. Simpson, A. Vehtari, A. Gelman, 2018, arXiv:1804.06788).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2

import rogue_bandits as rb
from rogue_bandits.belief.bank.belief import draw_arm
from rogue_bandits.belief.bank.evidence import BankBelief
from rogue_bandits.belief.bank.kinds import EXCEPTION, kind_at
from rogue_bandits.belief.bank.moves import fill_first_states
from rogue_bandits.belief.bank.pooling import (
    FRESH_LATENTS,
    LOSS_LATENTS,
    fill_kinds_of_person,
    fill_posterior,
)
from rogue_bandits.belief.bank.runs import hypothesis_at_quantile
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.dynamics.unknown import NO_EFFECT, NO_RECOVERY
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.types import Floats, Ints, draw, mean
from verification.finding import Finding

ARMS, DECISIONS = 2, 60
DRAWS = 19  # few, so that a bank of hundreds is as good as the posterior
VARIANCE = ((DRAWS + 1) ** 2 - 1) / 12.0  # of uniform ranks
ERROR_RATE = 0.01  # of all tests together
AT_ONCE = 50  # people, which bounds the memory
QUANTITIES = ("kind", "decay", "pull", "drift", "x0", "state now", "theta", "mean now")
SIMPLE = 0.15  # prior probability of either of the simple kinds
PRIOR = rb.Unknown(no_effect=SIMPLE, no_recovery=SIMPLE)
FAMILIES: dict[str, rb.Arm] = {
    "agent": rb.Arm(PRIOR, rb.LaplaceAgent(), 0.02, 0.5),
    "logistic": rb.Arm(PRIOR, rb.BernoulliLogit(2.0, 4.0), -2.0, 1.0),
    "Gaussian": rb.Arm(PRIOR, rb.Gaussian(0.5, 1.0, 0.3), 0.0, 1.0),
}


class DrawnArm(NamedTuple):
    """The true numbers of an arm."""

    kind: int
    decay: float
    pull: float
    drift: float
    x0: float
    theta: float


def bank_calibration(cases: int, seed: int) -> Finding:
    """Compare the ranks of true numbers with the uniform law."""
    rows, holds, tests = [], True, len(FAMILIES) * len(QUANTITIES)
    limit = float(chi2.ppf(1.0 - ERROR_RATE / tests, DRAWS))
    for family, arm in FAMILIES.items():
        found = ranks(arm, cases, seed)
        for quantity, column in zip(QUANTITIES, found.T, strict=True):
            value, spread = chi_square(column), column.var() / VARIANCE
            rows.append((family, quantity, f"{value:.1f}", f"{spread:.3f}", "yes" if value <= limit else "no"))
            holds = holds and value <= limit
    return Finding(
        "Unknown dynamics: calibration of the bank",
        f"{cases:,} truths of each family, drawn from the prior (no effect and no recovery each with probability "
        f"{SIMPLE:g}), {DECISIONS} decisions at random between {ARMS} arms, a bank of {PRIOR.hypotheses:.0f} "
        f"hypotheses. The rank of each true number among {DRAWS} draws from the posterior is uniform if the posterior "
        f"is right; ties are broken at random. χ² of the {DRAWS + 1} ranks is then above {limit:.1f} in one of "
        f"{1.0 / ERROR_RATE:.0f} tables. The variance of the ranks, beside that of the uniform law, is "
        f"1 ± {np.sqrt(0.8 / cases):.2f}: more if the posterior is too narrow, less if it is too wide.",
        ("family", "number", "χ²", "variance of ranks", "uniform"),
        rows,
        f"{sum(row[-1] == 'yes' for row in rows)} of {tests} histograms of ranks are uniform.",
        holds,
    )


def ranks(arm: rb.Arm, cases: int, seed: int, decisions: int = DECISIONS) -> Ints:
    """Return the ranks of the numbers of the first arm: [cases, quantities]."""
    found = []
    for first in range(0, cases, AT_ONCE):
        people = range(first, min(first + AT_ONCE, cases))
        rngs = [np.random.default_rng((seed, 6, person)) for person in people]
        truths = [drawn_person(arm, rng) for rng in rngs]
        learners, x = observed(arm, truths, rngs, decisions)
        belief = belief_in(learners._online.state)
        for i, rng in enumerate(rngs):
            true = numbers(arm.rewards, truths[i][0], float(x[i, 0]))
            found.append(rank_of(true, posterior_draws(belief, i, rng), rng))
    return np.array(found)


def drawn_person(arm: rb.Arm, rng: np.random.Generator) -> list[DrawnArm]:
    """Draw the arms of a person from the prior: most are of the kind of the person, levels and losses are alike."""
    d, alike = arm.dynamics, drawn_laws(rng)
    of_person = rng.choice(3, p=(d.no_effect, d.no_recovery, 1.0 - d.no_effect - d.no_recovery))
    kinds = [(of_person + (rng.integers(1, 3) if rng.random() < EXCEPTION else 0)) % 3 for _ in range(ARMS)]
    return [drawn_arm(arm, int(kind), alike, rng) for kind in kinds]


def drawn_laws(rng: np.random.Generator) -> list[tuple[int, int]]:
    """Draw the Beta laws that the quantiles of fresh level and of loss have on all arms of a person."""
    return [(z + 1, n - z) for n in (FRESH_LATENTS, LOSS_LATENTS) for z in (int(rng.integers(n)),)]


def drawn_arm(arm: rb.Arm, kind: int, alike: list[tuple[int, int]], rng: np.random.Generator) -> DrawnArm:
    """Draw an arm of a kind from the prior; `alike` has the Beta laws of quantiles of fresh level and loss."""
    d, ends = arm.dynamics, (arm.theta_lo, arm.theta_hi)
    is_scale = isinstance(arm.rewards, rb.LaplaceAgent)
    theta = float(np.exp(rng.uniform(*np.log(ends))) if is_scale else rng.uniform(*ends))
    if kind == NO_EFFECT:
        return DrawnArm(kind, 1.0, 0.0, 0.0, rng.uniform(d.lo, d.hi), theta)
    if kind == NO_RECOVERY:
        share = float(np.exp(rng.uniform(np.log(1e-3), np.log(0.3))))
        return DrawnArm(kind, 1.0, -share * (d.hi - d.lo), 0.0, rng.uniform(d.lo, d.hi), theta)
    u_fresh, u_loss = (rng.beta(*law) for law in alike)
    fresh = d.fresh[0] + (d.fresh[1] - d.fresh[0]) * u_fresh
    loss = d.loss[0] + (d.loss[1] - d.loss[0]) * u_loss**2
    half_life = np.exp(rng.uniform(*np.log(d.half_life)))
    decay = float(0.5 ** (1.0 / half_life))
    x0 = float(np.clip(rng.uniform(fresh - loss, fresh), d.lo, d.hi))
    return DrawnArm(kind, decay, -(1.0 - decay) * loss, (1.0 - decay) * fresh, x0, theta)


def observed(
    arm: rb.Arm, truths: list[list[DrawnArm]], rngs: list[np.random.Generator], decisions: int
) -> tuple[rb.Population, Floats]:
    """Return learners that have seen a history of each person, and the states after it: [people, arms]."""
    learners = rb.Population([arm] * ARMS, rb.IndexTS(), len(truths), seed=0)
    table = np.array(truths)
    decay, pull, drift, x = (table[:, :, j] for j in (1, 2, 3, 4))
    people = np.arange(len(truths))
    for _ in range(decisions):
        played = np.array([rng.integers(ARMS) for rng in rngs])
        rewards = [
            draw(arm.rewards, truths[i][k].theta, float(x[i, k]), rng.random())
            for i, (k, rng) in enumerate(zip(played, rngs, strict=True))
        ]
        learners.record(people, played, rewards)
        signal = (np.arange(ARMS) == played[:, None]).astype(np.float64)
        x = np.clip(decay * x + pull * signal + drift, arm.dynamics.lo, arm.dynamics.hi)
    return learners, x


def numbers(family: Any, true: DrawnArm, x: float) -> Floats:
    """Return the quantities of an arm, in their order."""
    return np.array([*true[:5], x, true.theta, mean(family, true.theta, x)])


@kernel
def posterior_of(belief: BankBelief, person: int, kind: int, out: Floats) -> None:
    """Write the distribution function of the hypotheses about every arm: compiled, as it is needed for every person."""
    fill_posterior(belief, person, kind, out)


def posterior_draws(belief: BankBelief, person: int, rng: np.random.Generator) -> Floats:
    """Return draws of the quantities of the first arm: [DRAWS, quantities]."""
    kinds, first = np.empty(3), np.empty(belief.personal.x.shape[2])
    cdf = np.empty((3, ARMS, first.size))
    fill_kinds_of_person(belief, person, kinds)
    fill_first_states(belief.shared, belief.personal, person, 0, first)
    for kind in range(3):
        posterior_of(belief, person, kind, cdf[kind])
    found = []
    for u_kind, u, u_theta in rng.random((DRAWS, 3)):
        i = hypothesis_at_quantile(cdf[kind_at(kinds, u_kind), 0], u)
        drawn = draw_arm(belief, person, 0, i, u_theta)
        d, kind = drawn.arm.dynamics, int(np.searchsorted(belief.shared.starts, i, side="right")) - 1
        arm = DrawnArm(kind, d.decay, d.pull, d.drift, first[i], drawn.theta)
        found.append(numbers(drawn.arm.rewards, arm, drawn.x))
    return np.array(found)


def rank_of(true: Floats, draws: Floats, rng: np.random.Generator) -> Ints:
    """Return how many draws are below the true numbers; a tie counts at random."""
    scale = 1e-9 * (1.0 + np.abs(true))  # states that are equal by both codes may differ by rounding
    ties = (np.abs(draws - true) <= scale).sum(axis=0)
    return np.asarray((draws < true - scale).sum(axis=0) + rng.integers(0, ties + 1))


def chi_square(found: Ints) -> float:
    """Return χ² of ranks against the uniform law, with DRAWS degrees of freedom.

    >>> chi_square(np.arange(10 * (DRAWS + 1)) % (DRAWS + 1))
    0.0
    """
    expected = found.size / (DRAWS + 1)
    return float(((np.bincount(found, minlength=DRAWS + 1) - expected) ** 2).sum() / expected)

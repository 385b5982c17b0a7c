"""Early rewards of families given by `loglik`: a table of few terms in place of an integral for each reward."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.contract import ONLINE_EVALUATIONS, divergence, empty_belief, upper_bound
from rogue_bandits.belief.from_fit import divergence_from_fit, is_prepared, prepared_early
from rogue_bandits.belief.lines import evidence_on
from rogue_bandits.belief.local_fit import local_fit_at
from rogue_bandits.belief.nodes import factors_of
from rogue_bandits.belief.radius import rule_for
from rogue_bandits.model import Numeric, effective_support, information, kl, kl_and_slopes, loglik, support
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.rewards.low_rank import MOST_TERMS, low_rank_divergence
from rogue_bandits.numerics.chebyshev import values
from tests.belief.test_settled_numeric import (
    CLIPPED,
    Bent,
    Peaked,
    believed,
    bent_effective_support,
    bent_loglik,
    history_of,
)

SLOW = rb.ClippedAffine(0.8, -0.1, 0.15)  # no clip: the first state is forgotten after some 160 decisions
ARM = rb.Arm(SLOW, Bent(0.3), 0.0, 1.0)


class ClosedBent(NamedTuple):
    """`Bent`, with its divergence in closed form."""

    sd: float


Numeric.register(ClosedBent)
support.register(ClosedBent)(lambda f: (-math.inf, math.inf, False))
effective_support.register(ClosedBent)(bent_effective_support)
loglik.register(ClosedBent)(bent_loglik)


@kl_and_slopes.register(ClosedBent)
def closed_kl_and_slopes(f: ClosedBent, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    m, m2 = math.tanh(2.0 * theta * x), math.tanh(2.0 * theta2 * x2)
    slope = (m2 - m) / f.sd**2 * (1.0 - m2 * m2) * 2.0
    return 0.5 * ((m2 - m) / f.sd) ** 2, slope * x2, slope * theta2


kl.register(ClosedBent)(lambda f, theta, x, theta2, x2: kl_and_slopes(f, theta, x, theta2, x2)[0])


@information.register(ClosedBent)
def closed_information(f: ClosedBent, theta: float, x: float) -> tuple[float, float, float]:
    slope = 2.0 * (1.0 - math.tanh(2.0 * theta * x) ** 2) / f.sd
    return (slope * x) ** 2, slope * slope * theta * x, (slope * theta) ** 2


def by_table(table: np.ndarray[tuple[int, ...], np.dtype[np.float64]], p: list[float], q: list[float]) -> float:
    """Σ a(p)·(b(q) − b(p)), at places of [−1, 1]²."""
    n, m, both = table.shape
    at_p, at_q = (values(n, np.array(at[:1]))[:, 0] @ np.swapaxes(table, 0, 1) for at in (p, q))
    at_p, at_q = values(m, np.array(p[1:]))[:, 0] @ at_p, values(m, np.array(q[1:]))[:, 0] @ at_q
    a, b, b_q = at_p[: both // 2], at_p[both // 2 :], at_q[both // 2 :]
    return float(a @ (b_q - b))


def test_the_divergence_of_a_normal_reward_has_three_terms() -> None:
    """(m − m2)²/2 is a sum of three products; the table has no more, and agrees far away and close by."""
    table = low_rank_divergence(ARM.rewards, 0.0, 1.0, 0.0, 1.0)
    assert table is not None
    assert table.shape[2] == 2 * 3
    rng = np.random.default_rng(1)
    for apart in (1.0, 1e-2, 1e-4):
        for _ in range(50):
            p = rng.uniform(-0.99, 0.99, 2).tolist()
            q = [min(max(s + apart * rng.uniform(-1.0, 1.0), -1.0), 1.0) for s in p]
            m, m2 = (math.tanh(2.0 * (0.5 + 0.5 * at[0]) * (0.5 + 0.5 * at[1])) for at in (p, q))
            exact = 0.5 * ((m - m2) / 0.3) ** 2
            assert by_table(table, p, q) == pytest.approx(exact, rel=1e-7, abs=1e-9 * apart)


def test_whole_numbers_have_as_many_terms_as_rewards() -> None:
    table = low_rank_divergence(rb.BernoulliProbit(1.0, 2.0), -1.0, 1.0, 0.0, 1.0)
    assert table is not None
    assert table.shape[2] <= 2 * 3  # log p(0), log p(1), and the entropy
    p, q = ((1.0 + math.erf((t + 2.0 * x) / math.sqrt(2.0))) / 2.0 for t, x in ((0.4, 0.3), (-0.2, 0.7)))
    exact = p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    assert by_table(table, [0.4, -0.4], [-0.2, 0.4]) == pytest.approx(exact, rel=1e-9)


def test_a_kink_that_moves_has_no_table() -> None:
    assert low_rank_divergence(Peaked(0.3), 0.0, 1.0, 0.0, 1.0) is None
    assert MOST_TERMS < 63  # the pivots do not span everything


def test_tables_are_made_only_where_many_rewards_are_kept_and_quadrature_is_needed() -> None:
    assert factors_of([ARM]).size > 0
    without = [ARM._replace(dynamics=CLIPPED), ARM._replace(x0=0.3), ARM._replace(rewards=ClosedBent(0.3))]
    assert all(factors_of([arm]).size == 0 for arm in without)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_divergence_from_the_fit_is_that_of_the_closed_form(seed: int) -> None:
    closed = ARM._replace(rewards=ClosedBent(0.3))
    history, rng = history_of(ARM, 30, seed), np.random.default_rng(seed)
    tabled, kept = believed(ARM, history), believed(closed, history)
    theta_fit, x0_fit = rng.uniform(0.1, 0.9), rng.random()
    found = evidence_on(tabled, 0, 0), local_fit_at(ARM.rewards, ARM, evidence_on(tabled, 0, 0), theta_fit, x0_fit)
    exact = evidence_on(kept, 0, 0), local_fit_at(closed.rewards, closed, evidence_on(kept, 0, 0), theta_fit, x0_fit)
    assert is_prepared(ARM.rewards, found[0])
    rows, none = prepared_early(ARM.rewards, *found), exact[0].early[:0]
    for theta, x0 in rng.random((20, 2)).tolist():
        of_table = divergence_from_fit(ARM.rewards, found[0], rows, found[1], theta, x0)
        of_rewards = divergence_from_fit(closed.rewards, exact[0], none, exact[1], theta, x0)
        assert of_table == pytest.approx(of_rewards, rel=1e-6, abs=1e-8)
        total = divergence(kept, 0, 0, theta, np.array([x0]), theta_fit, np.array([x0_fit]))
        assert of_table.divergence == pytest.approx(total, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("variant", ["paper", "corrected"])
def test_the_upper_bound_is_that_of_the_closed_form(variant: str) -> None:
    history, bounds = history_of(ARM, 30, 4), []
    for family in (ARM.rewards, ClosedBent(0.3)):
        arm = ARM._replace(rewards=family)
        bounds.append(upper_bound(believed(arm, history), 0, 0, rule_for(rb.TunedRadius(1.0, variant), arm), 3.0))
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-7)


def test_arms_with_tables_of_different_sizes_share_one_array() -> None:
    arms = [ARM, ARM._replace(rewards=Bent(0.1), theta_lo=-1.0)]
    shared = empty_belief(problem_of(arms), 1, ONLINE_EVALUATIONS).shared.nodes.factors
    for k, arm in enumerate(arms):
        alone = factors_of([arm])[0]
        n, m, both = alone.shape
        together = shared[k].reshape(*shared.shape[1:3], 2, -1)
        assert np.array_equal(together[:n, :m, :, : both // 2].reshape(n, m, both), alone)
        assert together.sum() == pytest.approx(alone.sum())

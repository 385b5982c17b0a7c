"""The Belief contract on a bank of hypotheses, and draws of dynamics, theta and the state now."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.bank.check import LATEST, arm_evidence, update_check
from rogue_bandits.belief.bank.evidence import BankBelief, BankEvidence, BankShared
from rogue_bandits.belief.bank.likelihood import (
    add_to_sums,
    add_totals,
    fill_log_marginals,
    has_left_window,
    theta_quantile,
)
from rogue_bandits.belief.bank.moves import fill_first_states, refresh, renew
from rogue_bandits.belief.bank.pooling import fill_log_ratios
from rogue_bandits.belief.bank.replay import move_to_play, rested, states_at_play
from rogue_bandits.belief.contract import (
    add_reward,
    advance,
    belief_of,
    capacity,
    has_place,
    refit,
    rewards_count,
    ticket,
    with_places,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, clip
from rogue_bandits.model.dynamics.unknown import KINDS
from rogue_bandits.model.problem import arm_of
from rogue_bandits.numerics.exponential import exp_below
from rogue_bandits.numerics.pcg64 import stir
from rogue_bandits.types import Arm, Ticket

COUNTS = 5.0  # hypotheses of which the log-weight is further below the largest do not
LEAST_SHARE = 0.5  # an effective sample below this share of a kind is renewed


class DrawnArm(NamedTuple):
    """A draw from the posterior of an arm: dynamics, theta and the state now."""

    arm: Arm
    theta: float
    x: float


@belief_of.register(BankEvidence)
def bank_belief_of(personal: BankEvidence, shared: BankShared) -> BankBelief:
    """Return the belief as a bank of hypotheses."""
    return BankBelief(shared, personal)


@ticket.register(BankBelief)
def bank_ticket(b: BankBelief, person: int, k: int) -> Ticket:
    """Return the number of the play as the ticket."""
    return Ticket(float(b.personal.plays[person, k]), 0.0, 0.0, 0.0)


@advance.register(BankBelief)
def bank_advance(b: BankBelief, person: int, k: int, signal_t: float) -> None:
    """Count a rest; at a play, bring the states of all hypotheses up to it."""
    p = b.personal
    if signal_t == 0.0:
        p.since[person, k] += 1
        return
    d, n, rests = arm_of(b.shared.table, person, k).dynamics, p.plays[person, k] - 1, p.since[person, k]
    move_to_play(d, p.decay[person, k], p.pull[person, k], p.drift[person, k], n > 0, rests, p.x[person, k])
    p.gap[person, k, n], p.reward[person, k, n] = rests, np.nan
    p.since[person, k] = 0


@add_reward.register(BankBelief)
def bank_add_reward(b: BankBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """Add a reward at the states of its play; the states of an earlier play are replayed."""
    p, arm, play = b.personal, arm_of(b.shared.table, person, k), int(token.a)
    p.reward[person, k, play] = r
    p.rewards[person, k, 0] += 1
    stir(p.stream[person], r)
    p.check[person, k, LATEST] = r
    add_totals(arm.rewards, r, p.totals[person, k])
    if play == p.plays[person, k] - 1:
        add_to_sums(arm.rewards, b.shared.theta, k, p.x[person, k], r, p.sums[person, k])
        return False
    d, x = arm.dynamics, np.empty(p.x.shape[2])
    fill_first_states(b.shared, p, person, k, x)
    states_at_play(d, p.decay[person, k], p.pull[person, k], p.drift[person, k], p.gap[person, k], play, x)
    add_to_sums(arm.rewards, b.shared.theta, k, x, r, p.sums[person, k])
    return True


@refit.register(BankBelief)
def bank_refit(b: BankBelief, person: int, k: int, x0_moved: bool) -> None:
    """Weight the hypotheses, and resample the kinds in which few hypotheses have most of the weight."""
    p, starts, prior = b.personal, b.shared.starts, b.shared.prior
    before = arm_evidence(prior, p.evidence[person, k])
    reweigh(b, person, k)
    for kind in range(KINDS):
        begin, end = starts[kind], starts[kind + 1]
        if begin < end and summarise(p, person, k, kind, begin, end) < LEAST_SHARE:
            renew(b.shared, p, person, k, kind)
            summarise(p, person, k, kind, begin, end)
    fill_log_ratios(b, person, k, p.log_ratio[person, k])
    gained = arm_evidence(prior, p.evidence[person, k]) - before
    update_check(arm_of(b.shared.table, person, k).rewards, b.shared.theta, k, gained, p.check[person, k])


@routine
def reweigh(b: BankBelief, person: int, k: int) -> None:
    """Add the changes of the log-likelihoods to the log-weights; replay once the number of rewards has doubled."""
    p, log_marginal = b.personal, b.personal.log_marginal[person, k]
    now, f = np.empty(log_marginal.size), arm_of(b.shared.table, person, k).rewards
    fill_log_marginals(f, b.shared.theta, k, p.totals[person, k], p.sums[person, k], now)
    for i in range(now.size):
        p.log_weight[person, k, i] += now[i] - log_marginal[i]
        log_marginal[i] = now[i]
    if p.rewards[person, k, 0] >= 2 * p.rewards[person, k, 1] or has_left_windows(b, person, k):
        refresh(b.shared, p, person, k)


@inlined
def has_left_windows(b: BankBelief, person: int, k: int) -> bool:
    """Return whether a hypothesis that counts has a likelihood that is not negligible at an end of its theta window."""
    p, f = b.personal, arm_of(b.shared.table, person, k).rewards
    log_weight, totals, sums = p.log_weight[person, k], p.totals[person, k], p.sums[person, k]
    top = log_weight.max()
    for i in range(log_weight.size):
        if log_weight[i] > top - COUNTS and has_left_window(f, b.shared.theta, k, totals, sums, i):
            return True
    return False


@routine
def summarise(p: BankEvidence, person: int, k: int, kind: int, begin: int, end: int) -> float:
    """Write the evidence of a kind and the distribution function of its weights; return its effective sample size.

    That is (Σw)²/Σw², as a share of the number of hypotheses.
    """
    log_weight, cdf = p.log_weight[person, k, begin:end], p.cdf[person, k, begin:end]
    top, total, squares = log_weight.max(), 0.0, 0.0
    for i in range(cdf.size):
        cdf[i] = exp_below(log_weight[i] - top)
    for i in range(cdf.size):
        total += cdf[i]
        squares += cdf[i] * cdf[i]
        cdf[i] = total
    for i in range(cdf.size):
        cdf[i] /= total
    p.evidence[person, k, kind] = top + math.log(total)
    return total * total / (squares * cdf.size)


@rewards_count.register(BankBelief)
def bank_rewards_count(b: BankBelief, person: int, k: int) -> float:
    """Return n, the number of rewards."""
    return float(b.personal.rewards[person, k, 0])


@has_place.register(BankBelief)
def bank_has_place(b: BankBelief, person: int) -> bool:
    """Return whether there is room for one more play of any arm."""
    return b.personal.plays[person].max() < b.personal.gap.shape[2]


@with_places.register
def bank_with_places(personal: BankEvidence, places: int) -> BankEvidence:
    """Enlarge the log of plays."""
    more = ((0, 0), (0, 0), (0, max(0, places - personal.gap.shape[2])))
    return personal._replace(gap=np.pad(personal.gap, more), reward=np.pad(personal.reward, more))


@capacity.register
def bank_capacity(personal: BankEvidence) -> int:
    """Return how many plays of an arm there is room for."""
    return int(personal.gap.shape[2])


@inlined
def dynamics_of(b: BankBelief, person: int, k: int, i: int) -> ClippedAffine:
    """Return the dynamics of hypothesis i about arm k."""
    p, prior = b.personal, arm_of(b.shared.table, person, k).dynamics
    return ClippedAffine(p.decay[person, k, i], p.pull[person, k, i], p.drift[person, k, i], prior.lo, prior.hi)


@inlined
def state_now(b: BankBelief, person: int, k: int, i: int) -> float:
    """Return the state of arm k now under hypothesis i."""
    p, d = b.personal, dynamics_of(b, person, k, i)
    x = p.x[person, k, i]
    if p.plays[person, k] > 0:
        x = clip(d.decay * x + d.pull + d.drift, d.lo, d.hi)
    return rested(d.decay, d.drift, x, p.since[person, k], d.lo, d.hi)


@routine
def draw_arm(b: BankBelief, person: int, k: int, i: int, u_theta: float) -> DrawnArm:
    """Return arm k under hypothesis i, at a quantile of theta."""
    p, prior = b.personal, arm_of(b.shared.table, person, k)
    theta = theta_quantile(prior.rewards, b.shared.theta, k, p.totals[person, k], p.sums[person, k], i, u_theta)
    arm = Arm(dynamics_of(b, person, k, i), prior.rewards, prior.theta_lo, prior.theta_hi, prior.name)
    return DrawnArm(arm, theta, state_now(b, person, k, i))

"""A bank of hypotheses: states, likelihoods and weights against brute force, and the life of a belief."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import rogue_bandits as rb
from rogue_bandits.belief.bank.belief import draw_arm, reweigh
from rogue_bandits.belief.bank.evidence import BankBelief, start_bank
from rogue_bandits.belief.bank.kinds import EXCEPTION, kind_at
from rogue_bandits.belief.bank.likelihood import fill_log_marginals, fill_theta_quantiles, theta_quantile
from rogue_bandits.belief.bank.moves import resample
from rogue_bandits.belief.bank.pooling import (
    FRESH_LATENTS,
    LOSS_LATENTS,
    fill_kinds_of_person,
    fill_log_ratios,
    fill_posterior,
)
from rogue_bandits.belief.bank.replay import rested
from rogue_bandits.belief.bank.runs import CELLS, hypothesis_at_quantile
from rogue_bandits.belief.contract import add_reward, advance, ticket
from rogue_bandits.model.dynamics.unknown import KINDS
from rogue_bandits.model.problem import problem_of
from rogue_bandits.policies import thompson
from rogue_bandits.types import Floats, loglik, play, start
from tests.interpreted import interpreted as interpreted

FAMILIES: dict[str, tuple[Any, float, float]] = {
    "agent": (rb.LaplaceAgent(), 0.02, 1.0),
    "logit": (rb.BernoulliLogit(2.0, 3.0), -1.0, 1.0),
    "gaussian": (rb.Gaussian(1.0, 1.5, 0.4), 0.0, 1.0),
    "poisson": (rb.PoissonLog(0.5, 1.0), 0.0, 1.0),
}
REWARDS: dict[str, list[float]] = {
    "agent": [0.31, 0.0, 0.66, 0.5, 1.0, 0.42],
    "logit": [1, 0, 1, 1, 0, 1],
    "gaussian": [0.9, 1.4, 0.2, 1.1, 0.7, 1.3],
    "poisson": [2, 0, 3, 1, 1, 4],
}
GAPS = [3, 0, 0, 5, 1, 40]  # rests before each play


def arm_of_kind(name: str, **prior: Any) -> rb.Arm:
    """An arm with unknown dynamics."""
    family, lo, hi = FAMILIES[name]
    return rb.Arm(rb.Unknown(**{"hypotheses": 32, **prior}), family, lo, hi)


def lived(name: str, order: list[int] | None = None, **prior: Any) -> BankBelief:
    """A belief after plays at `GAPS`, whose rewards are learned at once, or after all plays in some order."""
    belief, tickets = start_bank("test", problem_of([arm_of_kind(name, **prior)]), 1), []
    for gap, r in zip(GAPS, REWARDS[name], strict=True):
        for _ in range(gap):
            advance(belief, 0, 0, 0.0)
        tickets.append(ticket(belief, 0, 0))
        belief.personal.plays[0, 0] += 1
        advance(belief, 0, 0, 1.0)
        if order is None:
            add_reward(belief, 0, 0, tickets[-1], float(r))
            reweigh(belief, 0, 0)
    for i in order or []:
        add_reward(belief, 0, 0, tickets[i], float(REWARDS[name][i]))
        reweigh(belief, 0, 0)
    return belief


def log_likelihoods(name: str, belief: BankBelief, i: int, thetas: Floats) -> Floats:
    """The log-likelihood of hypothesis i, decision by decision, from its place in the cube and the prior's text."""
    family, _, _ = FAMILIES[name]
    prior = belief.shared.table.arms.dynamics
    fresh, loss, half_life, first = belief.personal.cube[0, 0, :, i]
    ends = np.log(prior.half_life[0, 0])
    decay = 0.5 ** (1.0 / np.exp(ends[0] + half_life * (ends[1] - ends[0])))
    level = prior.fresh[0, 0, 0] + fresh * np.diff(prior.fresh[0, 0])[0]
    lost = prior.loss[0, 0, 0] + loss**2 * np.diff(prior.loss[0, 0])[0]
    x, total = np.clip(level - lost + first * lost, 0.0, 1.0), np.zeros(thetas.size)
    for gap, r in zip(GAPS, REWARDS[name], strict=True):
        for _ in range(gap):
            x = np.clip(level + decay * (x - level), 0.0, 1.0)
        total += [loglik(family, theta, x, float(r)) for theta in thetas]
        x = np.clip(level + decay * (x - level) - (1.0 - decay) * lost, 0.0, 1.0)
    return total


@pytest.mark.parametrize("name", FAMILIES)
def test_marginal_likelihoods_are_those_of_numerical_integration(name: str) -> None:
    """Differences between hypotheses, less exact where one has no weight; terms that all share are left out."""
    belief, (_, lo, hi) = lived(name), FAMILIES[name]
    scale = np.log if name == "agent" else lambda y: y  # the prior is uniform in log theta for the agent
    theta_of = np.exp if name == "agent" else lambda y: y
    expected = []
    for i in range(6):
        y = np.linspace(scale(lo), scale(hi), 4_001)
        logs = log_likelihoods(name, belief, i, theta_of(y))
        expected.append(logs.max() + math.log(integrate.simpson(np.exp(logs - logs.max()), x=y)))
    found = belief.personal.log_marginal[0, 0, :6]
    assert found - found[0] == pytest.approx(np.array(expected) - expected[0], abs=0.01, rel=0.002)


@pytest.mark.parametrize("name", FAMILIES)
def test_quantiles_of_theta_are_those_of_one_hypothesis_after_another(name: str) -> None:
    """Also once the bounds leave the densities of an agent's theta whole, which then differ by a factor only."""
    belief, rng = lived(name), np.random.default_rng(1)
    p, f = belief.personal, FAMILIES[name][0]
    for inside in (p.totals[0, 0, 0], 300.0):
        totals, sums = p.totals[0, 0].copy(), p.sums[0, 0].copy()
        if name == "agent":
            totals[0], sums[0] = inside, inside * rng.uniform(0.01, 0.9, sums.shape[1])
        at, u, found = rng.integers(0, 32, 12), rng.random(12), np.empty(12)
        fill_theta_quantiles(f, belief.shared.theta, 0, totals, sums, at, u, found)
        one = [theta_quantile(f, belief.shared.theta, 0, totals, sums, int(i), v) for i, v in zip(at, u, strict=True)]
        assert found == pytest.approx(one, rel=1e-9)


def test_the_marginal_likelihood_of_many_of_an_agent_s_rewards() -> None:
    """Γ(n)·S^(−n) over the range of log theta, where the bounds leave the density whole."""
    belief, out, n = lived("agent"), np.empty(32), 400.0
    sums = n * np.random.default_rng(1).uniform(0.05, 0.5, (1, 32))
    fill_log_marginals(rb.LaplaceAgent(), belief.shared.theta, 0, np.array([n, 0.0, n]), sums, out)
    assert out == pytest.approx(math.lgamma(n) - n * np.log(sums[0]) - math.log(math.log(1.0 / 0.02)), abs=1e-6)


@pytest.mark.parametrize("name", ["agent", "logit"])
def test_late_rewards_count_at_their_own_play(name: str) -> None:
    """Learned in any order after all plays, the likelihoods are those of rewards that come at once."""
    at_once, late = lived(name), lived(name, order=[5, 0, 3, 1, 2, 4])
    assert late.personal.log_marginal == pytest.approx(at_once.personal.log_marginal, abs=0.01)


@given(
    st.floats(0.01, 0.999), st.floats(0.0, 1.5), st.floats(0.0, 1.0), st.integers(0, 60),
)  # fmt: skip
def test_a_rest_in_one_step_is_many_steps(decay: float, level: float, x: float, rests: int) -> None:
    """Against iteration of the law of motion."""
    dynamics = rb.ClippedAffine(decay, 0.0, (1.0 - decay) * level)
    step_by_step = x
    for _ in range(rests):
        step_by_step = min(max(dynamics.decay * step_by_step + dynamics.drift, 0.0), 1.0)
    assert rested(decay, dynamics.drift, x, rests, 0.0, 1.0) == pytest.approx(step_by_step, abs=1e-9)


@given(st.lists(st.floats(-20.0, 0.0), min_size=1, max_size=40), st.floats(0.0, 0.999))
def test_resampling_keeps_each_about_as_often_as_it_weighs(log_weight: list[float], u: float) -> None:
    """Systematic resampling: the count is within one of size times weight."""
    weight = np.exp(log_weight) / np.exp(log_weight).sum()
    count = np.bincount(resample(np.array(log_weight), u), minlength=weight.size)
    assert (np.abs(count - weight.size * weight) < 1.0 + 1e-9).all()


def with_random_weights(arms: int, seed: int, **prior: Any) -> BankBelief:
    """A belief whose hypotheses and kinds weigh at random."""
    belief, rng = start_bank("test", problem_of([arm_of_kind("agent", **prior)] * arms), 1), np.random.default_rng(seed)
    p, starts = belief.personal, belief.shared.starts
    p.rewards[:] = 1
    for k, kind in itertools.product(range(arms), range(KINDS)):
        part = slice(starts[kind], starts[kind + 1])
        weight = rng.gamma(0.3, size=starts[kind + 1] - starts[kind])
        p.cdf[0, k, part] = np.cumsum(weight) / weight.sum()
        if weight.size:
            p.evidence[0, k, kind] = rng.normal(0.0, 2.0)
    for k in range(arms):
        fill_log_ratios(belief, 0, k, p.log_ratio[0, k])
    return belief


def density_in_cells(u: Floats, latents: int) -> Floats:
    """Means over cells of the densities Beta(z + 1, latents − z) at u: [z, points]."""
    cell, z = np.minimum(np.floor(u * CELLS), CELLS - 1), np.arange(latents)[:, None]
    law = stats.beta(z + 1, latents - z)
    return np.asarray(CELLS * (law.cdf((cell + 1) / CELLS) - law.cdf(cell / CELLS)))


def by_enumeration(belief: BankBelief, prior: tuple[float, ...]) -> Floats:
    """P(kind of the person, hypothesis about arm 0, hypothesis about arm 1), summed over both latent numbers."""
    p, starts = belief.personal, belief.shared.starts
    kind_of = np.repeat(np.arange(KINDS), np.diff(starts))
    joint = np.zeros((KINDS, starts[-1], starts[-1]))
    for c, y, z in itertools.product(range(KINDS), range(FRESH_LATENTS), range(LOSS_LATENTS)):
        given_c = np.where(kind_of == c, 1.0 - EXCEPTION, EXCEPTION / 2)
        each = []
        for k in range(2):
            weight = np.diff(p.cdf[0, k], prepend=0.0)
            weight[starts[1:-1]] = p.cdf[0, k, starts[1:-1]]  # every kind begins at 0
            fresh, loss = p.cube[0, k, 0], p.cube[0, k, 1]
            density = density_in_cells(fresh, FRESH_LATENTS)[y] * density_in_cells(loss, LOSS_LATENTS)[z]
            density[kind_of < KINDS - 1] = 1.0
            each.append(given_c * np.exp(p.evidence[0, k])[kind_of] * weight * density)
        joint[c] += prior[c] * np.outer(*each)
    return np.asarray(joint / joint.sum())


def test_levels_losses_and_kinds_are_pooled_over_the_arms_of_a_person() -> None:
    """Against the sum over kinds, latent numbers and all pairs of hypotheses about two arms."""
    belief = with_random_weights(2, seed=1, no_effect=0.2, no_recovery=0.3)
    joint = by_enumeration(belief, (0.2, 0.3, 0.5))
    kinds, cdf = np.empty(KINDS), np.empty((2, joint.shape[1]))
    fill_kinds_of_person(belief, 0, kinds)
    assert kinds == pytest.approx(joint.sum(axis=(1, 2)))
    for c in range(KINDS):
        fill_posterior(belief, 0, c, cdf)
        for k in range(2):
            expected = joint[c].sum(axis=1 - k) / joint[c].sum()
            assert np.diff(cdf[k], prepend=0.0) == pytest.approx(expected, abs=1e-9)


def test_one_arm_is_not_changed_by_pooling() -> None:
    """There is nothing to pool, and latent numbers are uniform."""
    belief, cdf = with_random_weights(1, seed=2), np.empty((1, 32))
    fill_posterior(belief, 0, KINDS - 1, cdf)
    assert cdf[0] == pytest.approx(belief.personal.cdf[0, 0])


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=9), st.floats(0.0, 1.0, exclude_max=True))
def test_a_quantile_is_a_hypothesis_of_some_weight(weight: list[float], u: float) -> None:
    """The one at which the distribution function passes u."""
    cdf = np.cumsum([*weight, 0.5, 0.0])
    found = hypothesis_at_quantile(cdf, u)
    assert np.diff(cdf, prepend=0.0)[found] > 0.0
    assert cdf[found] >= u * cdf[-1] >= (cdf[found - 1] if found else 0.0)


@pytest.mark.parametrize(
    ("no_effect", "no_recovery"), [(0.0, 0.0), (0.7, 0.3), (0.01, 0.99), (1.0, 0.0), (0.0, 1.0), (0.001, 0.0)]
)
@pytest.mark.parametrize("evidence", [0.0, -5_000.0, 5_000.0])
def test_every_kind_that_is_possible_has_hypotheses(no_effect: float, no_recovery: float, evidence: float) -> None:
    """And no other is drawn, however small or large the evidence of the others has become."""
    arms = [arm_of_kind("agent", no_effect=no_effect, no_recovery=no_recovery)] * 2
    belief = start_bank("test", problem_of(arms), 1)
    belief.personal.evidence[np.isfinite(belief.personal.evidence)] = evidence
    kinds, cdf = np.empty(KINDS), np.empty((2, belief.personal.x.shape[2]))
    fill_kinds_of_person(belief, 0, kinds)
    for u in (0.0, 0.25, 0.995, 1.0 - 1e-16):
        fill_posterior(belief, 0, kind_at(kinds, u), cdf)
        drawn = draw_arm(belief, 0, 1, hypothesis_at_quantile(cdf[1], u), 0.5)
        assert no_effect + no_recovery < 1.0 - 1e-9 or drawn.arm.dynamics.decay == 1.0
        assert no_effect > 0.0 or drawn.arm.dynamics.pull < 0.0


def test_windows_follow_rewards_that_change() -> None:
    """Rewards of another level than those by which a window was laid move it: the marginal likelihood stays right."""
    arm = rb.Arm(rb.Unknown(hypotheses=32), rb.Gaussian(1.0, 0.001, 0.1))
    belief = start_bank("test", problem_of([arm]), 1)
    rewards = [0.1] * 33 + [0.9] * 20
    for r in rewards:
        token = ticket(belief, 0, 0)
        belief.personal.plays[0, 0] += 1
        advance(belief, 0, 0, 1.0)
        add_reward(belief, 0, 0, token, r)
        reweigh(belief, 0, 0)
    drawn = draw_arm(belief, 0, 0, int(belief.personal.log_weight[0, 0].argmax()), 0.5)
    assert drawn.theta == pytest.approx(np.mean(rewards), abs=0.01)


def posterior_by_importance(bandit: Any, people: int, seed: int) -> tuple[float, float]:
    """Mean and standard deviation of the decay of an agent's arm, by weighting draws from the prior."""
    rng, prior = np.random.default_rng(seed), bandit
    u = rng.random((4, people))
    decay = 0.5 ** (1.0 / (0.5 * 60.0 ** u[2]))
    level, lost = 2.0 * u[0], 4.5 * u[1] ** 2
    x, distance, inside = np.clip(level - (1.0 - u[3]) * lost, 0.0, 1.0), np.zeros(people), 0
    for played, r in prior:
        if played:
            distance += np.abs(r - x)
            inside += 0.0 < r < 1.0
        x = np.clip(level + decay * (x - level) - (1.0 - decay) * lost * played, 0.0, 1.0)
    y = np.linspace(math.log(0.02), 0.0, 161)
    logs = -inside * y[None] - distance[:, None] * np.exp(-y)[None]
    marginal = logs.max(axis=1) + np.log(np.exp(logs - logs.max(axis=1)[:, None]).sum(axis=1))
    weight = np.exp(marginal - marginal.max())
    mean = weight @ decay / weight.sum()
    return float(mean), float(np.sqrt(weight @ (decay - mean) ** 2 / weight.sum()))


def history(decisions: int, seed: int) -> list[tuple[int, float]]:
    """Plays at random and rewards of an arm that wears out and recovers."""
    rng, x, lived = np.random.default_rng(seed), 0.6, []
    for _ in range(decisions):
        played = int(rng.random() < 0.4)
        lived.append((played, float(np.clip(x + rng.laplace(0.0, 0.08), 0.0, 1.0)) if played else math.nan))
        x = float(np.clip(0.8 * x - 0.12 * played + 0.17, 0.0, 1.0))
    return lived


@pytest.mark.usefixtures("interpreted")
def test_the_posterior_is_that_of_importance_sampling() -> None:
    """After resampling and moves, the mean decay agrees within the error of so few hypotheses."""
    lived = history(60, seed=3)
    bandit = rb.Bandit([arm_of_kind("agent", hypotheses=96)], rb.RogueTS(), seed=1)
    for played, r in lived:
        if played:
            bandit.record(0, r)
        else:
            bandit.rest()
    p = bandit_personal(bandit)
    weight = np.exp(p.log_weight[0, 0] - p.log_weight[0, 0].max())
    found = weight @ p.decay[0, 0] / weight.sum()
    mean, sd = posterior_by_importance(lived, 60_000, seed=5)
    assert abs(found - mean) < 4.0 * sd / math.sqrt(96 / 3)


def bandit_personal(bandit: rb.Bandit) -> Any:
    """The arrays of the belief."""
    return bandit._online.state.personal


@pytest.mark.usefixtures("interpreted")
def test_a_snapshot_continues_with_the_same_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit, with a reward that is still to come."""
    monkeypatch.setattr(thompson, "DRAWS", 31)  # for probabilities: slow when they are interpreted
    arms, policy = [arm_of_kind("agent"), arm_of_kind("agent")], rb.IndexTS()
    bandit = rb.Bandit(arms, policy, seed=4)
    for r in (0.4, 0.9, 0.1, 0.6):
        bandit.update(bandit.choose(), r)
    pending = bandit.choose()
    other = rb.Bandit.from_bytes(bandit.to_bytes(), arms, policy)
    for one in (bandit, other):
        one.update(pending, 0.7)
    assert [bandit.choose() for _ in range(2)] == [other.choose() for _ in range(2)]


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ({"half_life": (0.0, 3.0)}, "half_life from 0 must be above 0"),
        ({"half_life": (4.0, 3.0)}, r"half_life \(4.0, 3.0\) must be two numbers, from low to high"),
        ({"fresh": (-0.5, 1.0)}, "fresh from -0.5 must be from lo 0 to hi 1"),
        ({"loss": (-0.5, 1.0)}, "loss from -0.5 must be 0 or more"),
        ({"no_effect": 0.7, "no_recovery": 0.7}, "at most 1 together"),
        ({"hypotheses": 3}, "hypotheses 3 must be a whole number, 32 or more"),
        ({"lo": 1.0, "hi": 1.0, "fresh": (1.0, 1.0), "loss": (0.0, 1.0)}, "a state that never moves"),
        ({"lo": 1.0, "hi": 0.0}, "^arm 0, lo 1.0 must not be above hi 0.0$"),
        ({"fresh": ()}, r"^arm 0, fresh \(\) must be two numbers, from low to high$"),
        ({"fresh": (0.5,)}, r"^arm 0, fresh \(0.5,\) must be two numbers, from low to high$"),
        ({"drop": (0.9, 1.0), "half_life": (20.0, 30.0)}, r"^arm 0, drop \(0.9, 1.0\) leaves next to nothing of the "
         r"prior: 0 of [\d,]+ points of loss \(0.0, 4.5\), half_life \(20.0, 30.0\) agree$"),
        ({"fresh": (0.5, 0.6), "worn": (0.8, 0.9)}, r"^arm 0, worn \(0.8, 0.9\) leaves next to nothing of the "
         r"prior: 0 of [\d,]+ points of fresh \(0.5, 0.6\), loss \(0.0, 4.5\) agree$"),
        ({"drop": (5.0, 6.0), "worn": (0.0, 0.9)}, r"drop \(5.0, 6.0\) and worn \(0.0, 0.9\) leave next to nothing"),
    ],
)  # fmt: skip
def test_priors_that_are_none(prior: dict[str, Any], words: str) -> None:
    """Each names the field, its value and what is allowed."""
    with pytest.raises(ValueError, match=words):
        start(rb.IndexTS(), problem_of([arm_of_kind("agent", **prior)]), 1)


def test_a_number_is_no_range() -> None:
    """It is refused by its name."""
    with pytest.raises(TypeError, match=r"^arm 0, fresh 0.5 must be two numbers, from low to high$"):
        problem_of([arm_of_kind("agent", fresh=0.5)])


@pytest.mark.parametrize("policy", [rb.TunedRogueUCB(), rb.EpsilonRogue(), rb.PlanUCB()])
def test_policies_that_need_known_dynamics_say_so(policy: Any) -> None:
    """By name, with those that do not."""
    with pytest.raises(ValueError, match=r"arm 0.*Unknown.*index-ts"):
        start(policy, problem_of([arm_of_kind("agent")]), 1)


def test_a_truth_has_known_dynamics() -> None:
    """A prior is no truth."""
    with pytest.raises(ValueError, match=r"truth of arm 0.*Unknown"):
        rb.simulate(rb.Truth([arm_of_kind("agent")], [0.1], [0.5]), rb.Random(), 10)


def test_drop_and_worn_restrict_the_prior() -> None:
    """Every hypothesis keeps to them."""
    belief = start_bank("test", problem_of([arm_of_kind("agent", drop=(0.1, 0.2), worn=(0.0, 0.3))]), 1)
    p = belief.personal
    worn = np.clip((p.drift + p.pull) / (1.0 - p.decay), 0.0, 1.0)
    assert ((-p.pull >= 0.1) & (-p.pull <= 0.2) & (worn <= 0.3)).all()


@pytest.mark.usefixtures("interpreted")
def test_room_is_made_for_more_plays() -> None:
    """A log of plays grows."""
    bandit = rb.Bandit([arm_of_kind("agent")], rb.RogueTS(), seed=1)
    for _ in range(70):
        bandit.record(0, None)
    assert bandit_personal(bandit).plays[0, 0] == 70


def test_a_play_is_a_ticket() -> None:
    """The number of the play of that arm."""
    state = start(rb.RogueTS(), problem_of([arm_of_kind("agent")] * 2), 1)
    assert [play(state, 0, t, arm).a for t, arm in enumerate((0, 1, 0, -1, 0))] == [0.0, 0.0, 1.0, 0.0, 2.0]


@pytest.mark.usefixtures("interpreted")
def test_an_explanation_has_levels_and_half_lives() -> None:
    """Weighted medians of the prior, before the first reward, within its ranges."""
    arms = [arm_of_kind("agent", half_life=(2.0, 4.0), no_effect=0.25, no_recovery=0.25)] * 2
    rows = {row.name: row.values for row in rb.Bandit(arms, rb.RogueTS(), seed=1).explain().rows}
    assert all(2.0 <= value.lo <= value.middle <= value.hi <= 4.0 for value in rows["half-life"])
    assert all(0.0 <= value.lo <= value.hi <= 1.0 for name in ("state now", "mean reward") for value in rows[name])
    assert rows["probability of recovery"] == pytest.approx((0.5 * (1.0 - EXCEPTION) + 0.5 * EXCEPTION / 2,) * 2)

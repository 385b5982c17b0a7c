"""Policies on arms whose curve is unknown: what they choose, and that all around them works as for other arms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import rogue_bandits as rb
from rogue_bandits.belief.curves import curve_at, value_and_sd
from rogue_bandits.model.problem import problem_of
from rogue_bandits.policies import thompson
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.types import Floats, Request, choose, learn, play, start, uniforms
from tests.interpreted import interpreted_if
from tests.matrix import FULL

PRIOR = rb.Matern(2.0, 0.5, 0.3)
RECOVERING = [
    rb.Arm(rb.Recovering(longest, PRIOR), rb.Gaussian(1.0, 0.0, 0.2), name=str(longest)) for longest in (3, 4)
]
ROTTING = [rb.Arm(rb.Rotting(12, width, PRIOR), rb.BernoulliLogit(2.0, 0.0)) for width in (3, 4)]
ARMS = {"recovering": RECOVERING, "rotting": ROTTING}
POLICIES = [
    rb.PlanTS(depth=3),
    rb.PlanUCB(),
    rb.RogueTS(),
    rb.RGPUCB(),
    rb.RGPTS(depth=2),
    rb.Bounded(rb.PlanTS(), 0.2),
]
every_policy = pytest.mark.parametrize("policy", POLICIES, ids=str)
every_arm = pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
ALL = np.ones(2, dtype=np.bool_)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Plain Python, with smaller lattices; compiled in `make verify`."""
    if not FULL:
        monkeypatch.setattr(thompson, "DRAWS", 13)
    with interpreted_if(lambda _: not FULL):
        yield


def reward(arms: list[rb.Arm], t: int) -> float:
    return float(t % 3 == 0) if arms is ROTTING else 0.1 * (t % 5)


def lived(state: Any, decisions: int, arms: list[rb.Arm]) -> Any:
    """A state after decisions that were made elsewhere."""
    for t in range(decisions):
        arm = (t * t) % 3 % 2
        learn(state, 0, t, arm, 1.0, play(state, 0, t, arm), reward(arms, t))
    return state


# ---- what is chosen --------------------------------------------------------------------------------------------------
def drawn_curves(state: Any, u: Floats) -> Floats:
    """The curves of a draw, one for each arm, from normal quantiles of scipy."""
    belief = belief_in(state)
    _, arms, values, features = belief.shared.features.shape
    curves = np.empty((arms, values))
    for k in range(arms):
        curve_at(belief, 0, k, norm.ppf(u[k * features : (k + 1) * features]), curves[k])
    return curves


def best_first_arms(curves: Floats, delay: Floats, decisions: int) -> set[int]:
    """The first arms of the best sequences, by enumeration."""
    totals: dict[int, float] = {}
    for sequence in product(range(len(curves)), repeat=decisions):
        now, total = [int(d) for d in delay], 0.0
        for k in sequence:
            total += curves[k, now[k]]
            now = [0 if j == k else min(d + 1, (3, 4)[j]) for j, d in enumerate(now)]
        totals[sequence[0]] = max(totals.get(sequence[0], -np.inf), total)
    return {k for k, total in totals.items() if total >= max(totals.values()) - 1e-9}


def test_rgp_ts_plays_the_best_sequence_of_a_draw() -> None:
    rng, policy = np.random.default_rng(1), rb.RGPTS(depth=3)
    problem = problem_of(RECOVERING)
    state = lived(start(policy, problem, 1), 9, RECOVERING)
    for _ in range(20):
        u = rng.random(uniforms(policy, problem))
        best = best_first_arms(drawn_curves(state, u), state.personal.state[0], 3)
        assert choose(state, 0, Request(9, ALL, u))[0] in best


def test_plan_ts_plays_the_first_arm_of_a_long_plan() -> None:
    """Long enough, a sequence without values at its end has the same first arm, but for near ties."""
    rng, policy = np.random.default_rng(2), rb.PlanTS(depth=4)
    problem = problem_of(RECOVERING)
    state, agree = lived(start(policy, problem, 1), 12, RECOVERING), 0
    for _ in range(20):
        u = rng.random(uniforms(policy, problem))
        curves = np.clip(drawn_curves(state, u), 0.0, 1.0)
        agree += choose(state, 0, Request(12, ALL, u))[0] in best_first_arms(curves, state.personal.state[0], 9)
    assert agree >= 17


@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
def test_rogue_ts_and_plan_ts_on_rotting_arms_play_the_largest_mean_of_a_draw(arms: list[rb.Arm]) -> None:
    rng, problem = np.random.default_rng(3), problem_of(arms)
    for policy in (rb.RogueTS(), *([rb.PlanTS()] if arms is ROTTING else [])):
        state = lived(start(policy, problem, 1), 10, arms)
        belief, place = belief_in(state), []
        for k, arm in enumerate(arms):
            x = state.personal.state[0, k]
            place.append(int(x) if arms is RECOVERING else int(x // arm.dynamics.width))
        for _ in range(20):
            u = rng.random(uniforms(policy, problem))
            drawn = [np.dot(value_and_sd(belief, 0, k, place[k]), (1.0, norm.ppf(u[k]))) for k in range(2)]
            if abs(np.diff(np.clip(drawn, 0.0, 1.0))[0]) > 1e-9:
                assert choose(state, 0, Request(10, ALL, u))[0] == int(np.argmax(drawn))


def test_rgp_ucb_and_plan_ucb_on_rotting_arms_play_the_largest_bound() -> None:
    for policy, arms in ((rb.RGPUCB(), RECOVERING), (rb.PlanUCB(beta=0.3), ROTTING)):
        state = lived(start(policy, problem_of(arms), 1), 11, arms)
        belief, t = belief_in(state), 12.0
        wide = np.sqrt(2.0 * np.log(t * t * 2 * 4)) if arms is RECOVERING else np.sqrt(2.0 * 0.3 * np.log(t))
        bounds = []
        for k, arm in enumerate(arms):
            x = state.personal.state[0, k]
            centre, sd = value_and_sd(belief, 0, k, int(x) if arms is RECOVERING else int(x // arm.dynamics.width))
            bounds.append(centre + wide * sd if arms is RECOVERING else min(centre + wide * sd, 1.0))
        assert choose(state, 0, Request(11, ALL, np.array([0.5])))[0] in np.flatnonzero(np.array(bounds) == max(bounds))


# ---- what every policy owes its callers ------------------------------------------------------------------------------
@every_arm
@every_policy
def test_late_rewards_availability_snapshots_and_text(policy: Any, arms: list[rb.Arm]) -> None:
    bandit = rb.Bandit(arms, policy, seed=4)
    first, second = bandit.choose(), bandit.choose()
    bandit.update(second, reward(arms, 1))
    bandit.update(first, reward(arms, 0))
    bandit.rest()
    bandit.record(1, reward=reward(arms, 2))
    for t in range(4):
        decision = bandit.choose(available=[t % 2])
        assert decision.arm == t % 2
        assert decision.probabilities == pytest.approx(np.eye(2)[t % 2])
        bandit.update(decision, reward(arms, t))
    decision = bandit.choose()
    assert sum(decision.probabilities) == pytest.approx(1.0)
    assert decision.probability == decision.probabilities[decision.arm]
    for twin in (rb.Bandit.from_bytes(bandit.to_bytes(), arms, policy), rb.Bandit.from_json(bandit.to_json())):
        assert [twin.choose() for _ in range(3)] == copies(bandit, arms, policy)


@pytest.mark.parametrize("policy", [rb.PlanTS(), rb.PlanUCB()], ids=str)
@pytest.mark.parametrize("prior", [rb.Monotone(PRIOR), rb.Steps(0.1, 0.5, 0.3)], ids=lambda p: type(p).__name__)
def test_shapes_work_wherever_other_priors_do(prior: Any, policy: Any) -> None:
    """Late rewards, availability, 0/1 rewards, snapshots and text; one person in a crowd as alone."""
    arms = [arm._replace(dynamics=arm.dynamics._replace(prior=prior)) for arm in ROTTING]
    bandit = rb.Bandit(arms, policy, seed=4)
    first, second = bandit.choose(), bandit.choose(available=[1])
    bandit.update(second, 1)
    bandit.update(first, 0)
    for t in range(5):
        bandit.update(bandit.choose(), reward(ROTTING, t))
    decision = bandit.choose()
    assert sum(decision.probabilities) == pytest.approx(1.0)
    for twin in (rb.Bandit.from_bytes(bandit.to_bytes(), arms, policy), rb.Bandit.from_json(bandit.to_json())):
        assert twin.arms == bandit.arms
        assert [twin.choose() for _ in range(3)] == copies(bandit, arms, policy)
    truth = rb.Truth(arms, [[0.9, 0.4, 0.2, 0.2, 0.1], [0.6] * 4], [0, 0])
    crowd, alone = rb.simulate(truth, policy, 8, people=2, seed=6), rb.simulate(truth, policy, 8, people=1, seed=6)
    assert crowd.arm[0].tolist() == alone.arm[0].tolist()


def test_plan_ts_plans_for_monotone_draws() -> None:
    """With curves that rise, waiting is never thought to make an arm worse."""
    arms = [arm._replace(dynamics=arm.dynamics._replace(prior=rb.Monotone(PRIOR))) for arm in RECOVERING]
    state, rng = lived(start(rb.PlanTS(), problem_of(arms), 1), 12, arms), np.random.default_rng(8)
    for _ in range(10):
        for curve, longest in zip(
            drawn_curves(state, rng.random(uniforms(rb.PlanTS(), problem_of(arms)))), (3, 4), strict=True
        ):
            assert (np.diff(curve[: longest + 1]) >= 0.0).all()


def copies(bandit: rb.Bandit, arms: list[rb.Arm], policy: Any) -> list[rb.Decision]:
    """The next three decisions of a bandit, which is left as it is."""
    twin = rb.Bandit.from_bytes(bandit.to_bytes(), arms, policy)
    return [twin.choose() for _ in range(3)]


@every_arm
@every_policy
def test_one_person_in_a_crowd_is_as_alone(policy: Any, arms: list[rb.Arm]) -> None:
    curves = (
        [[0.2, 0.5, 0.9, 0.4], [0.3, 0.3, 0.6, 0.7, 0.7]]
        if arms is RECOVERING
        else [[0.9, 0.4, 0.2, 0.2, 0.1], [0.6] * 4]
    )
    truth = rb.Truth(arms, curves, [0, 0])
    crowd, alone = rb.simulate(truth, policy, 8, people=2, seed=6), rb.simulate(truth, policy, 8, people=1, seed=6)
    assert crowd.arm[0].tolist() == alone.arm[0].tolist()
    assert crowd.reward[0].tolist() == alone.reward[0].tolist()


def test_people_with_priors_of_their_own() -> None:
    """A row of tables for each person: each decides as alone."""
    other = [
        arm._replace(dynamics=arm.dynamics._replace(prior=rb.Matern(1.0, 0.2, 0.6), first=2)) for arm in RECOVERING
    ]
    both = rb.Population([RECOVERING, other], rb.PlanUCB(), people=2, seed=8)
    alone = [rb.Population(arms, rb.PlanUCB(), people=1, seed=8) for arms in (RECOVERING, other)]
    for t in range(6):
        chosen = both.choose()
        for person, one in enumerate(alone):
            single = one.choose()
            if person == 0:  # the others have random streams of their own
                assert chosen.arm[0] == single.arm[0]
            one.update(single, np.array([0.1 * t]))
        both.update(chosen, np.full(2, 0.1 * t))
    assert both._online.state.personal.state[1].max() <= 4.0


def test_people_who_are_added_start_at_their_own_first_state() -> None:
    """Not at that of the first person; curves of another length are refused."""
    other = [arm._replace(dynamics=arm.dynamics._replace(first=2)) for arm in RECOVERING]
    people = rb.Population([RECOVERING, RECOVERING], rb.PlanUCB(), people=2, seed=8)
    people.add([other])
    first = [float(arm.dynamics.first) for arm in other]
    assert people._online.state.personal.state[2].tolist() == first != people._online.state.personal.state[0].tolist()
    longer = [arm._replace(dynamics=arm.dynamics._replace(longest=9)) for arm in RECOVERING]
    with pytest.raises(ValueError, match=r"dynamics\.hi|equally many"):
        people.add([longer])


@pytest.mark.parametrize("policy", [rb.TunedRogueUCB(), rb.EpsilonRogue(), rb.IndexTS()], ids=str)
def test_policies_without_a_belief_about_curves_refuse_them(policy: Any) -> None:
    with pytest.raises(ValueError, match="arm '3': under Recovering theta is an unknown curve: plan-ts, plan-ucb"):
        rb.Bandit(RECOVERING, policy)


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="rgp-ts, depth 9 must be at most 8"):
        rb.Bandit(RECOVERING, rb.RGPTS(depth=9))

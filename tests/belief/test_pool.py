"""Pools of early rewards: against brute force over the whole history, and against evidence that keeps every reward."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief import contract, nodes
from rogue_bandits.belief.history import belief_from
from rogue_bandits.belief.nodes import pool_shape
from rogue_bandits.belief.pool import (
    COUNT,
    FIRST,
    FIRST_CAPACITY,
    LARGEST,
    LAST,
    LEAST,
    PoolShape,
    has_wide,
    open_pool,
    pool_size,
    states_at,
)
from rogue_bandits.belief.radius import Radius
from rogue_bandits.types import Line, draw, next_state
from tests.belief.cases import Case, oracle_model
from tests.interpreted import compiled_if_common as compiled_if_common
from tests.matrix import pairs_of
from tests.oracles import brute_divergence, brute_loglik

pytestmark = pytest.mark.usefixtures("compiled_if_common")

DECAYS = (0.9, 0.95, 0.98, 0.99, -0.95, 1.0)
FAMILIES = {
    "logit": (rb.BernoulliLogit(0.7, 1.5), 0.0, 1.0),
    "normal": (rb.Gaussian(1.0, 0.8, 0.5), 0.0, 1.0),
    "agent": (rb.LaplaceAgent(), 0.1, 0.6),
}


def long_case(family: str, decay: float, x0: float, clipped: bool, length: int = 400) -> Case:
    """An arm that forgets slowly: its state never comes to a bound, or comes to one now and then."""
    f, lo, hi = FAMILIES[family]
    far = 1.0 - abs(decay)
    level = 1.15 if clipped else 0.9 if decay > 0.0 else 0.5 * (1.0 - decay) / far
    pull = -0.4 * far if abs(decay) < 1.0 else 0.0
    arm = rb.Arm(rb.ClippedAffine(decay, pull * (3.0 if clipped else 1.0), level * far), f, lo, hi)
    rng = np.random.default_rng(7)
    played, rewards, x = (rng.random(length) < 0.6).astype(np.float64), np.full(length, np.nan), x0
    for t in range(length):
        if played[t]:
            rewards[t] = draw(f, lo + 0.4 * (hi - lo), x, float(rng.random()))
        x = next_state(arm.dynamics, x, played[t])
    return Case(arm, played.tolist(), rewards.tolist())


@pytest.mark.parametrize(("arm", "clipped"), pairs_of([*product(FAMILIES, DECAYS)], [False, True], 1))
def test_sums_say_what_the_history_says(arm: tuple[str, float], clipped: bool) -> None:
    case = long_case(*arm, 0.3, clipped)
    model, rng = oracle_model(case.arm), np.random.default_rng(1)
    fit = rb.fit(*case)
    assert fit.loglik == pytest.approx(float(brute_loglik(model, *case[1:], fit.theta, fit.x0)[0]), rel=1e-12, abs=1e-9)
    low, high = (case.arm.theta_lo, case.arm.dynamics.lo), (case.arm.theta_hi, case.arm.dynamics.hi)
    for _ in range(5):
        one, other = rng.uniform(low, high), rng.uniform(low, high)
        exact = float(brute_divergence(model, *case[1:], *one, *other)[0])
        assert rb.divergence(*case, tuple(one), tuple(other)) == pytest.approx(exact, rel=1e-11, abs=1e-10)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Keep every early reward from `kept.setattr` on."""
    contract.shared_by.cache_clear()
    yield monkeypatch
    contract.shared_by.cache_clear()


ARMS = [*product(FAMILIES, DECAYS)]
RADII: list[Radius] = [rb.TunedRadius(), rb.TunedRadius(variant="corrected"), rb.TheoremRadius(scale=1e-3)]


@pytest.mark.parametrize(("arm", "asked"), pairs_of(ARMS, [*product([0.0, 0.45, 1.0], RADII)], 1))
def test_answers_are_those_of_kept_rewards(
    arm: tuple[str, float], asked: tuple[float, Radius], kept: pytest.MonkeyPatch
) -> None:
    (family, decay), (x0, radius) = arm, asked
    case = long_case(family, decay, x0, x0 == 0.45)
    fit, bound = rb.fit(*case), rb.upper_bound(*case, radius)
    kept.setattr(nodes, "held_by_a_pool", lambda arm: (1, 0.0))
    contract.shared_by.cache_clear()
    assert belief_from(*case).personal.pools_n[0, 0] == 0
    exact = rb.fit(*case)
    assert fit.loglik == pytest.approx(exact.loglik, rel=1e-12, abs=1e-10)
    if decay == 1.0:  # of a state that never moves, theta and x0 cannot be told apart: many fits are equally likely
        return
    assert fit.theta == pytest.approx(exact.theta, abs=1e-7)
    assert bound == pytest.approx(rb.upper_bound(*case, radius), abs=1e-8)


@pytest.mark.parametrize("decay", DECAYS[:-1])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_kept_does_not_grow_with_the_history(family: str, decay: float) -> None:
    """Nearly all rewards of a state that is never clipped are summed up, though it is known only after 1,800."""
    short, long = (belief_from(*long_case(family, decay, 0.3, False, n)).personal for n in (400, 800))
    assert short.pools_n[0, 0] == long.pools_n[0, 0] == 1
    assert long.early_n[0, 0] <= 1.25 * short.early_n[0, 0] + 4
    assert long.early_n[0, 0] <= (60 if family != "agent" else 150)


def test_a_pool_is_opened_for_the_second_reward_of_its_kind() -> None:
    """Of a rotting arm each reward is clipped at another x0: it has none. The others have one interval for all."""
    rotting = rb.Arm(rb.ClippedAffine(1.0, -0.01, 0.0), FAMILIES["logit"][0])
    assert belief_from(rotting, [1.0] * 95, [0.0, 1.0] * 47 + [0.0]).personal.pools_n[0, 0] == 0
    case = long_case("logit", 0.98, 0.3, clipped=False)
    e = belief_from(*case).personal
    assert e.pools_n[0, 0] == 1
    assert e.early_n[0, 0] == FIRST_CAPACITY  # all others are in the pool
    assert e.early_n[0, 0] + e.pools[0, 0, 0, COUNT] == sum(case.played)


def wide_case(family: rb.BernoulliLogit | rb.PoissonLog, decay: float, width: float, length: int = 150) -> Case:
    """An arm whose state may begin far from where it stays: a block of coefficients does not hold it."""
    case = long_case("logit", decay, 0.3, clipped=False, length=length)
    pace = 1.0 - abs(decay)
    arm = rb.Arm(rb.ClippedAffine(decay, -0.4 * pace, 0.3 * pace, lo=-width, hi=width), family)
    return case._replace(arm=arm)


WIDE = [
    (rb.BernoulliLogit(0.4, 0.6), 0.98, 10.0),
    (rb.BernoulliLogit(-1.0, 4.0), -0.9, 1.0),
    (rb.BernoulliLogit(0.7, 0.3), 0.9, 40.0),  # some states are too wide for all segments together
    (rb.PoissonLog(0.5, 1.0), 0.9, 4.0),
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("family", "decay", "width"), WIDE)
def test_sums_of_wide_states_say_what_the_history_says(
    family: rb.BernoulliLogit | rb.PoissonLog, decay: float, width: float, seed: int
) -> None:
    """Everywhere in the box, at the ends of segments too."""
    case = wide_case(family, decay, width)
    model, rng, belief = oracle_model(case.arm), np.random.default_rng(seed), belief_from(*case)
    segments = belief.shared.nodes.segments
    ends = np.linspace(-width, width, segments + 1)
    assert segments > 1
    assert belief.personal.pools[0, 0, 0, COUNT] > 0.5 * sum(case.played)
    for x0 in [*ends[:3], *ends[-2:], *rng.uniform(-width, width, 10)]:
        theta, other, x02 = (float(v) for v in rng.uniform((0.0, 0.0, -width), (1.0, 1.0, width)))
        found = contract.log_likelihood(belief, 0, 0, theta, np.array([x0]))
        assert found == pytest.approx(float(brute_loglik(model, *case[1:], theta, x0)[0]), rel=1e-11, abs=1e-9)
        exact = float(brute_divergence(model, *case[1:], theta, x0, other, x02)[0])
        assert rb.divergence(*case, (theta, x0), (other, x02)) == pytest.approx(exact, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize(("family", "decay", "width"), WIDE)
def test_bounds_of_states_hold_all_states(
    family: rb.BernoulliLogit | rb.PoissonLog, decay: float, width: float
) -> None:
    """Those of every reward in the pool, for any x0."""
    case = wide_case(family, decay, width)
    belief, model = belief_from(*case), oracle_model(case.arm)
    nodes, personal = belief.shared.nodes, belief.personal
    pool, kept = personal.pools[0, 0, 0], personal.early[0, 0, : personal.early_n[0, 0], 4].size
    for x0 in np.linspace(-width, width, 9):
        states = model.walk(np.array([x0]), case.played).states[0]
        states = states[np.flatnonzero(case.played)[kept:]]
        c = min(max(x0, pool[FIRST]), pool[LAST])
        least, largest = states_at(pool, pool_shape(nodes), c)
        inside = states[: int(pool[COUNT])] if width < 40.0 else states[-int(pool[COUNT]) :]
        assert least <= inside.min() + 1e-9
        assert largest >= inside.max() - 1e-9
        assert largest - least <= inside.max() - inside.min() + 2.0 * width / nodes.segments


def test_a_pool_of_an_older_snapshot_has_no_wide_rewards() -> None:
    """It is padded with zeros, which are no states."""
    shape, line = PoolShape(3, 2, 4), Line(1.0, 5.0, 6.0, 7.0)
    pool = np.zeros(pool_size(shape))
    open_pool(pool, line, 0.0, 10.0)
    pool[LEAST], pool[LARGEST] = 6.0, 7.0
    assert not has_wide(pool, shape)
    assert states_at(pool, shape, 1.5) == (6.0, 7.0)

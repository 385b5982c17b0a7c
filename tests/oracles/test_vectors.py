"""The oracle of vectors: against that of numbers for d = 1, against examples worked by hand, and its searches."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from tests.belief.vector_cases import random_vector_case
from tests.matrix import pairs_of, some_of
from tests.oracles import Logit, Model, Normal, Tuned, brute_divergence, brute_fit, brute_loglik, brute_upper_bound
from tests.oracles.dynamics import Floats, slopes
from tests.oracles.radius import tuned_radius
from tests.oracles.vector_bound import brute_vector_upper_bound
from tests.oracles.vector_ceiling import vector_fit_ceiling
from tests.oracles.vector_fit import VectorFit, brute_vector_fit
from tests.oracles.vector_radius import (
    vector_excess,
    vector_information,
    vector_slopes,
    vector_tuned_radius,
)
from tests.oracles.vectors import VectorModel, brute_vector_divergence, brute_vector_loglik, brute_vector_mean, etas

NAN = math.nan
RADII = (0.01, Tuned(1.0, "paper"), Tuned(0.05, "corrected"))
ONE_DIMENSION = some_of(range(12, 30), 4)
SEARCHED = some_of([(seed, dims) for dims in (1, 2, 3) for seed in range(100, 107)], 3)  # one of each size
# Two components that swap and shrink; nothing clips within a wide box.
SWAP = np.array([[0.0, 0.5], [-0.8, 0.0]])


def wide(family: Logit | Normal, half: float = 50.0) -> VectorModel:
    """A model that clips nowhere near."""
    lo, hi, zero = np.full(2, -half), np.full(2, half), np.zeros(2)
    alpha, ends = np.array([1.0, -2.0]), np.array([20.0, 15.0])
    return VectorModel(SWAP, np.array([1.0, 0.0]), zero, lo, hi, family, alpha, np.array([1.0, 2.0]), -ends, ends)


def as_numbers(m: VectorModel) -> Model:
    """An arm of d = 1 in the words of numbers: theta is s, and beta goes into the weight of the state."""
    f = m.family._replace(state_weight=m.family.state_weight * float(m.beta[0]))
    decay, pull, drift, lo, hi = (float(column.ravel()[0]) for column in (m.decay, m.pull, m.drift, m.lo, m.hi))
    return Model(decay, pull, drift, lo, hi, f, *m.s_range)


@lru_cache
def fitted(seed: int, dims: int) -> VectorFit:
    """The fit of a case."""
    return brute_vector_fit(*random_vector_case(seed, dims))


def cloud(rng: np.random.Generator, m: VectorModel, count: int) -> tuple[Floats, Floats]:
    """Points all over the box, some on its sides."""
    x0 = rng.uniform(m.lo, m.hi, (count, m.dims))
    x0 = np.where(rng.random(x0.shape) < 0.1, m.lo, np.where(rng.random(x0.shape) < 0.1, m.hi, x0))
    return rng.uniform(*m.s_range, count), x0


def nearby(rng: np.random.Generator, m: VectorModel, s: float, x0: Floats, count: int) -> tuple[Floats, Floats]:
    """Points around one, from far to near."""
    scale = 10.0 ** rng.uniform(-5.0, 0.0, (count, 1))
    s_lo, s_hi = m.s_range
    step = scale * rng.standard_normal((count, 1 + m.dims))
    return np.clip(s + step[:, 0] * (s_hi - s_lo), s_lo, s_hi), np.clip(x0 + step[:, 1:] * (m.hi - m.lo), m.lo, m.hi)


def test_states_by_hand() -> None:
    box = np.array([-1.0, 0.0]), np.array([1.0, 1.0])
    m = wide(Logit(2.0, 3.0))._replace(lo=box[0], hi=box[1])
    projected_arm = m.walk([[0.5, 1.0], [-1.0, 0.0]], [1, 0])
    # (0.5·1 + 1, −0.8·0.5) = (1.5, −0.4) → (1, 0); then (0, −0.8) → (0, 0).
    assert projected_arm.states[0].tolist() == [[0.5, 1.0], [1.0, 0.0], [0.0, 0.0]]
    assert projected_arm.bites[0].tolist() == [[1, -1], [0, -1]]
    # (0 + 1, 0.8) is inside, its first component just at its bound; then (0.4, −0.8) → (0.4, 0).
    assert projected_arm.states[1].tolist() == [[-1.0, 0.0], [1.0, 0.8], [0.4, 0.0]]
    assert projected_arm.bites[1].tolist() == [[0, 0], [0, -1]]
    # s lies between −20 − 30 and 20 + 30; eta = 2·s + 3·(x_1 + 2·x_2).
    assert m.s_range == (-50.0, 50.0)
    assert etas(m, [1, 0], 0.25, [0.5, 1.0])[0].tolist() == [8.0, 3.5, 0.5]


def test_loglik_divergence_and_mean_by_hand() -> None:
    m, played, rewards = wide(Logit(1.0, 1.0)), [0, 1], [1.0, NAN]
    loglik = brute_vector_loglik(m, played, rewards, [0.0, 1.0], [[0.0, 0.0], [1.0, -0.5]])
    assert loglik == pytest.approx([-math.log(2.0), -math.log(1.0 + math.exp(-1.0))])
    p, q = 0.5, 1.0 / (1.0 + math.exp(-1.0))
    kl = p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    assert brute_vector_divergence(m, played, rewards, 0.0, [0.0, 0.0], 1.0, [1.0, -0.5]) == pytest.approx([kl])
    # x_2 = swap(swap(x) + (0, 0)) + (1, 0) = (−0.4·x_1 + 1, −0.4·x_2): from (1, −0.5) it is (0.6, 0.2).
    assert brute_vector_mean(m, played, 1.0, [1.0, -0.5]) == pytest.approx([1.0 / (1.0 + math.exp(-2.0))])


def test_slopes_by_hand() -> None:
    m = wide(Logit(1.0, 1.0), half=1.0)
    inside = vector_slopes(m, [0.5, 0.5], [0, 0])
    assert inside[1].tolist() == SWAP.tolist()
    assert inside[2] == pytest.approx(-0.4 * np.eye(2))
    # The play pushes the first component past its bound, 0.25 + 1 > 1; at x_2 = 0 it lies on it: both are flat.
    for second in (0.5, 0.0):
        flat = vector_slopes(m, [0.5, second], [1, 0])
        assert flat[1].tolist() == [[0.0, 0.0], [-0.8, 0.0]]
        assert flat[2] == pytest.approx(np.array([[-0.4, 0.0], [0.0, 0.0]]))
    # At its bound a component can still move inwards.
    assert vector_slopes(m, [1.0, 0.5], [0])[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(("seed", "dims"), some_of([(seed, dims) for dims in (2, 3) for seed in range(12)], 6))
def test_slopes_are_differences_of_states(seed: int, dims: int) -> None:
    m, played, _ = random_vector_case(seed, dims)
    rng, step = np.random.default_rng(seed), 1e-7
    for x0 in rng.uniform(m.lo + 1e-3, m.hi - 1e-3, (10, dims)):
        ends = m.walk(np.concatenate([x0 + step * np.eye(dims), x0 - step * np.eye(dims)]), played)
        if (ends.bites == ends.bites[0]).all():
            difference = (ends.states[:dims] - ends.states[dims:]) / (2.0 * step)
            assert vector_slopes(m, x0, played) == pytest.approx(np.moveaxis(difference, 0, 2), abs=1e-6)


def test_least_squares() -> None:
    """Without clips a Normal arm is a linear model: its fit, radius and upper bound have closed forms."""
    m, rng = wide(Normal(1.5, -1.0, 0.5)), np.random.default_rng(1)
    played = [1, 1, 0, 1, 1, 1]
    slope = np.column_stack([np.full(7, 1.5), -(vector_slopes(m, [0.0, 0.0], played) * [[1.0], [2.0]]).sum(axis=1)])
    still = etas(m, played, 0.0, [0.0, 0.0])[0]
    rewards = rng.standard_normal(6) * 0.5 + (still + slope @ [0.3, 0.4, -0.2])[:6]
    rewards[2] = NAN
    seen = [0, 1, 3, 4, 5]
    z = np.linalg.lstsq(slope[seen], (rewards - still[:6])[seen])[0]
    fit = brute_vector_fit(m, played, rewards)
    assert np.append(fit.s, fit.x0) == pytest.approx(z, abs=1e-5)
    information = slope[seen].T @ slope[seen] / 0.25
    point = float(z[0]), z[1:]
    assert vector_information(m, played, rewards, point) == pytest.approx(information)
    # ∇D at fit + step is −I step, so that S·n² = stepᵀ I step.
    step = np.array([0.01, -0.02, 0.03])
    s = step @ information @ step / 25.0
    for tuned, size in ((Tuned(1.0, "paper"), s), (Tuned(1.0, "corrected"), 5.0 * s), (Tuned(1e-9), 0.25e-9)):
        found = vector_tuned_radius(m, played, rewards, z[0] + step[0], z[1:] + step[1:], point, tuned)
        assert found == pytest.approx([math.sqrt(size * math.log(7.0) / 5.0)])
    # ½ stepᵀ I step ≤ 5·0.01: the mean rises by sqrt(2·5·0.01·cᵀ I⁻¹ c).
    top = still[6] + slope[6] @ z + math.sqrt(0.1 * slope[6] @ np.linalg.solve(information, slope[6]))
    assert brute_vector_upper_bound(m, played, rewards, point, 0.01).reached == pytest.approx(top, abs=1e-9)


def test_what_depends_on_what_came_before_is_dropped() -> None:
    """One reward tells about s alone, by the order; two tell about s and x0_1, whose x0_2 is dropped."""
    m = wide(Normal(1.0, 1.0, 1.0))
    point, step = (0.0, np.zeros(2)), (0.1, np.array([0.2, -0.3]))
    one = vector_tuned_radius(m, [1, 1], [0.0, NAN], *step, point, Tuned(9.0))
    # eta moves by 0.1 + 0.2 − 2·0.3 = −0.3, and S = 0.3²·1.
    assert one == pytest.approx([math.sqrt(0.09 * math.log(3.0))])
    # At decision 1 by 0.1 + 0.5·(−0.3) + 2·(−0.8)·0.2 = −0.37: two rewards are met exactly, n²·S = 0.3² + 0.37².
    two = vector_tuned_radius(m, [1, 1], [0.0, 0.0], *step, point, Tuned(9.0))
    assert two == pytest.approx([math.sqrt((0.09 + 0.37**2) / 4.0 * math.log(3.0) / 2.0)])


@pytest.mark.parametrize("seed", ONE_DIMENSION)
def test_one_dimension_is_the_oracle_of_numbers(seed: int) -> None:
    m, played, rewards = random_vector_case(seed, 1)
    number, rng = as_numbers(m), np.random.default_rng(seed)
    s, x0 = cloud(rng, m, 50)
    loglik = brute_loglik(number, played, rewards, s, x0[:, 0])
    assert brute_vector_loglik(m, played, rewards, s, x0) == pytest.approx(loglik, rel=1e-12)
    divergence = brute_divergence(number, played, rewards, s, x0[:, 0], s[0], x0[0, 0])
    assert brute_vector_divergence(m, played, rewards, s, x0, s[0], x0[0]) == pytest.approx(divergence, abs=1e-12)
    fit, best = brute_vector_fit(m, played, rewards), brute_fit(number, played, rewards)
    assert best.loglik - 1e-9 <= fit.loglik <= best.ceiling
    for radius in RADII:
        if isinstance(radius, Tuned) and not same_slopes(m, played, fit.x0):
            continue
        found = brute_vector_upper_bound(m, played, rewards, (fit.s, fit.x0), radius)
        exact = brute_upper_bound(number, played, rewards, (fit.s, float(fit.x0[0])), radius, 3e-7)
        assert exact.reached - 1e-8 <= found.reached <= exact.ceiling + 1e-12


def same_slopes(m: VectorModel, played: list[float], x0: Floats) -> bool:
    """Numbers call a clip flat by what both ends lead to, vectors step by step: near a bound these may differ."""
    n = as_numbers(m)
    number = slopes(n.decay, n.pull, n.drift, n.lo, n.hi, float(x0[0]), played)
    return bool(np.allclose(vector_slopes(m, x0, played)[:, 0, 0], number, rtol=1e-12, atol=0.0))


def test_one_dimension_has_the_radius_of_numbers_but_for_a_few_points() -> None:
    same, points = 0, 0
    for seed in ONE_DIMENSION:
        m, played, rewards = random_vector_case(seed, 1)
        s, x0 = cloud(np.random.default_rng(seed), m, 10)
        for k in range(10):
            points += 1
            if same_slopes(m, played, x0[k]):
                same += 1
                fit, number = (float(s[k]), float(x0[k, 0])), as_numbers(m)
                exact = tuned_radius(number, played, rewards, s, x0[:, 0], fit, Tuned(1.0, "paper"))
                found = vector_tuned_radius(m, played, rewards, s, x0, (s[k], x0[k]), Tuned(1.0, "paper"))
                assert found == pytest.approx(exact, rel=1e-6, abs=1e-12)
    assert same >= 0.9 * points


@pytest.mark.parametrize(("seed", "dims"), SEARCHED)
def test_no_point_beats_the_fit(seed: int, dims: int) -> None:
    m, played, rewards = random_vector_case(seed, dims)
    rng, fit = np.random.default_rng(seed), fitted(seed, dims)
    assert (fit.x0 >= m.lo).all()
    assert (fit.x0 <= m.hi).all()
    assert m.s_range[0] <= fit.s <= m.s_range[1]
    assert fit.loglik == brute_vector_loglik(m, played, rewards, fit.s, fit.x0)[0]
    for points in (cloud(rng, m, 3000), nearby(rng, m, fit.s, fit.x0, 3000)):
        assert brute_vector_loglik(m, played, rewards, *points).max() <= fit.loglik + 1e-9


@pytest.mark.parametrize(("seed", "dims"), SEARCHED)
def test_the_fit_is_proven(seed: int, dims: int) -> None:
    case, fit = random_vector_case(seed, dims), fitted(seed, dims)
    ceiling = vector_fit_ceiling(*case, fit.loglik, 1e-5)
    assert fit.loglik <= ceiling
    if dims < 3:  # with more components the cells may run out first
        assert ceiling <= fit.loglik + 1.0001e-5
    # No proof of what is false.
    assert vector_fit_ceiling(*case, fit.loglik - 1e-3, 1e-5, cells_at_most=2000) >= fit.loglik - 1e-12


@pytest.mark.parametrize(("searched", "radius"), pairs_of(SEARCHED, RADII, 2), ids=str)
def test_no_believed_point_beats_the_upper_bound(searched: tuple[int, int], radius: float | Tuned) -> None:
    seed, dims = searched
    m, played, rewards = random_vector_case(seed, dims)
    rng, best = np.random.default_rng(seed), fitted(seed, dims)
    fit = best.s, best.x0
    found = brute_vector_upper_bound(m, played, rewards, fit, radius)
    assert found.reached == brute_vector_mean(m, played, found.s, found.x0)[0]
    assert vector_excess(m, played, rewards, found.s, found.x0, fit, radius)[0] <= 1e-14
    for points in (cloud(rng, m, 3000), nearby(rng, m, *fit, 3000), nearby(rng, m, found.s, found.x0, 3000)):
        believed = vector_excess(m, played, rewards, *points, fit, radius) <= 0.0
        means = brute_vector_mean(m, played, *points)[believed]
        assert means.max(initial=-math.inf) <= found.reached + 1e-8


@pytest.mark.parametrize("seed", some_of(range(6), 3))
def test_a_component_that_no_reward_sees_changes_nothing(seed: int) -> None:
    one, played, rewards = random_vector_case(seed, 1)
    columns = zip((one.pull, one.drift, one.lo, one.hi, one.beta), (0.2, 0.1, 0.0, 1.0, 0.0), strict=True)
    pull, drift, lo, hi, beta = (np.append(column, value) for column, value in columns)
    decay = np.array([[one.decay[0, 0], 0.0], [0.3, 0.5]])
    two = one._replace(decay=decay, pull=pull, drift=drift, lo=lo, hi=hi, beta=beta)
    fit, wider = (brute_vector_fit(m, played, rewards) for m in (one, two))
    assert wider.loglik == pytest.approx(fit.loglik, abs=1e-9)
    for radius in RADII:
        narrow = brute_vector_upper_bound(one, played, rewards, (fit.s, fit.x0), radius)
        found = brute_vector_upper_bound(two, played, rewards, (fit.s, np.append(fit.x0, 0.5)), radius)
        assert found.reached == pytest.approx(narrow.reached, abs=1e-8)


def test_cases_are_what_they_say() -> None:
    unseen, mixing, clipped = 0, 0, 0
    for dims in (1, 2, 3):
        for seed in range(40):
            m, played, rewards = random_vector_case(seed, dims)
            again = random_vector_case(seed, dims)
            assert np.array_equal(rewards, again.rewards, equal_nan=True)
            assert 3 <= len(played) <= 30
            assert np.linalg.norm(m.decay, 2) <= 1.0 + 1e-12
            assert not np.isnan(rewards).all()
            assert all(p == 1.0 for p, r in zip(played, rewards, strict=True) if not math.isnan(r))
            unseen += any(p == 1.0 and math.isnan(r) for p, r in zip(played, rewards, strict=True))
            mixing += bool(np.count_nonzero(m.decay - np.diag(np.diag(m.decay))))
            clipped += bool(m.walk(0.5 * (m.lo + m.hi), played).bites.any())
    assert unseen >= 20
    assert mixing == 40
    assert 30 <= clipped <= 110

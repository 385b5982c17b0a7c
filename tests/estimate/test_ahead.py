"""Plans of advice: later rewards count, what is left after a plan has a value, and its length hardly matters."""

from __future__ import annotations

import numpy as np
import pytest

from rogue_bandits.estimate.ahead import values_ahead
from rogue_bandits.estimate.arm_draws import ArmDraws
from rogue_bandits.estimate.ladder.families import parts_of
from rogue_bandits.estimate.later import HORIZON, best_rates
from rogue_bandits.types import Floats
from tests.matrix import some_of
from tests.oracles.send_or_wait import Loaded, first_values


def arm_of(rows: Floats) -> ArmDraws:
    """A normal arm, mean level + slope · load; rows are draws of level, slope, load and the share that is kept."""
    level, slope, x, keeps = np.atleast_2d(rows).T
    parts = parts_of("gaussian", 0.0, [[0.0, 1.0]])
    return ArmDraws(parts, [level], [slope], [np.zeros(x.size)], x, keeps, np.ones(x.size), np.zeros(x.size), 1.0, 5.0)


def drawn(rng: np.random.Generator, draws: int, steepest: float, keeps: tuple[float, float]) -> Floats:
    return np.column_stack([
        rng.uniform(0.3, 0.8, draws), -rng.uniform(0.0, steepest, draws), rng.uniform(0.0, 2.0, draws),
        rng.uniform(*keeps, draws),
    ])  # fmt: skip


@pytest.mark.parametrize(("steepest", "keeps"), [(0.3, (0.4, 0.9)), (0.05, (0.85, 0.99)), (0.05, (1.0, 1.0))])
@pytest.mark.parametrize("seed", some_of(range(6), 2))
def test_the_first_choice_is_that_of_a_long_dynamic_programme(
    seed: int, steepest: float, keeps: tuple[float, float]
) -> None:
    """Recovery, slow recovery, none; the better of two choices is missed only where it is better by next to nothing."""
    rng = np.random.default_rng(seed)
    lost = []
    for n in range(6):
        pair = drawn(rng, 2, steepest, keeps)
        if n % 2:
            pair[1] = 0.6 * pair[1, 0], 0.0, 0.0, 0.5  # silence
        exact = first_values(Loaded(*pair[0]), Loaded(*pair[1]), horizon=60, points=81)
        for ahead in (3, 8):
            chosen = values_ahead([arm_of(row) for row in pair], ahead)[:, 0].argmax()
            lost.append(exact.max() - exact[chosen])
    assert max(lost) < 0.012  # where the two differ by 0.1 on average; the end of the programme moves values by as much


def test_the_length_of_a_plan_hardly_matters() -> None:
    """With plans that end without values the last sending costs nothing, and more of it is sent at once."""
    rng = np.random.default_rng(3)
    people, silence = 40, arm_of(np.array([[0.45, 0.0, 0.0, 0.5]] * 200))
    shares = []
    for _ in range(people):
        arms = [arm_of(drawn(rng, 1, 0.3, (0.6, 0.95)) + rng.normal(0.0, [0.05, 0.02, 0.0, 0.0], (200, 4)))
                for _ in range(2)]  # fmt: skip
        values = [values_ahead([*arms, silence], ahead)[:2] for ahead in (3, 8, 12, 20)]
        shares.append([(value[0] > value[1]).mean() for value in values])
    found = np.array(shares)
    assert np.abs(found[:, 1:] - found[:, 1:2]).max() < 0.05
    assert np.abs(found[:, 0] - found[:, 1]).mean() < 0.05
    assert (np.abs(found[:, 1] - 0.5) > 0.3).sum() > people // 4  # advice that could have changed


def test_what_a_sending_costs_later_counts() -> None:
    """An arm that has the larger mean now, and would have a larger one after a rest, is left to recover."""
    better, steady = arm_of(np.array([0.9, -0.3, 1.0, 0.5])), arm_of(np.array([0.55, 0.0, 0.0, 0.9]))
    assert np.argmax(values_ahead([better, steady], 1)[:, 0]) == 0
    now, later = values_ahead([better, steady], 8)[:, 0]
    assert later > now


def test_values_are_finite_where_nothing_recovers_or_where_sendings_gain() -> None:
    """Of an arm that is spent for good, what is above silence; a rise is not continued without end."""
    spent, rising = arm_of(np.array([0.9, -0.1, 2.0, 1.0])), arm_of(np.array([0.2, 0.1, 3.0, 1.0]))
    silence = arm_of(np.array([0.5, 0.0, 0.0, 0.5]))
    values = values_ahead([spent, silence], 8)[:, 0]
    assert np.argmax(values) == 0
    assert (values > 0.5 * HORIZON).all()
    assert (values < 0.5 * HORIZON + 0.2 + 0.1 + 1e-9).all()  # 0.7, 0.6, 0.5, and nothing to gain after these
    gained = values_ahead([rising, silence], 8)[:, 0]
    assert np.isfinite(gained).all()
    assert gained.max() < HORIZON * (0.2 + 0.1 * (5.0 + 8.0))  # sendings so far, and those of the plan


def test_rates_sum_to_one_and_rest_what_wears_out() -> None:
    rng = np.random.default_rng(0)
    arms = [arm_of(drawn(rng, 50, 0.3, (0.4, 1.0))) for _ in range(3)]
    np.testing.assert_allclose(best_rates(arms).sum(0), 1.0)
    alike = [arm_of(np.array([0.6, -0.2, 0.5, 0.8]))] * 2
    np.testing.assert_allclose(best_rates(alike)[:, 0], 0.5)

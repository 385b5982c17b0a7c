"""What is gained over people, on numbers that nobody simulated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rogue_bandits.experiments.gained import gain, gained, two_sided_95
from rogue_bandits.experiments.results import PolicyResult
from tests.report.made_up import made_up


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 29, 500])
def test_the_quantile_is_student_s(freedom: int) -> None:
    assert two_sided_95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-5)


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(8)
    gains = [gain(rng.normal(1.0, 2.0, size=6)) for _ in range(2_000)]
    covered = np.mean([g.lo <= 1.0 <= g.hi for g in gains])
    assert abs(covered - 0.95) < 4.0 * np.sqrt(0.95 * 0.05 / 2_000)


def policies(**averages: tuple[float, ...]) -> dict[str, PolicyResult]:
    result = made_up(("random",)).policies["random"]
    return {row.replace("_", "-"): result.model_copy(update={"expected": people}) for row, people in averages.items()}


def test_the_best_rogue_policy_is_held_against_each_other_person_by_person() -> None:
    found = gained(policies(random=(1.0, 5.0), d_ucb=(2.0, 6.5), tuned_rogue_ucb=(1.0, 1.0), epsilon_rogue=(3.0, 7.0)))
    assert found is not None
    assert found.row == "epsilon-rogue"
    assert list(found.over) == ["d-ucb", "random"]
    assert found.over["d-ucb"].mean == pytest.approx(0.75)
    assert found.over["random"] == (2.0, 0.0, 2.0, 2.0)


def test_without_two_people_or_both_sorts_of_policies_there_is_none() -> None:
    assert gained(policies(random=(1.0,), epsilon_rogue=(3.0,))) is None
    assert gained(policies(random=(1.0, 2.0))) is None
    assert gained(policies(epsilon_rogue=(1.0, 2.0))) is None

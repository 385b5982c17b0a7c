"""What D-UCB and SW-UCB assume of changes."""

from __future__ import annotations

import pytest

from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths
from rogue_bandits.experiments.sweep import changes_to_try, sweep
from rogue_bandits.policies.d_ucb import DUCB
from rogue_bandits.simulation.simulate import simulate


def test_a_point_of_the_sweep_is_an_ordinary_run() -> None:
    settings = LogisticSettings(horizon=400, replicates=3, policies=("d-ucb", "random"))
    (truth,) = truths(settings)
    made = sweep(settings, [truth], [settings.seed], workers=1)
    assert list(made.tracking_regret) == ["d-ucb"]
    regret = simulate(truth, DUCB(upsilon=40.0), 400, 3, settings.seed).tracking_regret()[:, -1]
    assert made.upsilon[2] == 40.0
    assert made.tracking_regret["d-ucb"][2].mean == pytest.approx(regret.mean())


@pytest.mark.parametrize("horizon", [1, 2, 7, 1000])
def test_every_number_of_changes_can_be_had_within_the_horizon(horizon: int) -> None:
    assert all(1.0 <= changes <= horizon for changes in changes_to_try(horizon))

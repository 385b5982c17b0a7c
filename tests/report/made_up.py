"""Results that nobody simulated, for tests of what is written about them."""

from __future__ import annotations

import numpy as np

from rogue_bandits.experiments.experiment import DEFAULT_POLICIES
from rogue_bandits.experiments.logistic import EXPERIMENT
from rogue_bandits.experiments.logistic.settings import LogisticSettings
from rogue_bandits.experiments.results import Estimate, Oracles, PolicyResult, Results, Sweep, curve, curve_decisions
from rogue_bandits.experiments.sweep import SWEPT


def made_up(rows: tuple[str, ...] = DEFAULT_POLICIES, horizon: int = 1000, replicates: int = 4) -> Results:
    decisions = curve_decisions(horizon)
    rng = np.random.default_rng(5)

    def result(slope: float) -> PolicyResult:
        lives = slope * (decisions + 1) * rng.uniform(0.9, 1.1, size=(replicates, 1))
        return PolicyResult(
            stamp="",
            decisions=tuple(decisions.tolist()),
            tracking_regret=curve(lives),
            optimal_gap=curve(2.0 * lives),
            average_reward=curve(0.6 + 0.01 * rng.normal(size=(replicates, decisions.size))),
            expected_reward=curve(0.61 + 0.0 * lives),
            expected=(0.61,),
            seconds=1.0,
            microseconds_per_decision=0.5,
        )

    settings = LogisticSettings(horizon=horizon, replicates=replicates, policies=rows)
    policies = {row: result(0.01 * (k + 1)) for k, row in enumerate(rows)}
    swept = {row: [Estimate(10.0 * k, 0.5) for k in range(3)] for row in rows if row in SWEPT}
    return Results(
        experiment=EXPERIMENT,
        settings=settings,
        oracles=Oracles(myopic=0.6386, optimal=0.6465, optimal_upper=0.6465),
        seconds=12.3456,
        policies=policies,
        sweep=Sweep((1.0, 30.0, 500.0), swept),
    )

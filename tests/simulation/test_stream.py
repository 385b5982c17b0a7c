"""Curves of a simulation without a trace are those of the trace."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import rogue_bandits as rb
from rogue_bandits.simulation import stream
from tests.policies.histories import TWO_ARMS

TRUTH = rb.Truth(TWO_ARMS, theta=[0.5, 0.7], x0=[0.1, 0.3])


def test_curves_are_those_of_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PEOPLE_AT_ONCE", 30)
    made: list[int] = []
    curves = rb.simulate_curves(TRUTH, rb.Random(), 40, 100, seed=3, progress=made.append)
    trace = rb.simulate(TRUTH, rb.Random(), 40, 100, seed=3)
    assert sum(made) == 4000
    for name in ("average_reward", "tracking_regret"):
        each = getattr(trace, name)()
        assert getattr(curves, name) == pytest.approx(each.mean(axis=0))
        assert getattr(curves, f"{name}_error") == pytest.approx(each.std(axis=0, ddof=1) / 10.0)
    regret, top = trace.tracking_regret(), stream.mean_range_of(TRUTH)
    width = top * (np.arange(40) + 1.0) / stream.BINS
    below = (regret <= curves.tracking_regret_quantiles[1] + width).mean(axis=0)
    above = (regret >= curves.tracking_regret_quantiles[1] - width).mean(axis=0)
    assert (below >= 0.5).all()
    assert (above >= 0.5).all()


def test_curves_and_traces_go_to_parquet_and_back(tmp_path: Path) -> None:
    curves = rb.simulate_curves(TRUTH, rb.Random(), 10, 20, seed=3)
    curves.to_frame().to_parquet(tmp_path / "curves.parquet")
    found = pq.read_table(tmp_path / "curves.parquet").to_pydict()
    assert found["decision"] == list(range(10))
    assert found["tracking_regret"] == curves.tracking_regret.tolist()
    assert found["tracking_regret_quantile_0.05"] == curves.tracking_regret_quantiles[0].tolist()
    trace = rb.simulate(TRUTH, rb.Random(), 10, 3, seed=3)
    trace.to_frame().to_parquet(tmp_path / "trace.parquet")
    assert pq.read_table(tmp_path / "trace.parquet")["reward"].to_pylist() == trace.reward.ravel().tolist()

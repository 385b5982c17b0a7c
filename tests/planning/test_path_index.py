"""The index by two paths, many at a time, against its definition, one after another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.planning.path_index import WIDTH, add_paths, fill_path_indices, new_paths
from rogue_bandits.types import Floats

MEANS: dict[str, Any] = {
    "logit": lambda theta, x: 1.0 / (1.0 + math.exp(-2.0 * theta - 3.0 * x)),
    "gaussian": lambda theta, x: theta + 1.5 * x,
    "agent": lambda theta, x: x + 0.5 * theta * (math.exp(-x / theta) - math.exp(-(1.0 - x) / theta)),
}
FAMILIES: dict[str, Any] = {
    "logit": rb.BernoulliLogit(2.0, 3.0), "gaussian": rb.Gaussian(1.0, 1.5, 0.4), "agent": rb.LaplaceAgent(),
}  # fmt: skip


def by_definition(mean: Any, d: rb.ClippedAffine, x: float) -> float:
    """W(x) with sums over all t below the horizon, until the paths meet."""
    horizon = 1_000.0 if d.decay == 1.0 else min(max(200.0, 10.0 / (1.0 - d.decay)), 1_000.0)
    states = [min(max(d.decay * x + d.pull * played + d.drift, 0.0), 1.0) for played in (1, 0)]
    sums, t = [mean(x), 1.0], 1
    while t < horizon and abs(states[0] - states[1]) > 1e-9:
        w = (1.0 - t / horizon) ** 2 * (1.0 + 2.0 * t / horizon)
        for path, sign in enumerate((1.0, -1.0)):
            plays = states[path] >= x - 1e-12
            if plays:
                sums[0] += sign * w * mean(states[path])
                sums[1] += sign * w
            states[path] = min(max(d.decay * states[path] + d.pull * plays + d.drift, 0.0), 1.0)
        t += 1
    return sums[0] / sums[1]


def drawn(seed: int) -> tuple[rb.ClippedAffine, float, float]:
    """Dynamics of the prior `Unknown()`, without recovery or without effect of plays; theta and a state."""
    rng = np.random.default_rng(seed)
    fresh, loss, decay = rng.uniform(0.0, 2.0), 4.5 * rng.random() ** 2, 0.5 ** (1.0 / (0.5 * 60.0 ** rng.random()))
    kinds = [
        rb.ClippedAffine(decay, -(1.0 - decay) * loss, (1.0 - decay) * fresh),
        rb.ClippedAffine(1.0, -0.05, 0.0),
        rb.ClippedAffine(1.0, 0.0, 0.0),
    ]
    state = float(np.clip(fresh - rng.random() * loss, 0.0, 1.0))
    return kinds[max(0, seed % 10 - 7)], float(rng.uniform(0.1, 0.4)), state


@pytest.mark.parametrize("name", FAMILIES)
def test_indices_are_those_of_the_definition(name: str) -> None:
    """For pairs that end at different times and are not a multiple of a vector's length."""
    pairs, paths = 21, new_paths()
    found: Floats = np.full(pairs, np.nan)
    for j in range(pairs):
        d, theta, x = drawn(j)
        add_paths(FAMILIES[name], d, theta, x, pairs - 1 - j, paths, j)
    fill_path_indices(paths, pairs, found)
    for j in range(pairs):
        d, theta, x = drawn(j)
        expected = by_definition(lambda s, theta=theta: MEANS[name](theta, s), d, x)
        assert found[pairs - 1 - j] == pytest.approx(expected, abs=1e-3, rel=1e-3), (j, d, theta, x)


def test_an_arm_that_plays_do_not_change_has_its_mean() -> None:
    """In all places at once."""
    paths, found = new_paths(), np.empty(WIDTH)
    for j in range(WIDTH):
        add_paths(FAMILIES["gaussian"], rb.ClippedAffine(1.0, 0.0, 0.0), 0.2, j / WIDTH, j, paths, j)
    fill_path_indices(paths, WIDTH, found)
    assert found == pytest.approx(0.2 + 1.5 * np.arange(WIDTH) / WIDTH)

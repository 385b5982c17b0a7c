"""The best of all plans, by playing every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tests.oracles.agent import Agent
from tests.oracles.dynamics import Floats
from tests.oracles.glm import natural
from tests.oracles.history import Model


def totals(models: Sequence[Model], theta: Sequence[float], x0: Sequence[float], plans: NDArray[np.int64]) -> Floats:
    """The expected reward of each plan, a row of arms."""
    total = np.zeros(len(plans))
    for k, model in enumerate(models):
        x, f = np.full(len(plans), x0[k]), model.family
        for now in plans.T:
            g = f.mean(np.array(theta[k]), x) if isinstance(f, Agent) else f.mean_of(natural(f, np.array(theta[k]), x))
            total += np.where(now == k, g, 0.0)
            x = np.clip(model.decay * x + model.pull * (now == k) + model.drift, model.lo, model.hi)
    return total


def brute_best(models: Sequence[Model], theta: Sequence[float], x0: Sequence[float], horizon: int) -> float:
    """The most that any of the arms^horizon plans earns."""
    return float(totals(models, theta, x0, np.array(list(product(range(len(models)), repeat=horizon)))).max())

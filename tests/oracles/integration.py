"""Expectations under a reward law straight from its density: quadrature between the edges, sums over point masses."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from tests.oracles.agent import Agent
from tests.oracles.logit import Logit
from tests.oracles.normal import Normal
from tests.oracles.tilted import Tilted

Function = Callable[[float], float]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def _quadrature(function: Function, ends: list[float]) -> float:
    total = 0.0
    for a, b in pairwise(ends):
        middle, half = 0.5 * (a + b), 0.5 * (b - a)
        total += half * math.fsum(w * function(middle + half * z) for z, w in zip(NODES, WEIGHTS, strict=True))
    return total


def expectation(
    f: Logit | Normal | Agent | Tilted, theta: float, x: float, h: Function, kinks: tuple[float, ...] = ()
) -> float:
    """E h(r) for r from the law at (theta, x); `kinks` are the places where h is not smooth."""
    if isinstance(f, Logit):
        p = 1.0 / (1.0 + math.exp(-f.theta_weight * theta - f.state_weight * x))
        return p * h(1.0) + (1.0 - p) * h(0.0)
    if isinstance(f, Tilted):
        chances = f.chances(np.array(f.theta_weight * theta + f.state_weight * x))[0]
        return math.fsum(p * h(float(r)) for p, r in zip(chances, f.rewards()[0], strict=True) if p > 0.0)
    if isinstance(f, Normal):
        mu = f.theta_weight * theta + f.state_weight * x
        ends = [mu + f.sd * float(z) for z in np.linspace(-12.0, 12.0, 13)]
        return _quadrature(
            lambda r: h(r) * math.exp(-0.5 * ((r - mu) / f.sd) ** 2) / (f.sd * math.sqrt(2.0 * math.pi)), ends
        )
    # Short pieces next to the kink at x, where the density is concentrated.
    near = [x + s * theta * k for s in (-1.0, 1.0) for k in (0.0, 2.0, 5.0, 10.0, 20.0)]
    ends = sorted({0.0, 1.0, *(e for e in (*near, *kinks) if 0.0 < e < 1.0)})
    middle = _quadrature(lambda r: h(r) * math.exp(-abs(r - x) / theta) / (2.0 * theta), ends)
    return middle + 0.5 * math.exp(-x / theta) * h(0.0) + 0.5 * math.exp((x - 1.0) / theta) * h(1.0)


def derivative(h: Function, at: float, step: float = 1e-3) -> float:
    """h'(at) from four neighbours, the error of order step⁴."""
    return (8.0 * (h(at + step) - h(at - step)) - (h(at + 2.0 * step) - h(at - 2.0 * step))) / (12.0 * step)

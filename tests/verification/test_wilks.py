"""The check of the divergence's law passes what it should, and can fail."""

from __future__ import annotations

import numpy as np
import pytest

from verification.wilks import agree, quantiles

PEOPLE, ARMS = 1_000, 6


def squares(seed: int, sd: float = 1.0, bias: float = 0.0) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(θ̂ − θ)² in units of its variance, as 2·n·(mean divergence) is far out."""
    return np.square(np.random.default_rng(seed).normal(bias, sd, PEOPLE))


def test_a_normal_fit_agrees_with_chi_square() -> None:
    """Each arm has a sixth of the 1 % by which all of them may be found wrong: of 300 arms, 4 would be unheard of."""
    assert sum(not agree(quantiles(squares(seed), ARMS)) for seed in range(300)) < 4


@pytest.mark.parametrize(("sd", "bias"), [(1.2, 0.0), (0.8, 0.0), (1.0, 0.7), (2.0**0.5, 0.0), (0.5**0.5, 0.0)])
def test_a_fit_that_is_too_wide_too_narrow_or_biased_does_not(sd: float, bias: float) -> None:
    """A fifth of a standard deviation, two thirds of one away, or a divergence that is off by a factor of 2."""
    assert not any(agree(quantiles(squares(seed, sd, bias), ARMS)) for seed in range(20))

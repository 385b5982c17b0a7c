"""Fit, divergence and upper bound of an arm with a play log: compiled as interpreted.

Of arms of lines, tests of this folder run the kernels of BernoulliLogit and LaplaceAgent compiled.
"""

from __future__ import annotations

import pytest

import rogue_bandits as rb
from tests.belief.vector_cases import arm_of, random_vector_case
from tests.interpreted import interpreted_if

RADIUS = rb.TunedRadius(variant="corrected")


def test_compiled_is_interpreted() -> None:
    case = random_vector_case(9, 2)  # logistic
    told = arm_of(case.model), case.played, case.rewards
    fit, bound = rb.fit(*told), rb.upper_bound(*told, RADIUS)
    corner = told[0].theta_lo, told[0].dynamics.hi
    divergence = rb.divergence(*told, fit, corner)
    with interpreted_if(lambda _: True):
        again = rb.fit(*told)
        assert again.loglik == pytest.approx(fit.loglik, abs=1e-9)
        assert rb.upper_bound(*told, RADIUS) == pytest.approx(bound, abs=1e-7)
        assert rb.divergence(*told, fit, corner) == pytest.approx(divergence, rel=1e-10)

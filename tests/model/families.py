"""The families under test, each beside its oracle, and points at which to try them."""

from __future__ import annotations

import math
from typing import NamedTuple

from hypothesis import strategies as st

from rogue_bandits.model.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.gaussian import Gaussian
from rogue_bandits.model.laplace_agent import LaplaceAgent
from tests.oracles import Agent, Logit, Normal

Family = BernoulliLogit | Gaussian | LaplaceAgent
Oracle = Logit | Normal | Agent


class Twin(NamedTuple):
    """A family and the oracle's word for it."""

    family: Family
    oracle: Oracle


TWINS = (
    Twin(BernoulliLogit(0.4, 0.6), Logit(0.4, 0.6)),
    Twin(BernoulliLogit(10.0, -3.0), Logit(10.0, -3.0)),
    Twin(Gaussian(1.0, 2.0, 0.5), Normal(1.0, 2.0, 0.5)),
    Twin(Gaussian(-0.3, 1.0, 2.0), Normal(-0.3, 1.0, 2.0)),
    Twin(LaplaceAgent(), Agent()),
)
ONE_OF_EACH = (TWINS[0], TWINS[2], TWINS[4])
POINTS = ((0.2, 0.3), (0.05, 0.9), (0.6, 0.0), (1.0, 1.0), (0.3, 0.5))

twins = st.sampled_from(TWINS)
thetas = st.floats(0.05, 1.0)
states = st.floats(0.0, 1.0)
points = st.tuples(thetas, states)


def rewards_of(twin: Twin) -> tuple[float, ...]:
    """Rewards that the family can give, its edges among them."""
    match twin.oracle:
        case Logit():
            return (0.0, 1.0)
        case Normal():
            return (-1.5, 0.0, 0.7, 3.0)
        case _:
            return (0.0, 1e-9, 0.2, 0.5, 0.99, 1.0)


def weights_of(twin: Twin) -> tuple[float, float]:
    """The signs of these say which way the mean goes in theta and in x; the agent's depends on x."""
    f = twin.family
    return (math.nan, 1.0) if isinstance(f, LaplaceAgent) else (f.theta_weight, f.state_weight)

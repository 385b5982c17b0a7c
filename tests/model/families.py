"""The families under test, each beside its oracle, and points at which to try them."""

from __future__ import annotations

import math
from typing import NamedTuple

from hypothesis import strategies as st

from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.beta_fraction import BetaFraction
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.continuous_bernoulli import ContinuousBernoulli
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.poisson_log import PoissonLog
from rogue_bandits.model.rewards.truncated_gaussian import TruncatedGaussian
from tests.oracles import Agent, Logit, Normal, Tilted

Family = (
    BernoulliLogit
    | BetaFraction
    | BinomialLogit
    | ContinuousBernoulli
    | Gaussian
    | LaplaceAgent
    | PoissonLog
    | TruncatedGaussian
)
Oracle = Logit | Normal | Agent | Tilted


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
    Twin(PoissonLog(1.0, 2.0), Tilted(1.0, 2.0, "poisson", 200)),
    Twin(PoissonLog(-3.0, 1.0), Tilted(-3.0, 1.0, "poisson", 100)),
    Twin(BinomialLogit(0.4, 0.6, 7.0), Tilted(0.4, 0.6, "binomial", 7.0)),
    Twin(BinomialLogit(8.0, -3.0, 40.0), Tilted(8.0, -3.0, "binomial", 40.0)),
    Twin(ContinuousBernoulli(0.4, -0.2), Tilted(0.4, -0.2, "exponential")),
    Twin(ContinuousBernoulli(20.0, -8.0), Tilted(20.0, -8.0, "exponential")),
    Twin(TruncatedGaussian(1.0, 1.0, 0.3), Tilted(1.0, 1.0, "normal", 0.3)),
    Twin(TruncatedGaussian(-0.4, 0.9, 0.04), Tilted(-0.4, 0.9, "normal", 0.04)),
    Twin(BetaFraction(20.0, 1.0, 3.5), Tilted(20.0, 1.0, "beta", 3.5)),
    Twin(BetaFraction(21.0, 3.0, 1.0), Tilted(21.0, 3.0, "beta", 1.0)),
)
ONE_OF_EACH = tuple({type(twin.family): twin for twin in TWINS}.values())
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
        case Tilted(kind="poisson" | "binomial"):
            return (0.0, 1.0, 2.0, 5.0, 7.0)
        case Tilted(kind="beta"):
            return (1e-9, 0.2, 0.5, 0.99)
        case _:
            return (0.0, 1e-9, 0.2, 0.5, 0.99, 1.0)


def weights_of(twin: Twin) -> tuple[float, float]:
    """The signs of these say which way the mean goes in theta and in x; the agent's depends on x."""
    f = twin.family
    return (math.nan, 1.0) if isinstance(f, LaplaceAgent) else (f.theta_weight, f.state_weight)

"""Models: how states move and how arms reward. All names that a model of user code needs come from here.

Kinds to register a type with, `inlined` for helper functions, and the laws to register: docs/models.md says which. A
new built-in model is one file in `dynamics/` or `rewards/` and one line below.
"""

from __future__ import annotations

from typing import Any

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.constants import lipschitz_mean, lipschitz_parameters, lipschitz_reward, sub_gaussian
from rogue_bandits.model.dynamics import probe as probe  # registers the checks of types of user code
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.coupled import Coupled
from rogue_bandits.model.dynamics.curves import Recovering, Rotting
from rogue_bandits.model.dynamics.matrix_affine import MatrixAffine
from rogue_bandits.model.dynamics.piecewise import PiecewiseAffine
from rogue_bandits.model.dynamics.projected import Vectorial, lipschitz_state, next_vector, slopes, tangent
from rogue_bandits.model.dynamics.saturating import Saturating
from rogue_bandits.model.dynamics.switched import SwitchedAffine
from rogue_bandits.model.dynamics.unknown import Unknown
from rogue_bandits.model.rewards.agent import (
    Agent,
    GaussianAgent,
    LogisticAgent,
    log_above,
    log_below,
    log_density,
    noise_quantile,
    noise_support,
)
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.beta_fraction import BetaFraction
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.continuous_bernoulli import ContinuousBernoulli
from rogue_bandits.model.rewards.expectations import effective_support, kinks, score, whole_quantile
from rogue_bandits.model.rewards.exponential import (
    Exponential,
    dispersion,
    log_base,
    log_partition,
    steepest,
    sufficient,
)
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.glm import BernoulliGlm, BernoulliProbit, GaussianGlm, PoissonGlm, inverse_link
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.model.rewards.poisson_log import PoissonLog
from rogue_bandits.model.rewards.truncated_gaussian import TruncatedGaussian
from rogue_bandits.model.rewards.weighted import Weighted
from rogue_bandits.model.validation import dynamics_fault, rewards_fault
from rogue_bandits.types import (
    Matrix,
    Vector,
    draw,
    information,
    kl,
    kl_and_slopes,
    loglik,
    mean,
    next_line,
    next_state,
    point_masses,
    signal,
    support,
)

DYNAMICS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(ClippedAffine, SwitchedAffine, Coupled, Saturating, PiecewiseAffine, MatrixAffine),
        *(Recovering, Rotting, Unknown),
    )
}
FAMILIES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(BernoulliLogit, BernoulliProbit, BetaFraction, BinomialLogit, ContinuousBernoulli, Gaussian, GaussianAgent),
        *(LaplaceAgent, LogisticAgent, PoissonLog, TruncatedGaussian, Weighted),
    )
}

__all__ = [  # noqa: RUF022  # by use
    "DYNAMICS", "FAMILIES",  # the built-in models by name
    "Agent", "BernoulliGlm", "Exponential", "GaussianGlm", "Numeric", "PoissonGlm", "Vectorial",  # kinds
    "Matrix", "Vector", "inlined", "whole_quantile",
    "draw", "information", "kl", "kl_and_slopes", "loglik", "mean", "point_masses", "support",  # laws of any family
    "effective_support", "kinks", "score",  # of a Numeric family
    "dispersion", "log_base", "log_partition", "steepest", "sufficient",  # of an Exponential family
    "inverse_link",  # of a generalised linear model
    "log_above", "log_below", "log_density", "noise_quantile", "noise_support",  # of an Agent
    "next_line", "next_state", "next_vector", "lipschitz_state", "signal", "slopes", "tangent",  # of dynamics
    "dynamics_fault", "rewards_fault", "lipschitz_mean", "lipschitz_parameters", "lipschitz_reward", "sub_gaussian",
]  # fmt: skip

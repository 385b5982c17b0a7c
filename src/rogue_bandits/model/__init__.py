"""The laws of nature: how states move and how arms reward. A new one is one file here and one line below."""

from __future__ import annotations

from typing import Any

from rogue_bandits.model.dynamics import probe as probe  # what a type of one's own need not say of itself
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.coupled import Coupled
from rogue_bandits.model.dynamics.matrix_affine import MatrixAffine
from rogue_bandits.model.dynamics.piecewise import PiecewiseAffine
from rogue_bandits.model.dynamics.saturating import Saturating
from rogue_bandits.model.dynamics.switched import SwitchedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.bernoulli_probit import BernoulliProbit
from rogue_bandits.model.rewards.beta_fraction import BetaFraction
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.continuous_bernoulli import ContinuousBernoulli
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.gaussian_agent import GaussianAgent
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.logistic_agent import LogisticAgent
from rogue_bandits.model.rewards.poisson_log import PoissonLog
from rogue_bandits.model.rewards.truncated_gaussian import TruncatedGaussian
from rogue_bandits.model.rewards.weighted import Weighted

DYNAMICS: dict[str, Any] = {
    "ClippedAffine": ClippedAffine,
    "SwitchedAffine": SwitchedAffine,
    "Coupled": Coupled,
    "Saturating": Saturating,
    "PiecewiseAffine": PiecewiseAffine,
    "MatrixAffine": MatrixAffine,
}
FAMILIES: dict[str, Any] = {
    "BernoulliLogit": BernoulliLogit,
    "BernoulliProbit": BernoulliProbit,
    "BetaFraction": BetaFraction,
    "BinomialLogit": BinomialLogit,
    "ContinuousBernoulli": ContinuousBernoulli,
    "Gaussian": Gaussian,
    "GaussianAgent": GaussianAgent,
    "LaplaceAgent": LaplaceAgent,
    "LogisticAgent": LogisticAgent,
    "PoissonLog": PoissonLog,
    "TruncatedGaussian": TruncatedGaussian,
    "Weighted": Weighted,
}

"""The laws of nature: how states move and how arms reward. A new one is one file here and one line below."""

from __future__ import annotations

from typing import Any

from rogue_bandits.model import probe_dynamics as probe_dynamics  # what a type of one's own need not say of itself
from rogue_bandits.model.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.bernoulli_probit import BernoulliProbit
from rogue_bandits.model.beta_fraction import BetaFraction
from rogue_bandits.model.binomial_logit import BinomialLogit
from rogue_bandits.model.continuous_bernoulli import ContinuousBernoulli
from rogue_bandits.model.coupled import Coupled
from rogue_bandits.model.dynamics import ClippedAffine
from rogue_bandits.model.gaussian import Gaussian
from rogue_bandits.model.gaussian_agent import GaussianAgent
from rogue_bandits.model.laplace_agent import LaplaceAgent
from rogue_bandits.model.logistic_agent import LogisticAgent
from rogue_bandits.model.matrix_affine import MatrixAffine
from rogue_bandits.model.piecewise import PiecewiseAffine
from rogue_bandits.model.poisson_log import PoissonLog
from rogue_bandits.model.saturating import Saturating
from rogue_bandits.model.switched import SwitchedAffine
from rogue_bandits.model.truncated_gaussian import TruncatedGaussian
from rogue_bandits.model.weighted import Weighted

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

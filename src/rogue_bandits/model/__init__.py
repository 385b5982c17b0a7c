"""The laws of nature: how states move and how arms reward. A new one is one file here and one line below.

A family that is not exponential also gives its `maximise` in `inference/fit.py`.
"""

from __future__ import annotations

from typing import Any

from rogue_bandits.model.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.beta_fraction import BetaFraction
from rogue_bandits.model.binomial_logit import BinomialLogit
from rogue_bandits.model.continuous_bernoulli import ContinuousBernoulli
from rogue_bandits.model.dynamics import ClippedAffine
from rogue_bandits.model.gaussian import Gaussian
from rogue_bandits.model.laplace_agent import LaplaceAgent
from rogue_bandits.model.poisson_log import PoissonLog
from rogue_bandits.model.truncated_gaussian import TruncatedGaussian

DYNAMICS: dict[str, Any] = {"ClippedAffine": ClippedAffine}
FAMILIES: dict[str, Any] = {
    "BernoulliLogit": BernoulliLogit,
    "BetaFraction": BetaFraction,
    "BinomialLogit": BinomialLogit,
    "ContinuousBernoulli": ContinuousBernoulli,
    "Gaussian": Gaussian,
    "LaplaceAgent": LaplaceAgent,
    "PoissonLog": PoissonLog,
    "TruncatedGaussian": TruncatedGaussian,
}

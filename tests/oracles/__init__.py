"""Brute force, from the paper alone: nothing here imports the package that it judges.

States are simulated step by step, sums run over the whole history, and optima are found by splitting the box of
(theta, x0) into ever smaller cells, each with a bound on what it can hold: the answer comes with a certificate.
For states that are vectors the fit is proven apart, and the upper bound is searched for without a certificate.
"""

from tests.oracles.agent import Agent
from tests.oracles.dynamics import slopes, states
from tests.oracles.fit import BestFit, brute_fit
from tests.oracles.history import Model, brute_divergence, brute_loglik
from tests.oracles.logit import Logit
from tests.oracles.normal import Normal
from tests.oracles.radius import Tuned, tuned_radius
from tests.oracles.tilted import Tilted
from tests.oracles.upper_bound import Bracket, brute_upper_bound
from tests.oracles.vector_bound import VectorBound, brute_vector_upper_bound
from tests.oracles.vector_ceiling import vector_fit_ceiling
from tests.oracles.vector_fit import VectorFit, brute_vector_fit
from tests.oracles.vector_radius import vector_excess, vector_tuned_radius
from tests.oracles.vectors import VectorModel, brute_vector_divergence, brute_vector_loglik, brute_vector_mean

__all__ = [
    "Agent",
    "BestFit",
    "Bracket",
    "Logit",
    "Model",
    "Normal",
    "Tilted",
    "Tuned",
    "VectorBound",
    "VectorFit",
    "VectorModel",
    "brute_divergence",
    "brute_fit",
    "brute_loglik",
    "brute_upper_bound",
    "brute_vector_divergence",
    "brute_vector_fit",
    "brute_vector_loglik",
    "brute_vector_mean",
    "brute_vector_upper_bound",
    "slopes",
    "states",
    "tuned_radius",
    "vector_excess",
    "vector_fit_ceiling",
    "vector_tuned_radius",
]

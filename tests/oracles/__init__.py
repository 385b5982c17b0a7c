"""Brute force, from the paper alone: nothing here imports the package that it judges.

States are simulated step by step, sums run over the whole history, and optima are found by splitting the box of
(theta, x0) into ever smaller cells, each with a bound on what it can hold: the answer comes with a certificate.
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

__all__ = [
    "Agent",
    "BestFit",
    "Bracket",
    "Logit",
    "Model",
    "Normal",
    "Tilted",
    "Tuned",
    "brute_divergence",
    "brute_fit",
    "brute_loglik",
    "brute_upper_bound",
    "slopes",
    "states",
    "tuned_radius",
]

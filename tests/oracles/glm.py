"""What the generalised linear models share: all they see is eta = theta_weight·theta + state_weight·x."""

from __future__ import annotations

from tests.oracles.dynamics import Floats
from tests.oracles.logit import Logit
from tests.oracles.normal import Normal
from tests.oracles.tilted import Tilted

Glm = Logit | Normal | Tilted


def natural(f: Glm, theta: Floats, x: Floats) -> Floats:
    """Eta."""
    return f.theta_weight * theta + f.state_weight * x


def expected_statistic(f: Glm, eta: Floats) -> Floats:
    """The mean of what eta multiplies: mostly the reward itself."""
    return f.statistic_of(eta) if isinstance(f, Tilted) else f.mean_of(eta)


def score(f: Glm, eta: Floats, r: Floats) -> Floats:
    """d loglik / d eta."""
    t = f.statistic(r) if isinstance(f, Tilted) else r
    return (t - expected_statistic(f, eta)) / f.variance_unit


def information_about_eta(f: Glm, eta: Floats) -> Floats:
    """The expected square of the score."""
    return f.variance_of(eta) / f.variance_unit**2


def kl_slope(f: Glm, eta: Floats, eta2: Floats) -> Floats:
    """d KL(eta ‖ eta2) / d eta2: minus the expected score at eta2 when eta is true."""
    return (expected_statistic(f, eta2) - expected_statistic(f, eta)) / f.variance_unit

"""An arm of every built-in family, and of all dynamics; and families and dynamics with one fault each."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import rogue_bandits as rb
from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.constants import lipschitz_mean, sub_gaussian
from rogue_bandits.model.rewards.expectations import effective_support, kinks
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.model.validation import dynamics_fault
from rogue_bandits.types import draw, information, kl, kl_and_slopes, loglik, mean, next_state, support

MOVES = rb.ClippedAffine(0.6, -1.0, 0.5)
BUILT_IN = {
    "BernoulliLogit": rb.Arm(MOVES, rb.BernoulliLogit(0.4, 0.6)),
    "BernoulliProbit": rb.Arm(MOVES, rb.BernoulliProbit(-0.8, 0.6)),
    "BetaFraction": rb.Arm(MOVES, rb.BetaFraction(2.0, 1.0, 2.5), 1.0, 2.0),
    "BinomialLogit": rb.Arm(MOVES, rb.BinomialLogit(1.0, 0.6, 7.0)),
    "ContinuousBernoulli": rb.Arm(MOVES, rb.ContinuousBernoulli(3.0, -2.0)),
    "Gaussian": rb.Arm(MOVES, rb.Gaussian(1.0, 2.0, 0.5)),
    "GaussianAgent": rb.Arm(MOVES, rb.GaussianAgent(), 0.1, 0.6),
    "LaplaceAgent": rb.Arm(MOVES, rb.LaplaceAgent(), 0.1, 0.6),
    "LogisticAgent": rb.Arm(MOVES, rb.LogisticAgent(), 0.1, 0.6),
    "PoissonLog": rb.Arm(MOVES, rb.PoissonLog(1.0, 1.0)),
    "TruncatedGaussian": rb.Arm(MOVES, rb.TruncatedGaussian(1.0, 0.5, 0.2)),
    "Weighted": rb.Arm(
        rb.MatrixAffine(((0.6, 0.1), (-0.1, 0.9)), (-1.0, -0.2), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0)),
        rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4, -0.3), (0.6, 0.5)),
        theta_lo=(0.0, 0.0),
        theta_hi=(1.0, 1.0),
    ),
}
MOVING = {
    "ClippedAffine": BUILT_IN["BernoulliLogit"],
    "SwitchedAffine": rb.Arm(rb.SwitchedAffine(0.5, 0.0, 0.9, 0.1), rb.BernoulliLogit(0.4, 0.6)),
    "Coupled": rb.Arm(rb.Coupled(0.6, (-0.3, 0.1), 0.4), rb.BernoulliLogit(0.4, 0.6)),
    "Saturating": rb.Arm(rb.Saturating(0.2, 0.4, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    "PiecewiseAffine": rb.Arm(rb.PiecewiseAffine((0.1, 0.5, 0.9), (0.0, 0.1, 0.4)), rb.BernoulliLogit(0.4, 0.6)),
    "MatrixAffine": BUILT_IN["Weighted"],
    "Recovering": rb.Arm(rb.Recovering(5), rb.BernoulliLogit(0.4, 0.0)),
    "Rotting": rb.Arm(rb.Rotting(6, width=2), rb.BernoulliLogit(0.4, 0.0)),
}


class Tent(NamedTuple):
    """A density on [0, 1] that is e^(eta·r), up to a constant, eta = theta − x; sound until a fault is added."""


def family(name: str, **laws: Any) -> rb.Arm:
    """An arm of a new type, which differs from `Tent` in the laws given."""
    kind: Any = type(name, (Tent,), {})
    for law_name, said in laws.items():
        LAWS[law_name].register(kind)(said)
    return rb.Arm(MOVES, kind())


LAWS: dict[str, Any] = {
    "support": support,
    "loglik": loglik,
    "mean": mean,
    "kl": kl,
    "kl_and_slopes": kl_and_slopes,
    "information": information,
    "draw": draw,
    "sub_gaussian": sub_gaussian,
    "lipschitz_mean": lipschitz_mean,
    "kinks": kinks,
}
Numeric.register(Tent)


@inlined
def log_partition(eta: float) -> float:
    return math.log(math.expm1(eta) / eta) if abs(eta) > 1e-6 else 0.5 * eta


@support.register(Tent)
def tent_support(f: Any) -> tuple[float, float, bool]:
    return 0.0, 1.0, False


@loglik.register(Tent)
def tent_loglik(f: Any, theta: float, x: float, r: float) -> float:
    return (theta - x) * r - log_partition(theta - x)


class Near(NamedTuple):
    """A Laplace density around (theta + x)/2, cut off at 0 and 1: its kink is not its median."""

    scale: float


Numeric.register(Near)


@support.register(Near)
def near_support(f: Any) -> tuple[float, float, bool]:
    return 0.0, 1.0, False


@effective_support.register(Near)
def near_effective_support(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    return 0.0, 0.5 * (theta + x), 1.0


@loglik.register(Near)
def near_loglik(f: Near, theta: float, x: float, r: float) -> float:
    m = 0.5 * (theta + x)
    mass = f.scale * (2.0 - math.exp(-m / f.scale) - math.exp(-(1.0 - m) / f.scale))
    return -abs(r - m) / f.scale - math.log(mass)


class Mesa(NamedTuple):
    """Flat from a to b, and falling on a log scale on either side: two kinks, neither in the middle."""

    scale: float


class MesaUnnamed(NamedTuple):
    """The same, and nobody says where its kinks are."""

    scale: float


@inlined
def edges(theta: float, x: float) -> tuple[float, float]:
    return 0.2 + 0.15 * (theta + x), 0.5 + 0.15 * (theta + x)


for mesa in (Mesa, MesaUnnamed):
    Numeric.register(mesa)


@support.register(Mesa)
@support.register(MesaUnnamed)
def mesa_support(f: Any) -> tuple[float, float, bool]:
    return 0.0, 1.0, False


@loglik.register(Mesa)
@loglik.register(MesaUnnamed)
def mesa_loglik(f: Mesa | MesaUnnamed, theta: float, x: float, r: float) -> float:
    a, b = edges(theta, x)
    mass = b - a + f.scale * (2.0 - math.exp(-a / f.scale) - math.exp(-(1.0 - b) / f.scale))
    return -max(0.0, a - r, r - b) / f.scale - math.log(mass)


@kinks.register(Mesa)
def mesa_kinks(f: Any, theta: float, x: float) -> tuple[float, float]:
    return edges(theta, x)


class Fault(NamedTuple):
    """What is wrong with an arm: which law is to be named, and some of the words."""

    arm: rb.Arm
    law: str
    words: str


def two_tops(f: Any, theta: float, x: float, r: float) -> float:
    """12·(r − 1/2)² integrates to 1."""
    return math.log(12.0 * (r - 0.5) ** 2 + 1e-12)


def nan_beyond(f: Any, theta: float, x: float, r: float) -> float:
    return math.nan if theta > 0.9 else tent_loglik(f, theta, x, r)


def unmarked(eta: float) -> float:
    return log_partition(eta)


LONE_KINK = family("Lone", kinks=lambda f, theta, x: 0.5)
UNMARKED = family("Unmarked", loglik=lambda f, theta, x, r: (theta - x) * r - unmarked(theta - x))
FAULTS = {
    "mass": Fault(family("Heavy", loglik=lambda f, theta, x, r: 0.3), "loglik", "it integrates to 1.34986, not 1"),
    "dent": Fault(family("TwoTops", loglik=two_tops), "loglik", "Assumption 2, rewards are log-concave"),
    "mean": Fault(family("Off", mean=lambda f, theta, x: 0.9 + 0.01 * theta), "mean", "by loglik 0."),
    "monotone": Fault(
        family("Hill", loglik=lambda f, theta, x, r: tent_loglik(f, -8.0 * (theta - 0.5) ** 2, 0.0, r)),
        "mean",
        "the mean is monotone in theta",
    ),
    "negative kl": Fault(family("Minus", kl=lambda f, theta, x, theta2, x2: -0.1), "kl", "it is -0.1"),
    "kl": Fault(
        family("Square", kl=lambda f, theta, x, theta2, x2: (theta - theta2) ** 2 + (x - x2) ** 2),
        "kl",
        "KL is the expected log-ratio of loglik",
    ),
    "slopes": Fault(
        family("Flat", kl_and_slopes=lambda f, theta, x, theta2, x2: (0.0, 0.0, 0.0)),
        "kl_and_slopes",
        "it is (0, 0, 0)",
    ),
    "information": Fault(family("Blind", information=lambda f, theta, x: (1.0, 0.0, 1.0)), "information", "(1, 0, 1)"),
    "draws": Fault(family("Fair", draw=lambda f, theta, x, u: u * u), "draw", "draws follow the law"),
    "support": Fault(family("Wide", draw=lambda f, theta, x, u: 2.0 * u), "draw", "the support is 0 to 1"),
    "nan": Fault(family("Hole", loglik=nan_beyond), "loglik", "is nan"),
    "error": Fault(family("Torn", mean=lambda f, theta, x: 1.0 / 0.0), "mean", "raises ZeroDivisionError"),
    "sigma": Fault(
        family("Bold", sub_gaussian=lambda f: 0.01), "sub_gaussian", "Assumption 4, rewards are sub-Gaussian"
    ),
    "L_g": Fault(family("Calm", lipschitz_mean=lambda f, arm: 1e-3), "lipschitz_mean", "Assumption 3, L_g"),
}


def no_logarithm(f: Any, theta: float, x: float, r: float) -> float:
    return math.log(0.5 - r)


def tilted(f: Any, theta: float, x: float, r: float) -> float:
    return 1.2 * tent_loglik(f, theta, x, r)


def wish(f: Any, theta: float, x: float, r: float) -> float:
    """Its normalisation is forgotten."""
    return -0.5 * (r - theta - x) ** 2


# One mistake each, in loglik; mean, kl and so on are worked out from it.
OF_LOGLIK = {
    "heavy": FAULTS["mass"].arm,
    "nan": FAULTS["nan"].arm,
    "raises": family("Raises", loglik=no_logarithm),
    "tilted": family("Tilted", loglik=tilted),
    "whole": family("Wish", support=lambda f: (0.0, 4.0, True), loglik=wish),
}
# Its mean and draws are its own, and right.
HEAVY_WITH_ITS_OWN = family(
    "Level", loglik=lambda f, theta, x, r: 0.3, mean=lambda f, theta, x: 0.5, draw=lambda f, theta, x, u: u
)
TWICE_WRONG = family("Twice", loglik=two_tops, mean=lambda f, theta, x: 0.7)


class Explosive(NamedTuple):
    """States move apart: x' = 2x within the bounds."""

    lo: float = 0.0
    hi: float = 1.0


class Leaving(NamedTuple):
    """States leave their bounds."""

    lo: float = 0.0
    hi: float = 1.0


@next_state.register(Explosive)
def explosive_next_state(d: Explosive, x_t: float, played_t: float) -> float:
    return min(2.0 * x_t, d.hi)


@next_state.register(Leaving)
def leaving_next_state(d: Leaving, x_t: float, played_t: float) -> float:
    return x_t - played_t


@dynamics_fault.register(Explosive)
@dynamics_fault.register(Leaving)
def no_fault(d: Any, arm: rb.Arm) -> str | None:
    return None


LOGIT = rb.BernoulliLogit(0.4, 0.6)
FAULTS |= {
    "expands": Fault(rb.Arm(Explosive(), LOGIT), "next_state", "Assumption 5, the dynamics have a Lipschitz constant"),
    "leaves": Fault(rb.Arm(Leaving(), LOGIT), "next_state", "at x 0, played 1 it is -1, and the bounds are 0 to 1"),
}

"""ROGUE bandits: arms that wear out when they are played and recover when they rest."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rogue_bandits import theory as theory
    from rogue_bandits.bandit import Bandit as Bandit
    from rogue_bandits.conformance import ModelReport as ModelReport
    from rogue_bandits.conformance import check_model as check_model
    from rogue_bandits.inference.history import divergence as divergence
    from rogue_bandits.inference.history import fit as fit
    from rogue_bandits.inference.history import upper_bound as upper_bound
    from rogue_bandits.inference.radius import TheoremRadius as TheoremRadius
    from rogue_bandits.inference.radius import TunedRadius as TunedRadius
    from rogue_bandits.inference.radius import theorem_radius as theorem_radius
    from rogue_bandits.model.bernoulli_logit import BernoulliLogit as BernoulliLogit
    from rogue_bandits.model.bernoulli_probit import BernoulliProbit as BernoulliProbit
    from rogue_bandits.model.beta_fraction import BetaFraction as BetaFraction
    from rogue_bandits.model.binomial_logit import BinomialLogit as BinomialLogit
    from rogue_bandits.model.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
    from rogue_bandits.model.coupled import Coupled as Coupled
    from rogue_bandits.model.dynamics import ClippedAffine as ClippedAffine
    from rogue_bandits.model.gaussian import Gaussian as Gaussian
    from rogue_bandits.model.gaussian_agent import GaussianAgent as GaussianAgent
    from rogue_bandits.model.laplace_agent import LaplaceAgent as LaplaceAgent
    from rogue_bandits.model.logistic_agent import LogisticAgent as LogisticAgent
    from rogue_bandits.model.matrix_affine import MatrixAffine as MatrixAffine
    from rogue_bandits.model.piecewise import PiecewiseAffine as PiecewiseAffine
    from rogue_bandits.model.poisson_log import PoissonLog as PoissonLog
    from rogue_bandits.model.saturating import Saturating as Saturating
    from rogue_bandits.model.switched import SwitchedAffine as SwitchedAffine
    from rogue_bandits.model.switched import since_last_play as since_last_play
    from rogue_bandits.model.truncated_gaussian import TruncatedGaussian as TruncatedGaussian
    from rogue_bandits.model.weighted import Weighted as Weighted
    from rogue_bandits.oracle.optimal import optimal_plan as optimal_plan
    from rogue_bandits.oracle.plan import Plan as Plan
    from rogue_bandits.policies import DUCB as DUCB
    from rogue_bandits.policies import POLICIES as POLICIES
    from rogue_bandits.policies import SWUCB as SWUCB
    from rogue_bandits.policies import EpsilonRogue as EpsilonRogue
    from rogue_bandits.policies import Exp3S as Exp3S
    from rogue_bandits.policies import Random as Random
    from rogue_bandits.policies import Rexp3 as Rexp3
    from rogue_bandits.policies import RogueUCB as RogueUCB
    from rogue_bandits.policies import TunedRogueUCB as TunedRogueUCB
    from rogue_bandits.policies import UCB1Tuned as UCB1Tuned
    from rogue_bandits.simulation import simulate as simulate
    from rogue_bandits.trace import Trace as Trace
    from rogue_bandits.types import Arm as Arm
    from rogue_bandits.types import Decision as Decision
    from rogue_bandits.types import Fit as Fit
    from rogue_bandits.types import Truth as Truth

# The public names by where they live. They are imported on first use: `rogue --help` need not wait for a compiler.
NAMES = {
    "types": "Arm Decision Fit Truth",
    "model.dynamics": "ClippedAffine",
    "model.switched": "SwitchedAffine since_last_play",
    "model.coupled": "Coupled",
    "model.saturating": "Saturating",
    "model.piecewise": "PiecewiseAffine",
    "model.matrix_affine": "MatrixAffine",
    "model.bernoulli_logit": "BernoulliLogit",
    "model.bernoulli_probit": "BernoulliProbit",
    "model.beta_fraction": "BetaFraction",
    "model.binomial_logit": "BinomialLogit",
    "model.continuous_bernoulli": "ContinuousBernoulli",
    "model.gaussian": "Gaussian",
    "model.gaussian_agent": "GaussianAgent",
    "model.laplace_agent": "LaplaceAgent",
    "model.logistic_agent": "LogisticAgent",
    "model.poisson_log": "PoissonLog",
    "model.truncated_gaussian": "TruncatedGaussian",
    "model.weighted": "Weighted",
    "conformance": "ModelReport check_model",
    "inference.history": "divergence fit upper_bound",
    "inference.radius": "TheoremRadius TunedRadius theorem_radius",
    "policies": "DUCB EpsilonRogue Exp3S POLICIES Random Rexp3 RogueUCB SWUCB TunedRogueUCB UCB1Tuned",
    "oracle.optimal": "optimal_plan",
    "oracle.plan": "Plan",
    "bandit": "Bandit",
    "simulation": "simulate",
    "trace": "Trace",
}
HOMES = {name: module for module, names in NAMES.items() for name in names.split()}
__all__ = sorted([*HOMES, "theory"])


def __getattr__(name: str) -> Any:
    if name == "theory":  # a room of its own: rb.theory.constants(arm)
        return importlib.import_module("rogue_bandits.theory")
    if name not in HOMES:
        raise AttributeError(f"module 'rogue_bandits' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rogue_bandits.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

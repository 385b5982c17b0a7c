"""ROGUE bandits: arms that wear out when they are played and recover when they rest."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rogue_bandits import _moved

if TYPE_CHECKING:
    from rogue_bandits import partitions as partitions
    from rogue_bandits import scenarios as scenarios
    from rogue_bandits import theory as theory
    from rogue_bandits.belief.history import divergence as divergence
    from rogue_bandits.belief.history import fit as fit
    from rogue_bandits.belief.history import fit_intervals as fit_intervals
    from rogue_bandits.belief.history import upper_bound as upper_bound
    from rogue_bandits.belief.radius import AdaptiveRadius as AdaptiveRadius
    from rogue_bandits.belief.radius import HellingerRadius as HellingerRadius
    from rogue_bandits.belief.radius import LikelihoodRatioRadius as LikelihoodRatioRadius
    from rogue_bandits.belief.radius import TheoremRadius as TheoremRadius
    from rogue_bandits.belief.radius import TunedRadius as TunedRadius
    from rogue_bandits.belief.radius import theorem_radius as theorem_radius
    from rogue_bandits.conformance import ModelReport as ModelReport
    from rogue_bandits.conformance import check_model as check_model
    from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine as ClippedAffine
    from rogue_bandits.model.dynamics.coupled import Coupled as Coupled
    from rogue_bandits.model.dynamics.curves import Recovering as Recovering
    from rogue_bandits.model.dynamics.curves import Rotting as Rotting
    from rogue_bandits.model.dynamics.matrix_affine import MatrixAffine as MatrixAffine
    from rogue_bandits.model.dynamics.piecewise import PiecewiseAffine as PiecewiseAffine
    from rogue_bandits.model.dynamics.saturating import Saturating as Saturating
    from rogue_bandits.model.dynamics.switched import SwitchedAffine as SwitchedAffine
    from rogue_bandits.model.dynamics.switched import since_last_play as since_last_play
    from rogue_bandits.model.dynamics.unknown import Unknown as Unknown
    from rogue_bandits.model.fitted_arms import arm_from_fit as arm_from_fit
    from rogue_bandits.model.priors import Matern as Matern
    from rogue_bandits.model.priors import Monotone as Monotone
    from rogue_bandits.model.priors import RandomWalk as RandomWalk
    from rogue_bandits.model.priors import SquaredExponential as SquaredExponential
    from rogue_bandits.model.priors import Steps as Steps
    from rogue_bandits.model.rewards.agent import GaussianAgent as GaussianAgent
    from rogue_bandits.model.rewards.agent import LogisticAgent as LogisticAgent
    from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit as BernoulliLogit
    from rogue_bandits.model.rewards.beta_fraction import BetaFraction as BetaFraction
    from rogue_bandits.model.rewards.binomial_logit import BinomialLogit as BinomialLogit
    from rogue_bandits.model.rewards.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
    from rogue_bandits.model.rewards.gaussian import Gaussian as Gaussian
    from rogue_bandits.model.rewards.glm import BernoulliProbit as BernoulliProbit
    from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent as LaplaceAgent
    from rogue_bandits.model.rewards.poisson_log import PoissonLog as PoissonLog
    from rogue_bandits.model.rewards.truncated_gaussian import TruncatedGaussian as TruncatedGaussian
    from rogue_bandits.model.rewards.weighted import Weighted as Weighted
    from rogue_bandits.online.bandit import Bandit as Bandit
    from rogue_bandits.online.decisions import Decisions as Decisions
    from rogue_bandits.online.explanation import Explanation as Explanation
    from rogue_bandits.online.population import Population as Population
    from rogue_bandits.planning.optimal import optimal_plan as optimal_plan
    from rogue_bandits.planning.plan import Plan as Plan
    from rogue_bandits.planning.whittle import whittle_index as whittle_index
    from rogue_bandits.policies import NEIGHBOURS as NEIGHBOURS
    from rogue_bandits.policies import POLICIES as POLICIES
    from rogue_bandits.policies.bounded import Bounded as Bounded
    from rogue_bandits.policies.d_ucb import DUCB as DUCB
    from rogue_bandits.policies.epsilon_rogue import EpsilonRogue as EpsilonRogue
    from rogue_bandits.policies.exp3s import Exp3S as Exp3S
    from rogue_bandits.policies.fewa import FEWA as FEWA
    from rogue_bandits.policies.index_ts import IndexTS as IndexTS
    from rogue_bandits.policies.plan_ts import PlanTS as PlanTS
    from rogue_bandits.policies.plan_ucb import PlanUCB as PlanUCB
    from rogue_bandits.policies.random import Random as Random
    from rogue_bandits.policies.recommended import recommended as recommended
    from rogue_bandits.policies.rexp3 import Rexp3 as Rexp3
    from rogue_bandits.policies.rgp import RGPTS as RGPTS
    from rogue_bandits.policies.rgp import RGPUCB as RGPUCB
    from rogue_bandits.policies.rogue_ts import RogueTS as RogueTS
    from rogue_bandits.policies.rogue_ucb import RogueUCB as RogueUCB
    from rogue_bandits.policies.rogue_ucb import TunedRogueUCB as TunedRogueUCB
    from rogue_bandits.policies.round_robin import RoundRobin as RoundRobin
    from rogue_bandits.policies.sw_ucb import SWUCB as SWUCB
    from rogue_bandits.policies.ucb1_tuned import UCB1Tuned as UCB1Tuned
    from rogue_bandits.policies.wswa import WSWA as WSWA
    from rogue_bandits.simulation.compare import Comparison as Comparison
    from rogue_bandits.simulation.compare import compare as compare
    from rogue_bandits.simulation.log import Log as Log
    from rogue_bandits.simulation.off_policy import OffPolicyValue as OffPolicyValue
    from rogue_bandits.simulation.off_policy import off_policy_value as off_policy_value
    from rogue_bandits.simulation.simulate import simulate as simulate
    from rogue_bandits.simulation.stream import Curves as Curves
    from rogue_bandits.simulation.stream import simulate_curves as simulate_curves
    from rogue_bandits.simulation.trace import Trace as Trace
    from rogue_bandits.trial.power import Power as Power
    from rogue_bandits.trial.power import power as power
    from rogue_bandits.types import Arm as Arm
    from rogue_bandits.types import Decision as Decision
    from rogue_bandits.types import Fit as Fit
    from rogue_bandits.types import FitIntervals as FitIntervals
    from rogue_bandits.types import Truth as Truth

# The public names by where they live. They are imported on first use: `rogue --help` need not wait for a compiler.
NAMES = {
    "types": "Arm Decision Fit FitIntervals Truth",
    "model.dynamics.clipped_affine": "ClippedAffine",
    "model.dynamics.switched": "SwitchedAffine since_last_play",
    "model.dynamics.coupled": "Coupled",
    "model.dynamics.saturating": "Saturating",
    "model.dynamics.piecewise": "PiecewiseAffine",
    "model.dynamics.matrix_affine": "MatrixAffine",
    "model.dynamics.unknown": "Unknown",
    "model.fitted_arms": "arm_from_fit",
    "model.dynamics.curves": "Recovering Rotting",
    "model.priors": "Matern Monotone RandomWalk SquaredExponential Steps",
    "model.rewards.bernoulli_logit": "BernoulliLogit",
    "model.rewards.glm": "BernoulliProbit",
    "model.rewards.beta_fraction": "BetaFraction",
    "model.rewards.binomial_logit": "BinomialLogit",
    "model.rewards.continuous_bernoulli": "ContinuousBernoulli",
    "model.rewards.gaussian": "Gaussian",
    "model.rewards.agent": "GaussianAgent LogisticAgent",
    "model.rewards.laplace_agent": "LaplaceAgent",
    "model.rewards.poisson_log": "PoissonLog",
    "model.rewards.truncated_gaussian": "TruncatedGaussian",
    "model.rewards.weighted": "Weighted",
    "conformance": "ModelReport check_model",
    "belief.history": "divergence fit fit_intervals upper_bound",
    "belief.radius": "AdaptiveRadius HellingerRadius LikelihoodRatioRadius TheoremRadius TunedRadius theorem_radius",
    "policies": "NEIGHBOURS POLICIES",
    "policies.bounded": "Bounded",
    "policies.d_ucb": "DUCB",
    "policies.epsilon_rogue": "EpsilonRogue",
    "policies.exp3s": "Exp3S",
    "policies.fewa": "FEWA",
    "policies.index_ts": "IndexTS",
    "policies.plan_ts": "PlanTS",
    "policies.plan_ucb": "PlanUCB",
    "policies.random": "Random",
    "policies.rexp3": "Rexp3",
    "policies.rgp": "RGPTS RGPUCB",
    "policies.rogue_ts": "RogueTS",
    "policies.rogue_ucb": "RogueUCB TunedRogueUCB",
    "policies.round_robin": "RoundRobin",
    "policies.sw_ucb": "SWUCB",
    "policies.ucb1_tuned": "UCB1Tuned",
    "policies.wswa": "WSWA",
    "policies.recommended": "recommended",
    "planning.optimal": "optimal_plan",
    "planning.plan": "Plan",
    "planning.whittle": "whittle_index",
    "online.bandit": "Bandit",
    "online.explanation": "Explanation",
    "online.decisions": "Decisions",
    "online.population": "Population",
    "simulation.compare": "Comparison compare",
    "simulation.log": "Log",
    "simulation.off_policy": "OffPolicyValue off_policy_value",
    "simulation.simulate": "simulate",
    "simulation.stream": "Curves simulate_curves",
    "simulation.trace": "Trace",
    "trial.power": "Power power",
}
HOMES = {name: module for module, names in NAMES.items() for name in names.split()}
ROOMS = "partitions", "scenarios", "theory"  # modules with names of their own: rb.theory.constants(arm)
__all__ = sorted([*HOMES, *ROOMS])


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return importlib.import_module(f"rogue_bandits.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'rogue_bandits' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rogue_bandits.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__


_moved.install()  # import paths of version 0.1.0

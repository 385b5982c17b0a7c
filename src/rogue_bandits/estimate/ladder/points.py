"""A person's arm with numbers in place of distributions: what simulations and policies take."""

from __future__ import annotations

import math

from rogue_bandits.estimate.fitted import ArmFit, Interval
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.result import ArmLadder, PersonLadder
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.poisson_log import MOST, PoissonLog

ENOUGH = 10  # rewards, below which a person's own numbers are mostly those of the others
FARTHEST = 8.0  # of log odds and log means from 0
THETA_LO, THETA_HI = 0.005, 1.0  # scale of an agent's noise
LOWEST_DECAY = 1e-6


def arm_fit_of(ladder: ArmLadder, person: PersonLadder, family: str, trials: float, scale: float) -> ArmFit:
    """Return the arm of a person with the posterior medians of the chosen rung.

    A fade, which no dynamics of an arm have, is held at its level at the next decision. Zero-inflated rewards are
    normal with the same means, as arms have no such family.
    """
    level, slope = person.numbers["level"], min(person.numbers["slope"], 0.0)
    half_life = person.half_life[1] if person.half_life else math.inf
    decay = 0.5 ** (1.0 / half_life) if ladder.rung == RECOVERY else 1.0 if ladder.rung == WEAR_OUT else 0.0
    pull = slope if ladder.rung in (WEAR_OUT, RECOVERY) else 0.0
    if ladder.rung == FADE:
        level += person.numbers["slope"] * person.numbers["next"]
    if family == "zero-inflated":
        now = person.now[len(person.now) // 2] / scale
        level = now if ladder.rung in (CONSTANT, FADE) else person.fresh[1] / scale
        pull = -max(person.drop[1], 0.0) / scale
        rewards = Gaussian(1.0, 1.0, max(ladder.check.model_sd / scale, 1e-3 * abs(level), 1e-9))
        return _from_rested(rewards, level, decay, pull, person, (level - 10.0 * rewards.sd, level + 10.0 * rewards.sd))
    if family == "agent":
        return _agent(level, decay, pull, math.exp(person.numbers["log_noise"]), person)
    if family == "gaussian":
        sd = math.exp(person.numbers["log_noise"])
        normal = Gaussian(1.0, 1.0, max(sd, 2e-4 * (abs(level) + 10.0 * sd)))
        return _from_rested(normal, level, decay, pull, person, (level - 10.0 * sd, level + 10.0 * sd))
    log = PoissonLog(1.0, 1.0) if family == "poisson" else BernoulliLogit(1.0, 1.0)
    high = math.log(MOST) if family == "poisson" else FARTHEST
    return _from_rested(
        BinomialLogit(1.0, 1.0, trials) if family == "binomial" else log, level, decay, pull, person, (-FARTHEST, high)
    )


def _from_rested(
    rewards: object, level: float, decay: float, pull: float, person: PersonLadder, ends: tuple[float, float]
) -> ArmFit:
    """Return an arm whose state is what a rested one has lost: mean reward of theta + x, x' = decay·x + pull·played."""
    floor = -(ends[1] - ends[0])
    d = ClippedAffine(decay, pull, 0.0, floor, 0.0)
    theta = min(max(level, ends[0]), ends[1])
    return ArmFit(d, theta, 0.0, person.rewards, _intervals(person), person.rewards >= ENOUGH, rewards, *ends)


def _agent(level: float, decay: float, pull: float, noise: float, person: PersonLadder) -> ArmFit:
    """Return an agent with states from 0 to 1 that rests at its level."""
    fresh = min(max(level, 0.0), 1.0)
    drift = (1.0 - decay) * fresh
    theta = min(max(noise, THETA_LO), THETA_HI)
    d = ClippedAffine(decay, pull, drift, 0.0, 1.0)
    enough = person.rewards >= ENOUGH
    return ArmFit(d, theta, fresh, person.rewards, _intervals(person), enough, LaplaceAgent(), THETA_LO, THETA_HI)


def _intervals(person: PersonLadder) -> dict[str, Interval]:
    """Return the credible interval of the decay, where there is one."""
    if not person.half_life:
        return {}
    low, _, high = person.half_life
    return {"decay": Interval(0.5 ** (1.0 / low), 0.5 ** (1.0 / high))}

"""A person's arm with numbers in place of distributions: what simulations and policies take."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rogue_bandits.estimate.fitted import ArmFit, Interval
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.families import mean_reward, parts_of
from rogue_bandits.estimate.ladder.panel import loads_of
from rogue_bandits.estimate.ladder.people_draws import NUMBERS
from rogue_bandits.estimate.ladder.result import ArmLadder, PersonLadder
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.poisson_log import MOST, PoissonLog
from rogue_bandits.types import Floats

LOSING = WEAR_OUT, RECOVERY  # rungs in which a sending takes something away
ENOUGH = 10  # rewards, below which a person's own numbers are mostly those of the others
FARTHEST = 8.0  # of log odds and log means from 0
THETA_LO, THETA_HI = 0.005, 1.0  # scale of an agent's noise
LEAST_MEAN = 1e-9  # of an arm with two parts


def gains_by_sending(ladder: ArmLadder) -> bool:
    """Return whether the chosen rung is one of losses by sendings, and the average person loses nothing in it."""
    return ladder.rung in LOSING and ladder.drop[1] <= 0.0


def falls_for_an_open_cause(ladder: ArmLadder) -> bool:
    """Return whether rewards fall, and the data do not tell whether with time or with the sendings."""
    return bool(ladder.fade_or_wear_out) and ladder.worn[1] < ladder.fresh[1]


def arm_fit_of(
    ladder: ArmLadder, person: PersonLadder, family: str, trials: float, scale: float, record: Record | None = None
) -> ArmFit:
    """Return the arm of a person with the posterior medians of the chosen rung.

    A fade, which no dynamics of an arm have, is held at its level at the next decision. Zero-inflated rewards are
    normal, as arms have no such family: their means are those of a fresh arm and, on average, of the sendings of the
    record, and never below 0.
    """
    level, slope = person.numbers["level"], min(person.numbers["slope"], 0.0)
    half_life = person.half_life[1] if person.half_life else math.inf
    decay, cap = decay_of(ladder.rung, half_life), cap_of(ladder)
    pull = slope if ladder.rung in LOSING else 0.0
    if ladder.rung == FADE:
        level += person.numbers["slope"] * person.numbers["next"]
    if family == "zero-inflated":
        level = (person.fresh[1] if ladder.rung in LOSING else person.now[len(person.now) // 2]) / scale
        pull = -max(person.drop[1], 0.0) / scale if ladder.rung in LOSING else 0.0
        if record is not None and ladder.rung in LOSING:
            level, pull = line_of(median_mean(ladder, person, family, trials), sending_loads(record, decay, cap))
        return two_part_fit(ladder, person, level, decay, pull, scale)
    if family == "agent":
        return _agent(level, decay, pull, math.exp(person.numbers["log_noise"]), person, cap)
    if family == "gaussian":
        sd = math.exp(person.numbers["log_noise"])
        normal = Gaussian(1.0, 1.0, max(sd, 2e-4 * (abs(level) + 10.0 * sd)))
        return _from_rested(normal, level, decay, pull, person, (level - 10.0 * sd, level + 10.0 * sd), cap)
    log = PoissonLog(1.0, 1.0) if family == "poisson" else BernoulliLogit(1.0, 1.0)
    high = math.log(MOST) if family == "poisson" else FARTHEST
    return _from_rested(
        BinomialLogit(1.0, 1.0, trials) if family == "binomial" else log, level, decay, pull, person,
        (-FARTHEST, high), cap,
    )  # fmt: skip


def two_part_fit(
    ladder: ArmLadder, person: PersonLadder, level: float, decay: float, pull: float, scale: float
) -> ArmFit:  # fmt: skip
    """Return an arm with normal rewards in place of those with two parts, whose means are not below 0."""
    rewards = Gaussian(1.0, 1.0, max(ladder.check.model_sd / scale, 1e-3 * abs(level), 1e-9))
    ends = level - 10.0 * rewards.sd, level + 10.0 * rewards.sd
    return _from_rested(rewards, level, decay, pull, person, ends, cap_of(ladder), lowest=-max(level, LEAST_MEAN))


def line_of(mean: Callable[[Floats], Floats], loads: Floats) -> tuple[float, float]:
    """Return level and slope of a line that has the mean at load 0 and, on average, the means at these loads.

    >>> line_of(lambda load: 100.0 * 0.5**load, np.array([0.0, 1.0, 2.0]))
    (100.0, -41.66...)
    """
    fresh, load = float(mean(np.zeros(1))[0]), float(loads.mean()) if loads.size else 0.0
    return fresh, min((float(mean(loads).mean()) - fresh) / load, 0.0) if load > 0.0 else 0.0


def median_mean(ladder: ArmLadder, person: PersonLadder, family: str, trials: float) -> Callable[[Floats], Floats]:
    """Return the mean reward as a function of the load, at the medians of a person's numbers."""
    level, slope, noise = (person.medians[key] for key in NUMBERS)
    parts = parts_of(family, trials, ladder.parts)
    return lambda load: mean_reward(
        parts, [a + b * load for a, b in zip(level, slope, strict=True)], [s + 0.0 * load for s in noise]
    )


def decay_of(rung: str, half_life: float) -> float:
    """Return the share of a loss that is left one decision later; without a loss, 0.

    >>> decay_of(RECOVERY, 1.0), decay_of(WEAR_OUT, 1.0), decay_of(FADE, 1.0)
    (0.5, 1.0, 0.0)
    """
    return 0.5 ** (1.0 / half_life) if rung == RECOVERY else 1.0 if rung == WEAR_OUT else 0.0


def cap_of(ladder: ArmLadder) -> float:
    """Return the cap of the loads of an arm by the chosen rung; infinite if its loss has no floor."""
    return ladder.cap[1] if ladder.cap and ladder.rung == RECOVERY else math.inf


def floor_of(pull: float, cap: float) -> float:
    """Return the lowest state of an arm that is 0 when rested: what sendings take away at the cap of the loads.

    >>> floor_of(-0.5, 2.0), floor_of(-0.5, math.inf), floor_of(0.0, 2.0)
    (-1.0, -inf, -inf)
    """
    return pull * cap if pull < 0.0 else -math.inf


def sending_loads(record: Record, decay: float, cap: float = math.inf) -> Floats:
    """Return the load before each sending of a person.

    >>> sending_loads(Record(np.array([1.0, 1.0, 0.0, 1.0]), np.zeros(4)), 0.5).tolist()
    [0.0, 1.0, 0.75]
    """
    at = np.flatnonzero(record.played)
    return loads_of({"": record}, np.zeros_like(at), at, np.array([decay]), np.array([cap]))[0]


def _from_rested(
    rewards: object, level: float, decay: float, pull: float, person: PersonLadder, ends: tuple[float, float],
    cap: float, lowest: float | None = None,
) -> ArmFit:  # fmt: skip
    """Return an arm whose state is what a rested one has lost: mean reward of theta + x, x' = decay·x + pull·played."""
    lowest = -(ends[1] - ends[0]) if lowest is None else lowest
    d = ClippedAffine(decay, pull, 0.0, max(lowest, floor_of(pull, cap)), 0.0)
    theta = min(max(level, ends[0]), ends[1])
    return ArmFit(d, theta, 0.0, person.rewards, _intervals(person), person.rewards >= ENOUGH, rewards, *ends)


def _agent(level: float, decay: float, pull: float, noise: float, person: PersonLadder, cap: float) -> ArmFit:
    """Return an agent with states from 0 to 1 that rests at its level."""
    fresh = min(max(level, 0.0), 1.0)
    drift = (1.0 - decay) * fresh
    theta = min(max(noise, THETA_LO), THETA_HI)
    d = ClippedAffine(decay, pull, drift, max(fresh + floor_of(pull, cap), 0.0), 1.0)
    enough = person.rewards >= ENOUGH
    return ArmFit(d, theta, fresh, person.rewards, _intervals(person), enough, LaplaceAgent(), THETA_LO, THETA_HI)


def _intervals(person: PersonLadder) -> dict[str, Interval]:
    """Return the credible interval of the decay, where there is one."""
    if not person.half_life:
        return {}
    low, _, high = person.half_life
    return {"decay": Interval(0.5 ** (1.0 / low), 0.5 ** (1.0 / high))}

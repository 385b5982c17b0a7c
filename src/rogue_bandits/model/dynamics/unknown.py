"""Dynamics that are not known: a prior over decay, pull and drift, in terms of levels and half-lives.

At rest the state approaches the level when fresh, F; under steady play the level when worn out, F − loss. Half of the
way takes half_life decisions, so that decay = 2^(−1/half_life), drift = (1 − decay)·F and pull = −(1 − decay)·loss: one
play of a fresh arm takes away `drop` = −pull. F may lie above hi, where the state is clipped: recovery is then faster.
(F, √loss, log half_life) are uniform within ranges, √(loss − least) to be exact, so that small losses are likelier; or
(F, log loss, log half_life) are normal, as they are in a population (`population.py`).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.clipped_affine import bounds_fault
from rogue_bandits.model.dynamics.population import AGENT, family_of, population_prior, weighted_by_stake
from rogue_bandits.model.numbers import LARGEST
from rogue_bandits.model.validation import dynamics_fault, is_known
from rogue_bandits.numerics.normal import bounded_normal_quantile
from rogue_bandits.types import Arm, Range, Vector

NO_EFFECT, NO_RECOVERY, RECOVERY = 0, 1, 2  # kinds of hypotheses
KINDS = 3
CUBE = 4  # a hypothesis is a point of the unit cube: fresh, loss, half-life and x0
ABOVE, LARGEST_LOSS = 1.0, 4.5  # default ranges, as shares of the range of states
SMALLEST_DROP, RANGE_OF_DROPS = 1e-3, 300.0  # without recovery one play takes 0.1 % to 30 % of the range of states
SMALLEST_BANK, SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE = 32, 0.05, 1e6
NUMBERS = 3  # of a population: fresh, log loss, log half-life
NO_POPULATION = (0.0,) * 6  # of a Cholesky factor: ranges are used
LARGEST_LOG_LOSS = 5.0
ANY_DROP, ANY_WORN = (0.0, LARGEST), (-LARGEST, LARGEST)
LOG_2 = math.log(2.0)


class _Fields(NamedTuple):
    """The numbers of `Unknown`."""

    fresh: Range
    loss: Range
    half_life: Range
    drop: Range
    worn: Range
    no_effect: float
    no_recovery: float
    lo: float
    hi: float
    hypotheses: float
    centre: Vector
    factor: Vector


class Unknown(_Fields):
    """A prior over dynamics, for policies that learn them from the rewards: every argument may be left out.

    `fresh` is the range of the level of a rested arm, `half_life` that of the decisions until half of a loss is
    recovered, `loss` of what steady play takes away in the end: more than the range of states if a few plays wear an
    arm out. Uniform within, in the logarithm for half-lives and in the square root for losses: small ones are likelier.
    Levels and losses of the arms of a person are alike.
    `drop`, what one play of a fresh arm takes away, and `worn`, the level under steady play, restrict the prior of
    arms that recover further. With probability `no_effect` plays have no effect on any arm of a person; with
    probability `no_recovery` they do and nothing recovers. lo and hi are the bounds of the state. The belief carries
    `hypotheses` of each arm. `from_fit` fills in `centre` and `factor`, mean and Cholesky factor of (fresh, log loss,
    log half-life) in a population, which take the place of the three ranges.

    >>> Unknown(half_life=(1, 14)).half_life
    (1, 14)
    >>> Unknown(lo=-1.0, hi=1.0).loss
    (0.0, 9.0)
    """

    __slots__ = ()

    def __new__(
        cls,
        fresh: Any = None,
        loss: Any = None,
        half_life: Any = (0.5, 30.0),
        drop: Any = ANY_DROP,
        worn: Any = ANY_WORN,
        no_effect: float = 0.0,
        no_recovery: float = 0.0,
        lo: float = 0.0,
        hi: float = 1.0,
        hypotheses: float = 512.0,
        centre: Any = (0.0,) * NUMBERS,
        factor: Any = NO_POPULATION,
    ) -> Unknown:
        """Fill in ranges that are not given: wide ones."""
        fresh = (lo, hi + ABOVE * (hi - lo)) if fresh is None else fresh
        loss = (0.0, LARGEST_LOSS * (hi - lo)) if loss is None else loss
        return super().__new__(
            cls, fresh, loss, half_life, drop, worn, no_effect, no_recovery, lo, hi, hypotheses, centre, factor
        )

    @classmethod
    def from_fit(cls, people: str | Path, arm: str, hypotheses: float = 512.0) -> Unknown:
        """Return the prior of a new person: the population of an arm in a people.json of `rogue fit --family agent`.

        The fresh level, the logarithm of the loss and that of the half-life are normal, with the mean and covariance of
        the population, the uncertainty about it included, where people are weighted by what steady play takes away
        from them. States are rewards as they were fitted, from 0 to 1. Every arm wears out and recovers, however
        little: policies that also allow for none of it earn less (docs/decisions/0026-unknown-dynamics.md). For other
        families, whose levels are not from 0 to 1, use `arm_from_fit`.
        """
        if (family := family_of(people)) != AGENT:
            raise ValueError(
                f"'{people}' has rewards of the family {family}, whose states are not from 0 to 1: "
                f"rogue_bandits.arm_from_fit({str(people)!r}, {arm!r}) has the whole arm"
            )
        prior = weighted_by_stake(population_prior(people, arm))
        return cls(hypotheses=hypotheses, centre=prior.centre, factor=prior.factor)


class Hypothesis(NamedTuple):
    """One possible dynamics of an arm, with its first state."""

    decay: float
    pull: float
    drift: float
    x0: float


@inlined
def hypothesis_at(d: Unknown, kind: int, fresh: float, loss: float, half_life: float, x0: float) -> Hypothesis:
    """Return the hypothesis of a kind at a point of the unit cube."""
    first = d.lo + x0 * (d.hi - d.lo)
    if kind == NO_EFFECT:
        return Hypothesis(1.0, 0.0, 0.0, first)
    if kind == NO_RECOVERY:
        return Hypothesis(1.0, -(d.hi - d.lo) * SMALLEST_DROP * RANGE_OF_DROPS**loss, 0.0, first)
    level, lost, half = levels_at(d, fresh, loss, half_life)
    decay = math.exp(-LOG_2 / half)
    first = min(max(level - (1.0 - x0) * lost, d.lo), d.hi)  # between worn out and fresh
    return Hypothesis(decay, -(1.0 - decay) * lost, (1.0 - decay) * level, first)


@inlined
def levels_at(d: Unknown, fresh: float, loss: float, half_life: float) -> tuple[float, float, float]:
    """Return the fresh level, the loss and the half-life at a point of the unit cube."""
    if d.factor[0] == 0.0:
        half = d.half_life[0] * math.exp(half_life * math.log(d.half_life[1] / d.half_life[0]))
        return between_ends(d.fresh, fresh), between_ends(d.loss, loss * loss), half
    a, b, c = bounded_normal_quantile(fresh), bounded_normal_quantile(loss), bounded_normal_quantile(half_life)
    level = d.centre[0] + d.factor[0] * a
    log_loss = d.centre[1] + d.factor[1] * a + d.factor[2] * b
    log_half_life = d.centre[2] + d.factor[3] * a + d.factor[4] * b + d.factor[5] * c
    half = min(max(math.exp(log_half_life), SHORTEST_HALF_LIFE), LONGEST_HALF_LIFE)
    return max(level, d.lo), math.exp(min(log_loss, LARGEST_LOG_LOSS)), half


@inlined
def between_ends(ends: Vector, share: float) -> float:
    """Return the point at a share of an interval."""
    return ends[0] + share * (ends[1] - ends[0])


@inlined
def is_allowed(d: Unknown, kind: int, h: Hypothesis) -> bool:
    """Return whether `drop` and `worn` of the prior allow a hypothesis with recovery; others are not restricted."""
    if kind != RECOVERY:
        return True
    worn = min(max((h.drift + h.pull) / (1.0 - h.decay), d.lo), d.hi)
    return bool(d.drop[0] <= -h.pull <= d.drop[1] and d.worn[0] <= worn <= d.worn[1])


def empty_prior(d: Unknown, agree: int, tried: int) -> str:
    """Return the words that refuse a `drop` or a `worn` with which almost no points of the other ranges agree.

    >>> empty_prior(Unknown(fresh=(0.5, 0.6), worn=(0.8, 0.9)), 0, 1000)
    'worn (0.8, 0.9) leaves next to nothing of the prior: 0 of 1,000 points of fresh (0.5, 0.6), loss (0.0, 4.5) agree'
    """
    needed = {"drop": ("loss", "half_life"), "worn": ("fresh", "loss")}
    given = [name for name, widest in (("drop", ANY_DROP), ("worn", ANY_WORN)) if getattr(d, name) != widest]
    others = [name for name in ("fresh", "loss", "half_life") if any(name in needed[one] for one in given)]
    points = _named_ranges(d, others, ", ") if d.factor[0] == 0.0 else "the population"
    verb = "leave" if len(given) > 1 else "leaves"
    return (
        f"{_named_ranges(d, given, ' and ')} {verb} next to nothing of the prior: {agree:,} of {tried:,} points of "
        f"{points} agree"
    )


def _named_ranges(d: Unknown, names: list[str], between: str) -> str:
    return between.join(f"{name} {getattr(d, name)}" for name in names)


is_known.register(Unknown)(lambda d: False)


@dynamics_fault.register
def unknown_fault(d: Unknown, arm: Arm) -> str | None:
    """Check that the ranges are ranges, and that no dynamics in them expand or leave the bounds at rest."""
    if (wrong := bounds_fault(d)) is not None:  # first, as ranges that were not given are made of the bounds
        return wrong
    if not d.lo < d.hi:
        return f"lo {d.lo} must be below hi {d.hi}: a state that never moves has no dynamics to learn"
    for name in ("fresh", "loss", "half_life", "drop", "worn"):
        ends = getattr(d, name)
        if not ends[0] <= ends[1]:
            return f"{name} {ends} must be two numbers, from low to high"
    if not d.lo <= d.fresh[0] <= d.hi:
        return f"fresh from {d.fresh[0]:g} must be from lo {d.lo:g} to hi {d.hi:g}: it is where the state goes at rest"
    if d.half_life[0] <= 0.0:
        return f"half_life from {d.half_life[0]:g} must be above 0: the dynamics would not forget, or expand"
    if d.half_life[1] > LONGEST_HALF_LIFE:
        return f"half_life to {d.half_life[1]:g} must be at most {LONGEST_HALF_LIFE:,.0f}: `no_recovery` says never"
    if len(d.centre) != NUMBERS or len(d.factor) != len(NO_POPULATION):
        return f"centre {d.centre} and factor {d.factor} must have {NUMBERS} and {len(NO_POPULATION)} numbers"
    if d.factor[0] < 0.0:
        return f"factor {d.factor} must begin with a standard deviation of 0 or more"
    if d.loss[0] < 0.0:
        return f"loss from {d.loss[0]:g} must be 0 or more: plays wear an arm out"
    return _weights_fault(d)


def _weights_fault(d: Unknown) -> str | None:
    """Check probabilities and the number of hypotheses."""
    if d.no_effect < 0.0 or d.no_recovery < 0.0 or d.no_effect + d.no_recovery > 1.0:
        return f"no_effect {d.no_effect} and no_recovery {d.no_recovery} must be probabilities, at most 1 together"
    if d.hypotheses < SMALLEST_BANK or d.hypotheses != math.floor(d.hypotheses):
        return f"hypotheses {d.hypotheses:g} must be a whole number, {SMALLEST_BANK} or more"
    return None

"""Checks and defaults of settings that several policies share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.types import Arm, Problem, support

if TYPE_CHECKING:
    from rogue_bandits.policies.d_ucb import DUCB
    from rogue_bandits.policies.sw_ucb import SWUCB

# V of REXP3 sums the movement of the mean rewards; the paper takes it proportional to the horizon, without saying how.
VARIATION_PER_DECISION = 0.1


def require(policy: str, field: str, value: object, allowed: str, holds: bool) -> None:
    """Refuse a setting that does not hold, by its name and value.

    >>> require("exp3s", "gamma", 1.5, "in (0, 1]", 0.0 < 1.5 <= 1.0)
    Traceback (most recent call last):
    ValueError: exp3s, gamma 1.5 must be in (0, 1]
    """
    if isinstance(value, str):
        raise TypeError(f"{policy}, {field} {value!r} must be a number, not text: {allowed}")
    if not holds:
        raise ValueError(f"{policy}, {field} {value} must be {allowed}")


def is_number(value: object) -> bool:
    """Return whether a value is a number, and no text or truth value that could pass for one."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def require_whole(policy: str, field: str, value: int | None) -> None:
    """Check that a number of decisions is whole and at least 1; None is still to be computed."""
    if value is not None:
        holds = is_number(value) and value >= 1 and float(value).is_integer()
        require(policy, field, value, "a whole number, 1 or more", holds)


def require_share(policy: str, field: str, value: float | None) -> None:
    """Check that a discount or a rate of exploration lies in (0, 1]; None is still to be computed."""
    if value is not None:
        require(policy, field, value, "in (0, 1]", is_number(value) and 0.0 < value <= 1.0)


def require_positive(policy: str, field: str, value: float | None) -> None:
    """Check that a setting is above 0 and finite; None is still to be computed."""
    if value is not None:
        require(policy, field, value, "above 0 and finite", is_number(value) and 0.0 < value < math.inf)


class RewardBounds(NamedTuple):
    """The rewards that a policy takes for 0 and for 1."""

    lo: float
    hi: float


def reward_bounds(policy: str, lo: float | None, hi: float | None, arms: Sequence[Arm]) -> RewardBounds:
    """Return the policy's own bounds of rewards, or those of the arms' reward families where these are None.

    >>> from rogue_bandits import BernoulliLogit, ClippedAffine
    >>> reward_bounds("d-ucb", None, None, [Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6))])
    RewardBounds(lo=0.0, hi=1.0)
    """
    for field, value in (("reward_lo", lo), ("reward_hi", hi)):
        if value is not None:
            require(policy, field, value, "a finite number", is_number(value) and math.isfinite(value))
    if lo is None or hi is None:
        supports = [support(arm.rewards)[:2] for arm in arms]
        lo = min(low for low, _ in supports) if lo is None else lo
        hi = max(high for _, high in supports) if hi is None else hi
        if not math.isfinite(hi - lo):
            family = type(arms[0].rewards).__name__
            raise ValueError(f"{policy} needs reward_lo and reward_hi: {family} rewards have no bounds of their own")
    require(policy, "reward_lo", lo, f"below reward_hi {hi}", lo < hi)
    return RewardBounds(float(lo), float(hi))


def horizon_of(policy: str, own: int | None, given: int | None, otherwise: str) -> int:
    """Return the policy's own horizon, else the one given to `start`; `otherwise` says what to set if there is none.

    >>> horizon_of("d-ucb", own=500, given=1000, otherwise="")
    500
    """
    horizon = given if own is None else own
    if horizon is None:
        raise ValueError(f"{policy} needs a horizon or {otherwise}")
    require_whole(policy, "horizon", horizon)
    return horizon


def changes_of(policy: str, upsilon: float | None, horizon: int) -> float:
    """Return the number of changes Υ. ROGUE arms change at every decision, and the paper states no Υ.

    The default is the root of the horizon, half way (on the scale of logarithms) between one change and one at each
    decision. It was settled on after a look at results: there D-UCB and SW-UCB do worse than random choices in the
    logistic experiment, as the paper reports, while a tenth of the horizon puts D-UCB ahead (see docs/errata.md).

    >>> changes_of("d-ucb", upsilon=None, horizon=10_000)
    100.0
    """
    changes = math.sqrt(horizon) if upsilon is None else upsilon
    require(policy, "upsilon", changes, f"above 0 and at most the horizon {horizon}", 0.0 < changes <= horizon)
    return changes


def forgetting(
    name: str,
    policy: DUCB | SWUCB,
    problem: Problem,
    rate: float | None,
    optimal: Callable[[float, int], float],
    wants: str,
) -> tuple[float, RewardBounds]:
    """Return the rate at which a policy discounts old rewards, and its bounds of rewards.

    A rate of None is the `optimal` one of the number of changes and the horizon; `wants` says what else to give.
    """
    require_positive(name, "upsilon", policy.upsilon)
    require_whole(name, "horizon", policy.horizon)
    require_positive(name, "xi", policy.xi)
    bounds = reward_bounds(name, policy.reward_lo, policy.reward_hi, problem.arms)
    if rate is None:
        horizon = horizon_of(name, policy.horizon, problem.horizon, otherwise=wants)
        rate = optimal(changes_of(name, policy.upsilon, horizon), horizon)
    return rate, bounds


@inlined
def unit_reward(r: float, bounds: RewardBounds) -> float:
    """Return the reward on the scale where the lower bound is 0 and the upper 1."""
    return (r - bounds.lo) / (bounds.hi - bounds.lo)

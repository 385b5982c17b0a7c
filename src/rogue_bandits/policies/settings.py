"""The settings that several policies share: what they may be, and what follows from a horizon."""

from __future__ import annotations

import math

from rogue_bandits.laws import inlined

# V of REXP3 sums the movement of the mean rewards; the paper takes it proportional to the horizon, without saying how.
VARIATION_PER_DECISION = 0.1


def require(policy: str, field: str, value: object, allowed: str, holds: bool) -> None:
    """Refuse a setting that does not hold, by its name and value.

    >>> require("exp3s", "gamma", 1.5, "in (0, 1]", 0.0 < 1.5 <= 1.0)
    Traceback (most recent call last):
    ValueError: exp3s, gamma 1.5 must be in (0, 1]
    """
    if not holds:
        raise ValueError(f"{policy}, {field} {value} must be {allowed}")


def require_whole(policy: str, field: str, value: int | None) -> None:
    """A number of decisions is whole and at least 1; None is still to be worked out."""
    if value is not None:
        require(policy, field, value, "a whole number, 1 or more", value >= 1 and float(value).is_integer())


def require_share(policy: str, field: str, value: float | None) -> None:
    """A discount or a rate of exploration lies in (0, 1]; None is still to be worked out."""
    if value is not None:
        require(policy, field, value, "in (0, 1]", 0.0 < value <= 1.0)


def require_positive(policy: str, field: str, value: float | None) -> None:
    """Above 0 and finite; None is still to be worked out."""
    if value is not None:
        require(policy, field, value, "above 0 and finite", 0.0 < value < math.inf)


def require_bounds(policy: str, reward_lo: float, reward_hi: float) -> None:
    """Rewards are mapped from [reward_lo, reward_hi] to [0, 1], so that these two must differ, and be finite."""
    allowed = f"below reward_hi {reward_hi}, and both finite"
    require(policy, "reward_lo", reward_lo, allowed, 0.0 < reward_hi - reward_lo < math.inf)


def horizon_of(policy: str, own: int | None, given: int | None, otherwise: str) -> int:
    """The policy's own horizon, else the one that `start` was given; `otherwise` says what to do when there is none.

    >>> horizon_of("d-ucb", own=500, given=1000, otherwise="")
    500
    """
    horizon = given if own is None else own
    if horizon is None:
        raise ValueError(f"{policy} needs a horizon or {otherwise}")
    require_whole(policy, "horizon", horizon)
    return horizon


def changes_of(policy: str, upsilon: float | None, horizon: int) -> float:
    """The number of changes Υ. ROGUE arms have no such number, they move at every decision, and the paper states none.

    The default is the root of the horizon, half way (on the scale of logarithms) between one change and one at each
    decision. There D-UCB and SW-UCB do worse than random choices, and D-UCB better than SW-UCB, as the paper reports.

    >>> changes_of("d-ucb", upsilon=None, horizon=10_000)
    100.0
    """
    changes = math.sqrt(horizon) if upsilon is None else upsilon
    require(policy, "upsilon", changes, f"above 0 and at most the horizon {horizon}", 0.0 < changes <= horizon)
    return changes


@inlined
def unit_reward(r: float, reward_lo: float, reward_hi: float) -> float:
    """The reward on the scale where reward_lo is 0 and reward_hi is 1."""
    return (r - reward_lo) / (reward_hi - reward_lo)

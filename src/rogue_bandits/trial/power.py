"""Power of a trial whose messages are randomised anew at every decision, and what it takes to reach a wanted power.

The test compares the mean reward of two arms. With n = people × decisions × available rewards of standard deviation
`noise`, and arms that are played with probabilities p and q, the squared difference of the two means over its
variance is, in large samples, noncentral chi-squared with one degree of freedom and noncentrality

    n · (effect/noise)² · p·q/(p + q).

A policy that keeps every probability at `least` or above makes that smallest where both arms have `least`; with two
arms, where one has `least` and the other the rest, and p·q/(p + q) is least·(1 − least). The power stated here is
reached whatever the policy does within this limit: a power-constrained bandit (Yao et al. 2020, arXiv:2004.06230). A
test of several effects at once, such as an effect and its trend, has as many degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.numerics.chi_squared import chi_squared_cdf, chi_squared_quantile

SOLVED_FOR = ("effect", "people", "decisions", "least", "power")
MOST = 1e12  # people or decisions
LARGEST_NONCENTRALITY = 1e6


class Power(NamedTuple):
    """A trial: all of its numbers, and which of them was solved for. Prints as a table in words."""

    effect: float
    noise: float
    people: int
    decisions: int
    least: float
    power: float
    level: float
    arms: int
    degrees: int
    available: float
    solved_for: str

    def rows(self) -> list[tuple[str, str]]:
        """Return names and values, for a table."""
        return [
            ("difference of the mean rewards", f"{self.effect:.4g}"),
            ("standard deviation of a reward", f"{self.noise:.4g}"),
            ("people", f"{self.people:,}"),
            ("decisions for each person", f"{self.decisions:,}"),
            ("share of decisions with a message", f"{self.available:.0%}"),
            ("arms", f"{self.arms}"),
            ("least probability of an arm", f"{self.least:.4g}"),
            ("level of the test", f"{self.level:g}"),
            ("power", f"{self.power:.1%}"),
        ]

    def sentence(self) -> str:
        """Return the result in a sentence."""
        size = f"{self.people:,} people and {self.decisions:,} decisions each"
        return (
            f"With {size}, a difference of {self.effect:.4g} is found with probability {self.power:.1%} or more, "
            f"if every arm is chosen with probability {self.least:.4g} or more at every decision. If there is no "
            f"difference, the test finds one with probability {self.level:g}."
        )

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.rows())
        return "\n".join([*(f"{name:{width}}  {value}" for name, value in self.rows()), "", self.sentence()])


def power(
    effect: float | None = None,
    people: int | None = None,
    decisions: int | None = None,
    least: float | None = None,
    power: float | None = None,
    *,
    noise: float = 1.0,
    level: float = 0.05,
    arms: int = 2,
    degrees: int = 1,
    available: float = 1.0,
) -> Power:
    """Solve for the one of effect, people, decisions, least and power that is left out.

    `least` is the least probability of an arm at every decision (`Bounded`). People and decisions are rounded up, and
    the power that is returned is that of the whole numbers.

    >>> round(power(effect=0.1, people=50, decisions=100, least=0.2).power, 3)
    0.807
    >>> round(power(effect=0.1, people=50, decisions=100, power=0.8).least, 3)
    0.195
    """
    given: dict[str, Any] = {"effect": effect, "people": people, "decisions": decisions, "least": least, "power": power}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        found = ", ".join(name for name in SOLVED_FOR if name not in missing) or "none"
        raise ValueError(f"power solves for one of {', '.join(SOLVED_FOR)}: leave out one of them; given: {found}")
    _check(given, noise, level, arms, degrees, available)
    critical = chi_squared_quantile(1.0 - level, degrees)

    def reached(noncentrality: float) -> float:
        return 1.0 - chi_squared_cdf(critical, degrees, noncentrality)

    fixed: dict[str, Any] = {"noise": noise, "arms": arms, "available": available}
    if missing[0] != "power":
        _solve(given, missing[0], needed_noncentrality(reached, given["power"]), **fixed)
    given["power"] = reached(noncentrality_of(given, **fixed))
    return Power(
        float(given["effect"]), float(noise), int(given["people"]), int(given["decisions"]), float(given["least"]),
        float(given["power"]), float(level), int(arms), int(degrees), float(available), missing[0],
    )  # fmt: skip


def share_of_information(least: float, arms: int) -> float:
    """Return the least p·q/(p + q) of two arms whose probabilities are at least `least`.

    >>> share_of_information(0.2, arms=2), share_of_information(0.2, arms=3)
    (0.16000000000000003, 0.1)
    """
    return least * (1.0 - least) if arms == 2 else 0.5 * least


def noncentrality_of(given: dict[str, Any], noise: float, arms: int, available: float) -> float:
    """Return n · (effect/noise)² · p·q/(p + q)."""
    n = given["people"] * given["decisions"] * available
    return float(n * (given["effect"] / noise) ** 2 * share_of_information(given["least"], arms))


def needed_noncentrality(reached: Callable[[float], float], wanted: Any) -> float:
    """Return the noncentrality with the wanted power, by bisection."""
    low, high = 0.0, 1.0
    while reached(high) < wanted and high < LARGEST_NONCENTRALITY:
        high *= 2.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if reached(middle) < wanted else (low, middle)
    return high


def _solve(given: dict[str, Any], name: str, needed: float, noise: float, arms: int, available: float) -> None:
    """Write the value of the missing number, which makes the noncentrality the needed one."""
    if name in ("people", "decisions"):
        each = noncentrality_of({**given, name: 1}, noise, arms, available)
        if not needed < MOST * each:
            raise ValueError(f"power, an effect of {given['effect']} would take more than {MOST:g} {name}")
        given[name] = max(1, math.ceil(needed / each * (1.0 - 1e-12)))
    elif name == "effect":
        given[name] = math.sqrt(needed / noncentrality_of({**given, name: 1.0}, noise, arms, available))
    else:
        n = given["people"] * given["decisions"] * available
        share = needed / (n * (given["effect"] / noise) ** 2)
        most = share_of_information(1.0 / arms, arms)
        if share > most:
            best = _most_power(given, noise, arms, available)
            raise ValueError(
                f"power {given['power']} cannot be reached with {given['people']} people and {given['decisions']} "
                f"decisions: even with probability 1/{arms} of every arm the noncentrality is {best:.3g}, and "
                f"{needed:.3g} is needed"
            )
        given[name] = 0.5 * (1.0 - math.sqrt(1.0 - 4.0 * share)) if arms == 2 else 2.0 * share


def _most_power(given: dict[str, Any], noise: float, arms: int, available: float) -> float:
    """Return the noncentrality with even probabilities."""
    return noncentrality_of({**given, "least": 1.0 / arms}, noise, arms, available)


def _check(given: dict[str, Any], noise: float, level: float, arms: int, degrees: int, available: float) -> None:
    """Raise where a number is out of its range; None is solved for."""
    _require("arms", arms, "a whole number, 2 or more", _is_whole(arms) and arms >= 2)
    _require("degrees", degrees, "a whole number, 1 or more", _is_whole(degrees) and degrees >= 1)
    _require("noise", noise, "above 0 and finite", _is_number(noise) and 0.0 < noise < math.inf)
    _require("level", level, "between 0 and 1", _is_number(level) and 0.0 < level < 1.0)
    _require("available", available, "above 0 and at most 1", _is_number(available) and 0.0 < available <= 1.0)
    allowed: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "effect": ("a number other than 0", lambda v: _is_number(v) and v != 0.0 and math.isfinite(v)),
        "people": ("a whole number, 1 or more", lambda v: _is_whole(v) and v >= 1),
        "decisions": ("a whole number, 1 or more", lambda v: _is_whole(v) and v >= 1),
        "least": (
            f"above 0 and at most 1/{arms}, as there are {arms} arms",
            lambda v: _is_number(v) and 0.0 < v <= 1.0 / arms,
        ),
        "power": (f"above the level {level} and below 1", lambda v: _is_number(v) and level < v < 1.0),
    }
    for name, (words, holds) in allowed.items():
        if given[name] is not None:
            _require(name, given[name], words, holds(given[name]))


def _require(name: str, value: Any, allowed: str, holds: bool) -> None:
    if not holds:
        raise ValueError(f"power, {name} {value!r} must be {allowed}")


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and not math.isnan(value)
    )


def _is_whole(value: Any) -> bool:
    return _is_number(value) and math.isfinite(value) and float(value).is_integer()

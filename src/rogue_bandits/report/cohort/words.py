"""Numbers, names and lists of arms in words, the same in the terminal and in the report."""

from __future__ import annotations

import math
import textwrap

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.wording import counted, listed

WIDTHS = 25.0  # of an interval: a range of rewards that is larger does not decide how many digits are shown
LONGEST_NAME = 18  # characters of an arm in a line of the terminal
SMALL = 0.1  # of the range of rewards: a cost below has a digit more
NOTHING = "(nothing sent)"  # the row of silence
MISFIT = "no model here reproduces the rewards"


def reward(value: float, scale: float) -> str:
    """Return a reward on the user's scale, in about three digits.

    >>> reward(1234.5, 14_000), reward(0.12345, 1.0)
    ('1,234', '0.123')
    """
    return f"{value:,.{max(0, 3 - math.ceil(math.log10(scale)))}f}".replace("-", "−")


def with_ends(quantiles: list[float], scale: float) -> str:
    """Return a median with its credible interval, in as many digits as a narrow interval needs.

    >>> with_ends([1.0, 2.0, 4.0], 1.0), with_ends([2.33, 2.42, 2.51], 12.0)
    ('2.000 (1.000 to 4.000)', '2.42 (2.33 to 2.51)')
    """
    if not quantiles:
        return "–"
    low, middle, high = quantiles[0], quantiles[len(quantiles) // 2], quantiles[-1]
    finer = min(scale, WIDTHS * (high - low)) if high > low else scale
    return f"{reward(middle, finer)} ({reward(low, finer)} to {reward(high, finer)})"


def decisions(quantiles: list[float]) -> str:
    """Return a half-life with its credible interval.

    >>> decisions([1.5, 3.0, math.inf])
    '3.0 decisions (1.5 to no end in sight)'
    """
    low, middle, high = (f"{x:,.1f}" if x < 99.5 else f"{x:,.0f}" if math.isfinite(x) else "" for x in quantiles)
    return f"{middle or 'more'} decisions ({low or 'more'} to {high or 'no end in sight'})"


def chance(probability: float) -> str:
    """Return a probability, never as a certainty.

    >>> chance(0.5), chance(0.999), chance(0.0)
    ('0.50', '>0.99', '<0.01')
    """
    return ">0.99" if probability > 0.99 else "<0.01" if probability < 0.01 else f"{probability:.2f}"


def cost_scale(ladder: ArmLadder, size: float) -> float:
    """Return the scale by which costs are rounded: they have a digit more than rewards if they are small."""
    return size if abs(ladder.drop[1]) >= SMALL * size else SMALL * size


def in_lines(name: str, most: int) -> str:
    """Return a name in lines of so many characters, broken at spaces and after underscores where there are some.

    >>> in_lines("mean minutes_of_activity_outside", 20).splitlines()
    ['mean minutes_of_', 'activity_outside']
    """
    return textwrap.fill(name.replace("_", "_ "), most).replace("_ ", "_")


def arms_listed(names: list[str]) -> str:
    """Return arms as a list in words.

    >>> arms_listed(["walk", "2"])
    'walk and arm 2'
    """
    return listed([arm_words(name) for name in names])


def people_counted(people: People) -> str:
    """Return how many people, arms and rewards there are."""
    n = sum(ladder.rewards for ladder in people.fitted.arms.values())
    return (
        f"{counted(len(people.cohort.people), 'person', 'people')}, "
        f"{counted(len(people.cohort.arms), 'arm')}, {n:,} rewards"
    )

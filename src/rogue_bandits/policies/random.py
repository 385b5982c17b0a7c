"""Random: any arm, each as likely. The yardstick of having learned nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rogue_bandits.policies.ties import any_of
from rogue_bandits.types import Arm, Bools, Line, choose, learn, play, start


class Random(NamedTuple):
    """Pure exploration: an arm chosen uniformly among those available.  [Sec. 5, baseline 1]

    >>> import numpy as np
    >>> from rogue_bandits import BernoulliLogit, ClippedAffine
    >>> arms = [Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6))] * 2
    >>> state = start(Random(), arms, people=1, horizon=None)
    >>> choose(state, 0, 0, np.array([True, True]), 0.7)
    (1, 0.5)
    """


@start.register(Random)
def start_random(policy: Random, arms: Sequence[Arm], people: int, horizon: int | None) -> Random:
    """It remembers nothing, so that it is its own state."""
    return policy


@choose.register(Random)
def random_choose(state: Random, person: int, number: int, available: Bools, u: float) -> tuple[int, float]:
    """Any arm."""
    return any_of(available, u)


@play.register(Random)
def random_play(state: Random, person: int, number: int, arm: int) -> Line:
    """Nothing moves."""
    return Line(0.0, 0.0, 0.0, 0.0)


@learn.register(Random)
def random_learn(state: Random, person: int, number: int, arm: int, probability: float, line: Line, r: float) -> None:
    """Nothing is learned."""

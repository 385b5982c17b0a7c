"""Random: any arm, each as likely."""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.policies.ties import any_of, probabilities_by_quantile
from rogue_bandits.types import NO_TICKET, Problem, Request, Ticket, choose, learn, play, probabilities, start


class Random(NamedTuple):
    """Pure exploration: an arm chosen uniformly among those available.  [Sec. 5, baseline 1]

    >>> import numpy as np
    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arms = (Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)),) * 2
    >>> state = start(Random(), Problem(arms), people=1)
    >>> choose(state, 0, Request(0, np.array([True, True]), np.array([0.7])))
    (1, 0.5)
    """


class RandomState(NamedTuple):
    """The state of random choices: none."""

    shared: tuple[()] = ()
    personal: tuple[()] = ()


@start.register(Random)
def start_random(policy: Random, problem: Problem, people: int) -> RandomState:
    """Return a state without numbers."""
    return RandomState()


probabilities.register(RandomState)(probabilities_by_quantile)


@choose.register(RandomState)
def random_choose(state: RandomState, person: int, request: Request) -> tuple[int, float]:
    """Return an available arm, each with the same probability."""
    return any_of(request.available, request.uniforms[0])


@play.register(RandomState)
def random_play(state: RandomState, person: int, number: int, arm: int) -> Ticket:
    """Do nothing."""
    return NO_TICKET


@learn.register(RandomState)
def random_learn(
    state: RandomState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Do nothing."""

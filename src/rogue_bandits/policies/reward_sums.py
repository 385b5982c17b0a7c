"""Cumulative sums of each arm's rewards, in the order in which they arrive: averages of the latest h at once."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.policies.settings import require_positive
from rogue_bandits.policies.ties import probabilities_by_quantile
from rogue_bandits.types import (
    NO_TICKET,
    Arm,
    Floats,
    Ints,
    Problem,
    Ticket,
    grown,
    has_room,
    learn,
    play,
    probabilities,
)

if TYPE_CHECKING:
    from rogue_bandits.policies.fewa import FEWA
    from rogue_bandits.policies.wswa import WSWA

FIRST_ROOM = 64  # rewards of an arm


class RewardSums(NamedTuple):
    """The cumulative sums for each person."""

    n: Ints  # [people, arms] observed rewards
    total: Floats  # [people, arms, room + 1] the sum of the first 0, 1, 2, … rewards
    base: Ints  # [people, arms] observed rewards when the policy last restarted


class WindowShared(NamedTuple):
    """The settings of a policy that averages over windows of rewards, in numbers."""

    alpha: float
    sigma: float


class Summing(ABC):
    """The kind: states of `WindowShared` and `RewardSums`, of policies that choose by one uniform."""


def start_sums(name: str, policy: FEWA | WSWA, problem: Problem, people: int) -> tuple[WindowShared, RewardSums]:
    """Return the parts of the state before the first reward."""
    require_positive(name, "alpha", policy.alpha)
    shared = WindowShared(float(policy.alpha), noise_of(name, policy.sigma, problem.arms))
    shape, room = (people, len(problem.arms)), FIRST_ROOM
    n, base = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    return shared, RewardSums(n, np.zeros((*shape, room + 1)), base)


def noise_of(policy: str, sigma: float | None, arms: tuple[Arm, ...]) -> float:
    """Return the policy's own sub-Gaussian parameter of rewards, else the largest of the arms'."""
    require_positive(policy, "sigma", sigma)
    try:
        return float(max(sub_gaussian(arm.rewards) for arm in arms)) if sigma is None else float(sigma)
    except TypeError:
        raise ValueError(
            f"{policy} needs sigma: {type(arms[0].rewards).__name__} rewards are not sub-Gaussian"
        ) from None


@inlined
def latest_mean(sums: RewardSums, person: int, k: int, h: int) -> float:
    """Return the average of the latest h rewards of arm k, which has at least as many."""
    n = sums.n[person, k]
    return float(sums.total[person, k, n] - sums.total[person, k, n - h]) / h


probabilities.register(Summing)(probabilities_by_quantile)


@play.register(Summing)
def only_rewards_matter(state: Any, person: int, number: int, arm: int) -> Ticket:
    """Do nothing: a play without a reward changes no average."""
    return NO_TICKET


@learn.register(Summing)
def add_to_sums(state: Any, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float) -> None:
    """Append the reward to the cumulative sums."""
    sums = state.personal
    n = sums.n[person, arm]
    sums.total[person, arm, n + 1] = sums.total[person, arm, n] + r
    sums.n[person, arm] = n + 1


@has_room.register(Summing)
def sums_have_room(state: Any, person: int) -> bool:
    """Return whether every arm has room for one more reward."""
    return bool(state.personal.n[person].max() + 1 < state.personal.total.shape[2])


@grown.register(Summing)
def sums_grown(state: Any) -> Any:
    """Return the state with room for twice as many rewards."""
    total = state.personal.total
    added = np.zeros((*total.shape[:2], total.shape[2] - 1))
    return state._replace(personal=state.personal._replace(total=np.concatenate([total, added], axis=2)))

"""Choosing the best arm, and one at random among equals."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.types import NOT_ASKED, Bools, Floats, Request, choose, choose_with_probabilities, probabilities


@inlined
def best_of(index: Floats, available: Bools, u: float) -> tuple[int, float]:
    """Return the available arm with the largest index, ties broken evenly by u, and the probability of that choice.

    >>> best_of(np.array([0.5, 0.9, 0.9]), np.array([True, True, True]), u=0.7)
    (2, 0.5)
    >>> best_of(np.array([0.5, 0.9, np.inf]), np.array([True, True, False]), u=0.7)
    (1, 1.0)
    """
    best = -np.inf
    ties = 0
    for k in range(len(index)):
        if available[k] and (ties == 0 or index[k] > best):
            best, ties = index[k], 1
        elif available[k] and index[k] == best:
            ties += 1
    left = min(int(u * ties), ties - 1)
    for k in range(len(index)):
        if available[k] and index[k] == best:
            if left == 0:
                return k, 1.0 / ties
            left -= 1
    raise ValueError("no arm is available, or an index is not a number")


@inlined
def merge_ties(index: Floats, available: Bools, tie_tolerance: float) -> Floats:
    """Set indices within the tie tolerance of the best equal to it.

    >>> merge_ties(np.array([0.5, 0.9, 0.9 - 1e-12]), np.array([True, True, True]), 1e-9).tolist()
    [0.5, 0.9, 0.9]
    """
    best = -np.inf
    for k in range(len(index)):
        if available[k]:
            best = max(best, index[k])
    for k in range(len(index)):
        if best - tie_tolerance <= index[k] < best:
            index[k] = best
    return index


@inlined
def any_of(available: Bools, u: float) -> tuple[int, float]:
    """Return one of the available arms, each with the same probability, and that probability.

    >>> any_of(np.array([True, False, True]), u=0.2)
    (0, 0.5)
    """
    return best_of(np.zeros(len(available)), available, u)


@inlined
def arm_at_quantile(p: Floats, available: Bools, u: float) -> int:
    """Return the available arm at the quantile u of probabilities; the last one gets what rounding leaves of 1.

    >>> arm_at_quantile(np.array([0.2, 0.0, 0.8]), np.array([True, False, True]), u=0.5)
    2
    """
    arm = -1
    below = 0.0
    for k in range(len(p)):
        if available[k] and (arm < 0 or u >= below):
            arm = k
            below += p[k]
    return arm


@inlined
def untried_else_best(index: Floats, tried: Bools, available: Bools, u: float) -> tuple[int, float]:
    """Return any available arm that was never played; if there is none, the one with the largest index.

    >>> untried_else_best(np.array([np.inf, 0.0]), np.array([True, False]), np.array([True, True]), u=0.2)
    (1, 1.0)
    """
    for k in range(len(index)):
        if available[k] and not tried[k]:
            return any_of(available & ~tried, u)
    return best_of(index, available, u)


CHOICE_ALLOWED = "it must be the number of an available arm, with a probability above 0 and at most 1"


@inlined
def is_valid_choice(arm: int, probability: float, available: Bools, asked: bool = False) -> bool:
    """Return whether an available arm was chosen, with a probability; with NOT_ASKED too, unless it was asked.

    >>> is_valid_choice(2, 1.0, np.array([True, True])), is_valid_choice(1, 0.5, np.array([True, True]))
    (False, True)
    """
    known = 0.0 < probability <= 1.0
    return 0 <= arm < len(available) and available[arm] and (known or (probability == NOT_ASKED and not asked))


def raise_on_invalid_choice(policy: Any, arm: int, probability: float, number: int, person: int) -> NoReturn:
    """Raise ValueError for a policy that chose an arm that is not available, or gave an invalid probability."""
    raise ValueError(
        f"policy {type(policy).__name__}, `choose` returned arm {arm} with probability {probability:g} "
        f"at decision {number} of person {person}: {CHOICE_ALLOWED}"
    )


@routine
def choose_apart(state: Any, person: int, request: Request) -> tuple[int, float]:
    """Choose, not inlined: most policies also choose in order to find their probabilities, and laws are long."""
    return choose(state, person, request)


@inlined
def probabilities_by_quantile(state: Any, person: int, request: Request, out: Floats) -> None:
    """Write the probabilities of a policy that chooses by one uniform u, where each arm has one interval of u."""
    out[:] = 0.0
    u, total = np.zeros(1), 0.0
    while total < 1.0 - 1e-9:
        u[0] = total + 1e-12  # rounding must not lead back to the arm before
        arm, probability = choose_apart(state, person, Request(request.number, request.available, u))
        if probability <= 0.0:
            break
        out[arm] += probability
        total += probability


@inlined
def ask_probabilities(state: Any, person: int, request: Request, arm: int, probability: float, out: Floats) -> float:
    """Write the probability of every arm for the choice that was made; return that of the arm chosen."""
    if probability == 1.0:
        out[:] = 0.0
    else:
        probabilities(state, person, request, out)
        out[~request.available] = 0.0
    if probability != NOT_ASKED:
        out[arm] = probability
    return float(out[arm])


@choose_with_probabilities.register(tuple)
def choose_then_ask(state: Any, person: int, request: Request, out: Floats) -> tuple[int, float]:
    """Choose, then write the probabilities; an invalid choice is returned as it is."""
    arm, probability = choose_apart(state, person, request)
    if out.size > 0 and is_valid_choice(arm, probability, request.available):
        probability = ask_probabilities(state, person, request, arm, probability, out)
    return arm, probability

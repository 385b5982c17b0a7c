"""Bounded probabilities: any policy, with every available arm chosen at least so often."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import INLINED, inlined
from rogue_bandits.compile.overloads import overload
from rogue_bandits.policies.settings import is_number, require
from rogue_bandits.policies.ties import arm_at_quantile
from rogue_bandits.types import (
    Bools,
    Floats,
    Problem,
    Request,
    Ticket,
    choose,
    choose_with_probabilities,
    grown,
    has_room,
    learn,
    play,
    probabilities,
    start,
    uniforms,
    unknown_probabilities,
)


class Bounded(NamedTuple):
    """Chooses with the probabilities of `policy`, raised to at least `least` for every available arm.

    Arms above that share what is left in proportion to their probabilities. With two arms and `least` 0.2,
    probabilities are from 0.2 to 0.8, as is common in micro-randomised trials.

    >>> from rogue_bandits import TunedRogueUCB
    >>> Bounded(TunedRogueUCB(), least=0.2).least
    0.2
    """

    policy: Any
    least: float = 0.1


class BoundedShared(NamedTuple):
    """A fresh state of the policy, of which only the shared part counts, and the settings in numbers."""

    inner: Any
    inner_uniforms: int
    least: float


class BoundedState(NamedTuple):
    """The state of a policy with bounded probabilities; the personal part is that of the policy."""

    shared: BoundedShared
    personal: Any


@uniforms.register(Bounded)
def bounded_uniforms(policy: Bounded, problem: Problem) -> int:
    """Return one uniform more than the policy needs."""
    return uniforms(policy.policy, problem) + 1


@start.register(Bounded)
def start_bounded(policy: Bounded, problem: Problem, people: int) -> BoundedState:
    """Start the policy."""
    arms, least = len(problem.arms), policy.least
    allowed = f"above 0 and at most 1/{arms}, as there are {arms} arms"
    require("bounded", "least", least, allowed, is_number(least) and 0.0 < least <= 1.0 / arms)
    inner = start(policy.policy, problem, people)
    table: Any = probabilities
    if table.dispatch(type(inner)) is unknown_probabilities:
        raise ValueError(
            f"bounded: {type(policy.policy).__name__} does not say with which probability it chooses every arm: "
            f"register the law `probabilities` for its state, {type(inner).__name__}"
        )
    shared = BoundedShared(start(policy.policy, problem, 1), uniforms(policy.policy, problem), float(least))
    return BoundedState(shared, inner.personal)


def with_personal(state: Any, personal: Any) -> Any:
    """Return a state with another personal part."""
    return type(state)(state.shared, personal)


@overload(with_personal, INLINED)
def _with_personal(state: Any, personal: Any) -> Any:
    make = state.instance_class

    def made(state: Any, personal: Any) -> Any:
        return make(state[0], personal)

    return made


@inlined
def inner_state(state: BoundedState) -> Any:
    """Return the state of the policy."""
    return with_personal(state.shared.inner, state.personal)


def unbounded(state: Any) -> Any:
    """Return the state that plays and learns: the policy's own where probabilities are bounded, else `state`."""
    return inner_state(state) if isinstance(state, BoundedState) else state


@inlined
def inner_request(state: BoundedState, request: Request) -> Request:
    """Return the request to the policy: all uniforms but the last."""
    return Request(request.number, request.available, request.uniforms[: state.shared.inner_uniforms])


@inlined
def raise_to_least(p: Floats, available: Bools, least: float) -> None:
    """Raise probabilities of available arms to `least`, in place; the others are scaled down in proportion.

    >>> p = np.array([0.9, 0.08, 0.02])
    >>> raise_to_least(p, np.array([True, True, True]), 0.1)
    >>> p.round(3).tolist()
    [0.8, 0.1, 0.1]
    """
    raised = np.zeros(p.size, dtype=np.bool_)
    for _ in range(p.size):
        left, total, changed = 1.0, 0.0, False
        for k in range(p.size):
            if raised[k]:
                left -= least
            elif available[k]:
                total += p[k]
        for k in range(p.size):
            if available[k] and not raised[k] and p[k] * left < least * total:
                raised[k] = changed = True
        if not changed:
            break
    for k in range(p.size):
        if raised[k]:
            p[k] = least
        elif available[k]:
            p[k] *= left / total


@inlined
def fill_bounded(state: BoundedState, person: int, request: Request, out: Floats) -> None:
    """Write the probabilities of the policy, raised."""
    inner, asked = inner_state(state), inner_request(state, request)
    choose_with_probabilities(inner, person, asked, out)
    raise_to_least(out, request.available, state.shared.least)


@probabilities.register(BoundedState)
def bounded_probabilities(state: BoundedState, person: int, request: Request, out: Floats) -> None:
    """Write the probabilities of the policy, raised to the bound."""
    fill_bounded(state, person, request, out)


@choose_with_probabilities.register(BoundedState)
def bounded_choose_with_probabilities(
    state: BoundedState, person: int, request: Request, out: Floats
) -> tuple[int, float]:
    """Return the arm at the quantile of the last uniform; probabilities are computed once, wanted or not."""
    p = out if out.size > 0 else np.empty(request.available.size)
    fill_bounded(state, person, request, p)
    arm = arm_at_quantile(p, request.available, request.uniforms[state.shared.inner_uniforms])
    return arm, p[arm]


@choose.register(BoundedState)
def bounded_choose(state: BoundedState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm at the quantile of the last uniform."""
    return choose_with_probabilities(state, person, request, np.empty(0))


@play.register(BoundedState)
def bounded_play(state: BoundedState, person: int, number: int, arm: int) -> Ticket:
    """Play as the policy does."""
    return play(inner_state(state), person, number, arm)


@learn.register(BoundedState)
def bounded_learn(
    state: BoundedState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Learn as the policy does, with the probability of the choice that was made."""
    learn(inner_state(state), person, number, arm, probability, ticket, r)


@has_room.register(BoundedState)
def bounded_has_room(state: BoundedState, person: int) -> bool:
    """Return whether the policy has room."""
    return has_room(inner_state(state), person)


@grown.register(BoundedState)
def bounded_grown(state: BoundedState) -> BoundedState:
    """Enlarge the arrays of the policy."""
    return state._replace(personal=grown(inner_state(state)).personal)

"""Which arms of a person have rewards that contradict the model, by the type of the policy's state."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from rogue_bandits.belief.bank.check import is_contradicted
from rogue_bandits.policies.bounded import BoundedState, inner_state
from rogue_bandits.policies.learned import LearnedState


@singledispatch
def contradicted_arms(state: Any, person: int) -> tuple[int, ...]:
    """Return the arms whose rewards contradict the policy's model; empty for policies without such a test.

    >>> contradicted_arms(None, 0)
    ()
    """
    return ()


@contradicted_arms.register
def learned_contradicted_arms(state: LearnedState, person: int) -> tuple[int, ...]:
    """Return the arms whose check has raised an alarm (`belief.bank.check`)."""
    checks = state.personal.check[person]
    return tuple(k for k in range(len(checks)) if is_contradicted(checks[k]))


@contradicted_arms.register
def bounded_contradicted_arms(state: BoundedState, person: int) -> tuple[int, ...]:
    """Return the contradicted arms of the policy inside."""
    return contradicted_arms(inner_state(state), person)

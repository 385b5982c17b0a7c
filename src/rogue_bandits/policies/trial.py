"""Trial of a policy of user code: its laws are tried as plain Python before they are compiled.

Compiled code does not check what it reads: a uniform that is not there, or an array without a row for each person,
would be foreign memory. What is wrong is said in one sentence, with the policy and the law.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from rogue_bandits.model.compiling import NOT_COMPILED, compile_fault, is_ours, named_laws
from rogue_bandits.model.rewards.weighted import reduced
from rogue_bandits.types import (
    NOT_ASKED,
    Problem,
    Request,
    Ticket,
    choose,
    grown,
    has_room,
    learn,
    play,
    probabilities,
    start,
    support,
    uniforms,
    unknown_probabilities,
)

SLACK = 1e-6  # of a sum of probabilities
LAWS: tuple[Any, ...] = (choose, play, learn, has_room, probabilities)
NEEDED: tuple[Any, ...] = LAWS[:3]


def raise_on_broken_policy(policy: Any, problem: Problem) -> None:
    """Raise TypeError or ValueError in one sentence if a law of a user's policy is missing or returns what it must not.

    Built-in policies are not tried, except for a policy inside of one (`Bounded`).
    """
    if is_ours(type(policy).__module__):
        if hasattr(policy, "_fields") and hasattr(policy, "policy"):
            raise_on_broken_policy(policy.policy, problem)
        return
    name, problem = type(policy).__name__, Problem(problem.arms, problem.horizon)
    count: Any = tried(name, uniforms, policy, problem)  # whatever the user returns
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
        raise ValueError(f"policy {name}, `uniforms` returned {count!r}: it must be a whole number, 1 or more")
    is_policy = start.dispatch(type(policy)) is not start.dispatch(object)
    state = tried(name, start, policy, problem, 2) if is_policy else start(policy, problem, 2)
    raise_on_broken_state(name, state, 2)
    for law in NEEDED:
        if law.dispatch(type(state)) is law.dispatch(object):
            raise TypeError(
                f"policy {name}, law `{law.__name__}` is missing: register one for its state, {type(state).__name__}"
            )
    with np.errstate(all="ignore"):
        try_room(name, state)
        try_decision(name, state, problem, int(count))


def raise_on_broken_state(name: str, state: Any, people: int) -> None:
    """Raise if a state is not a NamedTuple of `shared` and `personal`, or has arrays without a row for each person."""
    if getattr(state, "_fields", None) != ("shared", "personal"):
        raise TypeError(
            f"policy {name}, `start` returned {type(state).__name__}: it must be a NamedTuple with two fields, "
            "shared and personal"
        )
    for place, array in arrays_in(state.personal, "personal"):
        if not isinstance(array, np.ndarray) or array.ndim < 1 or len(array) != people:
            found = f"shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise TypeError(
                f"policy {name}, `start` for {people} people returned {place} ({found}): it must be an array with a "
                "row for each person"
            )


def arrays_in(part: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield what should be arrays, with their places, however deep in tuples."""
    if not isinstance(part, tuple):
        yield place, part
        return
    names = getattr(part, "_fields", range(len(part)))
    for name, field in zip(names, part, strict=True):
        yield from arrays_in(field, f"{place}.{name}")


def try_room(name: str, state: Any) -> None:
    """Raise if a state may run out of room without a way to enlarge it: its people would then never get a decision."""
    laws: Any = has_room
    if is_ours(laws.dispatch(type(state)).__module__):
        return
    if grown.dispatch(type(state)) is grown.dispatch(object):
        raise TypeError(
            f"policy {name}, law `grown` is missing: register one for its state, {type(state).__name__}, "
            "as `has_room` is"
        )
    for _ in range(2):
        room = tried(name, has_room, state, 1)
        if not isinstance(room, bool | np.bool_):
            raise TypeError(f"policy {name}, `has_room` returned {room!r}: it must be True or False")
        if room:
            return
        state = tried(name, grown, state)
        raise_on_broken_state(name, state, 2)
    raise ValueError(f"policy {name}, `grown` returned a state for which `has_room` is still False")


def try_decision(name: str, state: Any, problem: Problem, count: int) -> None:
    """Choose, play and learn once for person 1, as plain Python."""
    available = np.ones(len(problem.arms), dtype=np.bool_)
    request = Request(0, available, np.full(count, 0.5))
    chosen = tried(name, choose, state, 1, request)
    is_pair = isinstance(chosen, tuple) and len(chosen) == 2
    if not is_pair or not is_whole(chosen[0]) or not is_real(chosen[1]):
        raise TypeError(f"policy {name}, `choose` returned {chosen!r}: it must be an arm number and its probability")
    try_probabilities(name, state, request)
    if chosen[1] == NOT_ASKED and says_no_probabilities(state):
        raise ValueError(
            f"policy {name}, `choose` returned NOT_ASKED for the probability of its arm: it must be one above 0 and at "
            f"most 1, or the law `probabilities` must be registered for its state, {type(state).__name__}"
        )
    arm = int(chosen[0]) if 0 <= chosen[0] < available.size else 0  # a wrong one is reported when it is made
    ticket = tried(name, play, state, 1, 0, arm)
    if not isinstance(ticket, Ticket) or not all(map(is_real, ticket)):
        raise TypeError(f"policy {name}, `play` returned {ticket!r}: it must be a Ticket of four numbers, or NO_TICKET")
    tried(name, learn, state, 1, 0, arm, 1.0, ticket, some_reward(problem, arm))


def says_no_probabilities(state: Any) -> bool:
    """Return whether a state has no law `probabilities` of its own."""
    law: Any = probabilities
    return law.dispatch(type(state)) is unknown_probabilities


def try_probabilities(name: str, state: Any, request: Request) -> None:
    """Raise if a policy that says the probability of every arm writes something else."""
    law: Any = probabilities
    if is_ours(law.dispatch(type(state)).__module__):
        return
    out = np.full(request.available.size, np.nan)
    tried(name, probabilities, state, 1, request, out)
    if not (np.isfinite(out).all() and out.min() >= 0.0 and abs(out.sum() - 1.0) < SLACK):
        wrote = [float(f"{p:.6g}") for p in out]
        raise ValueError(f"policy {name}, `probabilities` wrote {wrote}: one for each arm, 0 or more, with sum 1")


def tried(name: str, law: Any, *arguments: Any) -> Any:
    """Return law(*arguments); say which law of which policy raised, and where."""
    try:
        return law(*arguments)
    except Exception as error:
        if law is start and isinstance(error, ValueError):
            raise  # a setting that the policy refuses, in words of its own
        places = [frame for frame in extract_tb(error.__traceback__) if not is_package_file(frame.filename)]
        where = f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""
        raise ValueError(f"policy {name}, `{law.__name__}` raised {type(error).__name__}: {error}{where}") from error


def is_package_file(file: str) -> bool:
    """Return whether a source file belongs to this package, or to functools, which calls laws."""
    return Path(file).is_relative_to(Path(__file__).parents[1]) or Path(file).name == "functools.py"


def some_reward(problem: Problem, arm: int) -> float:
    """Return a reward that is possible for an arm."""
    lo, hi, _ = support(reduced(problem.arms[arm]).rewards)
    return float(next((r for r in (hi, lo) if math.isfinite(r)), 0.0))


def is_whole(value: Any) -> bool:
    """Return whether a value can be an arm number."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    """Return whether a value is a number."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


@contextmanager
def named_policy_laws(policy: Any, problem: Problem) -> Iterator[None]:
    """Raise TypeError naming a law, of an arm or of the policy, that cannot be compiled."""
    try:
        with named_laws(list(problem.arms)):
            yield
    except NOT_COMPILED:
        raise_on_uncompilable(policy, problem)
        raise


def raise_on_uncompilable(policy: Any, problem: Problem) -> None:
    """Raise TypeError with the first law of a user's policy that cannot be compiled, its line and the reason."""
    if is_ours(type(policy).__module__):
        inner = getattr(policy, "policy", None)
        if inner is not None:
            raise_on_uncompilable(inner, problem)
        return
    state, arms = start(policy, problem, 1), len(problem.arms)
    request = Request(0, np.ones(arms, dtype=np.bool_), np.full(uniforms(policy, problem), 0.5))
    samples: dict[Any, tuple[Any, ...]] = {
        choose: (state, 0, request),
        play: (state, 0, 0, 0),
        learn: (state, 0, 0, 0, 1.0, Ticket(0.0, 0.0, 0.0, 0.0), 1.0),
        has_room: (state, 0),
        probabilities: (state, 0, request, np.zeros(arms)),
    }
    for law in LAWS:
        function = law.dispatch(type(state))
        if not is_ours(function.__module__) and (words := compile_fault(function, samples[law])) is not None:
            kind = type(policy).__name__
            raise TypeError(f"policy {kind}, law `{law.__name__}` cannot be compiled: {words}") from None

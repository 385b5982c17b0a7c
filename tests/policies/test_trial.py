"""A policy of one's own that is wrong: one sentence names the policy, the law and what it did, wherever it is used."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.types import (
    NO_TICKET,
    Ticket,
    choose,
    grown,
    has_room,
    learn,
    play,
    probabilities,
    start,
    uniforms,
)
from tests.policies.histories import TWO_ARMS

TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])
LOG = rb.Log([0, 1], [1, 0], [0.5, 0.5])
USES: dict[str, Callable[[Any], Any]] = {
    "simulate": lambda policy: rb.simulate(TRUTH, policy, 5, people=3),
    "conditions": lambda policy: rb.simulate(TRUTH, policy, 5, people=3, delay=1),
    "compare": lambda policy: rb.compare([policy], TRUTH, 5),
    "bandit": lambda policy: rb.Bandit(TWO_ARMS, policy).choose(),
    "population": lambda policy: rb.Population(TWO_ARMS, policy, people=3).choose(),
    "off-policy": lambda policy: rb.off_policy_value(policy, LOG, TWO_ARMS),
    "bounded": lambda policy: rb.Bandit(TWO_ARMS, rb.Bounded(policy, 0.1)).choose(),
}


made_type: Any = namedtuple  # types by names that are only known here


def sound_start(policy: Any, problem: Any, people: int) -> Any:
    return policy.made((), Counts(np.zeros((people, len(problem.arms)))))


class Counts(NamedTuple):
    n: Any


def made(name: str, **laws: Any) -> Any:
    """A policy of its own type, with a state of its own type, and these laws in place of sound ones."""
    state: Any = made_type(f"{name}State", ("shared", "personal"))
    policy: Any = made_type(name, ("made",))
    for kind in (state, policy):
        kind.__module__ = __name__
    start.register(policy, laws.get("start", sound_start))
    if "uniforms" in laws:
        uniforms.register(policy, laws["uniforms"])
    if "grown" in laws:
        grown.register(state, laws["grown"])
    for law in (has_room, probabilities):
        if law.__name__ in laws:
            law.register(state)(laws[law.__name__])
    sound: dict[Any, Any] = {
        choose: lambda state, person, request: (0, 1.0),
        play: lambda state, person, number, arm: NO_TICKET,
        learn: lambda state, person, number, arm, probability, ticket, r: None,
    }
    for law, function in sound.items():
        if (own := laws.get(law.__name__, function)) is not None:
            law.register(state)(own)
    return policy(state)


def reads_beyond(state: Any, person: int, request: Any) -> Any:
    return 0, request.uniforms[1]


def divides(state: Any, person: int, request: Any) -> Any:
    return 0, 1 // (request.number * 0)


def too_likely(state: Any, person: int, request: Any, out: Any) -> None:
    out[:] = 1.0


BROKEN: dict[str, tuple[Any, str]] = {
    "no choose": (
        made("NoChoose", choose=None),
        "policy NoChoose, law `choose` is missing: register one for its state, NoChooseState",
    ),
    "no play": (made("NoPlay", play=None), "policy NoPlay, law `play` is missing: register one for its state"),
    "no learn": (made("NoLearn", learn=None), "policy NoLearn, law `learn` is missing"),
    "an arm alone": (
        made("Lone", choose=lambda state, person, request: 1),
        "policy Lone, `choose` returned 1: it must be an arm number and its probability",
    ),
    "nothing": (made("Mute", choose=lambda state, person, request: None), "policy Mute, `choose` returned None"),
    "three": (made("Three", choose=lambda state, person, request: (0, 1.0, 2)), "policy Three, `choose` returned"),
    "half an arm": (made("Half", choose=lambda state, person, request: (0.5, 1.0)), "policy Half, `choose` returned"),
    "a name": (made("Name", choose=lambda state, person, request: ("walk", 1.0)), "policy Name, `choose` returned"),
    "yes": (made("Yes", choose=lambda state, person, request: (True, 1.0)), "policy Yes, `choose` returned"),
    "no ticket": (
        made("Free", play=lambda state, person, number, arm: None),
        "policy Free, `play` returned None: it must be a Ticket of four numbers, or NO_TICKET",
    ),
    "a wrong ticket": (
        made("Paper", play=lambda state, person, number, arm: Ticket("a", 0, 0, 0)),  # type: ignore[arg-type]
        "policy Paper, `play` returned Ticket",
    ),
    "no uniforms": (
        made("Sure", uniforms=lambda policy, problem: 0),
        "policy Sure, `uniforms` returned 0: it must be a whole number, 1 or more",
    ),
    "half a uniform": (made("Split", uniforms=lambda policy, problem: 1.5), "policy Split, `uniforms` returned 1.5"),
    "a uniform too many": (
        made("Thirsty", choose=reads_beyond),
        r"policy Thirsty, `choose` raised IndexError: .*\(test_trial.py, line \d+\)$",
    ),
    "an error": (
        made("Divides", choose=divides),
        r"policy Divides, `choose` raised ZeroDivisionError: .*\(test_trial.py, line \d+\)$",
    ),
    "no state": (
        made("Stateless", start=lambda policy, problem, people: {}),
        "policy Stateless, `start` returned dict: it must be a NamedTuple with two fields, shared and personal",
    ),
    "a bare tuple": (
        made("Bare", start=lambda policy, problem, people: ((), ())),
        "policy Bare, `start` returned tuple",
    ),
    "one row for all": (
        made("Shared", start=lambda policy, problem, people: policy.made((), Counts(np.zeros((1, 2))))),
        r"policy Shared, `start` for 2 people returned personal.n \(shape \(1, 2\)\): it must be an array with a row",
    ),
    "no way to grow": (
        made("Full", has_room=lambda state, person: False),
        "policy Full, law `grown` is missing: register one for its state, FullState, as `has_room` is",
    ),
    "never room": (
        made("Fuller", has_room=lambda state, person: False, grown=lambda state: state),
        "policy Fuller, `grown` returned a state for which `has_room` is still False",
    ),
    "perhaps room": (
        made("Perhaps", has_room=lambda state, person: None, grown=lambda state: state),
        "policy Perhaps, `has_room` returned None: it must be True or False",
    ),
    "probabilities above 1": (
        made("Sums", probabilities=too_likely),
        r"policy Sums, `probabilities` wrote \[1.0, 1.0\]: one for each arm, 0 or more, with sum 1",
    ),
    "probabilities left out": (
        made("Silent", probabilities=lambda state, person, request, out: None),
        r"policy Silent, `probabilities` wrote \[nan, nan\]",
    ),
    "no array": (
        made("Listed", start=lambda policy, problem, people: policy.made((), Counts([0.0] * people))),
        r"policy Listed, `start` for 2 people returned personal.n \(list\)",
    ),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_policy_is_said_in_one_sentence(name: str, use: str) -> None:
    policy, message = BROKEN[name]
    with pytest.raises((TypeError, ValueError), match=f"^{message}") as refused:
        USES[use](policy)
    assert "\n" not in str(refused.value)


def imports(state: Any, person: int, request: Any) -> Any:
    import math

    return math.floor(0.5), 1.0


def helper(x: float) -> float:
    return x


def calls_a_plain_function(state: Any, person: int, number: int, arm: int) -> Any:
    helper(1.0)
    return NO_TICKET


@pytest.mark.parametrize("use", ["simulate", "bandit"])
@pytest.mark.parametrize(("laws", "message"), [
    ({"choose": imports}, r"law `choose` cannot be compiled: test_trial.py, line \d+: "),
    ({"play": calls_a_plain_function},
     r"law `play` cannot be compiled: test_trial.py, line \d+: 'helper' is a plain function: mark it with `rogue_b"),
])  # fmt: skip
def test_a_law_that_cannot_be_compiled_is_named_with_its_line(laws: Any, message: str, use: str) -> None:
    with pytest.raises(TypeError, match=f"^policy Interpreted, {message}"):
        USES[use](made("Interpreted", **laws))


def test_a_sound_policy_is_used_as_it_is() -> None:
    assert rb.simulate(TRUTH, made("Sound"), 5, people=2).arm.tolist() == [[0] * 5] * 2

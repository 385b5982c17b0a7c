"""Which kernels serve a population."""

from __future__ import annotations

from typing import Any

import pytest

import rogue_bandits as rb
from rogue_bandits.online import engine
from rogue_bandits.policies.bounded import BoundedState
from rogue_bandits.policies.random import RandomState
from rogue_bandits.types import Problem
from tests.policies.histories import TWO_ARMS


def test_bounded_probabilities_need_no_kernels_of_their_own_to_play_and_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_for: dict[str, type] = {}

    def recorded(kernel: Any, state: Any, *_: Any) -> Any:
        compiled_for[kernel.py_func.__name__] = type(state)
        return lambda state, *rest: type(state)

    monkeypatch.setattr(engine, "specialised", recorded)
    made = engine._engine.__wrapped__((), Problem(tuple(TWO_ARMS)), rb.Bounded(rb.Random(), least=0.2))
    assert compiled_for == {"choose_kernel": BoundedState, "play_kernel": RandomState, "learn_kernel": RandomState}
    assert made.choose(made.state) is BoundedState
    assert made.play(made.state) is made.learn(made.state) is RandomState

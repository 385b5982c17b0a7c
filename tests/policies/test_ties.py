from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.compile.laws import kernel
from rogue_bandits.policies.ties import any_of, best_of, untried_else_best
from rogue_bandits.types import Request, probabilities
from tests.policies.histories import TWO_ARMS, begin

indices = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 2.0, np.inf]), min_size=1, max_size=6)
best_of_compiled = kernel(best_of)


@pytest.mark.parametrize("arms", [*range(2, 24), 40])
def test_the_probabilities_of_many_tied_arms_are_equal(arms: int) -> None:
    state, out = begin(rb.Random(), TWO_ARMS[:1] * arms), np.empty(arms)
    available = np.ones(arms, dtype=np.bool_)
    available[arms // 2] = False
    for mask in (np.ones(arms, dtype=np.bool_), available):
        probabilities(state, 0, Request(0, mask, np.array([0.3])), out)
        assert out == pytest.approx(mask / mask.sum())


@settings(deadline=None)  # the first call compiles
@given(indices, st.data())
def test_each_of_the_best_available_arms_is_chosen_by_an_equal_part_of_the_uniforms(
    index: list[float], data: st.DataObject
) -> None:
    available = data.draw(st.lists(st.booleans(), min_size=len(index), max_size=len(index)).filter(any))
    best = max(value for value, allowed in zip(index, available, strict=True) if allowed)
    tied = [k for k, value in enumerate(index) if available[k] and value == best]
    for i, k in enumerate(tied):
        u = (i + 0.5) / len(tied)
        assert best_of(np.array(index), np.array(available), u) == (k, 1 / len(tied))
        assert best_of_compiled(np.array(index), np.array(available), u) == (k, 1 / len(tied))


def test_the_largest_uniform_still_chooses_an_arm() -> None:
    assert any_of(np.array([True, True, True, False]), 1.0) == (2, 1 / 3)


def test_an_arm_never_played_comes_before_one_that_is_worth_any_price() -> None:
    index, tried = np.array([np.inf, 0.0, 0.0]), np.array([True, False, False])
    assert untried_else_best(index, tried, np.array([True, True, True]), 0.6) == (2, 0.5)
    assert untried_else_best(index, tried, np.array([True, False, False]), 0.6) == (0, 1.0)


def test_no_available_arm_is_an_error() -> None:
    with pytest.raises(ValueError, match="no arm is available"):
        best_of(np.zeros(2), np.zeros(2, dtype=np.bool_), 0.5)

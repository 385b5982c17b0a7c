"""A kernel is kept on disk unless it reads a global that cannot be followed; attributes are no globals."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from rogue_bandits.belief import history
from rogue_bandits.belief.radius import TunedRadius, rule_for
from rogue_bandits.compile import reach
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.validation import checked_arm
from rogue_bandits.types import Arm


def front() -> object:
    """Reads what cannot be followed."""
    return UNFOLLOWABLE


UNFOLLOWABLE = object()


def test_an_attribute_is_not_taken_for_a_global_of_its_name() -> None:
    def reads_an_attribute(f: Any) -> Any:
        return f.front

    def reads_a_global(f: Any) -> Any:
        return front

    key_for(reads_an_attribute)
    with pytest.raises(reach.UnfollowableError, match="a value of type object"):
        key_for(reads_a_global)


def test_the_kernels_for_a_history_are_kept_on_disk() -> None:
    arm = checked_arm(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)))
    belief, x0 = history.belief_from(arm, [], []), np.empty(1)
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (history.replay_kernel, (belief, x0, x0)),
        (history.fit_kernel, (belief, x0)),
        (history.divergence_kernel, (belief, 0.5, x0, 0.5, x0)),
        (history.upper_bound_kernel, (belief, rule_for(TunedRadius(), arm), 0.0)),
    ]
    for kernel_, args in calls:
        assert key_for(kernel_.py_func, *args)


def key_for(function: Any, *args: Any) -> str:
    """The key of a kernel for arguments of these types."""
    typeof: Any = numba.typeof
    return reach.reached(function, {}, tuple(typeof(arg) for arg in args), ()).key

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.online.personal import leaves
from rogue_bandits.policies.d_ucb import DUCB
from rogue_bandits.policies.exp3s import Exp3S
from rogue_bandits.policies.rexp3 import Rexp3
from rogue_bandits.policies.sw_ucb import SWUCB
from rogue_bandits.policies.ucb1_tuned import UCB1Tuned
from rogue_bandits.types import Arm
from tests.policies.histories import TWO_ARMS, ask, begin

REFUSED = [
    (UCB1Tuned(reward_lo=1.0, reward_hi=1.0), "ucb1-tuned, reward_lo 1.0 must be below reward_hi 1.0"),
    (UCB1Tuned(reward_hi=math.inf), "ucb1-tuned, reward_hi inf must be a finite number"),
    (UCB1Tuned(reward_lo=math.nan), "ucb1-tuned, reward_lo nan must be a finite number"),
    (DUCB(gamma=0.0), "d-ucb, gamma 0.0 must be in (0, 1]"),
    (DUCB(gamma=math.nan), "d-ucb, gamma nan must be in (0, 1]"),
    (DUCB(upsilon=0.0), "d-ucb, upsilon 0.0 must be above 0 and finite"),
    (DUCB(upsilon=2000), "d-ucb, upsilon 2000 must be above 0 and at most the horizon 1000"),
    (DUCB(xi=-1.0), "d-ucb, xi -1.0 must be above 0 and finite"),
    (DUCB(horizon=0), "d-ucb, horizon 0 must be a whole number, 1 or more"),
    (DUCB(reward_lo=2.0), "d-ucb, reward_lo 2.0 must be below reward_hi 1.0"),
    (SWUCB(window=0), "sw-ucb, window 0 must be a whole number, 1 or more"),
    (SWUCB(window=2.5), "sw-ucb, window 2.5 must be a whole number, 1 or more"),  # type: ignore[arg-type]  # refused
    (SWUCB(upsilon=-1.0), "sw-ucb, upsilon -1.0 must be above 0 and finite"),
    (SWUCB(upsilon=math.inf), "sw-ucb, upsilon inf must be above 0 and finite"),
    (SWUCB(xi=math.inf), "sw-ucb, xi inf must be above 0 and finite"),
    (SWUCB(reward_hi=-1.0), "sw-ucb, reward_lo 0.0 must be below reward_hi -1.0"),
    (Exp3S(gamma=1.5), "exp3s, gamma 1.5 must be in (0, 1]"),
    (Exp3S(alpha=-0.1), "exp3s, alpha -0.1 must be in [0, 1]"),
    (Exp3S(alpha=math.nan), "exp3s, alpha nan must be in [0, 1]"),
    (Exp3S(horizon=-5), "exp3s, horizon -5 must be a whole number, 1 or more"),
    (Exp3S(horizon=math.inf), "exp3s, horizon inf must be a whole number"),  # type: ignore[arg-type]  # refused
    (Rexp3(variation=0.0), "rexp3, variation 0.0 must be above 0 and finite"),
    (Rexp3(batch=0), "rexp3, batch 0 must be a whole number, 1 or more"),
    (Rexp3(gamma=math.inf), "rexp3, gamma inf must be in (0, 1]"),
    (Rexp3(reward_lo=1.0, reward_hi=0.0), "rexp3, reward_lo 1.0 must be below reward_hi 0.0"),
]


@pytest.mark.parametrize(("policy", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_a_setting_out_of_range_is_refused_by_name(policy: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        begin(policy, TWO_ARMS, 1, 1000)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (DUCB(xi="1"), "d-ucb, xi '1' must be a number, not text: above 0 and finite"),  # type: ignore[arg-type]  # refused
        (DUCB(horizon="x"), "d-ucb, horizon 'x' must be a number"),  # type: ignore[arg-type]  # refused
        (Exp3S(alpha="x"), "exp3s, alpha 'x' must be a number, not text: in [0, 1]"),  # type: ignore[arg-type]  # refused
        (UCB1Tuned(reward_lo="x"), "ucb1-tuned, reward_lo 'x' must be a number"),  # type: ignore[arg-type]  # refused
    ],
)
def test_a_text_is_no_number(policy: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        begin(policy, TWO_ARMS, 1, 1000)


UNBOUNDED = [Arm(ClippedAffine(0.6, -1.0, 0.5), Gaussian(1.0, 1.0, sd=1.0))]


@pytest.mark.parametrize("kind", [UCB1Tuned, DUCB, SWUCB, Exp3S, Rexp3])
def test_bounds_of_rewards_are_those_of_the_family(kind: Any) -> None:
    assert begin(kind(), TWO_ARMS, 1, 100).shared.bounds == (0.0, 1.0)
    assert begin(kind(reward_lo=-2.0, reward_hi=5.0), UNBOUNDED, 1, 100).shared.bounds == (-2.0, 5.0)


@pytest.mark.parametrize("kind", [UCB1Tuned, DUCB, SWUCB, Exp3S, Rexp3])
def test_rewards_without_bounds_need_them_given(kind: Any) -> None:
    for policy in (kind(), kind(reward_lo=0.0), kind(reward_hi=1.0)):
        with pytest.raises(ValueError, match="needs reward_lo and reward_hi: Gaussian rewards have no bounds"):
            begin(policy, UNBOUNDED, 1, 100)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (DUCB(upsilon=5), "d-ucb needs a horizon or a gamma: DUCB(horizon=1000)"),
        (SWUCB(), "sw-ucb needs a horizon or a window: SWUCB(horizon=1000)"),
        (Exp3S(gamma=0.1), "exp3s needs a horizon or both gamma and alpha: Exp3S(horizon=1000)"),
        (Exp3S(alpha=0.1), "exp3s needs a horizon or both gamma and alpha: Exp3S(horizon=1000)"),
        (Rexp3(gamma=0.1), "rexp3 needs a horizon or a batch: Rexp3(horizon=1000)"),
    ],
)
def test_without_an_end_a_horizon_is_asked_for(policy: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        begin(policy, TWO_ARMS, 1, None)


@pytest.mark.parametrize(
    "policy", [DUCB(gamma=0.9), SWUCB(window=9), Exp3S(gamma=0.1, alpha=0.1), Rexp3(batch=9), Exp3S(horizon=9)]
)
def test_without_an_end_the_numbers_themselves_will_do(policy: Any) -> None:
    assert ask(begin(policy, TWO_ARMS, 1, None), 0, 0, np.array([True, True]), 0.2) == (0, 0.5)


@pytest.mark.parametrize("policy", [DUCB, SWUCB, Exp3S, Rexp3])
def test_a_policys_own_horizon_goes_before_that_of_the_run(policy: Any) -> None:
    own = begin(policy(horizon=300), TWO_ARMS, 1, 7)
    given = begin(policy(), TWO_ARMS, 1, 300)
    assert own.shared == given.shared


@pytest.mark.parametrize("horizon", [1, 2, 10**12])
@pytest.mark.parametrize("arms", [1, 2])
@pytest.mark.parametrize("policy", [DUCB(), SWUCB(), Exp3S(), Rexp3()])
def test_any_horizon_and_a_single_arm_have_settings(policy: Any, arms: int, horizon: int) -> None:
    state = begin(policy, TWO_ARMS[:arms], 1, horizon)
    assert all(np.isfinite(leaf).all() for leaf in leaves(state))
    assert ask(state, 0, 0, np.ones(arms, dtype=np.bool_), 0.0) == (0, 1.0 / arms)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rogue_bandits.policies.random import Random
from tests.policies.histories import THREE_ARMS, Run, Script, begin, both_ways, decided, eventful


@both_ways
def test_each_available_arm_has_an_equal_part_of_the_uniforms(follow: Callable[[Any, int, Script], Run]) -> None:
    script = eventful(200, arms=3, seed=1, binary=True)
    run = follow(begin(Random(), THREE_ARMS, 1, None), 0, script)
    for t in decided(script):
        allowed = np.flatnonzero(script.available[t])
        assert run.arm[t] == allowed[int(script.uniforms[t, 0] * len(allowed))]
        assert run.probability[t] == 1.0 / len(allowed)

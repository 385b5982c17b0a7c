"""UCB1 of other libraries, two arms: choose and update, as their users call them. They need no model of the rewards."""

from __future__ import annotations

import numpy as np
from pymab.policies.ucb import UCBPolicy
from river import bandit

from benchmarks.measure import Task, clock

ARMS = [0, 1]


def coins(decisions: int) -> list[float]:
    """Rewards of 0 and 1, drawn beforehand: their cost is not counted."""
    return [float(r) for r in np.random.default_rng(1).random(decisions) < 0.6]


def river_ucb(decisions: int) -> Task:
    """river: `pull` and `update`; a delta of 1 makes it UCB1."""

    def run() -> float:
        policy, rewards = bandit.UCB(delta=1, seed=1), coins(decisions)
        begin = clock()
        for reward in rewards:
            arm = policy.pull(ARMS)
            policy.update(arm, reward)
        return (clock() - begin) / decisions

    return run


def pymab_ucb(decisions: int) -> Task:
    """PyMAB: `select_action` and `update`."""

    def run() -> float:
        policy, random, rewards = UCBPolicy(n_arms=len(ARMS)), np.random.default_rng(1), coins(decisions)
        begin = clock()
        for reward in rewards:
            arm = policy.select_action(rng=random)
            policy.update(action=arm, reward=reward)
        return (clock() - begin) / decisions

    return run

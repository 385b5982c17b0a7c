"""`Bandit.choose`, `update` and `from_bytes`, one person, called from Python."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import clock
from rogue_bandits import Bandit, TunedRogueUCB
from rogue_bandits.types import Truth, draw, next_state

SETTLED = 400  # decisions after which the arms have forgotten their first states
RESTORED = 200  # times


def restored(truth: Truth) -> float:
    """Seconds for a `from_bytes` of a settled bandit."""
    snapshot = settled(truth).to_bytes()
    begin = clock()
    for _ in range(RESTORED):
        Bandit.from_bytes(snapshot, truth.arms, TunedRogueUCB())
    return (clock() - begin) / RESTORED


def settled(truth: Truth) -> Bandit:
    """A bandit after many decisions whose rewards, whatever it played, are 0 and 1 in turn."""
    bandit = Bandit(truth.arms, TunedRogueUCB(), seed=7)
    for t in range(SETTLED):
        bandit.update(bandit.choose(), float(t % 2))
    return bandit


def from_python(truth: Truth, decisions: int) -> float:
    """Seconds for a `choose` and its `update`, on average over the first decisions of a bandit."""
    bandit = Bandit(truth.arms, TunedRogueUCB(), seed=7)
    x, spent = list(truth.x0), 0.0
    for u in np.random.default_rng(1).random(decisions):
        begin = clock()
        decision = bandit.choose()
        spent += clock() - begin

        reward = draw(truth.arms[decision.arm].rewards, truth.theta[decision.arm], x[decision.arm], float(u))
        x = [next_state(arm.dynamics, x[k], float(k == decision.arm)) for k, arm in enumerate(truth.arms)]

        begin = clock()
        bandit.update(decision, reward)
        spent += clock() - begin
    return spent / decisions

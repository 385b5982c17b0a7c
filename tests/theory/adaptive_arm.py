"""An arm whose plays depend on its own rewards, with every sequence of rewards enumerated."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import rogue_bandits as rb
from rogue_bandits.types import kl, loglik, next_state

Point = tuple[float, float]


class Reward(NamedTuple):
    """One play: its decision and its reward."""

    decision: int
    reward: float


class Path(NamedTuple):
    """One sequence of rewards, and its probability."""

    plays: list[Reward]
    probability: float


def paths(arm: rb.Arm, truth: Point, n: int) -> list[Path]:
    """All paths of n rewards of 0 or 1. The arm is played again at once after a 1, and after two rests after a 0."""
    found = []
    for rewards in product((0.0, 1.0), repeat=n):
        decision, plays = 0, []
        for r in rewards:
            plays.append(Reward(decision, r))
            decision += 1 if r == 1.0 else 3
        states = trajectory(arm, plays, truth[1])
        log_p = sum(loglik(arm.rewards, truth[0], x, p.reward) for x, p in zip(states, plays, strict=True))
        found.append(Path(plays, math.exp(log_p)))
    return found


def trajectory(arm: rb.Arm, plays: list[Reward], x0: float) -> list[float]:
    """The states of the arm at its plays."""
    at, x, states = {p.decision for p in plays}, x0, []
    for t in range(plays[-1].decision + 1):
        if t in at:
            states.append(x)
        x = next_state(arm.dynamics, x, float(t in at))
    return states


def divergences_and_ratios(arm: rb.Arm, plays: list[Reward], truth: Point, point: Point) -> tuple[float, float]:
    """The mean divergence from the truth to a point over the plays, and the mean log-likelihood ratio."""
    f, n, divergence, ratio = arm.rewards, len(plays), 0.0, 0.0
    own, other = trajectory(arm, plays, truth[1]), trajectory(arm, plays, point[1])
    for p, x, x2 in zip(plays, own, other, strict=True):
        divergence += kl(f, truth[0], x, point[0], x2) / n
        ratio += (loglik(f, truth[0], x, p.reward) - loglik(f, point[0], x2, p.reward)) / n
    return divergence, ratio


def deviation(arm: rb.Arm, plays: list[Reward], truth: Point, point: Point) -> float:
    """The mean divergence less the mean log-likelihood ratio: the martingale of docs/theory.md over n."""
    divergence, ratio = divergences_and_ratios(arm, plays, truth, point)
    return divergence - ratio

"""What a decision costs: each policy beside other libraries, late decisions beside early ones, the naive method."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from benchmarks.crowd import drive, gather, uniforms
from benchmarks.measure import Costs, Ratio, Task, computing, growth_of, in_rounds, ratio_of
from benchmarks.naive import naive_choose
from benchmarks.online import from_python
from benchmarks.results import Naive
from benchmarks.truths import LOGISTIC
from rogue_bandits import POLICIES, LikelihoodRatioRadius, RogueUCB, TunedRogueUCB, simulate

HORIZON = 20_000
PEOPLE = 4
ONLINE_DECISIONS = 2_000

RIVER, PYMAB = "river, UCB1", "PyMAB, UCB1"
OURS, CORRECTED = "tuned-rogue-ucb", "tuned-rogue-ucb-corrected"
LIKELIHOOD = "rogue-ucb, likelihood ratio"


def every_policy(rounds: int) -> dict[str, Costs]:
    """Seconds a decision of each policy in `simulate` (rewards drawn included), and of other libraries beside them."""
    from benchmarks.others import pymab_ucb, river_ucb  # the extra `bench`, which no other part needs

    ours = {name: policy() for name, policy in POLICIES.items()}
    ours[LIKELIHOOD] = RogueUCB(radius=LikelihoodRatioRadius())
    tasks: dict[str, Task] = {RIVER: river_ucb(HORIZON), PYMAB: pymab_ucb(HORIZON)}
    tasks |= {name: simulated(policy) for name, policy in ours.items()}
    tasks[f"{OURS}, Bandit from Python"] = lambda: from_python(LOGISTIC, ONLINE_DECISIONS)
    return in_rounds(tasks, rounds)


def simulated(policy: Any) -> Task:
    """One worker, the paper's logistic truth."""
    return lambda: computing(lambda: simulate(LOGISTIC, policy, HORIZON, PEOPLE, seed=1)) / (HORIZON * PEOPLE)


def late_against_early(policy: Any, rounds: int, people: int = 64, stretch: int = 1_000) -> Ratio:
    """Decisions 19,001–20,000 against 1,001–2,000 of the same people, again and again in turn."""
    random = np.random.default_rng(1)
    crowd = gather(LOGISTIC, policy, people, HORIZON)
    kept = {}
    for first in range(0, HORIZON, stretch):
        u = uniforms(random, people, stretch)
        if first in (stretch, HORIZON - stretch):
            kept[first] = deepcopy(crowd), u
        crowd = drive(crowd, first, u)

    def once_more(first: int) -> Task:
        def run() -> float:
            then, u = deepcopy(kept[first])
            return computing(lambda: drive(then, first, u)) / (people * stretch)

        return run

    costs = in_rounds({str(first): once_more(first) for first in kept}, rounds)
    return ratio_of(costs[str(HORIZON - stretch)], costs[str(stretch)])


def naive_growth(ours: float, longest: int, repeats: int) -> Naive:
    """What the naive method asks for a decision after 100, 200, … decisions, and what 20,000 of them would take."""
    trace = simulate(LOGISTIC, TunedRogueUCB(), longest, seed=1)
    lengths = tuple(range(100, longest + 1, 100))

    def after(t: int) -> Task:
        chosen, rewards = trace.arm[0, :t].tolist(), trace.reward[0, :t].tolist()
        return lambda: computing(lambda: naive_choose(LOGISTIC.arms, chosen, rewards))

    costs = in_rounds({str(t): after(t) for t in lengths}, repeats)
    cost = tuple(costs[str(t)].best for t in lengths)
    return Naive(lengths, cost, growth_of(lengths, cost), HORIZON, ours)

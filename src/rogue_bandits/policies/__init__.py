"""Policies: one file each, and the registry of all of them by id.

registry.py          POLICIES, by id; recommended.py: which to use

ROGUE policies:
rogue.py             what they share: a belief about every arm
rogue_ucb.py         RogueUCB, TunedRogueUCB; likelihood_ucb.py: with a likelihood-ratio radius
epsilon_rogue.py     EpsilonRogue
thompson.py          Thompson sampling: one draw, and the best arm for it
rogue_ts.py          RogueTS; index_ts.py: IndexTS; plan_ts.py: PlanTS
plan_ucb.py          PlanUCB
learned.py           the same with unknown dynamics
curves.py, steps.py  the same with unknown curves; curve_values.py: means and bounds on them

Probabilities of Thompson sampling:
value_thompson.py    where each arm has a value at the draw
value_law.py         its distribution, tabulated; value_cdf.py: its distribution function
winning.py           the probability of the largest value; value_sweep.py: with many kinks

Baselines:
random.py, round_robin.py, ucb1_tuned.py, d_ucb.py, sw_ucb.py
exp3s.py, rexp3.py   their laws are in exp3.py
fewa.py, wswa.py     for rotting arms; reward_sums.py: sums over the latest rewards
rgp.py               RGPUCB and RGPTS, for recovering arms

bounded.py           Bounded: every arm has at least a given probability
settings.py          settings that several policies share
ties.py              the best arm, and one at random among equals
explain.py           estimates for people to read; contradicted.py: arms whose rewards contradict the model
plain.py             arms, truths and policies as JSON
trial.py             tries a policy of user code before it is compiled
"""

from __future__ import annotations

from rogue_bandits.policies.bounded import Bounded
from rogue_bandits.policies.d_ucb import DUCB
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.policies.exp3s import Exp3S
from rogue_bandits.policies.fewa import FEWA
from rogue_bandits.policies.index_ts import IndexTS
from rogue_bandits.policies.plan_ts import PlanTS
from rogue_bandits.policies.plan_ucb import PlanUCB
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.registry import NEIGHBOURS, POLICIES
from rogue_bandits.policies.rexp3 import Rexp3
from rogue_bandits.policies.rgp import RGPTS, RGPUCB
from rogue_bandits.policies.rogue_ts import RogueTS
from rogue_bandits.policies.rogue_ucb import RogueUCB, TunedRogueUCB
from rogue_bandits.policies.round_robin import RoundRobin
from rogue_bandits.policies.sw_ucb import SWUCB
from rogue_bandits.policies.ucb1_tuned import UCB1Tuned
from rogue_bandits.policies.wswa import WSWA

__all__ = [
    "DUCB", "FEWA", "NEIGHBOURS", "POLICIES", "RGPTS", "RGPUCB", "SWUCB", "WSWA", "Bounded", "EpsilonRogue", "Exp3S",
    "IndexTS", "PlanTS", "PlanUCB", "Random", "Rexp3", "RogueTS", "RogueUCB", "RoundRobin", "TunedRogueUCB",
    "UCB1Tuned",
]  # fmt: skip

"""Policies: one file each, and the registry of all of them by id."""

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

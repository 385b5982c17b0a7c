"""The registry of policies. A new policy is one file in this folder and one entry in `POLICIES`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rogue_bandits.policies.d_ucb import DUCB
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.policies.exp3s import Exp3S
from rogue_bandits.policies.fewa import FEWA
from rogue_bandits.policies.index_ts import IndexTS
from rogue_bandits.policies.plan_ts import PlanTS
from rogue_bandits.policies.plan_ucb import PlanUCB
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.rexp3 import Rexp3
from rogue_bandits.policies.rgp import RGPTS, RGPUCB
from rogue_bandits.policies.rogue_ts import RogueTS
from rogue_bandits.policies.rogue_ucb import RogueUCB, TunedRogueUCB
from rogue_bandits.policies.round_robin import RoundRobin
from rogue_bandits.policies.sw_ucb import SWUCB
from rogue_bandits.policies.ucb1_tuned import UCB1Tuned
from rogue_bandits.policies.wswa import WSWA
from rogue_bandits.wording import unknown


class PolicySpec(NamedTuple):
    """How a policy is made, and how tables and figures present it. Calling the spec makes the policy.

    >>> POLICIES["tuned-rogue-ucb-corrected"](eta=0.5)
    TunedRogueUCB(eta=0.5, variant='corrected')
    """

    label: str
    policy_class: Any
    about: str  # one sentence that needs no knowledge of bandits
    is_rogue: bool = False  # its state is of the kind `policies.rogue.Rogue`: it has a belief about every arm
    variant: Mapping[str, Any] = {}  # arguments that distinguish this entry from others of the same class

    def __call__(self, **settings: Any) -> Any:
        """Make the policy; settings that are not given have their defaults."""
        return self.policy_class(**{**self.variant, **settings})

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of the settings that the policy takes."""
        return tuple(self.policy_class._fields)


POLICIES: dict[str, PolicySpec] = {
    "plan-ts": PolicySpec(
        "Plan-TS", PlanTS, is_rogue=True,
        about="Knows how arms wear out and recover, guesses each arm's unknown numbers as likely as its rewards make "
        "them, and plays the first arm of a plan that is best for the guess.",
    ),
    "index-ts": PolicySpec(
        "Index-TS", IndexTS, is_rogue=True,
        about="Guesses as Plan-TS does, and plays the arm for which playing now is worth most, given how it wears out "
        "and recovers (the Whittle index).",
    ),
    "plan-ucb": PolicySpec(
        "Plan-UCB", PlanUCB, is_rogue=True,
        about="Takes the most favourable numbers that are still likely for each arm, and plays the first arm of a plan "
        "that is best for them.",
    ),
    "rogue-ts": PolicySpec(
        "ROGUE-TS", RogueTS, is_rogue=True,
        about="Guesses as Plan-TS does, and plays the arm with the largest expected reward now, without a plan.",
    ),
    "tuned-rogue-ucb": PolicySpec(
        "Tuned ROGUE-UCB", TunedRogueUCB, is_rogue=True,
        about="Knows how arms wear out and recover, estimates each arm's unknown numbers from its rewards, and plays "
        "the arm whose reward may be largest, given how uncertain the estimates are (the paper's formula).",
    ),
    "tuned-rogue-ucb-corrected": PolicySpec(
        "Tuned ROGUE-UCB (corrected)", TunedRogueUCB, is_rogue=True, variant={"variant": "corrected"},
        about="Tuned ROGUE-UCB with an error in the paper's formula corrected, so that it explores more early on.",
    ),
    "epsilon-rogue": PolicySpec(
        "ε-ROGUE", EpsilonRogue, is_rogue=True,
        about="Knows how arms wear out and recover and plays the arm with the largest estimated reward, except for a "
        "random arm with probability 1/t at decision t.",
    ),
    "rogue-ucb": PolicySpec(
        "ROGUE-UCB", RogueUCB, is_rogue=True,
        about="Tuned ROGUE-UCB with the confidence radius of the paper's theorem, which is so wide that it explores "
        "far longer.",
    ),
    "random": PolicySpec("Random", Random, about="Plays every arm with the same probability and learns nothing."),
    "round-robin": PolicySpec("Round robin", RoundRobin, about="Plays the arms in turn and learns nothing."),
    "ucb1-tuned": PolicySpec("UCB1-Tuned", UCB1Tuned, about="Assumes that arms never change."),
    "d-ucb": PolicySpec("D-UCB", DUCB, about="Gives older rewards less weight."),
    "sw-ucb": PolicySpec("SW-UCB", SWUCB, about="Uses only the latest rewards."),
    "exp3s": PolicySpec("EXP3.S", Exp3S, about="Makes no assumption about how arms change."),
    "rexp3": PolicySpec("REXP3", Rexp3, about="Like EXP3.S, but starts afresh every few decisions."),
}  # fmt: skip
# Policies of the literature for recovering and rotting arms: baselines of `rb.scenarios`.
NEIGHBOURS: dict[str, PolicySpec] = {
    "rgp-ucb": PolicySpec(
        "1RGP-UCB", RGPUCB, about="Plays the arm whose reward may be largest after its present rest."
    ),
    "rgp-ts": PolicySpec("RGP-TS", RGPTS, about="Guesses how arms recover, and plays the best few arms for the guess."),
    "fewa": PolicySpec("FEWA", FEWA, about="Compares the latest 1, 2, 3, … rewards of arms that only get worse."),
    "wswa": PolicySpec(
        "wSWA", WSWA, about="Compares the latest rewards of arms that only get worse, and starts afresh."
    ),
}
ROGUE_POLICIES = tuple(name for name, spec in POLICIES.items() if spec.is_rogue)


def checked_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Return the ids in their order without repetitions; an unknown one raises a ValueError with the nearest id.

    >>> checked_ids(["random", "d-ucb", "random"])
    ('random', 'd-ucb')
    >>> checked_ids(["randon"])
    Traceback (most recent call last):
    ValueError: policy 'randon' is unknown, did you mean 'random'? There are: plan-ts, ...
    """
    once = tuple(dict.fromkeys(ids))
    for name in once:
        if name not in POLICIES:
            raise ValueError(unknown("policy", name, POLICIES))
    if not once:
        raise ValueError(f"no policy is given. There are: {', '.join(POLICIES)}")
    return once

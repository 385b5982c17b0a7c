"""Policies: one file each, and the registry of all of them by id, which says in which file each one is.

registry.py          POLICIES and NEIGHBOURS, by id; recommended.py: which to use
bounded.py           Bounded, around another policy: every arm has at least a given probability

The ROGUE policies have a belief about every arm, and share:
rogue.py             Rogue, the kind of their states: `play` and `learn`
likelihood_ucb.py    RogueUCB with a likelihood-ratio radius
thompson.py          Thompson, the kind of those that play the best arm for a draw from the posterior
value_thompson.py    ValueThompson, the kind of those where each arm has a value at the draw
value_law.py         the distribution of this value, tabulated; value_cdf.py: its distribution function
winning.py           the probability of the largest value; value_sweep.py: with many kinks
learned.py           the same policies with unknown dynamics
curves.py, steps.py  the same with unknown curves; curve_values.py: means and bounds on them

Baselines share:
exp3.py              the laws of Exp3S and Rexp3
reward_sums.py       sums over the latest rewards

For all of them:
settings.py          settings that several policies share
ties.py              the best arm, and one at random among equals
explain.py           estimates for people to read; contradicted.py: arms whose rewards contradict the model
plain.py             arms, truths and policies as JSON
trial.py             tries a policy of user code before it is compiled
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rogue_bandits.policies.registry import NEIGHBOURS, POLICIES

__all__ = ["NEIGHBOURS", "POLICIES"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return the class of a policy of the registry: `rogue_bandits.policies.DUCB` is a path of version 0.1.0."""
        for spec in (*POLICIES.values(), *NEIGHBOURS.values()):
            if spec.policy_class.__name__ == name:
                return spec.policy_class
        raise AttributeError(f"module 'rogue_bandits.policies' has no attribute {name!r}")

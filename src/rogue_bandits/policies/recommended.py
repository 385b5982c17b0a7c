"""The policy to use for given arms, by a table of problems drawn at random (docs/policies.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rogue_bandits.belief.bank.evidence import are_unknown, start_bank
from rogue_bandits.belief.posterior import posterior_fault
from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.rewards.tabulated import have_curves
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.planning.grid import grid_fault
from rogue_bandits.planning.whittle import index_fault
from rogue_bandits.policies.bounded import Bounded
from rogue_bandits.policies.index_ts import IndexTS
from rogue_bandits.policies.plan_ts import PlanTS
from rogue_bandits.policies.plan_ucb import PlanUCB
from rogue_bandits.policies.rogue_ucb import TunedRogueUCB
from rogue_bandits.types import Arm, Problem

LEAST = 0.1
SHORT = 500  # decisions, below which sampling is best most often


def recommended(arms: Sequence[Arm], horizon: int | None = None, randomised: bool = False) -> Any:
    """Return the policy that was best most often on arms like these; `randomised`: one with known probabilities.

    That is `PlanUCB`, which is deterministic but for ties, and over fewer than 500 decisions `PlanTS`. A trial that
    is to be analysed needs randomised choices: `PlanTS`, which is nearly as good at any horizon. Arms that do not
    wear out when played have no `PlanUCB`, and get `PlanTS`; arms without a posterior get `TunedRogueUCB`, which
    works for all. Arms with unknown dynamics get `IndexTS`, those with an unknown curve `PlanUCB` or `PlanTS`. The
    first two of these hardly randomise, and get the limits of `Bounded` if `randomised`.

    >>> import rogue_bandits as rb
    >>> walk = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> recommended([walk, walk]), recommended([walk, walk], randomised=True)
    (PlanUCB(beta=0.5), PlanTS(depth=4))
    >>> grows = walk._replace(dynamics=rb.ClippedAffine(decay=0.6, pull=0.2, drift=0.1))
    >>> recommended([grows, grows])
    PlanTS(depth=4)
    >>> recommended([walk._replace(rewards=rb.BernoulliProbit(0.4, 0.6))] * 2)
    TunedRogueUCB(eta=None, variant='paper')
    >>> recommended([walk._replace(dynamics=rb.Unknown())] * 2)
    IndexTS()
    >>> recommended([walk._replace(dynamics=rb.Unknown())] * 2, randomised=True)
    Bounded(policy=IndexTS(), least=0.1)
    """
    checked, decisions = checked_arms(arms), None if horizon is None else checked_whole(horizon, "horizon", 1)
    if are_unknown(checked):
        start_bank("recommended", Problem(tuple(checked)), 1)  # raises where they cannot be learned
        return limited(IndexTS(), len(checked)) if randomised else IndexTS()
    if have_curves(checked):
        return PlanTS() if randomised else PlanUCB()
    if any(posterior_fault(arm) is not None for arm in checked) or grid_fault(checked) is not None:
        return limited(TunedRogueUCB(), len(checked)) if randomised else TunedRogueUCB()
    short = decisions is not None and decisions < SHORT
    return PlanTS() if randomised or short or index_fault(checked) is not None else PlanUCB()


def limited(policy: Any, arms: int) -> Bounded:
    """Return a policy by which every arm has a probability of 0.1 or more; of half an equal share, if arms are many."""
    return Bounded(policy, min(LEAST, 0.5 / arms))

"""Draws of all arms over the rungs that each may be, by their probabilities: Bayesian model averaging.

The chosen rung of an arm is what is claimed of it: a larger one must be clearly better. What to send next depends on
all that the data leave open. An arm that is called constant, as its loss is not clear, may well wear out. Draw j of
every arm is one draw of all arms together, and has a rung of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from rogue_bandits.estimate.ladder.arm import DrawnArm
from rogue_bandits.estimate.ladder.arms_together import arms_together
from rogue_bandits.estimate.ladder.people_draws import PeopleDraws, draws_of, joined
from rogue_bandits.estimate.ladder.posterior import DRAWS, SEED, draw_posterior
from rogue_bandits.estimate.ladder.summary import rewards_at
from rogue_bandits.types import Floats

NEGLIGIBLE = 0.02  # probability of a rung that is left out
MOST_SETS = 12  # of rungs of all arms: the most probable ones
FEWEST_DRAWS = 200  # from which the likelihoods of levels are computed, however few of them are kept
CONCENTRATION = 2.0  # of the prior over rungs that arms have in common: as if it had been seen so many times
SWEEPS = 20  # of Gibbs sampling
RungSet = tuple[str, ...]  # of each arm


def averaged(arms: Sequence[DrawnArm], chosen: Sequence[DrawnArm], silence: bool = False) -> list[PeopleDraws]:
    """Return draws of all arms over their rungs; `silence` says whether the last of them is silence.

    `arms` were fitted one by one, and `chosen` are these with the levels that rest on the rewards of all.
    """
    rng = np.random.default_rng([SEED, len(arms)])
    found: list[list[PeopleDraws]] = [[] for _ in arms]
    for rungs, draws in drawn_sets(arms, rng).items():
        every = chosen
        if rungs != tuple(arm.ladder.chosen.rung for arm in chosen):
            every = of_rungs(arms, rungs, max(draws, FEWEST_DRAWS), silence)
        kept = rng.permutation(every[0].posterior.half_life.size)[:draws]
        for one, arm in zip(found, every, strict=True):
            _, worn, _, now = rewards_at(arm.posterior, arm.panel, arm.task)
            one.append(draws_of(arm.posterior, arm.panel, now, worn).at(kept))
    order = rng.permutation(DRAWS)
    return [joined(one).at(order) for one in found]


def of_rungs(arms: Sequence[DrawnArm], rungs: RungSet, draws: int, silence: bool) -> list[DrawnArm]:
    """Return the arms, estimated together, with other rungs than those that were chosen."""
    return arms_together([with_rung(arm, rung, draws) for arm, rung in zip(arms, rungs, strict=True)], silence)


def with_rung(arm: DrawnArm, rung: str, draws: int) -> DrawnArm:
    """Return an arm with draws from the posterior of another rung."""
    fit, panel, _ = arm.rungs[rung]
    posterior = draw_posterior(fit, panel, arm.task.seed, draws)
    return arm._replace(ladder=arm.ladder._replace(chosen=fit.candidate), panel=panel, posterior=posterior)


def drawn_sets(arms: Sequence[DrawnArm], rng: np.random.Generator) -> dict[RungSet, int]:
    """Return how many draws there are of each set of rungs, in all DRAWS of the most probable sets."""
    names = list(dict.fromkeys(rung for arm in arms for rung in arm.rungs))
    share = np.array([[arm.rungs[name].share if name in arm.rungs else 0.0 for name in names] for arm in arms])
    share = np.where(share < NEGLIGIBLE, 0.0, share)
    drawn = drawn_rungs(share / share.sum(1, keepdims=True), DRAWS, rng)
    counts = Counter(tuple(names[k] for k in row) for row in drawn.tolist()).most_common(MOST_SETS)
    likely = np.array([n for _, n in counts])
    times = likely + rng.multinomial(DRAWS - likely.sum(), likely / likely.sum())
    return {rungs: int(n) for (rungs, _), n in zip(counts, times, strict=True)}


def drawn_rungs(share: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Return rungs [draws, arms], given the probabilities [arms, rungs] of each arm by itself.

    How common each rung is among arms such as these is not known, and has a Dirichlet prior: an arm is more likely to
    wear out if others do. Gibbs sampling, for all draws at once.
    """
    arms, rungs = share.shape
    found = np.array([rng.choice(rungs, size=draws, p=one) for one in share]).T
    every = np.arange(rungs)
    for k in [*range(arms)] * SWEEPS if arms > 1 else []:
        others = (np.delete(found, k, axis=1)[..., None] == every).sum(1)
        weight = share[k] * (CONCENTRATION / rungs + others)
        ends = np.cumsum(weight, axis=1)
        found[:, k] = (rng.random((draws, 1)) * ends[:, -1:] > ends).sum(1)
    return found

"""Which pooling predicts better? Rewards are held out in turn and predicted by what the others say."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.compile.laws import kernel
from rogue_bandits.estimate.given import fit_given
from rogue_bandits.estimate.pooling import best_shared, crowd_of
from rogue_bandits.estimate.record import Record
from rogue_bandits.estimate.search import best_way
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.simulation.simulate import Progress
from rogue_bandits.types import Bools, Floats, loglik, next_state

FOLDS = 5
SEED = 20_240_501  # of the folds: the same for all, so that a verdict can be had again
Records = Mapping[str, Mapping[str, Record]]  # by person, by arm


def better_pool(records: Records, workers: int = 1, progress: Progress | None = None) -> tuple[str, dict[str, float]]:
    """The pooling that predicts held-out rewards better, and how well each does; nobody is fitted for good.

    `progress` is called with the number of fits just made, of `fits_to_compare` in all.
    """
    predicts = cross_validate(records, workers, progress)
    # At a tie what people share: it has fewer unknowns.
    return "person" if predicts["person"] > predicts["arm"] else "arm", predicts


def fits_to_compare(records: Records) -> int:
    """How many fits of one person and arm it takes to compare the poolings: each fold, either way."""
    return 2 * FOLDS * sum(len(arms) for arms in records.values())


def cross_validate(records: Records, workers: int = 1, progress: Progress | None = None) -> dict[str, float]:
    """The mean log-likelihood of a held-out reward under each pooling; plays stay known, only the reward is hidden.

    >>> wears_out = Record(np.ones(8), 0.75 ** np.arange(8.0))
    >>> sorted(cross_validate({"ann": {"walk": wears_out}, "bob": {"walk": wears_out}}))
    ['arm', 'person']
    """
    by_arm = arms_of(records)
    tasks = [(people, fold) for people in by_arm.values() for fold in range(FOLDS)]
    shared = Parallel(n_jobs=workers, require="sharedmem")(
        delayed(predicted_shared)(people, fold, progress) for people, fold in tasks
    )
    own = Parallel(n_jobs=workers, require="sharedmem")(
        delayed(predicted_own)(people, fold, progress) for people, fold in tasks
    )
    n = sum(record.seen().size for people in by_arm.values() for record in people)
    return {"person": float(sum(own)) / n, "arm": float(sum(shared)) / n}


def arms_of(records: Records) -> dict[str, list[Record]]:
    """The records of each arm, person by person."""
    by_arm: dict[str, list[Record]] = {}
    for arms in records.values():
        for arm, record in arms.items():
            by_arm.setdefault(arm, []).append(record)
    return by_arm


def predicted_shared(people: list[Record], fold: int, progress: Progress | None) -> float:
    """Σ log-likelihood of what a fold holds out, with dynamics that the people of an arm share."""
    hidden = [held_out(record)[fold] for record in people]
    rest = [without(record, hide) for record, hide in zip(people, hidden, strict=True)]
    d = best_shared(crowd_of(rest))
    total = sum(predicted(d, *both) for both in zip(people, rest, hidden, strict=True))
    if progress is not None:
        progress(len(people))
    return total


def predicted_own(people: list[Record], fold: int, progress: Progress | None) -> float:
    """Σ log-likelihood of what a fold holds out, with dynamics of their own for each person."""
    total = 0.0
    for record in people:
        hide = held_out(record)[fold]
        rest = without(record, hide)
        total += predicted(best_way(rest)[0].dynamics(), record, rest, hide)
        if progress is not None:
            progress(1)
    return total


def held_out(record: Record) -> list[Bools]:
    """Which decisions' rewards each fold hides: all in turn, as evenly as their number allows.

    >>> [int(fold.sum()) for fold in held_out(Record(np.ones(7), np.full(7, 0.5)))]
    [2, 2, 1, 1, 1]
    """
    seen = np.flatnonzero(~np.isnan(record.rewards))
    order = np.random.default_rng(SEED).permutation(seen)
    folds = [np.zeros(record.rewards.size, dtype=np.bool_) for _ in range(FOLDS)]
    for i, t in enumerate(order):
        folds[i % FOLDS][t] = True
    return folds


def without(record: Record, hidden: Bools) -> Record:
    """The record as it would be without the hidden rewards."""
    return Record(record.played, np.where(hidden, np.nan, record.rewards))


def predicted(d: ClippedAffine, record: Record, rest: Record, hidden: Bools) -> float:
    """Σ log-likelihood of the hidden rewards at these dynamics, with the x0 and theta that the rest make likely."""
    fit = fit_given(d, rest)
    return predict(d, fit.theta, fit.x0, record.played, np.where(hidden, record.rewards, np.nan))


@kernel
def predict(d: ClippedAffine, theta: float, x0: float, played: Floats, rewards: Floats) -> float:
    """Σ loglik along the trajectory from x0."""
    x, total = x0, 0.0
    for t in range(played.size):
        if not np.isnan(rewards[t]):
            total += loglik(LaplaceAgent(), theta, x, rewards[t])
        x = next_state(d, x, played[t])
    return total

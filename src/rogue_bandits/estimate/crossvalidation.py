"""Cross-validation of the ways of pooling: rewards are held out in turn and predicted from the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.compile.laws import kernel
from rogue_bandits.estimate.families.contract import Model, seen_states, with_noise
from rogue_bandits.estimate.history import Record, Records
from rogue_bandits.estimate.search import SHARED, best_unknowns, dynamics_of, fit_given
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.simulation.simulate import Progress
from rogue_bandits.types import Bools, Floats, loglik, mean, next_state

FOLDS = 5
SEED = 20_240_501  # of the folds: fixed, so that the result can be reproduced


def better_pool(
    model: Model, records: Records, workers: int = 1, progress: Progress | None = None
) -> tuple[str, dict[str, float]]:
    """Return the pooling that predicts held-out rewards better, and the mean log-likelihood of one under each.

    `progress` is called with the number of fits just made, of `fits_to_compare` in all.

    >>> from rogue_bandits.estimate.families import model_for
    >>> wears_out = Record(np.ones(8), 0.75 ** np.arange(8.0))
    >>> people = {"ann": {"walk": wears_out}, "bob": {"walk": wears_out}}
    >>> sorted(better_pool(model_for("agent", wears_out.rewards), people)[1])
    ['arm', 'person']
    """
    by_arm = arms_of(records)
    groups = {
        "arm": list(by_arm.values()),
        "person": [[record] for people in by_arm.values() for record in people],
    }
    n = sum(record.seen().size for people in by_arm.values() for record in people)
    predicts = {}
    for pool, shared in groups.items():
        found = Parallel(n_jobs=workers, require="sharedmem")(
            delayed(predicted)(model, people, fold, progress) for people in shared for fold in range(FOLDS)
        )
        predicts[pool] = float(sum(found)) / n
    # At a tie, shared dynamics: they have fewer unknowns.
    return "person" if predicts["person"] > predicts["arm"] else "arm", predicts


def fits_to_compare(records: Records) -> int:
    """Return the number of fits of one person and arm that a comparison takes: each fold, either pooling."""
    return 2 * FOLDS * sum(len(arms) for arms in records.values())


def arms_of(records: Records) -> dict[str, list[Record]]:
    """Return the records of each arm, person by person."""
    by_arm: dict[str, list[Record]] = {}
    for arms in records.values():
        for arm, record in arms.items():
            by_arm.setdefault(arm, []).append(record)
    return by_arm


def predicted(model: Model, people: list[Record], fold: int, progress: Progress | None) -> float:
    """Return the log-likelihood of the rewards that a fold holds out, with dynamics that these people share."""
    hidden = [held_out(record)[fold] for record in people]
    rest = [without(record, hide) for record, hide in zip(people, hidden, strict=True)]
    p = best_unknowns(model, rest, SHARED)
    total = 0.0
    for record, known, hide in zip(people, rest, hidden, strict=True):
        d, theta, x0, rewards = fit_of(model, p, known)
        total += predict(rewards, d, theta, x0, record.played, np.where(hide, record.rewards, np.nan))
    if progress is not None:
        progress(len(people))
    return total


def fit_of(model: Model, p: Floats, record: Record) -> tuple[ClippedAffine, float, float, Any]:
    """Return the dynamics, theta, x0 and the reward family with its noise, for a record at the unknowns p."""
    theta, x0, _ = fit_given(model, p, record)
    d = dynamics_of(model, p)
    means = [mean(model.rewards, theta, x) for x in seen_states(d, x0, record)]
    return d, theta, x0, with_noise(model.rewards, record.seen() - means)


def held_out(record: Record) -> list[Bools]:
    """Return which decisions' rewards each fold hides: all in turn, as evenly as their number allows.

    >>> [int(fold.sum()) for fold in held_out(Record(np.ones(7), np.full(7, 0.5)))]
    [2, 2, 1, 1, 1]
    """
    order = np.random.default_rng(SEED).permutation(np.flatnonzero(~np.isnan(record.rewards)))
    fold_of = np.full(record.rewards.size, -1)
    fold_of[order] = np.arange(order.size) % FOLDS
    return [fold_of == fold for fold in range(FOLDS)]


def without(record: Record, hidden: Bools) -> Record:
    """Return the record without the hidden rewards."""
    return Record(record.played, np.where(hidden, np.nan, record.rewards))


@kernel
def predict(f: Any, d: ClippedAffine, theta: float, x0: float, played: Floats, rewards: Floats) -> float:
    """Return the log-likelihood of rewards along the trajectory from x0."""
    x, total = x0, 0.0
    for t in range(played.size):
        if not np.isnan(rewards[t]):
            total += loglik(f, theta, x, rewards[t])
        x = next_state(d, x, played[t])
    return total

"""Fit a cohort: each person and arm with how its state moves, its first state, its noise, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from joblib import Parallel, delayed

from rogue_bandits.estimate.certificate import certify
from rogue_bandits.estimate.check import checked_records
from rogue_bandits.estimate.crossvalidation import arms_of, better_pool, fits_to_compare
from rogue_bandits.estimate.fitted import ArmFit, Fitted, Interval
from rogue_bandits.estimate.given import fit_given
from rogue_bandits.estimate.intervals import DYNAMICS, given_intervals, own_intervals, shared_interval
from rogue_bandits.estimate.pooling import best_shared, crowd_of
from rogue_bandits.estimate.record import Record
from rogue_bandits.estimate.search import best_way, distance_of
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.validation import checked_workers, positive
from rogue_bandits.simulation.simulate import Progress

POOLS = ("person", "arm")
ENOUGH = 10  # rewards, below which a fit follows the noise
TOO_WIDE = 0.9  # of the range of decay or pull, which is 1 for both: an interval this wide says nothing of it


class Shared(NamedTuple):
    """Dynamics that all people of an arm share, and how sure they are."""

    dynamics: ClippedAffine
    intervals: dict[str, Interval]


def fit_cohort(
    records: Mapping[str, Mapping[str, Record]],
    pool: str | None = None,
    certify_seconds: float | None = None,
    intervals: bool = True,
    workers: int = -1,
    progress: Progress | None = None,
    done: Callable[[str, dict[str, ArmFit]], None] | None = None,
) -> Fitted:
    """The fits of a cohort, records by person and by arm.

    `pool` "person" gives each person and arm dynamics of their own, "arm" one for all people of an arm; None takes
    what predicts held-out rewards better. `certify_seconds`, for each person and arm, proves how far the fit may be
    from the best; shared dynamics are not certified. `workers` threads share the work (−1: one a core), with the same
    result whatever their number. `progress` is called with the number of fits just made, of `fits_to_make` in all;
    `done` with each person that is finished, in their order.

    >>> import numpy as np
    >>> wears_out = Record(np.ones(12), 0.75 ** np.arange(12.0))
    >>> fitted = fit_cohort({"ann": {"walk": wears_out}}, pool="person", intervals=False)
    >>> round(fitted.people["ann"]["walk"].x0, 6)
    1.0
    """
    if pool is not None and pool not in POOLS:
        raise ValueError(f"pool {pool!r} must be one of {', '.join(POOLS)}, or None for what predicts better")
    if certify_seconds is not None:
        certify_seconds = positive(certify_seconds, "certify_seconds", "fit_cohort")
    workers = checked_workers(workers, "fit_cohort, workers")
    checked = checked_records(records)
    predicts: dict[str, float] = {}
    if pool is None:
        pool, predicts = better_pool(checked, workers, progress)
    shared = shared_by_arm(checked, intervals, workers) if pool == "arm" else {}

    def fit_person(arms: dict[str, Record]) -> dict[str, ArmFit]:
        fits = {}
        for arm, record in arms.items():
            if pool == "arm":
                fits[arm] = fit_shared(record, shared[arm], intervals)
            else:
                fits[arm] = fit_own(record, certify_seconds, intervals)
            if progress is not None:
                progress(1)
        return fits

    people = {}
    found = Parallel(n_jobs=workers, require="sharedmem", return_as="generator")(
        delayed(fit_person)(arms) for arms in checked.values()
    )
    for person, fits in zip(checked, found, strict=True):
        people[person] = fits
        if done is not None:
            done(person, fits)
    return Fitted(pool, predicts, people)


def fits_to_make(records: Mapping[str, Mapping[str, Record]], pool: str | None) -> int:
    """How many fits of one person and arm `progress` will be told of: more where pools are compared."""
    return sum(len(arms) for arms in records.values()) + (fits_to_compare(records) if pool is None else 0)


def fit_own(record: Record, certify_seconds: float | None, intervals: bool) -> ArmFit:
    """A record with dynamics of its own."""
    d = best_way(record)[0].dynamics()
    fit = fit_given(d, record)
    sure = own_intervals(record, d, fit) if intervals else {}
    gap = None if certify_seconds is None else certify(record, distance_of(record, d, fit.x0), certify_seconds)
    return ArmFit(d, fit.theta, fit.x0, fit.loglik, fit.n, sure, gap, is_enough(fit.n, sure))


def shared_by_arm(records: Mapping[str, Mapping[str, Record]], intervals: bool, workers: int) -> dict[str, Shared]:
    """The dynamics that the people of each arm share."""
    crowds = {arm: crowd_of(people) for arm, people in arms_of(records).items()}
    at_once = Parallel(n_jobs=workers, require="sharedmem")
    dynamics = dict(zip(crowds, at_once(delayed(best_shared)(crowd) for crowd in crowds.values()), strict=True))
    asked = [(arm, name) for arm in crowds for name in DYNAMICS if intervals]
    found = at_once(delayed(shared_interval)(crowds[arm], dynamics[arm], name) for arm, name in asked)
    sure: dict[str, dict[str, Interval]] = {arm: {} for arm in crowds}
    for (arm, name), interval in zip(asked, found, strict=True):
        sure[arm][name] = interval
    return {arm: Shared(dynamics[arm], sure[arm]) for arm in crowds}


def fit_shared(record: Record, shared: Shared, intervals: bool) -> ArmFit:
    """A record with shared dynamics, and a first state and noise of its own."""
    fit = fit_given(shared.dynamics, record)
    sure = shared.intervals | given_intervals(record, shared.dynamics, fit) if intervals else {}
    return ArmFit(shared.dynamics, fit.theta, fit.x0, fit.loglik, fit.n, sure, None, is_enough(fit.n, sure))


def is_enough(n: int, sure: Mapping[str, Interval]) -> bool:
    """Are there 10 rewards or more, and do the intervals of decay and pull, where there are any, tell anything?

    >>> is_enough(30, {"decay": Interval(0.0, 1.0), "pull": Interval(-0.5, -0.25)})
    False
    """
    widths = [sure[name].hi - sure[name].lo for name in ("decay", "pull") if name in sure]
    return n >= ENOUGH and all(width < TOO_WIDE for width in widths)

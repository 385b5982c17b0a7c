"""Fit a cohort: dynamics, theta and first state of each person and arm, with intervals and certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.estimate.certificate import certify, distance_of
from rogue_bandits.estimate.crossvalidation import arms_of, better_pool, fit_of, fits_to_compare, predict
from rogue_bandits.estimate.families import family_of, model_for
from rogue_bandits.estimate.families.contract import Model
from rogue_bandits.estimate.fitted import ArmFit, Fitted, Interval
from rogue_bandits.estimate.history import FEWEST_REWARDS, Record, Records
from rogue_bandits.estimate.intervals import Near, dynamics_interval, own_interval, shared_interval
from rogue_bandits.estimate.search import best_unknowns
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.validation import checked_history, checked_workers, positive
from rogue_bandits.simulation.simulate import Progress
from rogue_bandits.types import Arm, Floats

POOLS = ("person", "arm")
ENOUGH = 10  # rewards, below which a fit follows the noise
TOO_WIDE = 0.9  # of the range of decay or pull: an interval this wide says nothing of it
NARROW = 0.1  # of the range of pull: an interval this narrow around 0 says that there is next to no wear-out


class Task(NamedTuple):
    """The settings of a fit; all of them but the workers determine the result."""

    pool: str | None = None
    certify_seconds: float | None = None
    intervals: bool = True
    workers: int = -1
    family: str = "agent"
    trials: float = 0.0


class Shared(NamedTuple):
    """Unknowns of dynamics that all people of an arm share, their intervals, and points on the profiles of these."""

    p: Floats
    intervals: dict[str, Interval]
    near: list[Near]


def fit_cohort(
    records: Records,
    task: Task,
    progress: Progress | None = None,
    done: Callable[[str, dict[str, ArmFit]], None] | None = None,
    model: Model | None = None,
) -> Fitted:
    """Fit a cohort.

    `task.pool` "person" gives each person and arm their own dynamics, "arm" one for all people of an arm; None takes
    what predicts held-out rewards better. `certify_seconds`, for each person and arm, proves how far the fit may be
    from the best; shared dynamics are not certified. The result does not depend on the number of `workers`, threads
    (−1: one a core). `progress` is called with the number of fits just made, of `fits_to_make` in all; `done` with each
    person that is finished, in their order. The `model` is that of the rewards of all records, unless these are a part
    of a larger cohort.

    >>> wears_out = Record(np.ones(12), 0.75 ** np.arange(12.0))
    >>> fitted = fit_cohort({"ann": {"walk": wears_out}}, Task("person", intervals=False))
    >>> round(fitted.people["ann"]["walk"].x0, 6)
    1.0
    """
    checked_task(task)
    checked = checked_records(records, task)
    model = model or cohort_model(checked, task)
    workers = checked_workers(task.workers, "fit_cohort, workers")
    pool, predicts = task.pool, dict[str, float]()
    if pool is None:
        pool, predicts = better_pool(model, checked, workers, progress)
    names = family_of(task.family).unknowns
    shared = shared_by_arm(model, names, checked, task.intervals, workers) if pool == "arm" else {}

    def fit_person(arms: dict[str, Record]) -> dict[str, ArmFit]:
        fits = {}
        for arm, record in arms.items():
            fits[arm] = arm_fit(model, names, record, task, shared.get(arm))
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


def fits_to_make(records: Records, pool: str | None) -> int:
    """Return the number of fits of one person and arm that `progress` counts."""
    return sum(len(arms) for arms in records.values()) + (fits_to_compare(records) if pool is None else 0)


def cohort_model(records: Records, task: Task) -> Model:
    """Return the model of the task's family for the rewards of all records."""
    every = [record.seen() for arms in records.values() for record in arms.values()]
    return model_for(task.family, np.concatenate(every), task.trials)


def arm_fit(model: Model, names: tuple[str, ...], record: Record, task: Task, shared: Shared | None) -> ArmFit:
    """Return the fit of a record with its own dynamics, or with shared ones."""
    p = best_unknowns(model, [record]) if shared is None else shared.p
    d, theta, x0, rewards = fit_of(model, p, record)
    loglik = predict(rewards, d, theta, x0, record.played, record.rewards)
    sure: dict[str, Interval] = {}
    if task.intervals and shared is None:
        sure = {name: dynamics_interval(model, [record], p, k)[0] for k, name in enumerate(names)}
        sure |= {name: own_interval(model, record, p, name, at) for name, at in (("x0", x0), ("theta", theta))}
    elif task.intervals and shared is not None:
        sure = shared.intervals | {name: shared_interval(model, record, shared.near, name) for name in ("x0", "theta")}
    gap = None
    if task.certify_seconds is not None and shared is None and family_of(task.family).certified:
        gap = certify(record, distance_of(record, d, x0), task.certify_seconds)
    n, constant = record.seen().size, bool(np.ptp(record.seen()) == 0.0)
    enough = is_enough(n, sure, abs(float(model.fast[1] - model.slow[1]))) and not constant
    return ArmFit(d, theta, x0, loglik, n, sure, gap, enough, rewards, model.limits.theta_lo, model.limits.theta_hi)


def shared_by_arm(
    model: Model, names: tuple[str, ...], records: Records, intervals: bool, workers: int
) -> dict[str, Shared]:
    """Return the dynamics that the people of each arm share."""
    by_arm = arms_of(records)
    at_once = Parallel(n_jobs=workers, require="sharedmem")
    found = at_once(delayed(best_unknowns)(model, people) for people in by_arm.values())
    best = dict(zip(by_arm, found, strict=True))
    unknowns = [(arm, k) for arm in by_arm for k in range(len(names)) if intervals]
    ends = at_once(delayed(dynamics_interval)(model, by_arm[arm], best[arm], k) for arm, k in unknowns)
    shared = {arm: Shared(best[arm], {}, [Near(best[arm], 0.0)]) for arm in by_arm}
    for (arm, k), (interval, path) in zip(unknowns, ends, strict=True):
        shared[arm].intervals[names[k]] = interval
        shared[arm].near.extend(path)
    return shared


def is_enough(n: int, sure: Mapping[str, Interval], pull_range: float = 1.0) -> bool:
    """Return whether there are 10 rewards or more and the intervals, where there are any, say something.

    That of decay must be shorter than 90 % of its range, that of pull too, or exclude 0. Without wear-out there is no
    recovery, and no decay to be known: then a short interval of the pull that ends at 0 is enough.

    >>> is_enough(30, {"decay": Interval(0.0, 1.0), "pull": Interval(-0.5, -0.25)})
    False
    >>> is_enough(30, {"decay": Interval(0.0, 1.0), "pull": Interval(-0.02, 0.0)})
    True
    """
    if n < ENOUGH:
        return False
    if not {"decay", "pull"} <= sure.keys():
        return True
    decay, pull = (sure[name].hi - sure[name].lo for name in ("decay", "pull"))
    no_wear_out = sure["pull"].hi == 0.0 and pull < NARROW * pull_range
    return no_wear_out or (decay < TOO_WIDE and (pull < TOO_WIDE * pull_range or sure["pull"].hi < 0.0))


# ---- validation ------------------------------------------------------------------------------------------------------
def checked_task(task: Task) -> None:
    """Raise a ValueError that says what is wrong with a task."""
    if task.pool is not None and task.pool not in POOLS:
        raise ValueError(f"pool {task.pool!r} must be one of {', '.join(POOLS)}, or None for what predicts better")
    if task.certify_seconds is not None:
        positive(task.certify_seconds, "certify_seconds", "fit_cohort")
        if not family_of(task.family).certified:
            raise ValueError(
                f"there is no certificate for the {task.family} family, only for the agent family: leave certify out. "
                "The fit is the best of many starts"
            )


def checked_records(records: Records, task: Task) -> dict[str, dict[str, Record]]:
    """Return the records as arrays of numbers; a ValueError names the person and the arm of what is wrong.

    >>> checked_records({"ann": {"walk": Record([1, 1], [0.5, 2.0])}}, Task())
    Traceback (most recent call last):
    ValueError: person 'ann', arm 'walk', decision 1, reward 2 must be from 0 to 1 (LaplaceAgent)
    """
    if not records:
        raise ValueError("a cohort needs at least one person, and there is none")
    arm = Arm(ClippedAffine(1.0, 0.0, 0.0), model_for(task.family, np.ones(1), task.trials).rewards, 0.005, 1.0)
    checked: dict[str, dict[str, Record]] = {}
    for person, arms in records.items():
        if not arms:
            raise ValueError(f"person {person!r} needs at least one arm, and has none")
        checked[person] = {name: checked_record(person, name, arm, record) for name, record in arms.items()}
        first, *others = checked[person]
        for other in others:
            n, n_first = (checked[person][name].played.size for name in (other, first))
            if n != n_first:
                raise ValueError(
                    f"person {person!r}, arm {other!r} has {n} decisions where arm {first!r} has {n_first}: "
                    "a person's arms share their decisions"
                )
    return checked


def checked_record(person: str, name: str, arm: Arm, record: Record) -> Record:
    """Return one record."""
    where = f"person {person!r}, arm {name!r}"
    try:
        checked = Record(*checked_history(arm, *map(list, record)))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}, {error}") from None
    if (n := checked.seen().size) < FEWEST_REWARDS:
        raise ValueError(f"{where} has {n} rewards: a fit needs {FEWEST_REWARDS} or more")
    return checked

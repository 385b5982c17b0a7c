"""A cohort: pools, intervals, folds, workers, refusals."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rogue_bandits.estimate.crossvalidation import held_out, without
from rogue_bandits.estimate.families.agent import THETA_HI, THETA_LO
from rogue_bandits.estimate.fit import Task, fit_cohort, fits_to_make
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.intervals import allowed
from rogue_bandits.estimate.search import best_unknowns, fit_given
from tests.estimate.cases import AGENT, AWKWARD, CEILING, FLOOR, NAN, UNKNOWNS, distance, someone, states

Cohort = dict[str, dict[str, Record]]


def cohort(people: int, decisions: int = 60) -> Cohort:
    """People with two arms, all different."""
    return {f"p{i}": {arm: someone(10 * i + k, decisions)[0] for k, arm in enumerate("ab")} for i in range(people)}


def alike(people: int) -> Cohort:
    """People whose arm wears out and recovers in the same way."""
    records = {}
    for i in range(people):
        rng = np.random.default_rng(i)
        played = (rng.random(80) < 0.25).astype(np.float64)
        played[:3] = 1.0
        x = states(np.array([0.8, -0.3, 0.16, rng.uniform()]), played)
        rewards = np.clip(x + rng.laplace(0.0, 0.1, 80), 0.0, 1.0)
        records[f"p{i}"] = {"a": Record(played, np.where(played == 1.0, rewards, NAN))}
    return records


def numbers(fit: ArmFit) -> dict[str, float]:
    """The fitted numbers of an agent by name."""
    return {name: fit.numbers()[name] for name in (*UNKNOWNS, "theta")}


@pytest.mark.parametrize("pool", ["person", "arm"])
def test_intervals_hold_the_fit_and_stay_in_range(pool: str) -> None:
    floor = dict(zip(UNKNOWNS, FLOOR, strict=True)) | {"theta": THETA_LO}
    ceiling = dict(zip(UNKNOWNS, CEILING, strict=True)) | {"theta": THETA_HI}
    for arms in fit_cohort(cohort(2), Task(pool)).people.values():
        for fit in arms.values():
            for name, value in numbers(fit).items():
                lo, hi = fit.intervals[name]
                assert floor[name] <= lo <= value + 1e-12
                assert value - 1e-12 <= hi <= ceiling[name]


@pytest.mark.parametrize("seed", range(3))
def test_no_point_as_likely_as_allowed_lies_outside_of_its_interval(seed: int) -> None:
    record, _ = someone(seed, decisions=60)
    fit = fit_cohort({"p": {"a": record}}, Task("person")).people["p"]["a"]
    inside = int(np.sum((record.seen() > 0.0) & (record.seen() < 1.0)))
    rng = np.random.default_rng(seed)
    near = np.array([fit.dynamics.decay, fit.dynamics.pull, fit.dynamics.drift, fit.x0])
    for spread in (0.02, 0.1, 0.3):
        for p in np.clip(near + rng.normal(0.0, spread, (2_000, 4)), FLOOR, CEILING):
            theta = np.clip(distance(p, record) / inside, THETA_LO, THETA_HI)
            at_edge = record.seen().size - inside
            loglik = -inside * np.log(2 * theta) - at_edge * np.log(2) - distance(p, record) / theta
            if fit.loglik - loglik <= allowed(fit.n, 5) - 0.05:
                for name, value in zip(UNKNOWNS, p, strict=True):
                    assert fit.intervals[name].lo - 0.01 <= value <= fit.intervals[name].hi + 0.01, name


@pytest.mark.parametrize("seed", range(4))
def test_one_person_alone_is_the_same_in_either_pool(seed: int) -> None:
    record, _ = someone(seed, decisions=60)
    own, shared = (
        fit_cohort({"p": {"a": record}}, Task(p, intervals=False)).people["p"]["a"] for p in ("person", "arm")
    )
    assert own.loglik == pytest.approx(shared.loglik, abs=2e-2)


def test_shared_dynamics_are_the_best_for_all_together() -> None:
    people = [arms["a"] for arms in alike(6).values()]
    best = best_unknowns(AGENT, people)
    least = sum(fit_given(AGENT, best, record)[2] for record in people)
    rng = np.random.default_rng(1)
    for spread in (0.01, 0.1, 1.0):
        for other in np.clip(rng.normal(best, spread, (300, 3)), FLOOR[:3], CEILING[:3]):
            assert sum(fit_given(AGENT, other, record)[2] for record in people) >= least - 1e-6


def test_people_who_are_alike_are_pooled_and_found_again() -> None:
    fitted = fit_cohort(alike(12), Task(intervals=False))
    d = fitted.people["p0"]["a"].dynamics
    assert fitted.pool == "arm"
    assert fitted.predicts["arm"] > fitted.predicts["person"]
    assert [d.decay, d.pull, d.drift] == pytest.approx([0.8, -0.3, 0.16], abs=0.1)


def test_the_number_of_workers_changes_nothing() -> None:
    one, two = (fit_cohort(cohort(3), Task(workers=workers)) for workers in (1, 2))
    assert one == two


def test_progress_and_done_are_told_everything() -> None:
    told: list[int] = []
    finished: list[str] = []
    records = cohort(2)
    for pool in (None, "person", "arm"):
        told.clear()
        finished.clear()
        fitted = fit_cohort(records, Task(pool, None, False, 2), told.append, lambda person, _: finished.append(person))
        assert sum(told) == fits_to_make(records, pool)
        assert finished == list(fitted.people)


def test_folds_hide_each_reward_once_and_leave_the_plays() -> None:
    record, _ = someone(3)
    folds = held_out(record)
    assert np.array_equal(np.sum(folds, axis=0), ~np.isnan(record.rewards))
    rest = without(record, folds[0])
    assert np.array_equal(rest.played, record.played)
    assert rest.seen().size + folds[0].sum() == record.seen().size
    assert all(np.array_equal(a, b) for a, b in zip(folds, held_out(record), strict=True))


@pytest.mark.parametrize("pool", ["person", "arm"])
@pytest.mark.parametrize("name", [name for name, record in AWKWARD.items() if record.seen().size >= 3])
def test_awkward_records_are_fitted(name: str, pool: str) -> None:
    fit = fit_cohort({"p": {"a": AWKWARD[name]}}, Task(pool)).people["p"]["a"]
    assert np.isfinite(list(numbers(fit).values())).all()
    assert fit.n == AWKWARD[name].seen().size


def test_few_rewards_are_not_enough() -> None:
    record = Record(np.ones(9), np.linspace(0.9, 0.1, 9))
    assert not fit_cohort({"p": {"a": record}}, Task("person", intervals=False)).people["p"]["a"].enough


def test_the_gap_is_there_when_asked_for() -> None:
    record, _ = someone(2, decisions=40)
    asked = fit_cohort({"p": {"a": record}}, Task("person", certify_seconds=20.0, intervals=False))
    gap = asked.people["p"]["a"].gap
    assert gap is not None
    assert gap <= 0.1


REFUSED: dict[str, Cohort] = {
    "a cohort needs at least one person": {},
    "person 'ann' needs at least one arm": {"ann": {}},
    "person 'ann', arm 'a' has 1 rewards: a fit needs 3 or more": {"ann": {"a": AWKWARD["a single play"]}},
    r"person 'ann', arm 'a', decision 1, reward 1.5 must be from 0 to 1": {
        "ann": {"a": Record(np.ones(3), np.array([0.5, 1.5, 0.5]))}
    },
    r"person 'ann', arm 'a', played .* must be two lists of the same length": {
        "ann": {"a": Record(np.ones(4), np.full(3, 0.5))}
    },
    "person 'ann', arm 'b' has 5 decisions where arm 'a' has 4": {
        "ann": {"a": Record(np.ones(4), np.full(4, 0.5)), "b": Record(np.ones(5), np.full(5, 0.5))}
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals_name_person_and_arm(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_cohort(REFUSED[message], Task())


def test_unknown_pools_and_no_workers_are_refused() -> None:
    with pytest.raises(ValueError, match="pool 'all' must be one of person, arm"):
        fit_cohort(cohort(1), Task("all"))
    for workers in (0, -2):
        with pytest.raises(ValueError, match=f"^fit_cohort, workers {workers} must be 1 or more, or -1 for all cores$"):
            fit_cohort(cohort(1), Task(workers=workers))


@pytest.mark.parametrize(
    ("seconds", "says"), [(NAN, "nan must be finite"), (np.inf, "inf must be finite"), (0.0, "0.0 must be above 0")]
)
def test_a_certificate_needs_a_time(seconds: float, says: str) -> None:
    with pytest.raises(ValueError, match=f"^fit_cohort, certify_seconds {says}$"):
        fit_cohort(cohort(1), Task("person", certify_seconds=seconds))


def test_the_profile_of_theta_falls_by_what_is_allowed_at_the_ends() -> None:
    record, _ = someone(2)
    fit = fit_cohort({"p": {"a": record}}, Task("person")).people["p"]["a"]
    x = states(np.array([fit.dynamics.decay, fit.dynamics.pull, fit.dynamics.drift, fit.x0]), record.played)
    s, r = np.nansum(np.abs(record.rewards - x)), record.seen()
    inside = int(np.sum((r > 0.0) & (r < 1.0)))
    for end in fit.intervals["theta"]:
        loglik = -inside * np.log(2 * end) - (r.size - inside) * np.log(2) - s / end
        assert fit.loglik - loglik == pytest.approx(allowed(fit.n, 5), abs=0.02)
    assert all(a < b for a, b in pairwise(fit.intervals["theta"]))

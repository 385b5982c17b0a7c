"""Families: inner fits against a grid of densities from scipy, guesses, refusals, and the recovery of a known truth."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rogue_bandits.estimate.advise import supported
from rogue_bandits.estimate.families import FAMILIES, guess, model_for
from rogue_bandits.estimate.families.contract import dynamics_at, profile_fit
from rogue_bandits.estimate.files import People, people_from_json, people_json
from rogue_bandits.estimate.fit import Task, fit_cohort, is_enough
from rogue_bandits.estimate.fitted import ArmFit, Fitted, Interval
from rogue_bandits.estimate.history import Record, records_of
from rogue_bandits.estimate.notes import notes_on_bounds
from rogue_bandits.experiments.health.fitted import fitted_people
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.poisson_log import PoissonLog
from rogue_bandits.report.cohort import people_csv
from tests.estimate.made_up import UNSCALED, cohort_of, people_of, table, written

TRIALS = 7.0
LOGPDF: dict[str, Callable[[Any, Any], Any]] = {
    "logit": lambda r, eta: stats.bernoulli.logpmf(r, 1.0 / (1.0 + np.exp(-eta))),
    "binomial": lambda r, eta: stats.binom.logpmf(r, int(TRIALS), 1.0 / (1.0 + np.exp(-eta))),
    "poisson": lambda r, eta: stats.poisson.logpmf(r, np.exp(eta)),
}
DRAW: dict[str, Callable[[np.random.Generator, Any], Any]] = {
    "logit": lambda rng, eta: (rng.random(eta.size) < 1.0 / (1.0 + np.exp(-eta))).astype(float),
    "binomial": lambda rng, eta: rng.binomial(int(TRIALS), 1.0 / (1.0 + np.exp(-eta))).astype(float),
    "poisson": lambda rng, eta: rng.poisson(np.exp(eta)).astype(float),
    "gaussian": lambda rng, eta: rng.normal(eta, 0.5),
}


def deficit(p: Any, x0: float, played: Any) -> Any:
    """States by hand: min and max, step by step."""
    decay, pull, floor = p
    x, states = x0, []
    for play in played:
        states.append(x)
        x = max(floor, min(0.0, decay * x + pull * play))
    return np.array(states)


def record_of(family: str, p: Any, seed: int, decisions: int = 60) -> Record:
    rng = np.random.default_rng(seed)
    played = (rng.random(decisions) < 0.5).astype(np.float64)
    rewards = DRAW[family](rng, 1.0 + deficit(p, -0.8, played))
    return Record(played, np.where(played == 1.0, rewards, np.nan))


def log_likelihood(family: str, record: Record, eta: Any) -> float:
    seen = ~np.isnan(record.rewards)
    if family == "gaussian":  # at the best sd
        sd = np.sqrt(np.mean((record.rewards - eta)[seen] ** 2))
        return float(stats.norm.logpdf(record.rewards[seen], eta[seen], sd).sum())
    return float(np.sum(LOGPDF[family](record.rewards[seen], eta[seen])))


@pytest.mark.parametrize("p", [(0.8, -2.0, -4.0), (0.97, -0.1, -8.0), (0.5, -1.5, -1.0), (1.0, -0.05, -8.0)])
@pytest.mark.parametrize("family", DRAW)
def test_given_the_dynamics_nothing_on_a_grid_is_more_likely(family: str, p: tuple[float, float, float]) -> None:
    record = record_of(family, p, 5)
    model = model_for(family, record.seen(), TRIALS if family == "binomial" else 0.0)
    d = dynamics_at(model.rewards, np.array(p))
    theta, x0, _ = profile_fit(model.rewards, d, model.limits, *record, np.empty((record.played.size, 5)))
    assert model.limits.theta_lo <= theta <= model.limits.theta_hi
    assert max(p[2], model.limits.x0_lo) <= x0 <= 0.0
    best = log_likelihood(family, record, theta + deficit(p, x0, record.played))
    lowest = max(p[2], model.limits.x0_lo)
    for other_x0 in np.linspace(lowest, 0.0, 41):
        x = deficit(p, other_x0, record.played)
        for other in theta + np.linspace(-1.5, 1.5, 61):
            if model.limits.theta_lo <= other <= model.limits.theta_hi:
                assert log_likelihood(family, record, other + x) <= best + 1e-6


@pytest.mark.parametrize("name", FAMILIES)
def test_ranges_make_arms_that_the_model_accepts(name: str) -> None:
    from rogue_bandits.model.validation import checked_arm

    for rewards in (np.array([0.0, 1.0, 1.0]), np.zeros(4), np.ones(3)):
        model = model_for(name, rewards, TRIALS)
        d = dynamics_at(model.rewards, model.fast)
        fit = ArmFit(ClippedAffine(*d), 0.5, 0.0, 0.0, 3, {}, None, True, model.rewards, *model.limits[:2])
        checked_arm(fit.arm("a"))
    large = model_for("gaussian", 1e6 + np.array([0.0, 1.0, 2.0]))
    d = ClippedAffine(*dynamics_at(large.rewards, large.fast))
    checked_arm(ArmFit(d, 1e6, 0.0, 0.0, 3, {}, None, True, large.rewards, *large.limits[:2]).arm())


@pytest.mark.parametrize(
    ("rewards", "name"),
    [
        ([0, 1, 1, 0], "logit"),
        ([0, 0, 0], "logit"),
        ([0.2, 1.0, 0.0], "agent"),
        ([0, 1, 2, 5], "poisson"),
        ([3, 2, 2], "poisson"),
        ([0.5, 3.0], "gaussian"),
        ([-1, 0, 1], "gaussian"),
        ([4000, 9000, 15000], "gaussian"),  # steps: far too variable for counts of independent events
    ],
)
def test_the_family_is_guessed_from_the_rewards(rewards: list[float], name: str) -> None:
    assert guess(np.array(rewards, dtype=np.float64)) == name


def test_the_guess_is_said_and_a_scale_means_shares(tmp_path: Path) -> None:
    path = written(tmp_path / "d.csv", [f"a,{t},walk,{t % 3}" for t in range(9)])
    cohort = cohort_of(path)
    assert cohort.family == "poisson"
    assert cohort.notes[0] == (
        "Rewards are whole numbers from 0 to 100,000: fitted with the poisson family (guessed; --family names another)."
    )
    assert cohort_of(path, UNSCALED._replace(scale=2.0)).family == "agent"
    assert cohort_of(path, UNSCALED._replace(family="gaussian")).family == "gaussian"
    assert not any("guessed" in note for note in cohort_of(path, UNSCALED._replace(family="gaussian")).notes)


@pytest.mark.parametrize(
    ("scaling", "says"),
    [
        (
            {"family": "logit"},
            "reward 2 is impossible: rewards of the logit family are 0 or 1; 2 more are not. Without",
        ),
        ({"family": "binomial"}, "--family binomial needs --trials, the largest possible count"),
        ({"family": "gaussian", "trials": 3.0}, "--trials 3 is for --family binomial only, and the family is gaussian"),
        ({"family": "gaussian", "clip": True}, "--clip counts rewards outside [0, 1] as 0 or 1, which the gaussian"),
        ({"family": "logistic"}, "family 'logistic' is unknown, did you mean 'logit'?"),
    ],
)
def test_impossible_rewards_and_families_are_refused(tmp_path: Path, scaling: dict[str, Any], says: str) -> None:
    path = written(tmp_path / "d.csv", [f"a,{t},walk,{t % 3}" for t in range(9)])
    with pytest.raises(ValueError, match=r"[a-z]") as error:
        cohort_of(path, UNSCALED._replace(**scaling))
    assert says in str(error.value)


def test_constant_rewards_and_thetas_on_a_bound_are_noted(tmp_path: Path) -> None:
    rows = [f"{who},{t},walk,{0 if who == 'a' else t % 2}" for who in "ab" for t in range(12)]
    cohort = cohort_of(written(tmp_path / "d.csv", rows))
    assert cohort.notes[-1] == (
        "Rewards that are all the same say nothing of wearing out: 1 of 2 arms of people (person a: walk, all 0). "
        "They count as not enough data."
    )
    fit = ArmFit(
        ClippedAffine(0.5, -1.0, 0.0, -2.0, 0.0), -8.0, 0.0, 0.0, 9, {}, None, True, theta_lo=-8.0, theta_hi=8.0
    )
    at_bound = Fitted("person", {}, {"a": {"walk": fit}, "b": {"walk": fit._replace(theta=1.0)}})
    assert notes_on_bounds(at_bound) == [
        "Theta ends on a bound of its range in 1 of 2 fits (person a: walk, -8): the model does not suit these rewards"
        ", or they are too few."
    ]


def test_there_is_no_certificate_but_for_agents() -> None:
    record = record_of("logit", (0.8, -2.0, -4.0), 1)
    with pytest.raises(ValueError, match="there is no certificate for the logit family"):
        fit_cohort({"p": {"a": record}}, Task("person", certify_seconds=1.0, family="logit"))


def test_an_interval_of_pull_that_excludes_0_or_is_short_is_enough() -> None:
    some, nothing = Interval(0.5, 0.9), Interval(0.0, 1.0)
    assert is_enough(30, {"decay": some, "pull": Interval(-8.0, -1.0)}, 8.0)
    assert not is_enough(30, {"decay": some, "pull": Interval(-8.0, 0.0)}, 8.0)
    assert not is_enough(30, {"decay": nothing, "pull": Interval(-8.0, -1.0)}, 8.0)
    assert is_enough(30, {"decay": nothing, "pull": Interval(-0.5, 0.0)}, 8.0)


def sigmoid(eta: float) -> float:
    return float(1.0 / (1.0 + np.exp(-eta)))


def test_strong_wear_out_of_0_1_rewards_is_found(tmp_path: Path) -> None:
    """P = sigmoid(−2 + 4 x), x' = clip(0.8 x − 0.5 played + 0.2, 0, 1): a sending costs 0.38 of a rested arm's 0.88."""
    rng, rows = np.random.default_rng(0), []
    for who in "abc":
        x = 0.7
        for t in range(600):
            played = rng.random() < 1 / 3
            rows.append(f"{who},{t},{'walk' if played else 'none'},{int(rng.random() < sigmoid(-2 + 4 * x))}")
            x = min(max(0.8 * x - 0.5 * played + 0.2, 0.0), 1.0)
    cohort = cohort_of(written(tmp_path / "d.csv", rows))
    assert cohort.family == "logit"
    people = People(cohort, fit_cohort(records_of(cohort), Task("arm", workers=1, family="logit")))
    for who in "abc":
        fit, summary = people.fitted.people[who]["walk"], people.summary(who, "walk")
        assert fit.enough
        true = {"decay": 0.8, "pull": -2.0, "floor": -4.0, "theta": 2.0}
        for name, value in true.items():
            assert fit.intervals[name].lo <= value <= fit.intervals[name].hi, name
        assert fit.dynamics.decay == pytest.approx(0.8, abs=0.1)
        assert summary.cost == pytest.approx(0.38, abs=0.1)
        assert summary.recovery == pytest.approx(3.0, abs=1.0)
    again = people_from_json(people_json(people))
    assert again.fitted == people.fitted
    assert (again.cohort.family, again.cohort.trials) == ("logit", 0.0)
    row = next(csv.DictReader(io.StringIO(people_csv(people).decode("utf-8-sig"))))
    assert float(row["floor_lo"]) < float(row["floor"]) < float(row["floor_hi"]) < 0.0
    assert (row["drift"], row["drift_lo"], row["sd"]) == ("0", "", "")


def of_family(tmp_path: Path, family: str, rewards: Any) -> People:
    rows = [row.rsplit(",", 1)[0] + f",{t % 5}" for t, row in enumerate(table(2))]
    cohort = cohort_of(written(tmp_path / "d.csv", rows), UNSCALED._replace(family=family))
    fit = ArmFit(ClippedAffine(0.5, -1.0, 0.0, -2.0, 0.0), 0.7, 0.0, 0.0, 8, {}, None, True, rewards, -8.0, 8.0)
    return people_of(cohort, fit)


def test_files_of_version_1_hold_agents(tmp_path: Path) -> None:
    from rogue_bandits.checked_json import checksum

    people = people_of(cohort_of(written(tmp_path / "d.csv", table(2))))
    content = json.loads(people_json(people))
    for field in ("family", "trials"):
        del content["cohort"][field]
    for arms in content["fits"].values():
        for fit in arms.values():
            for field in ("rewards", "theta_lo", "theta_hi"):
                del fit[field]
    head = {"format": content.pop("format"), "version": 1}
    del content["version"], content["checksum"]
    old = people_from_json(json.dumps({**head, "checksum": checksum(content), **content}))
    assert old.fitted == people.fitted
    assert old.cohort.family == "agent"


def test_what_a_family_does_not_support_is_refused_by_name(tmp_path: Path) -> None:
    poisson = of_family(tmp_path, "poisson", PoissonLog(1.0, 1.0))
    assert "rogue-ucb" not in supported(poisson)
    gaussian = of_family(tmp_path, "gaussian", Gaussian(1.0, 1.0, 0.5))
    assert "rogue-ucb" in supported(gaussian)
    for people, family in ((poisson, "poisson"), (gaussian, "gaussian")):
        (tmp_path / "people.json").write_bytes(people_json(people))
        with pytest.raises(ValueError, match=f"rewards of the {family} family have no bounds"):
            fitted_people(tmp_path / "people.json")

"""How often the intervals of `rogue advise` hold the mean reward, with covariates of the next decision."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.estimate.advise import Next, advise
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.files import People, people_from_json, people_json
from rogue_bandits.estimate.fit import FitTask, fit_cohort
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.types import Floats
from verification.cohorts import Truth, drawn
from verification.estimates import share_by_trial
from verification.finding import Finding
from verification.fit_coverage import HIGHEST, HOLDS, LEVEL, LOWEST, verdicts

PEOPLE, DECISIONS = 30, 75
WORK, MOOD = -0.6, 0.4  # effects of a place and of a mood, in units of the effects below
AT = {"place": "work", "mood": "1.5"}  # at the next decision
MOODS = 0.0, 1.0  # mean and standard deviation
HALF_LIFE = 3.1
ARMS = "walk", "sleep"  # one that wears out, and one that does not
NOTHING = "nothing sent"


class Case(NamedTuple):
    """A law of rewards, the unit of effects, and which share of the variance of levels is common to all arms."""

    truth: Truth
    unit: float
    common: float = 0.0


LAWS = [
    Case(Truth("gaussian", 2.0, 0.3, 0.3, drop=0.25, half_life=HALF_LIFE), 0.5),
    Case(Truth("logit", 1.2, 0.5, 0.0, drop=0.8, half_life=HALF_LIFE), 1.0),
    Case(Truth("poisson", 1.2, 0.3, 0.0, drop=0.3, half_life=HALF_LIFE), 0.5),
]
CASES = [law._replace(common=common) for law in LAWS for common in (0.0, 0.9, 1.0)]


def advice_coverage(replicates: int, seed: int) -> Finding:
    """Check the intervals of advice, at known covariates and at their average."""
    rows = [row for k in range(len(CASES)) for row in case_rows(k, replicates, seed)]
    right = [row[-1] == HOLDS for row in rows]
    return Finding(
        "Intervals of advice: coverage",
        f"{replicates} trials of {PEOPLE} people × {DECISIONS} decisions: one of two arms or nothing is sent at "
        f"random. '{ARMS[0]}' wears out and recovers, '{ARMS[1]}' does not; a place and a mood change all rewards. "
        "People differ in their levels; the column 'common' has the share of that variance which both arms and silence "
        "have in common. The data decide on the rungs, as for a user. Counted is how often the 95 % interval of a "
        "person's mean reward at the next decision holds it, at a place and a mood that are given, and at the average "
        f"of both. {LOWEST:.0%} to {HIGHEST:.0%} is asked for; a row holds if a part of its {LEVEL:.0%} interval is "
        "within that, with trials as the sample.",
        ("family", "common", "what is sent", "covariates", "cases", "coverage", "share", "interval"),
        rows,
        f"{sum(right)} of {len(rows)} rows hold.",
        all(right),
    )  # fmt: skip


def case_rows(k: int, replicates: int, seed: int) -> list[tuple[str, ...]]:
    """Return the rows of a law, and print them: a run takes long."""
    found = Parallel(n_jobs=-1)(delayed(hits)(CASES[k], [seed, k, i]) for i in range(replicates))
    rows = list[tuple[str, ...]]()
    for arm, at in found[0]:
        by_trial = [one[arm, at] for one in found]
        rate = share_by_trial(by_trial, LEVEL)
        cells = f"{sum(map(len, by_trial)):,}", f"{rate.value:.3f} ({rate.lo:.3f} to {rate.hi:.3f})", *verdicts(rate)
        rows.append((CASES[k].truth.family, f"{CASES[k].common:.0%}", arm, at, *cells))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def hits(case: Case, seed: list[int]) -> dict[tuple[str, str], list[bool]]:
    """Simulate and fit a trial; return for each arm, and for silence, whose intervals hold the truth."""
    cohort, predictor = simulated(case, np.random.default_rng(seed))
    fitted = fit_cohort(data_of(cohort), FitTask((case.truth.family,), pool="shared", workers=1))
    people = people_from_json(people_json(People(cohort, fitted)))
    means = np.concatenate([history.covariates for history in cohort.people.values()]).mean(0)
    effects = case.unit * np.array([WORK, MOOD])
    given = effects @ np.array([1.0, float(AT["mood"])])
    found: dict[tuple[str, str], list[bool]] = {}
    for at, covariates, shift in (("given", AT, given), ("average", {}, effects @ means)):
        for i, name in enumerate(cohort.people):
            advice = advise(people, name, Next(covariates=covariates))
            assert advice is not None
            assert advice.silence is not None
            shown = [*advice.arms, advice.silence._replace(arm=NOTHING)]
            truth = case.truth.mean(predictor[i] + shift)
            for one, mean in zip(shown, truth.tolist(), strict=True):
                found.setdefault((one.arm, at), []).append(one.low <= mean <= one.high)
    return found


def simulated(case: Case, rng: np.random.Generator) -> tuple[Cohort, Floats]:
    """Return a cohort, and the predictors [people, arms and silence] of the next decision without covariates."""
    truth, people, predictors = case.truth, {}, []
    decay = 0.5 ** (1.0 / truth.half_life)
    for i in range(PEOPLE):
        z = np.sqrt(case.common) * rng.standard_normal() + np.sqrt(1.0 - case.common) * rng.standard_normal(3)
        levels = truth.level + truth.spread * z - case.unit * np.array([0.0, 0.3, 0.8])
        sent = rng.integers(-1, 2, DECISIONS)
        covariates = np.column_stack([rng.random(DECISIONS) < 0.4, rng.normal(*MOODS, DECISIONS)]).astype(np.float64)
        shift = case.unit * covariates @ np.array([WORK, MOOD])
        load, rewards = 0.0, np.zeros(DECISIONS)
        for t in range(DECISIONS):
            loss = truth.drop * load if sent[t] == 0 else 0.0
            rewards[t] = drawn(truth, float(levels[sent[t]] - loss + shift[t]), rng)
            load = decay * load + float(sent[t] == 0)
        yes, unknown = np.ones(DECISIONS, dtype=np.bool_), np.full(DECISIONS, np.nan)
        people[f"p{i}"] = History(0, DECISIONS, np.arange(DECISIONS), sent, rewards, yes, unknown, covariates)
        predictors.append(levels - np.array([truth.drop * load, 0.0, 0.0]))
    names, coding = ["place: work", "mood"], {"place": "home", "mood": list(MOODS)}
    cohort = Cohort("simulated", "reward", 1.0, list(ARMS), people, [], truth.family, 0.0, names, coding)
    return cohort, np.array(predictors)

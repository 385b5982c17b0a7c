"""What `rogue advise` and `rogue simulate --fit` make of arms that are alike, and of arms that are not."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.estimate.advise import SUPPORTED, advise, draws_of
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fit import FitTask, Fitted, arm_task, fit_cohort
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.ladder.reported import fit_arm
from rogue_bandits.types import Floats
from verification.cohorts import Truth, drawn
from verification.estimates import share_by_trial
from verification.finding import Finding

PEOPLE, DECISIONS, ARMS = 37, 42, ("walk", "sleep", "eat")
LAWS = (
    Truth("gaussian", 5.0, 1.0, 1.0, drop=0.6, half_life=3.1),
    Truth("logit", 1.0, 0.7, 0.0, drop=0.8, half_life=3.1),
    Truth("poisson", 1.5, 0.4, 0.0, drop=0.3, half_life=3.1),
)
MOST_FALSE = 0.05  # share of people with a choice between arms that are alike
LEVEL = 0.95
HOLDS, FAILS = "holds", "fails"


class Case(NamedTuple):
    """By how much arms differ on average, and for each person, in standard deviations of the levels of people.

    Sendings take away `wears` times the drop of the law. Arms that wear out alike differ by when they were sent.
    """

    words: str
    means: float = 0.0
    own: float = 0.0
    wears: float = 0.0


ALIKE = "alike"
CASES = (
    Case(ALIKE),
    Case("differ on average", means=1.0),
    Case("differ for each person", own=1.0),
    Case("wear out alike", wears=1.0),
)


class Outcome(NamedTuple):
    """Of each person: is a choice supported, is it the best arm; and gains of the best arm, promised and true."""

    supported: list[bool]
    right: list[bool]  # of the supported ones
    promised: float
    true: float


def alike_arms(replicates: int, seed: int) -> Finding:
    """Check that arms which are alike are not told apart, and that those which differ are."""
    rows = list[tuple[str, ...]]()
    for k, truth in enumerate(LAWS):
        for j, case in enumerate(CASES):
            found = Parallel(n_jobs=-1)(delayed(outcomes)(truth, case, [seed, k, j, i]) for i in range(replicates))
            for how, of_trials in zip(("together", "one by one"), zip(*found, strict=True), strict=True):
                rows.append((truth.family, case.words, how, *cells(case, list(of_trials))))
                print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    judged = [row[-1] == HOLDS for row in rows if row[2] == "together"]
    return Finding(
        "Arms that are alike",
        f"{replicates} trials of {PEOPLE} people × {DECISIONS} decisions with {len(ARMS)} arms. Arms that "
        "wear out alike recover with a half-life of 3.1 decisions: the best of them is the one that rested most. "
        f"A choice is supported if an arm is the best with probability {SUPPORTED:.0%} or more; 'right' is how often "
        "such a choice is the best arm of the person. The gain is that of the best arm of each person over one at "
        "random, in rewards: of people drawn from the posterior, as `rogue simulate --fit` does, and of the true ones. "
        f"Arms that are alike hold if at most {MOST_FALSE:.0%} of people have a supported choice; arms that differ if "
        f"a part of the {LEVEL:.0%} interval of 'right' is above {SUPPORTED:.0%}. 'One by one' is what fits of each "
        "arm by itself would say; it is not judged.",
        ("family", "arms", "levels", "supported", "right", "gain promised", "true gain", "verdict"),
        rows,
        f"{sum(judged)} of {len(judged)} rows hold.",
        all(judged),
    )  # fmt: skip


def cells(case: Case, found: list[Outcome]) -> tuple[str, ...]:
    """Return the cells of a row."""
    supported = share_by_trial([one.supported for one in found], LEVEL)
    chosen = [one.right for one in found if one.right]
    right = share_by_trial(chosen, LEVEL) if len(chosen) > 1 else None
    promised, true = (float(np.mean([getattr(one, name) for one in found])) for name in ("promised", "true"))
    holds = supported.value <= MOST_FALSE if case.words == ALIKE else right is not None and right.hi >= SUPPORTED
    shown = "–" if right is None or case.words == ALIKE else f"{right.value:.3f} ({right.lo:.3f} to {right.hi:.3f})"
    return f"{supported.value:.3f}", shown, f"{promised:.3f}", f"{true:.3f}", HOLDS if holds else FAILS


def outcomes(truth: Truth, case: Case, seed: list[int]) -> tuple[Outcome, Outcome]:
    """Simulate a trial and fit it, arms together and one by one."""
    cohort, means = simulated(truth, case, np.random.default_rng(seed))
    data, task = data_of(cohort), FitTask((truth.family,), pool="shared", workers=1)
    together = fit_cohort(data, task)
    single = {arm: fit_arm(arm_task(data, task, truth.family, arm, k)) for k, arm in enumerate(ARMS)}
    apart = together._replace(arms=single)
    return outcome(cohort, together, means), outcome(cohort, apart, means)


def outcome(cohort: Cohort, fitted: Fitted, means: Floats) -> Outcome:
    """Return what is said of a fitted trial."""
    people, supported, right, promised = People(cohort, fitted), [], [], []
    for i, name in enumerate(cohort.people):
        advice = advise(people, name)
        assert advice is not None
        supported.append(advice.supported)
        if advice.supported:
            right.append(ARMS[int(np.argmax(means[i]))] == advice.first.arm)
        arms = [draws_of(people, fitted.arms[arm], name, arm, np.zeros(0)) for arm in ARMS]
        now = np.array([arm.mean(arm.x) for arm in arms])
        promised.append(float((now.max(0) - now.mean(0)).mean()))
    return Outcome(supported, right, float(np.mean(promised)), float((means.max(1) - means.mean(1)).mean()))


def simulated(truth: Truth, case: Case, rng: np.random.Generator) -> tuple[Cohort, Floats]:
    """Return a cohort, and the mean rewards [people, arms] at the next decision."""
    n, drop, decay = len(ARMS), case.wears * truth.drop, 0.5 ** (1.0 / truth.half_life)
    means = case.means * truth.spread * rng.standard_normal(n)
    people, every, nothing = {}, [], np.full(DECISIONS, np.nan)
    for i in range(PEOPLE):
        levels = truth.level + means + truth.spread * (rng.standard_normal() + case.own * rng.standard_normal(n))
        sent = np.arange(DECISIONS) % n
        rng.shuffle(sent)
        load, rewards = np.zeros(n), np.zeros(DECISIONS)
        for t, arm in enumerate(sent.tolist()):
            rewards[t] = drawn(truth, float(levels[arm] - drop * load[arm]), rng)
            load = decay * load + (np.arange(n) == arm)
        yes, none = np.ones(DECISIONS, dtype=np.bool_), np.zeros((DECISIONS, 0))
        people[f"p{i}"] = History(0, DECISIONS, np.arange(DECISIONS), sent, rewards, yes, nothing, none)
        every.append(truth.mean(levels - drop * load))
    cohort = Cohort("simulated", "reward", 1.0, list(ARMS), people, [], truth.family)
    return cohort, np.array(every)

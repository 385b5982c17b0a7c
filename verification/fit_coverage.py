"""How often the credible intervals of a fit hold the truth."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom

from rogue_bandits.estimate.ladder.compare import OWN, RECOVERY, SHARED, Candidate, fit_candidate
from rogue_bandits.estimate.ladder.cost import cost_of_average, cost_of_each
from rogue_bandits.estimate.ladder.grids import refined_fit, wide_panel
from rogue_bandits.estimate.ladder.posterior import draw_posterior
from rogue_bandits.estimate.ladder.summary import half_life_of, rewards_at
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Bools, Floats
from verification.cohorts import ARMS, Truth, sampled
from verification.estimates import Interval, share, share_by_trial
from verification.finding import Finding

LOWEST, HIGHEST, HOLDS, INSIDE = 0.93, 0.97, "holds", "inside"
LEVEL = 0.95  # of the intervals of shares
TOGETHER = 20  # people who share slope and half-life
NORMAL = Truth("gaussian", 0.6, 0.2, 0.1, drop=0.15, half_life=3.1)
ODDS = Truth("logit", 1.0, 0.5, 0.0, drop=0.8, half_life=3.1)
COUNTS = Truth("poisson", 1.0, 0.4, 0.0, drop=0.3, half_life=3.1)
SHORT = 1.0  # half-life that is shorter than nearly all that are likely before the data
ENDLESS = NORMAL._replace(drop=0.02, half_life=math.inf)
NUMBERS = "half-life", "cost of one sending", "a person's reward at first", "a person's reward next"


class Case(NamedTuple):
    """A truth, the people who are fitted together, the rewards of each, and where the truth lies."""

    truth: Truth
    people: int
    rewards: int
    place: str = "inside"
    pool: str = SHARED  # what people share of slope and half-life

    def words(self) -> str:
        """Return who was fitted together."""
        if self.people == 1:
            return "own, one person"
        return f"own, {self.people} people" if self.pool == OWN else f"pooled, {self.people} people"


SIZES = 20, 50, 200
CASES = [
    *(Case(truth, people, n) for truth in (NORMAL, ODDS, COUNTS) for people in (1, TOGETHER) for n in SIZES),
    *(Case(NORMAL, TOGETHER, n, pool=OWN) for n in SIZES),
    *(Case(NORMAL._replace(drop=0.0), people, n, "no wear-out") for people in (1, TOGETHER) for n in SIZES),
    *(Case(ENDLESS, people, n, "no recovery") for people in (1, TOGETHER) for n in SIZES),
    *(Case(truth._replace(half_life=SHORT), 1, n, "quick recovery") for truth in (NORMAL, ODDS, COUNTS) for n in SIZES),
]


class Row(NamedTuple):
    """How often the intervals of one number hold it in one case."""

    case: Case
    number: str
    cases: int
    rate: Interval

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        case, rate = self.case, self.rate
        return (
            case.words(), f"{case.rewards}", case.truth.family, case.place, self.number, f"{self.cases:,}",
            f"{rate.value:.3f} ({rate.lo:.3f} to {rate.hi:.3f})", *verdicts(rate),
        )  # fmt: skip


def fit_coverage(replicates: int, seed: int) -> Finding:
    """Check the intervals of a rung that is known to be right, by size, pooling, family and place."""
    rows = [row for k in range(len(CASES)) for row in case_rows(k, replicates, seed)]
    means, failed = means_of(rows), [row for row in rows if verdicts(row.rate)[1] != HOLDS]
    inside, by_chance = [place_of(row.rate.value) == INSIDE for row in rows], most_by_chance(len(rows))
    return Finding(
        "Credible intervals of a fit: coverage",
        f"The arm wears out and recovers with a half-life of 3.1 decisions (or as the column 'truth' says) and is sent "
        f"one decision in {ARMS}. Nominal coverage is 95 %; {LOWEST:.0%} to {HIGHEST:.0%} is asked for, by size, for "
        "people who are pooled and who have numbers of their own, inside and at the ends of what is possible: the "
        "first rows, each the mean of the rows of its kind below. Of these one holds if a part of its exact binomial "
        f"{LEVEL:.0%} interval is within that: {replicates:,} trials leave some ±{accuracy(replicates):.1%}. Up to "
        f"{by_chance} of {len(rows)} may not hold by chance. People of a trial are not independent: they count as so "
        "many cases as give the share the variance that it has between trials. 'No wear-out' and 'no recovery' are "
        "ends of what is possible: there is no half-life, or it has no end. 'Quick recovery' has a half-life of one "
        "decision.",
        ("people", "rewards each", "family", "truth", "number", "cases", "coverage", "share", "interval"),
        [*means, *(row.cells() for row in rows)],
        f"{sum(cells[-2] == INSIDE for cells in means)} of {len(means)} means are within {LOWEST:.0%} to "
        f"{HIGHEST:.0%}. "
        f"{len(rows) - len(failed)} of {len(rows)} rows hold; {sum(inside)} of the shares themselves are within it.",
        all(cells[-2] == INSIDE for cells in means) and len(failed) <= by_chance,
    )  # fmt: skip


def means_of(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return a row of the table for each size, pooling and place: the mean coverage over families and numbers."""
    kinds: dict[tuple[str, int, str], list[Row]] = {}
    for row in rows:
        who = "pooled" if row.case.people > 1 and row.case.pool != OWN else "own"
        where = INSIDE if row.case.place == INSIDE else "at the ends"
        kinds.setdefault((who, row.case.rewards, where), []).append(row)
    found = list[tuple[str, ...]]()
    for (who, size, where), same in kinds.items():
        mean, cases = float(np.mean([row.rate.value for row in same])), sum(row.cases for row in same)
        about = f"mean of {len(same)} rows"
        found.append((who, f"{size}", "all", where, about, f"{cases:,}", f"{mean:.3f}", place_of(mean), "–"))
    return found


def verdicts(rate: Interval) -> tuple[str, str]:
    """Return whether the share, and whether its interval, is compatible with what is asked for."""
    far = "too wide" if rate.value > HIGHEST else "too narrow"
    compatible = rate.lo <= HIGHEST and rate.hi >= LOWEST
    return place_of(rate.value), HOLDS if compatible else far


def place_of(value: float) -> str:
    """Return whether a share is within what is asked for."""
    return INSIDE if LOWEST <= value <= HIGHEST else "outside"


def most_by_chance(rows: int) -> int:
    """Return how many rows may not hold, with probability 99 %, if all shares are at an end of what is asked for."""
    return int(binom.ppf(0.99, rows, 0.5 * (1.0 - LEVEL)))


def accuracy(trials: int) -> float:
    """Return half the length of the interval of a share that is as it should be."""
    rate = share(0.95 * trials, trials, LEVEL)
    return 0.5 * (rate.hi - rate.lo)


def case_rows(k: int, replicates: int, seed: int) -> list[Row]:
    """Return a row for each number of a case, and print them: a run takes long."""
    case, rows = CASES[k], list[Row]()
    n = max(replicates // 4, 8) if case.pool == OWN else replicates  # each person is a case
    found = Parallel(n_jobs=-1)(delayed(hits)(case, [seed, k, i]) for i in range(n))
    for j, name in enumerate(NUMBERS):
        by_trial = [one[j] for one in found if one is not None and one[j]]
        if by_trial:
            rows.append(Row(case, name, sum(map(len, by_trial)), share_by_trial(by_trial, LEVEL)))
            print(" | ".join(rows[-1].cells()), file=sys.stderr, flush=True)
    return rows


def hits(case: Case, seed: list[int]) -> list[list[bool]] | None:
    """Return for each number whether the intervals hold it; None if the rewards are all equal."""
    rng = np.random.default_rng(seed)
    truth, sample = case.truth, sampled(case.truth, case.people, ARMS * case.rewards, rng)
    if np.ptp(np.concatenate([record.seen() for record in sample.records.values()])) == 0.0:
        return None
    task = ArmTask(sample.records, truth.family, candidates=[Candidate(RECOVERY)])
    panel, fit = refined_fit(task)
    if case.pool == OWN:
        panel = wide_panel(task)
        fit = fit_candidate(Candidate(RECOVERY, OWN), panel, fit.parts)
    posterior = draw_posterior(fit, panel)
    fresh, _, after_one, now = rewards_at(posterior, panel, task)
    first, one = truth.mean(sample.level), truth.mean(sample.level - truth.drop)
    later = truth.mean(sample.level - truth.drop * sample.next_load)
    who = range(case.people) if case.pool == OWN else [None]
    half_lives = [half_life_of(posterior, panel, person) for person in who]
    cost, true_cost = fresh - after_one, first - one
    if case.pool == OWN:
        costs = cost_of_each(posterior, task, cost)
    else:
        costs, true_cost = [cost_of_average(posterior, task, cost)], true_cost.mean(keepdims=True)
    return [
        [] if truth.drop == 0.0 else [low <= truth.half_life <= high for low, _, high in half_lives],
        [low <= x <= high for (low, _, high), x in zip(costs, true_cost.tolist(), strict=True)],
        [bool(x) for x in held(fresh, first)],
        [bool(x) for x in held(now, later)],
    ]


def held(draws: Floats, truth: Floats) -> Bools:
    """Return whose interval, from draws [draws, people], holds the truth."""
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return np.asarray((low <= truth) & (truth <= high), dtype=np.bool_)

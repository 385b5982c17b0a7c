"""How often the credible intervals of a fit hold the truth."""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.estimate.ladder.compare import OWN, RECOVERY, SHARED, Candidate, fit_candidate
from rogue_bandits.estimate.ladder.grids import panels_of
from rogue_bandits.estimate.ladder.posterior import draw_posterior
from rogue_bandits.estimate.ladder.summary import half_life_of, rewards_at
from rogue_bandits.estimate.ladder.task import Task
from rogue_bandits.types import Bools, Floats
from verification.cohorts import ARMS, Truth, sampled
from verification.estimates import share
from verification.finding import Finding

LOWEST, HIGHEST, HOLDS = 0.93, 0.97, "holds"
TOGETHER = 20  # people who share slope and half-life
NORMAL = Truth("gaussian", 0.6, 0.2, 0.1, drop=0.15, half_life=3.1)
ODDS = Truth("logit", 1.0, 0.5, 0.0, drop=0.8, half_life=3.1)
COUNTS = Truth("poisson", 1.0, 0.4, 0.0, drop=0.3, half_life=3.1)
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


CASES = [
    *(Case(NORMAL, 1, n) for n in (20, 50, 200)),
    *(Case(NORMAL, TOGETHER, n) for n in (20, 50, 200)),
    *(Case(ODDS, 1, n) for n in (100, 200)),
    *(Case(ODDS, TOGETHER, n) for n in (20, 50)),
    *(Case(COUNTS, TOGETHER, n) for n in (20, 50)),
    *(Case(NORMAL._replace(drop=0.0), people, 50, "no wear-out") for people in (1, TOGETHER)),
    *(Case(NORMAL._replace(drop=0.02, half_life=math.inf), people, 50, "no recovery") for people in (1, TOGETHER)),
    Case(NORMAL, TOGETHER, 50, pool=OWN),
]


def fit_coverage(replicates: int, seed: int) -> Finding:
    """Check the intervals of a rung that is known to be right, by size, pooling, family and place."""
    rows = [row for k in range(len(CASES)) for row in case_rows(k, replicates, seed)]
    right = [row[-1] == HOLDS for row in rows]
    return Finding(
        "Credible intervals of a fit: coverage",
        f"The arm wears out and recovers with a half-life of 3.1 decisions (or as the column 'truth' says) and is sent "
        f"one decision in {ARMS}. Nominal coverage is 95 %; a row holds if its coverage, or a part of the 99 % "
        f"interval of it, is within {LOWEST:.0%} to {HIGHEST:.0%}. 'No wear-out' and 'no recovery' are ends of what is "
        "possible: there is no half-life, or it has no end.",
        ("people", "rewards each", "family", "truth", "number", "cases", "coverage", ""),
        rows,
        f"{sum(right)} of {len(right)} rows hold.",
        all(right),
    )  # fmt: skip


def case_rows(k: int, replicates: int, seed: int) -> list[tuple[str, ...]]:
    """Return a row for each number of a case, and print them: a run takes long."""
    case, rows = CASES[k], list[tuple[str, ...]]()
    n = max(replicates // 10, 8) if case.pool == OWN else replicates  # each person is a case
    found = Parallel(n_jobs=-1)(delayed(hits)(case, [seed, k, i]) for i in range(n))
    for j, name in enumerate(NUMBERS):
        held = np.concatenate([one[j] for one in found if one is not None])
        if held.size == 0:
            continue
        rate = share(int(held.sum()), held.size)
        within = LOWEST <= held.mean() <= HIGHEST or (rate.lo <= HIGHEST and rate.hi >= LOWEST)
        verdict = HOLDS if within else "too wide" if held.mean() > HIGHEST else "too narrow"
        coverage = f"{rate.value:.3f} ({rate.lo:.3f} to {rate.hi:.3f})"
        what = case.words(), f"{case.rewards}", case.truth.family, case.place, name, f"{held.size:,}", coverage
        rows.append((*what, verdict))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def hits(case: Case, seed: list[int]) -> list[list[bool]] | None:
    """Return for each number whether the intervals hold it; None if the rewards are all equal."""
    rng = np.random.default_rng(seed)
    truth, sample = case.truth, sampled(case.truth, case.people, ARMS * case.rewards, rng)
    if np.ptp(np.concatenate([record.seen() for record in sample.records.values()])) == 0.0:
        return None
    task = Task(sample.records, truth.family, candidates=[Candidate(RECOVERY)])
    panels, parts = panels_of(task)
    candidate = Candidate(RECOVERY, case.pool)
    panel = panels.of(candidate)
    fit = fit_candidate(candidate, panel, parts)
    posterior = draw_posterior(fit, panel)
    fresh, _, after_one, now = rewards_at(posterior, panel, task)
    first, one = truth.mean(sample.level), truth.mean(sample.level - truth.drop)
    later = truth.mean(sample.level - truth.drop * sample.next_load)
    who = range(case.people) if case.pool == OWN else [None]
    half_lives = [half_life_of(posterior, panel, person) for person in who]
    cost, true_cost = fresh - after_one, first - one
    if case.pool != OWN:
        cost, true_cost = cost.mean(1, keepdims=True), true_cost.mean(keepdims=True)
    return [
        [] if truth.drop == 0.0 else [low <= truth.half_life <= high for low, _, high in half_lives],
        [bool(x) for x in held(cost, true_cost)],
        [bool(x) for x in held(fresh, first)],
        [bool(x) for x in held(now, later)],
    ]


def held(draws: Floats, truth: Floats) -> Bools:
    """Return whose interval, from draws [draws, people], holds the truth."""
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return np.asarray((low <= truth) & (truth <= high), dtype=np.bool_)

"""Which rung is chosen for each rung as the truth, and bias and coverage of what is then reported."""

from __future__ import annotations

import math
import sys
from collections import Counter
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, RUNGS, WEAR_OUT
from rogue_bandits.estimate.ladder.reported import fit_arm
from rogue_bandits.estimate.ladder.task import ArmTask
from verification.cohorts import ARMS, Truth, sampled
from verification.estimates import share
from verification.finding import Finding

SIZES = (37, 42), (37, 210), (200, 100)
PLAIN = Truth("gaussian", 0.6, 0.2, 0.2)
MOST_FALSE = 0.05  # share of false claims of wear-out
UNDECIDED = "fade or wear-out"
REPORTED = *RUNGS[:2], UNDECIDED, *RUNGS[2:]


class Outcome(NamedTuple):
    """What was chosen, and the errors of level, cost and half-life with whether their intervals hold the truth."""

    rung: str  # chosen; UNDECIDED if the data do not tell a fade from wear-out without recovery
    level: float
    level_held: bool
    cost: float
    cost_held: bool
    half_life: float
    half_life_held: bool


def truth_of(rung: str, decisions: int) -> Truth:
    """Return a truth whose effect does not depend on the length: a loss of 0.2 by the end, or the pull of the paper."""
    sendings = decisions / ARMS
    return {
        CONSTANT: PLAIN,
        FADE: PLAIN._replace(fade=0.2),
        WEAR_OUT: PLAIN._replace(drop=0.2 / sendings),
        RECOVERY: PLAIN._replace(drop=0.15, half_life=math.log(0.5) / math.log(0.8)),
    }[rung]


def ladder(replicates: int, seed: int) -> Finding:
    """Check how often each rung is chosen at the sizes of trials."""
    found = [row_of(size, k, replicates, seed) for size in SIZES for k in range(len(RUNGS))]
    rows, right = [row for row, _ in found], [holds for _, holds in found]
    return Finding(
        "The ladder: which rung is chosen",
        f"{replicates} simulated trials of each size, people × decisions; {ARMS} arms at random, of which one is "
        "fitted. Rewards are normal (standard deviation 0.2) around levels that differ between people (0.2). Fade: a "
        "loss of 0.2 by the end of the study. Wear-out: a loss of 0.2 by the end, spread over the sendings. Recovery: "
        "one sending takes 0.15, decay 0.8. Where chance sends an arm at a constant rate, the number of sendings and "
        "time nearly go together: 'fade or wear-out' counts the trials whose report says that rewards fall, and that "
        "the data do not tell with which of the two. Bias and coverage are of what is reported where the true rung was "
        "chosen.",
        (
            "size", "truth", *(f"reported: {rung}" for rung in REPORTED), "mean error of the level", "held",
            "of the cost", "held", "of the half-life", "held",
        ),
        rows,
        f"{sum(right)} of {len(right)} requirements hold: at most {MOST_FALSE:.0%} false claims (up to chance), of "
        "wear-out where there is none and of a mere fade where sendings wear out; recovery found in at least 90 % of "
        "the trials that have it.",
        all(right),
    )  # fmt: skip


def row_of(size: tuple[int, int], k: int, replicates: int, seed: int) -> tuple[tuple[str, ...], bool]:
    """Return the row of a size and a true rung, and whether what is required holds; print it: a run takes long."""
    (people, decisions), rung = size, RUNGS[k]
    truth = truth_of(rung, decisions)
    found = Parallel(n_jobs=-1)(
        delayed(outcome)(truth, people, decisions, [seed, people, decisions, k, i]) for i in range(replicates)
    )
    chosen = Counter(one.rung for one in found)
    false = {CONSTANT: chosen[WEAR_OUT] + chosen[RECOVERY], FADE: chosen[WEAR_OUT] + chosen[RECOVERY],
             WEAR_OUT: chosen[FADE], RECOVERY: 0}[rung]  # fmt: skip
    enough = rung != RECOVERY or chosen[RECOVERY] >= 0.9 * replicates
    counts = (f"{chosen[name]}" for name in REPORTED)
    row = f"{people} × {decisions}", rung, *counts, *reported(found, rung)
    print(" | ".join(row), file=sys.stderr, flush=True)
    return row, share(false, replicates).lo <= MOST_FALSE and enough


def reported(found: list[Outcome], rung: str) -> list[str]:
    """Return bias and coverage where the true rung was chosen and has these numbers."""
    mine = [one for one in found if one.rung == rung]
    fields = {"level": 4} | ({"cost": 4} if rung in (WEAR_OUT, RECOVERY) else {})
    fields |= {"half_life": 2} if rung == RECOVERY else {}
    cells = []
    for field, digits in fields.items() if mine else ():
        errors, held = ([float(getattr(one, name)) for one in mine] for name in (field, f"{field}_held"))
        cells += [f"{np.mean(errors):+.{digits}f}", f"{np.mean(held):.2f}"]
    return cells + ["–"] * (6 - len(cells))


def outcome(truth: Truth, people: int, decisions: int, seed: list[int]) -> Outcome:
    """Simulate a trial and fit it."""
    sample = sampled(truth, people, decisions, np.random.default_rng(seed))
    found = fit_arm(ArmTask(sample.records, truth.family))
    low, cost, high = found.drop
    level = float(sample.level.mean())
    half = found.half_life or [math.nan] * 3
    return Outcome(
        UNDECIDED if found.fade_or_wear_out else found.rung, found.fresh[1] - level,
        found.fresh[0] <= level <= found.fresh[2], cost - truth.drop, low <= truth.drop <= high,
        half[1] - truth.half_life, half[0] <= truth.half_life <= half[2],
    )  # fmt: skip

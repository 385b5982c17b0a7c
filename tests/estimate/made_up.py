"""Tables and people that nobody measured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from rogue_bandits.estimate.assemble import Scaling, assemble
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fit import Fitted
from rogue_bandits.estimate.fitted import ArmFit, Interval
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, RUNGS, SHARED, WEAR_OUT
from rogue_bandits.estimate.ladder.result import ArmLadder, Check, Compared, PersonLadder
from rogue_bandits.estimate.table import Columns, read_table
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine

HEADER = "person,decision,arm,reward"
UNSCALED = Scaling()


def table(people: int = 3, decisions: int = 24) -> list[str]:
    """Rows of people who get 'walk', 'sleep' and nothing in turn; one time in four 'sleep' comes first."""
    usual, other = ("walk", "sleep", "none"), ("sleep", "walk", "none")
    return [
        f"p{person},{t},{(other if t // 3 % 4 == 1 else usual)[t % 3]},{0.3 + 0.02 * ((7 * t + person) % 20):.2f}"
        for person in range(people)
        for t in range(decisions)
    ]


def written(path: Path, rows: Iterable[str], header: str = HEADER, encoding: str = "utf-8") -> Path:
    path.write_bytes(("\n".join([header, *rows]) + "\n").encode(encoding))
    return path


def cohort_of(path: Path, scaling: Scaling = UNSCALED, **columns: str) -> Cohort:
    return assemble(read_table(path, Columns(**columns)), scaling)


def arm_fit(enough: bool = True, pull: float = -0.4, n: int = 8) -> ArmFit:
    return ArmFit(ClippedAffine(0.5, pull, 0.45), 0.1, 0.8, n, {"decay": Interval(0.2, 0.8)}, enough)


def arm_ladder(
    people: Iterable[str], rung: str = RECOVERY, holds: bool = True, wears: float = 0.9, now: float = 0.5, seed: int = 1
) -> ArmLadder:
    """A ladder whose numbers were made up: the chosen rung is 0.05 ± 0.01 above the constant, the others 0.01."""
    by = {name: 0.0 if name == CONSTANT else 0.05 if name == rung else 0.01 for name in RUNGS}
    sure = {WEAR_OUT: 0.2 * wears, RECOVERY: 0.8 * wears, FADE: 0.0, "gain": 0.0, CONSTANT: 1.0 - wears}
    step = [now + 0.004 * (k - 10) for k in range(21)]
    half_life = [2.0, 3.0, float("inf")] if rung == RECOVERY else []
    drop = [0.05, 0.1, 0.15] if rung in (WEAR_OUT, RECOVERY) else [0.0, 0.0, 0.0]
    course = {"sendings": [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6]], "rests": [[0.4, 0.5, 0.6], [0.45, 0.55, 0.65]]}
    rng = np.random.default_rng(seed)
    draws = {
        "half_life": [3.0] * 200, "level": [(now + 0.04 * rng.standard_normal(200)).tolist()],
        "slope": [[0.0] * 200], "noise": [[-2.0] * 200],
    }  # fmt: skip
    ends = [0.5, 0.6, 0.7], [0.3, 0.4, 0.5], drop, half_life
    person = PersonLadder(8, *ends, step, [0.5] * 8, {"level": 0.6}, draws=draws)
    return ArmLadder(
        people=3,
        rewards=24,
        compared=[Compared(name, SHARED, -1.0 + by[name], by[name], 0.01 * (name != CONSTANT)) for name in RUNGS],
        rungs=dict.fromkeys(RUNGS, SHARED),
        rung=rung,
        pool=SHARED,
        fade_beaten_by=[0.04, 0.01] if rung in (WEAR_OUT, RECOVERY) else [],
        probability=sure,
        fresh=[0.5, 0.6, 0.7],
        worn=[0.3, 0.4, 0.5],
        drop=drop,
        half_life=half_life,
        now=step,
        course=course if rung in (WEAR_OUT, RECOVERY) else {},
        check=Check(0.5, 0.5, 0.1, 0.1, [0.0, 0.5, 1.0], [0.5, 0.5], [[0.4, 0.4], [0.5, 0.5], [0.6, 0.6]], holds),
        effects=[],
        effect_draws=[[]],
        draw_rungs=[rung] * 200,
        parts=[[0.0, 1.0]],
        population={"numbers": []},
        persons=dict.fromkeys(people, person),
    )


def people_of(cohort: Cohort, ladder: ArmLadder | None = None, fit: ArmFit | None = None) -> People:
    """Fitted people, everybody alike."""
    one = ladder or arm_ladder(cohort.people)
    fits = {person: dict.fromkeys(cohort.arms, fit or arm_fit()) for person in cohort.people}
    source = {"date": "2026-01-17 10:00 UTC", "sha256": "ab" * 32, "version": "0.2.0", "command": "rogue fit d.csv"}
    return People(cohort, Fitted(fits, dict.fromkeys(cohort.arms, one), None, "agent", {"agent": 0.0}), source)


def cohort_of_chance(people: int = 40, decisions: int = 60, seed: int = 1, scale: float = 1.0) -> Cohort:
    """Good days have rewards higher by 2, and walk is sent more on them; walk adds 0.5, sleep nothing."""
    rng = np.random.default_rng(seed)
    every = {}
    for i in range(people):
        good = rng.random(decisions) < 0.5
        walk, sleep = np.where(good, 0.6, 0.1), np.full(decisions, 0.2)
        u = rng.random(decisions)
        arm = np.where(u < walk, 0, np.where(u < walk + sleep, 1, -1))
        p = np.where(arm == 0, walk, np.where(arm == 1, sleep, 1.0 - walk - sleep))
        reward = i % 5 + 2.0 * good + 0.5 * (arm == 0) + rng.standard_normal(decisions)
        able = np.ones(decisions, dtype=np.bool_)
        every[f"p{i}"] = History(0, decisions, np.arange(decisions), arm, reward, able, p, np.zeros((decisions, 0)))
    return Cohort("d.csv", "steps", scale, ["walk", "sleep"], every, [])

"""Trials that are served as studies: replays are identical, and the effect is recovered from the exports."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from rogue_bandits.study.export import codebook, export_rows
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import Service
from rogue_bandits.study.wcls import ExcursionEffect, wcls
from tests.study.trial import EFFECT, run_trial
from verification.finding import Finding

LONG = 100  # days
TRIALS, DAYS = 40, 40  # of the repeated trials


def served_trial(people: int, small: int, seed: int) -> Finding:
    """Run one large trial and many small ones, each as a study; replay them, and estimate the effect."""
    rows, differences, covered, errors = [], 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        large, replayed = analysed(Path(folder) / "large.db", people, LONG, seed)
        rows.append(row_of(f"{people:,} people × {LONG} days", large, replayed))
        differences += replayed[1]
        for k in range(TRIALS):
            effect, found = analysed(Path(folder) / f"{k}.db", small, DAYS, seed + 1 + k)
            differences += found[1]
            error = (effect.estimate[0] - EFFECT) / effect.standard_error[0]
            errors.append(error)
            covered += abs(error) < 1.96
    off = abs(large.estimate[0] - EFFECT) / large.standard_error[0]
    mean = abs(float(np.mean(errors))) * np.sqrt(TRIALS)
    rows.append(
        (f"{TRIALS} trials, {small} people × {DAYS} days", "", f"{covered} of {TRIALS} intervals hold it", "", "")
    )
    return Finding(
        "Trials served as studies",
        "Every decision that is made again from the log is the same, and weighted and centred least squares recover "
        f"the effect {EFFECT}.",
        ("trial", "effect", "95 % interval", "decisions made again", "differ"),
        rows,
        f"{differences} decisions differ; the effect of the large trial is off by {off:.1f} standard errors.",
        differences == 0 and off < 4 and mean < 4 and covered >= TRIALS - 8,  # P(9 or more miss) < 1e-4 at 95 %
    )


def row_of(name: str, effect: ExcursionEffect, replayed: tuple[int, int]) -> tuple[str, ...]:
    """Return a row of the table."""
    low, high = effect.interval()
    interval = f"{low[0]:.3f} to {high[0]:.3f}"
    return name, f"{effect.estimate[0]:.3f}", interval, f"{replayed[0]:,}", str(replayed[1])


def analysed(path: Path, people: int, days: int, seed: int) -> tuple[ExcursionEffect, tuple[int, int]]:
    """Run a trial; return its effect, and how many decisions were made again and differ."""
    with run_trial(path, people, days, seed) as service, service.storage.reading() as reader:
        faults = verify(reader).faults
        again = replay(reader)
        return effect_of(service), (again.decisions, len(again.differences) + len(faults))


def effect_of(service: Service) -> ExcursionEffect:
    """Return the effect of 'message' against 'nothing', from the rows of the export."""
    names = [column.name for column in codebook(service.design)]
    with service.storage.reading() as reader:
        every = (dict(zip(names, row, strict=True)) for row in export_rows(reader, service.design))
        rows = [row for row in every if row["available"] == 1]
    who, sent = [row["person"] for row in rows], np.array([row["action"] == "message" for row in rows], dtype=float)
    return wcls(who, sent, [row["probability_message"] for row in rows], [row["reward"] for row in rows])

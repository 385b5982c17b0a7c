"""The test of the model that comes with unknown dynamics: false alarms where it is right, alarms where it is not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.belief.bank.check import FALSE_ALARM, is_contradicted
from rogue_bandits.types import Floats, draw
from verification.calibration import drawn_arm, drawn_laws
from verification.finding import Finding
from verification.worlds import random_walk, weekdays

ARMS, HORIZON = 3, 300
RECOVERY = 2
ARM = rb.Arm(rb.Unknown(), rb.LaplaceAgent(), 0.02, 0.25)
LARGE = 3.0  # multiple of the shifts of `unknown-wrong`
FAR_WALK, LEAST_ALARMS = "random walk of levels, three times as far", 0.5


class Person(NamedTuple):
    """Dynamics [arms, 3], first states and noise of a person."""

    dynamics: Floats
    x0: Floats
    theta: Floats


def model_check(people: int, seed: int) -> Finding:
    """Count the arms that raise an alarm while they are played at random."""
    truths = [person(np.random.default_rng((seed, 7, i))) for i in range(people)]
    nothing: Callable[[int, int, int, int], Floats] = lambda n, t, k, _: np.zeros((n, t, k))  # noqa: E731
    worlds = {
        "nothing": (nothing, 1.0),
        "random walk of levels": (random_walk, 1.0),
        FAR_WALK: (random_walk, LARGE),
        "weekdays, three times as far": (weekdays, LARGE),
    }
    rows, share = [], {}
    for name, (shifts, size) in worlds.items():
        shift = size * shifts(people, HORIZON, ARMS, seed)
        ever, end = alarms(truths, shift, seed)
        share[name] = ever.mean()
        rows.append((name, f"{100 * ever.mean():.1f} %", f"{100 * end.mean():.1f} %"))
    most = FALSE_ALARM + 3.0 * math.sqrt(FALSE_ALARM / (people * ARMS))
    return Finding(
        "Unknown dynamics: a test of the model",
        f"{people} people with {ARMS} arms whose dynamics are drawn from the prior, {HORIZON} decisions at random. The "
        f"share of arms that have raised an alarm by then, and of those that have not withdrawn it. Stated: at most "
        f"{100 * FALSE_ALARM:g} % if the model is right. Criterion: so it is, up to chance, and of levels that walk "
        f"three times as far at least {LEAST_ALARMS:.0%} raise an alarm.",
        ("what is wrong", "alarm", "at the end"),
        rows,
        f"False alarms: {100 * share['nothing']:.1f} %.",
        bool(share["nothing"] <= most and share[FAR_WALK] >= LEAST_ALARMS),
    )


def person(rng: np.random.Generator) -> Person:
    """Draw a person from the prior."""
    alike = drawn_laws(rng)
    arms = [drawn_arm(ARM, RECOVERY, alike, rng) for _ in range(ARMS)]
    numbers = np.array([[a.decay, a.pull, a.drift] for a in arms])
    return Person(numbers, np.array([a.x0 for a in arms]), np.array([a.theta for a in arms]))


def alarms(truths: Sequence[Person], shift: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return whether each arm has ever raised an alarm, and whether it stands at the end: [people, arms]."""
    learners, rows = rb.Population([ARM] * ARMS, rb.IndexTS(), len(truths), seed), np.arange(len(truths))
    rng, ever = np.random.default_rng((seed, 8)), np.zeros((len(truths), ARMS))
    numbers, x = np.array([one.dynamics for one in truths]), np.array([one.x0 for one in truths])
    for t in range(shift.shape[1]):
        played, u = rng.integers(0, ARMS, len(truths)), rng.random(len(truths))
        level = np.clip(x + shift[:, t], 0.0, 1.0)[rows, played]
        reward = [
            draw(ARM.rewards, one.theta[k], level[i], u[i])
            for i, (one, k) in enumerate(zip(truths, played, strict=True))
        ]
        learners.record(rows, played, np.array(reward))
        signal = (np.arange(ARMS) == played[:, None]).astype(np.float64)
        x = np.clip(numbers[:, :, 0] * x + numbers[:, :, 1] * signal + numbers[:, :, 2], 0.0, 1.0)
        now = standing(learners)
        ever = np.maximum(ever, now)
    return ever, now


def standing(learners: rb.Population) -> Floats:
    """Return which arms have an alarm that stands: [people, arms]."""
    check = learners._online.state.personal.check
    return np.array([[float(is_contradicted(one)) for one in arms] for arms in check])

"""What learning the dynamics costs: a decision, and bytes of a person, by hypotheses: `python -m benchmarks.bank`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.measure import Costs, Ratio, Task, computing, in_rounds, ratio_of
from benchmarks.memory import arrays
from benchmarks.results import Requirement
from benchmarks.truths import FIVE_ARMS
from rogue_bandits import Arm, Bandit, IndexTS, Unknown, simulate
from rogue_bandits.experiments.health.cohort import drawn
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.types import Truth

SIZES = (256, 1_000, 4_000)
DECISIONS = 1_000
ASKED, MICROSECONDS, MEGABYTES = 1_000, 100.0, 1.0  # for so many hypotheses, at most
TRUTHS: dict[str, Truth] = {
    "LaplaceAgent": drawn(HealthSettings(people=1, people_as_of="0.1.0"))[0],
    "BernoulliLogit": FIVE_ARMS,
}
KNOWN = "known"


class Size(NamedTuple):
    """Bytes of a person after so many decisions."""

    snapshot: int
    arrays: int


def main() -> None:
    """Print a row for each family and number of hypotheses."""
    for family, truth in TRUTHS.items():
        costs = decisions(truth, rounds=5)
        print(f"{family}, 5 arms, dynamics known: {1e6 * costs[KNOWN].median:.1f} µs a decision", flush=True)
        for size in SIZES:
            took, times, person = costs[str(size)], ratio_of(costs[str(size)], costs[KNOWN]), bytes_of(truth, size)
            print(
                f"{family}, 5 arms, {size:,} hypotheses: {1e6 * took.median:.1f} µs a decision (best "
                f"{1e6 * took.best:.1f}), {shown(times)} × known; {person.snapshot / 1e6:.2f} MB a snapshot, "
                f"{person.arrays / 1e6:.2f} MB in memory",
                flush=True,
            )


def learner(truth: Truth, hypotheses: int) -> list[Arm]:
    """Return the arms with the wide prior in place of their dynamics."""
    return [arm._replace(dynamics=Unknown(hypotheses=hypotheses)) for arm in truth.arms]


def decisions(truth: Truth, rounds: int, sizes: Sequence[int] = SIZES) -> dict[str, Costs]:
    """Return seconds a decision of index-ts, on average over the first 1,000 of a person."""

    def simulated(arms: Sequence[Arm]) -> Task:
        return lambda: computing(lambda: simulate(truth, IndexTS(), DECISIONS, seed=1, learner_arms=arms)) / DECISIONS

    tasks = {str(size): simulated(learner(truth, size)) for size in sizes}
    return in_rounds({KNOWN: simulated(truth.arms), **tasks}, rounds)


def bytes_of(truth: Truth, hypotheses: int) -> Size:
    """Return what one person takes after 1,000 decisions at random."""
    bandit = Bandit(learner(truth, hypotheses), IndexTS(), seed=1)
    rng = np.random.default_rng(1)
    for _ in range(DECISIONS):
        bandit.record(int(rng.integers(len(truth.arms))), float(rng.integers(2)))
    return Size(len(bandit.to_bytes()), sum(array.nbytes for array in arrays(bandit._online.arrays)))


def bank_requirements(rounds: int) -> list[Requirement]:
    """The bank of 1,000 hypotheses about each of five arms of the agent."""
    truth, name = TRUTHS["LaplaceAgent"], f"unknown dynamics, {ASKED:,} hypotheses, five arms"
    costs = decisions(truth, rounds, (ASKED,))
    times, person = ratio_of(costs[str(ASKED)], costs[KNOWN]), bytes_of(truth, ASKED)
    return [
        Requirement(
            f"{name}, a decision", 1e6 * costs[str(ASKED)].median, MICROSECONDS, "µs", note=f"{shown(times)} × known"
        ),
        Requirement(
            f"{name}, a person", person.arrays / 1e6, MEGABYTES, "MB", note=f"{person.snapshot / 1e6:.2f} saved"
        ),
    ]


def shown(times: Ratio) -> str:
    """Return a ratio, with its quartiles."""
    return f"{times.value:.1f} ({times.low:.1f}–{times.high:.1f})"


if __name__ == "__main__":
    main()

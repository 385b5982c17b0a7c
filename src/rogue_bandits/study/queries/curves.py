"""Mean rewards by how long an arm rested and how often it was played in a row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.queries.paging import paged
from rogue_bandits.study.queries.rows import RewardCurve
from rogue_bandits.study.storage.contract import Reader


def after_rest(reader: Reader, design: StudyDesign, longest: int = 14) -> list[RewardCurve]:
    """Return the mean reward of each arm by the number of decisions since it was last played: recovery."""
    return _curves(design, ((arm, min(gap, longest), r) for arm, gap, _, r in _plays(reader) if gap > 0))


def after_plays(reader: Reader, design: StudyDesign, longest: int = 10) -> list[RewardCurve]:
    """Return the mean reward of each arm by how often it was played in a row before: wear-out."""
    return _curves(design, ((arm, min(run, longest), r) for arm, _, run, r in _plays(reader)))


def _plays(reader: Reader) -> Iterator[tuple[int, int, int, float]]:
    """Yield arm, decisions since it was last played (0: never), plays in a row before, reward."""
    who, last, run_arm, run = "", dict[int, int](), -1, 0
    for pid, number, arm, value in chain.from_iterable(paged(reader, "arm, reward")):
        if pid != who:
            who, last, run_arm, run = pid, {}, -1, 0
        if arm < 0:
            run_arm, run = -1, 0
            continue
        run = run + 1 if arm == run_arm else 0
        if value is not None:
            yield int(arm), int(number) - last[arm] if arm in last else 0, run, float(value)
        last[arm], run_arm = int(number), arm


def _curves(design: StudyDesign, found: Iterator[tuple[int, int, float]]) -> list[RewardCurve]:
    sums: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for arm, x, value in found:
        one = sums[arm, x]
        one[0], one[1], one[2] = one[0] + 1, one[1] + value, one[2] + value * value
    curves = []
    for (arm, x), (n, total, squares) in sorted(sums.items()):
        variance = max(squares - total * total / n, 0.0) / (n - 1) if n > 1 else None
        error = None if variance is None else (variance / n) ** 0.5
        curves.append(RewardCurve(design.names[arm], x, int(n), total / n, error))
    return curves

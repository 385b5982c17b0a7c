"""Mean rewards by how long an arm rested and how often it was played in a row.

The database does the counting: in a study of years it reads millions of decisions, and Python would hold up those who
ask for a decision meanwhile.
"""

from __future__ import annotations

from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.queries.rows import RewardCurve
from rogue_bandits.study.storage.sql import Reader

# Decisions since the arm was last played; NULL at its first play.
RESTED = """SELECT arm, reward, number - lag(number) OVER (PARTITION BY pid, arm ORDER BY number) AS x
 FROM decisions WHERE arm >= 0"""
# Plays in a row just before: since the decision before which another arm, or none, was played.
IN_A_ROW = """SELECT arm, reward, number - max(CASE WHEN before = arm THEN -1 ELSE number END)
 OVER (PARTITION BY pid ORDER BY number) AS x FROM (SELECT pid, number, arm, reward,
 coalesce(lag(arm) OVER (PARTITION BY pid ORDER BY number), -2) AS before FROM decisions) AS played"""
MEANS = """SELECT arm, x, count(*), sum(reward), sum(reward * reward) FROM (SELECT arm, reward,
 CASE WHEN x > ? THEN ? ELSE x END AS x FROM ({plays}) AS plays WHERE arm >= 0) AS capped
 WHERE reward IS NOT NULL AND x IS NOT NULL GROUP BY arm, x ORDER BY arm, x"""


def after_rest(reader: Reader, design: StudyDesign, longest: int = 14) -> list[RewardCurve]:
    """Return the mean reward of each arm by the number of decisions since it was last played: recovery."""
    return _curves(reader, design, RESTED, longest)


def after_plays(reader: Reader, design: StudyDesign, longest: int = 10) -> list[RewardCurve]:
    """Return the mean reward of each arm by how often it was played in a row before: wear-out."""
    return _curves(reader, design, IN_A_ROW, longest)


def _curves(reader: Reader, design: StudyDesign, plays: str, longest: int) -> list[RewardCurve]:
    curves = []
    for arm, x, n, total, squares in reader.rows(MEANS.format(plays=plays), (longest, longest)):
        variance = max(squares - total * total / n, 0.0) / (n - 1) if n > 1 else None
        error = None if variance is None else (variance / n) ** 0.5
        curves.append(RewardCurve(design.names[arm], int(x), int(n), float(total / n), error))
    return curves

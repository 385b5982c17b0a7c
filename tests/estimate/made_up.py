"""Tables and people that nobody measured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rogue_bandits.estimate.assemble import Scaling, assemble
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit, Fitted, Interval
from rogue_bandits.estimate.history import Cohort
from rogue_bandits.estimate.table import Columns, read_table
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine

HEADER = "person,decision,arm,reward"
UNSCALED = Scaling()


def table(people: int = 3, decisions: int = 24) -> list[str]:
    """Rows of people who get 'walk', 'sleep' and nothing in turn."""
    return [
        f"p{person},{t},{('walk', 'sleep', 'none')[t % 3]},{0.3 + 0.02 * ((7 * t + person) % 20):.2f}"
        for person in range(people)
        for t in range(decisions)
    ]


def written(path: Path, rows: Iterable[str], header: str = HEADER, encoding: str = "utf-8") -> Path:
    path.write_bytes(("\n".join([header, *rows]) + "\n").encode(encoding))
    return path


def cohort_of(path: Path, scaling: Scaling = UNSCALED, **columns: str) -> Cohort:
    return assemble(read_table(path, Columns(**columns)), scaling)


def arm_fit(enough: bool = True, pull: float = -0.4, n: int = 8, gap: float | None = None) -> ArmFit:
    intervals = {"pull": Interval(pull - 0.1, pull / 2), "decay": Interval(0.2, 0.8)} if enough else {}
    return ArmFit(ClippedAffine(0.5, pull, 0.45), 0.1, 0.8, -1.25, n, intervals, gap, enough)


def people_of(cohort: Cohort, fit: ArmFit | None = None) -> People:
    fits = {person: dict.fromkeys(cohort.arms, fit or arm_fit()) for person in cohort.people}
    return People(cohort, Fitted("person", {"person": 0.41, "arm": 0.38}, fits))

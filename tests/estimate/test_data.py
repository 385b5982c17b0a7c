"""What the statistics take from a cohort: silence, availability and covariates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.assemble import Scaling, assemble
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.table import Columns, Reading, read_table
from tests.estimate.made_up import written

HEADER = "person,decision,arm,reward,available,mood"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of 24 decisions each third is a rest; at each twelfth, another, nothing could be sent."""
    arm = ["none" if t % 3 == 2 or t % 12 == 6 else "walk" for t in range(24)]
    rows = [
        f"p{i},{t},{arm[t]},{0.1 * (t % 3) + 0.01 * i},{int(t % 12 != 6)},{t % 4}" for i in range(3) for t in range(24)
    ]
    return written(tmp_path / "d.csv", rows, HEADER)


def test_silence_is_what_followed_a_rest_that_was_chosen(path: Path) -> None:
    rests = data_of(assemble(read_table(path, Columns()), Scaling())).rests
    assert rests is not None
    seen = ~np.isnan(rests["p0"].rewards)
    assert np.flatnonzero(seen).tolist() == list(range(2, 24, 3))
    assert not rests["p0"].played.any()


def test_covariates_have_one_reference_for_arms_and_silence(path: Path) -> None:
    cohort = assemble(read_table(path, Columns(), Reading(covariates=("mood",))), Scaling())
    covariates = data_of(cohort).covariates
    assert covariates is not None
    every = np.concatenate(list(covariates.values()))
    assert every.mean(0) == pytest.approx(0.0, abs=1e-12)
    assert np.ptp(every) == pytest.approx(3.0 / np.std([0, 1, 2, 3]))


def test_covariates_that_an_arm_fixes_bring_a_warning(tmp_path: Path) -> None:
    rows = [f"p{i},{t},{('walk', 'sit')[t % 2]},{t % 5},{'AB'[t % 2]}" for i in range(2) for t in range(12)]
    path = written(tmp_path / "d.csv", rows, "person,decision,arm,reward,site")
    notes = assemble(read_table(path, Columns(), Reading(covariates=("site",))), Scaling()).notes
    assert notes[-1].startswith(
        "Warning: covariates with one value only: 'site: B' where walk was sent, 'site: B' where sit was sent."
    )


def test_rests_that_a_named_family_cannot_have_bring_a_warning(tmp_path: Path) -> None:
    rows = [
        f"p{i},{t},{'walk' if t % 2 else ''},{float(t % 4 == 1) if t % 2 else 0.5}" for i in range(2) for t in range(12)
    ]
    table = read_table(written(tmp_path / "d.csv", rows), Columns())
    notes = assemble(table, Scaling(family="logit")).notes
    assert any(note.startswith("Warning: 12 rewards after a rest, such as 0.5 in row 2, cannot") for note in notes)
    assert not any("after a rest, such as" in note for note in assemble(table, Scaling()).notes)

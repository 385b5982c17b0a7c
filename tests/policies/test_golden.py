"""Decisions are those that were recorded. `make verify` runs all cases (verification/golden.py), here a few."""

from __future__ import annotations

import pytest

from rogue_bandits.simulation import simulate
from rogue_bandits.simulation.kernels import decide
from tests.policies.golden import BASELINES, ROGUE, Case, decisions, recorded, short_cases

HERE = [f"{policy}/{family}/ClippedAffine" for policy in ROGUE for family in ("BernoulliLogit", "LaplaceAgent")]
HERE += [f"{policy}/Gaussian/ClippedAffine" for policy in BASELINES]
CASES = [case for case in short_cases() if case.name in HERE]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_decisions_are_those_that_were_recorded(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpreted: compiling each would take minutes, and interpreted is compiled (test_conformance.py)."""
    monkeypatch.setattr(simulate, "decide", decide.py_func)  # type: ignore[attr-defined]  # numba's
    assert decisions(case) == recorded()[case.name]


def test_every_case_was_recorded() -> None:
    assert {case.name for case in short_cases()} <= set(recorded())

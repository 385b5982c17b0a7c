"""Built-in models pass the suite; each fault is found, and named in words."""

from __future__ import annotations

import re
from typing import Any

import pytest

import rogue_bandits as rb
from rogue_bandits.conformance import rewards
from rogue_bandits.conformance.suite import first_of
from rogue_bandits.model import DYNAMICS, FAMILIES
from rogue_bandits.types import loglik
from tests.conformance.models import (
    BUILT_IN,
    FAULTS,
    HEAVY_WITH_ITS_OWN,
    MOVES,
    MOVING,
    OF_LOGLIK,
    TWICE_WRONG,
    UNMARKED,
    Near,
    Tent,
    family,
    tent_loglik,
)
from tests.interpreted import interpreted as interpreted
from tests.matrix import FULL

# One of each kind is compiled; tests/model/test_compiled.py has the laws of all exponential families.
COMPILED: tuple[str, ...] = (
    "BernoulliLogit",
    "BernoulliProbit",
    "GaussianAgent",
    "LaplaceAgent",
    "Weighted",
    "Saturating",
)
if FULL:
    COMPILED += ("LogisticAgent", "Coupled")


@pytest.mark.parametrize("name", FAMILIES)
def test_every_built_in_family_passes(name: str, request: pytest.FixtureRequest) -> None:
    """A new line in the table of families is found here, and needs an example arm."""
    if name not in COMPILED:
        request.getfixturevalue("interpreted")
    arm = BUILT_IN[name]
    assert type(arm.rewards) is FAMILIES[name]
    report = rb.check_model(arm)
    assert report.ok, report


def test_a_prior_over_dynamics_is_refused() -> None:
    """There is nothing to check."""
    with pytest.raises(ValueError, match="its dynamics are Unknown, a prior"):
        rb.check_model(rb.Arm(rb.Unknown(), rb.LaplaceAgent(), 0.01, 1.0))


@pytest.mark.parametrize("name", [name for name in DYNAMICS if name != "Unknown"])
def test_every_built_in_dynamics_passes(name: str, request: pytest.FixtureRequest) -> None:
    if name not in COMPILED:
        request.getfixturevalue("interpreted")
    arm = MOVING[name]
    assert type(arm.dynamics) is DYNAMICS[name]
    report = rb.check_model(arm)
    assert report.ok, report


def test_the_model_that_the_faults_are_added_to_is_sound() -> None:
    report = rb.check_model(rb.Arm(MOVES, Tent()))
    assert report.ok, report
    assert not any("every reward is stored" in note for note in report.notes)  # it is smooth


@pytest.fixture
def coarse(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In `make test`, nine points for faults that are at most of them, and fewer draws where these are not at fault."""
    case = getattr(request.node, "callspec", None)
    if not FULL:
        monkeypatch.setattr(rewards, "PLACES", (*rewards.PLACES[:1], *rewards.PLACES[2:]))
        if case is None or not {"draws", "support"} & set(case.params.values()):
            monkeypatch.setattr(rewards, "STRATA", 20)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_and_named(name: str) -> None:
    arm, law, words = FAULTS[name]
    report = rb.check_model(arm)
    assert not report.ok
    assert report.faults[0].law == law
    assert words in str(report)
    assert str(report).startswith(f"{type(arm.rewards).__name__} rewards with {type(arm.dynamics).__name__} dynamics: ")


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("name", OF_LOGLIK)
def test_a_mistake_in_loglik_is_reported_once(name: str) -> None:
    """Not again for each law that is worked out from it."""
    report = rb.check_model(OF_LOGLIK[name])
    assert [fault.law for fault in report.faults] == ["loglik"]
    words = (
        "correct loglik first: what is computed from it was not checked (draw, mean, kl, kl_and_slopes, information)"
    )
    assert words in report.notes


@pytest.mark.usefixtures("coarse")
def test_laws_of_its_own_are_not_blamed_for_a_loglik_that_is_no_law() -> None:
    report = rb.check_model(HEAVY_WITH_ITS_OWN)
    assert [fault.law for fault in report.faults] == ["loglik"]
    assert any(note.endswith("was not checked (kl, kl_and_slopes, information)") for note in report.notes)


@pytest.mark.usefixtures("coarse")
def test_a_mistake_in_a_law_of_its_own_is_reported_beside_one_in_loglik() -> None:
    assert [fault.law for fault in rb.check_model(TWICE_WRONG).faults] == ["loglik", "mean"]


def test_a_kink_of_the_effective_support_is_no_fault() -> None:
    report = rb.check_model(rb.Arm(MOVES, Near(0.2)))
    assert report.ok, report


@pytest.mark.usefixtures("coarse")
def test_a_helper_that_cannot_be_compiled_is_named() -> None:
    report = rb.check_model(UNMARKED)
    assert len(report.faults) == 1
    assert report.faults[0].found.startswith("law `loglik` of Unmarked cannot be compiled: models.py, line ")
    assert report.faults[0].found.endswith(
        ": 'unmarked' is a plain function: mark it with `rogue_bandits.model.inlined`"
    )


def test_numbers_that_a_family_refuses_are_refused_in_its_own_words() -> None:
    with pytest.raises(ValueError, match=r"sd 0\.0 must be above 0"):
        rb.check_model(rb.Arm(MOVES, rb.Gaussian(1.0, 1.0, sd=0.0)))


@pytest.mark.usefixtures("coarse")
def test_a_law_that_is_registered_anew_is_asked_anew() -> None:
    heavy, law, _ = FAULTS["mass"]
    assert not rb.check_model(heavy).ok
    table: Any = loglik
    before = table.dispatch(type(heavy.rewards))
    loglik.register(type(heavy.rewards))(tent_loglik)
    try:
        assert law not in [fault.law for fault in rb.check_model(heavy).faults]
    finally:
        loglik.register(type(heavy.rewards))(before)


def test_what_the_theorems_cannot_be_asked_for_is_a_note() -> None:
    notes = rb.check_model(BUILT_IN["PoissonLog"]).notes
    assert len(notes) == 1
    assert "Assumption 4 has no constant sigma for PoissonLog: counts without an upper limit" in notes[0]


BROKEN = {
    "nan": "arm 'walk', loglik(1, 0, 0.5) is nan",
    "error": "arm 'walk', mean(0.5, 0.5) raises ZeroDivisionError: float division by zero",
    "support": "arm 'walk', draw(0.5, 0.5, 0.9), reward 1.8 must be from 0 to 1 (Wide)",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("door", [
    lambda arm: rb.fit(arm, [1], [0.5]),
    lambda arm: rb.Bandit([arm], rb.Random()),
    lambda arm: rb.simulate(rb.Truth([arm], [0.5], [0.5]), rb.Random(), horizon=5),
], ids=["fit", "Bandit", "simulate"])  # fmt: skip
def test_a_broken_law_is_refused_at_every_door(name: str, door: Any) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(BROKEN[name])}$"):
        door(FAULTS[name].arm._replace(name="walk"))


def raises_in_a_band(f: object, theta: float, x: float, r: float) -> float:
    if r < 0.9:
        raise RuntimeError("odd")  # not one of the errors that arithmetic gives
    return 0.0


def test_a_law_that_raises_is_named_with_its_line() -> None:
    """Whatever it raises, and wherever the check was."""

    def check(arm: rb.Arm) -> Any:
        yield loglik(arm.rewards, 0.5, 0.5, 0.25)

    fault = first_of(check, family("Banded", loglik=raises_in_a_band))
    assert [each.law for each in fault] == ["raises_in_a_band"]
    line = raises_in_a_band.__code__.co_firstlineno + 2
    assert fault[0].found == f"raises_in_a_band, test_check_model.py line {line}, raises RuntimeError: odd"

"""People like those of a trial: who is drawn, what policies assume of them, and that random choices gain nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rogue_bandits as rb
from rogue_bandits.checked_json import checksum
from rogue_bandits.cli import main
from rogue_bandits.experiments import like_mine as alike
from rogue_bandits.experiments.health.fitted import FittedPeople
from rogue_bandits.experiments.like_mine import Setting, assumed, drawn_truth, like_mine, population, told
from rogue_bandits.types import mean, next_state

NAMES = ["walk", "sleep"]
BLOCK = {
    "numbers": ["fresh", "log_drop", "log_loss", "log_half_life"], "scale": "the reward",
    "mean": [0.7, -2.0, -0.7, 1.2],
    "covariance": (0.01 * np.eye(4)).tolist(), "no_effect": 0.25, "no_recovery": 0.0, "recovery": 0.75,
}  # fmt: skip
FIT = rb.Truth(
    [rb.Arm(rb.ClippedAffine(0.8, -0.1, 0.14), rb.LaplaceAgent(), 0.005, 1.0, name) for name in NAMES],
    [0.1, 0.2], [0.5, 0.6],
)  # fmt: skip

FITTED = FittedPeople([FIT, FIT], [], 100.0, "steps", "d.csv", "agent", bounded=True, rungs={})


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A people.json with the population of two arms, and one person who is fitted."""
    content = {"cohort": {"arms": NAMES}, "fits": {}, "population": dict.fromkeys(NAMES, BLOCK)}
    head = {"format": "rogue-bandits/people", "version": 3, "checksum": checksum(content)}
    path = tmp_path / "people.json"
    path.write_text(json.dumps({**head, **content}))
    monkeypatch.setattr(alike, "fitted_people", lambda _: FITTED)
    return path


def test_people_are_drawn_from_the_population_with_the_noise_of_a_fit(people: Path) -> None:
    """A quarter is of the kind without effect, on all arms; dynamics differ between people."""
    populations = {name: population(people, rb.arm_from_fit(people, name)) for name in NAMES}
    rng = np.random.default_rng(1)
    drawn = [drawn_truth(FIT, populations, rng) for _ in range(400)]
    still = [all(arm.dynamics.pull == 0.0 for arm in truth.arms) for truth in drawn]
    assert still == [any(arm.dynamics.pull == 0.0 for arm in truth.arms) for truth in drawn]
    assert abs(np.mean(still) - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 400)
    assert {tuple(truth.theta) for truth in drawn} == {(0.1, 0.2)}
    assert len({truth.arms[0].dynamics for truth in drawn}) > 290


def test_only_policies_that_learn_dynamics_have_the_prior(people: Path) -> None:
    """Others have the centre of the population: a fresh level of 0.7."""
    new = {name: rb.arm_from_fit(people, name) for name in NAMES}
    populations = {name: population(people, arm) for name, arm in new.items()}
    assert all(isinstance(arm.dynamics, rb.Unknown) for arm in assumed(FIT, rb.IndexTS(), new, populations))
    for arm in assumed(FIT, rb.EpsilonRogue(), new, populations):
        assert arm.dynamics.drift / (1.0 - arm.dynamics.decay) == pytest.approx(0.7)


def test_people_of_other_families_have_their_levels_as_states() -> None:
    """A Gaussian arm: what is drawn and what is told have the means of the fit, by its own recursion of states."""
    fitted = rb.Arm(
        rb.ClippedAffine(0.8, -300.0, 0.0, -9_000.0, 0.0), rb.Gaussian(1.0, 1.0, 500.0), 0.0, 9_000.0, "walk"
    )
    point = (10.0, 0.0, 1.0)  # fresh at 5,000, a loss of 500, a half-life of e
    new = fitted._replace(
        dynamics=rb.Unknown(lo=-18.0, hi=18.0, centre=point, factor=(1e-9, 0.0, 1e-9, 0.0, 0.0, 1e-9)),
        rewards=rb.Gaussian(0.0, 500.0, 500.0), theta_lo=0.0, theta_hi=1.0,
    )  # fmt: skip
    drawn = drawn_truth(rb.Truth([fitted], [5_000.0], [0.0]), {"walk": new}, np.random.default_rng(1))
    decay = 2.0 ** (-1.0 / np.e)
    d, f = drawn.arms[0].dynamics, drawn.arms[0].rewards
    assert (d.lo, d.hi, d.decay) == pytest.approx((-18.0, 18.0, decay))
    x, lost = d.drift / (1.0 - d.decay), 0.0  # both rested
    centre = told(fitted, new).dynamics
    for played in (1.0, 1.0, 0.0, 1.0):
        assert mean(f, drawn.theta[0], x) == pytest.approx(5_000.0 + lost)
        x, lost = next_state(d, x, played), decay * lost - (1.0 - decay) * 500.0 * played
    assert (centre.decay, centre.pull, centre.drift) == pytest.approx((decay, -(1.0 - decay) * 500.0, 0.0))


def test_random_choices_gain_nothing_over_themselves(people: Path) -> None:
    """Person by person: they have the same random numbers."""
    found = like_mine(people, {"random": rb.Random()}, Setting(20, 3, 1))["random"]
    assert (found.drawn.mean, found.drawn.stderr, found.fits.mean) == (0.0, 0.0, 0.0)


def test_the_command_says_which_column_to_go_by(people: Path) -> None:
    """In units of the reward, and with the warning."""
    words = ["simulate", "--fit", str(people), "--policy", "random", "--horizon", "20", "--people", "3"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "+0 ± 0" in result.output
    assert "Go by the first column" in result.output


@pytest.mark.parametrize("words", [[], ["--model", "a.py:b", "--fit", "people.json"]])
def test_one_of_model_and_fit_is_needed(words: list[str]) -> None:
    """Neither, and both, are refused."""
    result = CliRunner().invoke(main, ["simulate", *words])
    assert "simulate needs one of --model FILE:NAME and --fit people.json" in result.output

"""Power: against scipy, against simulated trials, and back from every number to every other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import chi2, ncx2, norm

import rogue_bandits as rb
from rogue_bandits.cli import main
from rogue_bandits.numerics.chi_squared import chi_squared_cdf, chi_squared_quantile
from rogue_bandits.types import Floats

TRIAL: dict[str, Any] = {"effect": 0.1, "people": 50, "decisions": 100, "least": 0.2}


@pytest.mark.parametrize("degrees", [1, 2, 7, 40])
@pytest.mark.parametrize("noncentrality", [0.0, 1e-3, 0.7, 12.0, 300.0, 5_000.0])
def test_distribution_functions_are_those_of_scipy(degrees: int, noncentrality: float) -> None:
    spread = np.sqrt(2.0 * (degrees + 2.0 * noncentrality))
    for x in np.maximum(degrees + noncentrality + np.array([-3.0, -1.0, 0.0, 0.5, 2.0, 6.0]) * spread, 0.01):
        expected = ncx2.cdf(x, degrees, noncentrality) if noncentrality else chi2.cdf(x, degrees)
        assert chi_squared_cdf(float(x), degrees, noncentrality) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("p", [1e-4, 0.3, 0.95, 0.9999])
def test_quantiles_are_those_of_scipy(p: float) -> None:
    for degrees in (1, 3, 20):
        assert chi_squared_quantile(p, degrees) == pytest.approx(chi2.ppf(p, degrees), rel=1e-10)


def test_with_one_degree_of_freedom_it_is_that_of_a_two_sided_normal_test() -> None:
    found, shift = rb.power(**TRIAL).power, 0.1 * np.sqrt(50 * 100 * 0.2 * 0.8)
    edge = norm.ppf(0.975)
    assert found == pytest.approx(norm.cdf(shift - edge) + norm.cdf(-shift - edge), abs=1e-10)


def simulated(rng: np.random.Generator, p: float, effect: float, trials: int) -> Floats:
    """Squared z statistics of trials of 400 decisions, with probability p, or 1 − p after a good day."""
    statistic = np.empty(trials)
    for i in range(trials):
        noise = rng.normal(size=400)
        second = rng.random(400) < np.where(np.roll(noise, 1) > 0.0, p, 1.0 - p)
        reward = noise + effect * second
        one, other = reward[second], reward[~second]
        statistic[i] = (one.mean() - other.mean()) ** 2 / (one.var(ddof=1) / one.size + other.var(ddof=1) / other.size)
    return statistic


def test_simulated_trials_find_the_effect_as_often_and_no_effect_at_the_level() -> None:
    """4 standard errors of 2,000 trials: an error rate of 1e-4; the normal approximation at 400 rewards adds 0.01.

    The policy alternates between its limits, where the share of either arm is even: the power is at least that stated.
    """
    rng, critical, trials = np.random.default_rng(1), chi2.ppf(0.95, 1), 2_000
    stated = rb.power(effect=0.3, people=1, decisions=400, least=0.3)
    always = [simulated_at(rng, 0.3, effect, trials) for effect in (0.3, 0.0)]
    for found, expected in zip(always, (stated.power, 0.05), strict=True):
        share = (found > critical).mean()
        assert abs(share - expected) < 4.0 * np.sqrt(expected * (1.0 - expected) / trials) + 0.01
    adaptive = (simulated(rng, 0.3, 0.3, trials) > critical).mean()
    assert adaptive > stated.power - 4.0 * np.sqrt(0.25 / trials)


def simulated_at(rng: np.random.Generator, p: float, effect: float, trials: int) -> Floats:
    """The same with the second arm always at p, the worst case."""
    second = rng.random((trials, 400)) < p
    reward = rng.normal(size=second.shape) + effect * second
    n, m = second.sum(axis=1), (~second).sum(axis=1)
    difference = (reward * second).sum(axis=1) / n - (reward * ~second).sum(axis=1) / m
    return np.asarray(difference**2 / (1.0 / n + 1.0 / m))


@pytest.mark.parametrize("name", ["effect", "people", "decisions", "least"])
@pytest.mark.parametrize("options", [{}, {"arms": 4, "degrees": 2, "available": 0.5, "noise": 2.0, "level": 0.01}])
def test_every_number_is_found_again_from_the_others(name: str, options: dict[str, Any]) -> None:
    trial = {**TRIAL, "effect": 0.3}
    known = rb.power(**trial, **options)
    others = {key: value for key, value in trial.items() if key != name}
    found = rb.power(**others, power=known.power, **options)
    assert getattr(found, name) == pytest.approx(trial[name], rel=1e-6)
    assert found.solved_for == name


def test_people_are_the_fewest_that_reach_the_power() -> None:
    found = rb.power(effect=0.1, decisions=30, least=0.1, power=0.9)
    fewer = rb.power(effect=0.1, decisions=30, least=0.1, people=found.people - 1)
    assert found.power >= 0.9 > fewer.power


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"least": 0.6}, r"power, least 0\.6 must be above 0 and at most 1/2, as there are 2 arms"),
        ({"least": 0.3, "arms": 4}, r"power, least 0\.3 must be above 0 and at most 1/4, as there are 4 arms"),
        ({"least": 0.0}, r"power, least 0\.0 must be above 0"),
        ({"effect": 0.0}, r"power, effect 0\.0 must be a number other than 0"),
        ({"people": 0}, r"power, people 0 must be a whole number, 1 or more"),
        ({"decisions": 2.5}, r"power, decisions 2\.5 must be a whole number"),
        ({"noise": -1.0}, r"power, noise -1\.0 must be above 0 and finite"),
        ({"level": 1.0}, r"power, level 1\.0 must be between 0 and 1"),
        ({"power": 0.8}, r"leave out one of them; given: effect, people, decisions, least, power"),
        ({"least": None}, r"leave out one of them; given: effect, people, decisions"),
        ({"least": None, "power": 0.04}, r"power, power 0\.04 must be above the level 0\.05 and below 1"),
        ({"least": None, "power": 0.999}, r"power 0\.999 cannot be reached with 50 people and 100 decisions"),
    ],
)
def test_bad_input_is_refused_by_name(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rb.power(**{**TRIAL, **changed})


def test_the_command_prints_a_table_and_a_sentence() -> None:
    run = CliRunner().invoke(
        main, ["power", "--effect", "0.1", "--people", "50", "--decisions", "100", "--power", "0.8"]
    )
    assert run.exit_code == 0, run.output
    assert "Solved for: least." in run.output
    assert f"{rb.power(effect=0.1, people=50, decisions=100, power=0.8).least:.4g}" in run.output
    wrong = CliRunner().invoke(main, ["power", "--effect", "0.1", "--people", "50"])
    assert wrong.exit_code == 2
    assert "leave out one of them" in wrong.output

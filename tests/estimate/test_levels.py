"""Levels of people: what their rewards of an arm say of them, and levels of all arms together."""

from __future__ import annotations

import numpy as np
import pytest

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import CONSTANT, PARTIAL, RECOVERY, WEAR_OUT, Candidate, fit_candidate
from rogue_bandits.estimate.ladder.families import components_of
from rogue_bandits.estimate.ladder.levels import degrees_left, level_evidence
from rogue_bandits.estimate.ladder.panel import panel_of


def people(rng: np.random.Generator, n: int = 12, rewards: int = 25) -> dict[str, Record]:
    found = {}
    for i in range(n):
        played = (rng.random(rewards) < 0.7).astype(float)
        mean = 5.0 + rng.standard_normal() - 0.1 * np.cumsum(played)
        found[f"p{i}"] = Record(played, np.where(played > 0, mean + 0.5 * rng.standard_normal(rewards), np.nan))
    return found


@pytest.mark.parametrize(
    "candidate", [Candidate(CONSTANT), Candidate(WEAR_OUT), Candidate(WEAR_OUT, PARTIAL), Candidate(RECOVERY)]
)
def test_a_level_follows_from_its_likelihood_and_from_the_prior_of_people(candidate: Candidate) -> None:
    """Bayes' rule with the normal prior of the population gives back what the population was fitted with."""
    panel = panel_of(people(np.random.default_rng(3)))
    parts = components_of("gaussian", panel, 0.0)
    fit = fit_candidate(candidate, panel, parts)
    p = fit.populations[0]
    for g in range(p.mean.shape[0]):
        place = np.full((1, panel.people), g)
        found = level_evidence(fit, parts[0], p, panel, np.zeros((1, p.mean.shape[1])), place)
        prior = 1.0 / p.between[g, 0]
        precision = found.precision[0] + prior
        np.testing.assert_allclose(1.0 / precision, p.personal[g, :, 0, 0], rtol=1e-6)
        value = found.value[0] - found.tilt[0] * found.slope[0]
        mode = (found.precision[0] * value + prior * p.mean[g, 0]) / precision
        np.testing.assert_allclose(mode, p.mode[g, :, 0], rtol=1e-4, atol=1e-4)
        if candidate.pool == PARTIAL:
            follows = p.personal[g, :, 1, 0] / p.personal[g, :, 0, 0] / fit.scale[g]
            np.testing.assert_allclose(found.by_level[0], follows, rtol=1e-6)


def test_the_level_of_a_person_is_that_of_least_squares() -> None:
    """Given the slope, which people share, at the mode and elsewhere."""
    panel = panel_of(people(np.random.default_rng(4)))
    parts = components_of("gaussian", panel, 0.0)
    fit = fit_candidate(Candidate(WEAR_OUT), panel, parts)
    p = fit.populations[0]
    place = np.zeros((1, panel.people), dtype=np.int64)
    found = level_evidence(fit, parts[0], p, panel, np.zeros((1, p.mean.shape[1])), place)
    assert found.slope[0] == pytest.approx(p.mean[0, 1] / fit.scale[0])
    for slope in (found.slope[0], 0.1):
        for i in range(panel.people):
            mine = panel.person == i
            rest = parts[0].reward[mine] - slope * panel.sendings[mine]
            assert found.value[0, i] - found.tilt[0, i] * slope == pytest.approx(rest.mean(), abs=1e-4)
            sd = np.exp(p.mode[0, i, -1])
            assert found.precision[0, i] == pytest.approx(mine.sum() / sd**2, rel=0.2)  # noise has a floor


@pytest.mark.parametrize("candidate", [Candidate(WEAR_OUT), Candidate(WEAR_OUT, PARTIAL)])
def test_level_and_mean_slope_have_the_covariance_of_the_fit(candidate: Candidate) -> None:
    """With the variance of levels that the fit has, the normal equations give back the covariance of the means."""
    panel = panel_of(people(np.random.default_rng(6)))
    parts = components_of("gaussian", panel, 0.0)
    fit = fit_candidate(candidate, panel, parts)
    p = fit.populations[0]
    place = np.zeros((1, panel.people), dtype=np.int64)
    found = level_evidence(fit, parts[0], p, panel, np.zeros((1, p.mean.shape[1])), place)
    weight = 1.0 / (1.0 / found.precision[0] + p.between[0, 0])
    tilt, information = found.tilt[0], found.information[0] / degrees_left(p, parts[0], fit)
    precision = np.array(
        [[weight.sum(), (weight * tilt).sum()], [(weight * tilt).sum(), (weight * tilt**2).sum() + information]]
    )
    unit = np.array([1.0, 1.0 / fit.scale[0]])
    np.testing.assert_allclose(np.linalg.inv(precision), p.mean_covariance[0, :2, :2] * np.outer(unit, unit), rtol=1e-5)

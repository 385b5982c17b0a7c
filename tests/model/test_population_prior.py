"""Priors over dynamics from people.json: against the moments of draws, and files that hold none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import rogue_bandits as rb
from rogue_bandits.checked_json import checksum
from rogue_bandits.model.dynamics.population import LEAST_SPREAD, population_prior, prior_of_means
from rogue_bandits.model.dynamics.unknown import RECOVERY, hypothesis_at
from rogue_bandits.model.problem import problem_of
from rogue_bandits.numerics.normal import bounded_normal_quantile
from rogue_bandits.types import start

MEAN, COVARIANCE = [0.7, -2.0, -0.5, 1.2], np.diag([0.04, 0.1, 0.25, 0.16])
COVARIANCE[0, 2] = COVARIANCE[2, 0] = 0.05
BLOCK = {
    "numbers": ["fresh", "log_drop", "log_loss", "log_half_life"], "scale": "the reward", "mean": MEAN,
    "covariance": COVARIANCE.tolist(), "no_effect": 0.2, "no_recovery": 1e-9, "recovery": 0.8,
}  # fmt: skip


def written(folder: Path, **content: Any) -> Path:
    """A people file with one arm, "walk"."""
    whole = {"cohort": {"arms": ["walk"]}, "fits": {}, **content}
    head = {"format": "rogue-bandits/people", "version": 3, "checksum": checksum(whole)}
    path = folder / "people.json"
    path.write_text(json.dumps({**head, **whole}))
    return path


def fit(fresh: float, loss: float, half_life: float, n: int, **other: Any) -> dict[str, Any]:
    """A fit of a person, as a file has it."""
    decay = 0.5 ** (1.0 / half_life)
    numbers = {"decay": decay, "pull": -loss * (1 - decay), "drift": fresh * (1 - decay), "lo": 0.0, "hi": 1.0, "n": n}
    return {"walk": {**numbers, "rewards": {"family": "LaplaceAgent"}, **other}}


def drawn(prior: rb.Unknown, size: int = 4_000) -> Any:
    """(fresh, log loss, log half-life) of hypotheses at random points of the cube: [size, 3]."""
    found = []
    for u in np.random.default_rng(1).random((size, 4)):
        h = hypothesis_at(prior, RECOVERY, *u)
        found.append((h.drift / (1 - h.decay), np.log(-h.pull / (1 - h.decay)), np.log(-np.log(2) / np.log(h.decay))))
    return np.array(found)


@pytest.mark.parametrize("version", [1, 2])
def test_files_of_earlier_versions_are_refused(tmp_path: Path, version: int) -> None:
    path = written(tmp_path, population={"walk": BLOCK})
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": version}))
    for read in (rb.arm_from_fit, rb.Unknown.from_fit):
        with pytest.raises(ValueError, match="made by an earlier version; run `rogue fit` anew") as error:
            read(path, "walk")
        assert f"this people file '{path}' was saved in format version {version}, and this" in str(error.value)


def test_hypotheses_have_the_moments_of_the_population(tmp_path: Path) -> None:
    """Within four standard errors, the added spreads counted."""
    prior = rb.Unknown(**population_prior(written(tmp_path, population={"walk": BLOCK}), "walk")._asdict())
    x, at = drawn(prior), [0, 2, 3]
    expected = COVARIANCE[np.ix_(at, at)] + np.diag(np.square(LEAST_SPREAD))
    sd = np.sqrt(np.diag(expected))
    assert np.all(np.abs(x.mean(axis=0) - np.array(MEAN)[at]) < 4 * sd / np.sqrt(len(x)))
    assert np.all(np.abs(np.cov(x.T) - expected) < 4 * np.sqrt(2 / len(x)) * np.outer(sd, sd))


def test_a_prior_for_acting_weighs_people_by_what_they_may_lose(tmp_path: Path) -> None:
    """Against weighted moments of draws from the population, within four standard errors."""
    path = written(tmp_path, population={"walk": BLOCK})
    prior = rb.Unknown.from_fit(path, "walk")
    at = [0, 2, 3]
    spread = COVARIANCE[np.ix_(at, at)] + np.diag(np.square(LEAST_SPREAD))
    x = np.random.default_rng(2).multivariate_normal(np.array(MEAN)[at], spread, 200_000)
    weight = np.clip(x[:, 0], 0.0, 1.0) - np.clip(np.clip(x[:, 0], 0.0, None) - np.exp(x[:, 1]), 0.0, 1.0)
    weight /= weight.sum()
    mean = weight @ x
    covariance = (x - mean).T @ (weight[:, None] * (x - mean))
    factor = np.zeros((3, 3))
    factor[np.tril_indices(3)] = prior.factor
    sd = np.sqrt(np.diag(spread))
    error = 4 * np.sqrt(2 * weight @ weight)
    assert np.all(np.abs(prior.centre - mean) < error * sd)
    assert np.all(np.abs(factor @ factor.T - covariance) < error * np.outer(sd, sd))
    assert prior.centre[1] > MEAN[2]
    assert (prior.no_effect, prior.no_recovery) == (0.0, 0.0)


def test_older_files_weigh_people_by_their_rewards(tmp_path: Path) -> None:
    """The mean is that of the fits, by hand; who does not wear out counts as no effect."""
    fits = {"a": fit(0.8, 0.4, 2.0, 30), "b": fit(0.6, 0.4, 4.0, 10), "c": fit(0.6, 0.8, 4.0, 10)}
    fits["d"] = fit(0.5, 0.0, 3.0, 50)
    prior = population_prior(written(tmp_path, fits=fits), "walk")
    assert prior.centre[0] == pytest.approx((30 * 0.8 + 10 * 0.6 + 10 * 0.6) / 50)
    assert prior.centre[2] == pytest.approx(np.log(2.0) * (30 * 1 + 20 * 2) / 50)
    assert prior.no_effect == pytest.approx(0.25)


def test_a_prior_of_means_has_the_quantiles_of_the_file(tmp_path: Path) -> None:
    """Divided by the unit and by the scale of the rewards; the half-life is that of the block."""
    shown = {"quantiles": [0.025, 0.25, 0.5, 0.75, 0.975], "fresh": [0.0, 80.0, 100.0, 120.0, 200.0],
             "worn": [0.0, 30.0, 60.0, 80.0, 90.0]}  # fmt: skip
    block: dict[str, Any] = {**BLOCK, "reward": shown}
    path = written(tmp_path, population={"walk": block}, cohort={"arms": ["walk"], "scale": 2.0})
    prior = prior_of_means(path, "walk", 5.0)
    at = block["numbers"].index("log_half_life")
    assert prior.centre == pytest.approx((10.0, np.log(4.0), block["mean"][at]))
    assert prior.factor[0] == pytest.approx(np.hypot(4.0 / 1.349, 0.05), rel=1e-3)


@pytest.mark.parametrize(
    ("content", "arm", "words"),
    [
        ({"population": {"walk": BLOCK}}, "wlk", "did you mean 'walk'"),
        ({"population": {"walk": BLOCK}, "family": "logit"}, "walk", r"family logit.*arm_from_fit\(.*, 'walk'\)"),
        ({"population": {"walk": {"scale": "the reward"}}}, "walk", "nothing wears out"),
        ({"fits": {"a": fit(0.8, 0.4, 2.0, 30)}}, "walk", "1 of 1 people"),
        ({"fits": {}}, "walk", "0 of 0 people"),
        ({"fits": {"a": fit(0.8, 0.4, 2.0, 3, rewards={"family": "Gaussian"})}}, "walk", "must be LaplaceAgent"),
    ],
)
def test_files_that_hold_no_prior(tmp_path: Path, content: dict[str, Any], arm: str, words: str) -> None:
    """Say why."""
    with pytest.raises(ValueError, match=words):
        rb.Unknown.from_fit(written(tmp_path, **content), arm)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    """Or is not there."""
    with pytest.raises(ValueError, match="cannot be read"):
        rb.Unknown.from_fit(tmp_path / "none.json", "walk")


def test_what_is_no_path_or_no_name(tmp_path: Path) -> None:
    """Numbers in their places are named."""
    with pytest.raises(TypeError, match=r"people 3 must be the path of a people\.json"):
        rb.arm_from_fit(3, "walk")  # type: ignore[arg-type]  # on purpose
    path = written(tmp_path, population={"walk": BLOCK})
    with pytest.raises(TypeError, match="arm 3 must be the name of an arm"):
        rb.arm_from_fit(path, 3)  # type: ignore[arg-type]  # on purpose


def test_most_of_the_prior_can_still_be_learned(tmp_path: Path) -> None:
    """A population that seems never to wear out does not rule out that a person does."""
    block = {**BLOCK, "no_effect": 0.9, "no_recovery": 0.1}
    prior = population_prior(written(tmp_path, population={"walk": block}), "walk")
    assert (prior.no_effect, prior.no_recovery) == pytest.approx((0.45, 0.05))


@pytest.mark.parametrize("p", [1e-9, 1e-3, 0.2, 0.5, 0.77, 1.0 - 1e-6])
def test_normal_quantiles(p: float) -> None:
    """Against scipy."""
    assert bounded_normal_quantile(p) == pytest.approx(norm.ppf(p), abs=1e-9)


def test_the_arms_of_a_file_are_arms_of_one_bandit(tmp_path: Path) -> None:
    """A kind is one of a person: arms share its probabilities, the means over the arms, however they were fitted."""
    content = {
        "cohort": {"arms": ["walk", "sleep"]},
        "population": {"walk": BLOCK, "sleep": {**BLOCK, "no_effect": 0.4}},
    }
    path = written(tmp_path, **content)
    arms = [rb.Arm(rb.Unknown.from_fit(path, name), rb.LaplaceAgent(), 0.01, 1.0) for name in ("walk", "sleep")]
    assert [population_prior(path, arm).no_effect for arm in ("walk", "sleep")] == pytest.approx([0.3, 0.3])
    for_good = {"no_effect": 0.0, "no_recovery": 0.4, "recovery": 0.6}  # without a distribution of its losses
    path = written(tmp_path, **{**content, "population": {"walk": BLOCK, "sleep": for_good}})
    prior = population_prior(path, "walk")
    assert (prior.no_effect, prior.no_recovery) == pytest.approx((0.1, 0.2))
    start(rb.IndexTS(), problem_of(arms), 1)

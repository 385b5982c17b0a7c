"""Settings are data: right by default, refused with a reason when wrong."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from rogue_bandits.experiments import EXPERIMENTS, experiment_named
from rogue_bandits.experiments.experiment import faults
from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.policies.registry import POLICIES, checked_ids


def refusal(**chosen: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        LogisticSettings(**chosen)
    return faults(caught.value)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs_as_it_is(name: str) -> None:
    experiment = experiment_named(name)
    settings = experiment.settings()  # type: ignore[call-arg]  # the experiment has defaults for all
    assert experiment.name == name
    for truth in experiment.truths(settings):
        checked_truth(truth)


def test_the_defaults_are_the_papers() -> None:
    settings = LogisticSettings()
    (truth,) = truths(settings)
    assert (settings.horizon, settings.replicates) == (20_000, 30)
    assert (list(truth.theta), list(truth.x0)) == ([0.5, 0.7], [0.1, 0.3])
    assert truth.arms[1].dynamics == (0.7, -1.2, 0.5, 0.0, 1.0)
    assert truth.arms[1].rewards == (0.7, 0.3)
    assert set(settings.policies) == set(POLICIES) - {"rogue-ucb"}


def test_the_baselines_take_the_settings() -> None:
    settings = LogisticSettings(upsilon=7, xi=0.9, variation=11)
    assert (settings.policy("d-ucb").upsilon, settings.policy("sw-ucb").xi) == (7, 0.9)
    assert settings.policy("rexp3").variation == 11


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"horizon": 0}, "horizon 0 must be 1 or more"),
        ({"replicates": -1}, "replicates -1 must be 1 or more"),
        ({"seed": -2}, "seed -2 must be 0 or more"),
        ({"upsilon": 0}, "upsilon 0 must be above 0"),
        ({"xi": float("nan")}, "xi nan must be finite"),
        ({"variation": float("inf")}, "variation inf must be finite"),
        ({"horizon": 0, "xi": -1}, "horizon 0 must be 1 or more; xi -1 must be above 0"),
        ({"policies": ()}, "no policy is given. There are: plan-ts, "),
        ({"horizont": 5}, "horizont 5: Extra inputs are not permitted"),
    ],
)
def test_bad_settings_are_named(chosen: dict[str, Any], says: str) -> None:
    assert refusal(**chosen).startswith(says)


@pytest.mark.parametrize(
    ("wrong", "near"),
    [("tuned-rogue-ucb-correct", "tuned-rogue-ucb-corrected"), ("EXP3-S", "exp3s"), ("swucb", "sw-ucb")],
)
def test_an_unknown_policy_is_refused_with_the_nearest_name(wrong: str, near: str) -> None:
    assert f"policy '{wrong}' is unknown, did you mean '{near}'?" in refusal(policies=(wrong,))


def test_a_policy_like_no_other_is_refused_with_the_list() -> None:
    with pytest.raises(ValueError, match=r"policy 'qqq' is unknown\. There are: plan-ts, .*rexp3"):
        checked_ids(["qqq"])

"""The registry of policies: every entry makes a policy, and everything that lists policies reads it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import rogue_bandits as rb
from rogue_bandits.experiments.logistic.settings import LogisticSettings
from rogue_bandits.policies.registry import POLICIES, ROGUE_POLICIES, PolicySpec, checked_ids


@pytest.mark.parametrize("name", POLICIES)
def test_every_entry_makes_a_policy_and_describes_it(name: str) -> None:
    spec = rb.POLICIES[name]
    assert type(spec()) is spec.policy_class
    assert LogisticSettings().policy(name) == (spec(eta=1.0) if "eta" in spec.settings else spec())
    assert spec.label
    assert spec.about.endswith(".")
    assert spec.is_rogue is ("rogue" in name or name in ("plan-ts", "index-ts", "plan-ucb"))


def test_labels_and_policies_are_distinct() -> None:
    assert len({spec.label for spec in POLICIES.values()}) == len(POLICIES)
    assert len({(spec.policy_class, spec()) for spec in POLICIES.values()}) == len(POLICIES)


def test_the_recommended_policy_is_an_entry_like_the_others() -> None:
    assert rb.POLICIES["tuned-rogue-ucb"]() == rb.TunedRogueUCB()
    assert rb.POLICIES["tuned-rogue-ucb-corrected"]() == rb.TunedRogueUCB(variant="corrected")
    assert rb.POLICIES["tuned-rogue-ucb-corrected"](eta=0.3) == rb.TunedRogueUCB(eta=0.3, variant="corrected")
    assert "tuned-rogue-ucb-corrected" in ROGUE_POLICIES


class Greedy(NamedTuple):
    """A policy that was just written."""

    xi: float = 0.5


def test_one_entry_is_all_that_a_new_policy_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "greedy", PolicySpec("Greedy", Greedy, about="Plays the arm with the largest mean."))
    settings = LogisticSettings(policies=("random", "greedy"), xi=0.7)
    assert settings.policy("greedy") == Greedy(xi=0.7)
    assert checked_ids(["greedy"]) == ("greedy",)

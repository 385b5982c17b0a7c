"""Where the policy or the model fails."""

from __future__ import annotations

from typing import Any

import pytest

from rogue_bandits.online.bandit import Bandit
from rogue_bandits.study.operations import Observed
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.warm_up import warm_up
from tests.study.cases import Clock, asked, design
from tests.study.living import enrolled, intact, lived


def test_where_the_policy_raises_the_fallback_decides(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    enrolled(service)
    lived(service, "ann", 0, 6)
    choose = Bandit.choose

    def failing(self: Bandit, available: Any = None) -> Any:
        choose(self, available)  # it has moved on when it fails
        raise ZeroDivisionError("secret of ann")

    monkeypatch.setattr(Bandit, "choose", failing)
    made = [service.decide("ann", asked(k), f"k{k}").result() for k in range(6, 30)]
    assert {one["fallback"] for one in made} == {"ZeroDivisionError in the policy"}
    assert {tuple(one["probabilities"].values()) for one in made} == {(0.5, 0.5)}
    assert {one["arm"] for one in made} == {"walk", "sleep"}
    one = service.decide("ann", asked(30, {"walk": "driving"}), "k30").result()
    assert (one["arm"], one["probability"]) == ("sleep", 1.0)
    monkeypatch.setattr(Bandit, "choose", choose)
    service.reward(made[0]["id"], Observed(1.0)).result()
    assert service.decide("ann", asked(31), "k31").result()["fallback"] is None
    intact(service)


def test_where_the_model_fails_the_fallback_decides_until_the_next_version(
    service: Service, monkeypatch: pytest.MonkeyPatch, another: Any, clock: Clock
) -> None:
    enrolled(service)
    made = lived(service, "ann", 0, 6)

    update = Bandit.update

    def failing(self: Bandit, decision: Any, reward: Any) -> None:
        if decision.number == 0:
            raise FloatingPointError("overflow")
        update(self, decision, reward)

    with monkeypatch.context() as patch:
        patch.setattr(Bandit, "update", failing)
        service.reward(made[0]["id"], Observed(1.0)).result()
        assert service.decide("ann", asked(6), "k6").result()["fallback"] == "FloatingPointError in the model"
        intact(service)
    with opened(design(limits={"least": 0.25}), another(), clock) as later:
        assert later.decide("ann", asked(7), "k7").result()["fallback"] is None


def test_a_policy_that_raises_is_found_before_the_first_request(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    warm_up(design())
    assert caplog.text == ""

    def failing(self: Bandit, available: Any = None) -> Any:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(Bandit, "choose", failing)
    warm_up(design())
    assert [record.getMessage() for record in caplog.records] == ["the policy fails: ZeroDivisionError"]

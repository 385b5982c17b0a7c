"""Requests are checked alike whatever protocol they come by."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from rogue_bandits.study.fields import Change, Delivery
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.operations.outcomes import DELIVERIES
from rogue_bandits.study.operations.people import CHANGES
from rogue_bandits.study.problems import Kind
from rogue_bandits.study.requests import (
    BatchRewardBody,
    DecisionBody,
    EnrolBody,
    RewardBody,
    ScheduleBody,
    invalid_request,
)
from tests.study.cases import at


def test_bodies_are_what_operations_take() -> None:
    enrolled = EnrolBody.model_validate({"person": "ann", "start": "2026-03-01"})
    assert enrolled.enrolment() == Enrolment("ann", "2026-03-01", None)
    decided = DecisionBody.model_validate({"time": at(0), "key": "k", "unavailable": "driving"})
    assert decided.asked() == DecisionRequest(at(0), "driving")
    ahead = ScheduleBody.model_validate({"times": [at(0), at(1)], "key": "k"})
    assert ahead.asked() == [DecisionRequest(at(k), scheduled=True) for k in range(2)]
    rewarded = RewardBody.model_validate({"missing": "phone was off", "correction": "typo"})
    assert rewarded.observed() == Observed(None, "phone was off", "typo")


def test_faults_are_a_problem_in_words() -> None:
    rows = [{"decision": f"{'0' * 16}-{k}", "value": "1"} for k in range(7)]
    with pytest.raises(ValidationError) as caught:
        BatchRewardBody.model_validate({"rewards": rows})
    problem = invalid_request(caught.value.errors())
    assert (problem.kind, problem.title) == (Kind.INVALID, "invalid-request")
    assert problem.detail.startswith("rewards[0].value: must be a number, not '1'; rewards[1].value: must be")
    assert problem.detail.count(";") == 4
    assert [fault["place"] for fault in problem.more["faults"]] == [f"rewards[{k}].value" for k in range(7)]


def test_fields_allow_what_operations_do() -> None:
    assert get_args(Change) == tuple(CHANGES)
    assert {*get_args(Delivery)} == {*DELIVERIES}

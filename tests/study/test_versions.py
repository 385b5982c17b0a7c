"""Versions of a study, and several servers on one database."""

from __future__ import annotations

from typing import Any

import pytest

from rogue_bandits.study.file import StudyFileError
from rogue_bandits.study.operations import Observed
from rogue_bandits.study.problems import Kind
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.contract import StorageRefused
from tests.study.cases import WALK, Clock, asked, design
from tests.study.living import enrolled, intact, lived, refusal


def test_two_servers_share_one_study(another: Any, clock: Clock) -> None:
    """Whatever one server does, the other knows before its next decision."""
    with opened(design(), another(), clock) as one, opened(design(), another(), clock) as other:
        assert one.design.version == other.design.version == 1
        enrolled(one)
        servers = [one, other]
        made = []
        for k in range(30):
            made.append(servers[k % 2].decide("ann", asked(k), f"k{k}").result())
            servers[(k // 2) % 2].reward(made[-1]["id"], Observed(float(k % 2))).result()
        assert [m["number"] for m in made] == list(range(30))
        one.reward(made[4]["id"], Observed(1.0, None, "typo"), "staff").result()
        other.change_status("ann", "pause").result()
        assert one.decide("ann", asked(30), "k30").result()["arm"] is None
        other.change_status("ann", "erase").result()
        assert refusal(lambda: one.decide("ann", asked(31), "k31")).title == "unknown-person"
        intact(one)
        intact(other)


def test_a_server_with_an_old_study_file_stops_deciding(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as old:
        enrolled(old)
        with opened(design(limits={"least": 0.3}), another(), clock) as new:
            new.decide("ann", asked(0), "a").result()
            problem = refusal(lambda: old.decide("ann", asked(1), "b"))
            assert (problem.kind, problem.title) == (Kind.UNAVAILABLE, "study-changed")
            intact(new)


def test_a_change_makes_a_version_and_arms_stay(service: Service, another: Any, clock: Clock) -> None:
    enrolled(service)
    lived(service, "ann", 0, 20)
    with opened(design(policy={"id": "random"}), another(), clock) as later:
        assert later.design.version == 2
        lived(later, "ann", 20, 30)
        intact(later)
    with opened(design(policy={"id": "random"}), another(), clock) as same:
        assert same.design.version == 2
    with pytest.raises(StudyFileError, match="arms: under way they must stay walk, sleep"):
        opened(design(arms=[WALK]), another(), clock)
    with pytest.raises(StudyFileError, match=r"rewards\.scale: under way it must stay 1\.0"):
        opened(design(rewards={"family": "BernoulliLogit", "scale": 2.0}), another(), clock)
    with pytest.raises(StorageRefused, match="holds the study 'test', not 'other'"):
        opened(design(study={"name": "other"}), another(), clock)

"""Studies whose dynamics are learned, or those that were fitted for each person: served, replayed, restarted."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rogue_bandits.estimate.files import People, people_json
from rogue_bandits.estimate.fit import Fitted
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.unknown import Unknown
from rogue_bandits.study.checking import checked_study
from rogue_bandits.study.file import StudyFileError
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.service import Service, open_study
from rogue_bandits.study.template import study_template
from tests.interpreted import compiled_if_common as compiled_if_common
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.matrix import FULL
from tests.study.cases import Clock, at
from tests.study.living import enrolled, intact, refusal

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # generators of random bits wrap, in threads
DAY = 24 * 60  # minutes
LEAST = 0.2
WITHOUT = "dynamics = {"  # begins what a user must remove from the arms


def template(*changes: tuple[str, str]) -> str:
    """The file of `rogue study init`, edited."""
    text = study_template("mine")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def without_dynamics(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(WITHOUT))


def written(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


def lived(service: Service, clock: Clock, name: str, first: int, last: int, value: Callable[[int], float]) -> list[Any]:
    made = []
    for day in range(first, last):
        clock.now = at(DAY * day)
        made.append(service.decide(name, DecisionRequest(at(DAY * day)), f"day {day}").result())
        service.reward(made[-1]["id"], Observed(value(day))).result()
    return made


def within_limits(made: list[Any]) -> bool:
    every: list[float] = [p for one in made for p in one["probabilities"].values()]
    return min(every) >= LEAST - 1e-12 and max(every) <= 1.0 - LEAST + 1e-12


# ---- learned ---------------------------------------------------------------------------------------------------------
LEARNED = ('source = "known" ', 'source = "learned" ')
DAYS = (5, 7) if FULL else (2, 3)  # before and after a restart: interpreted, a day takes half a second


@pytest.mark.usefixtures("compiled_in_verify")
def test_a_study_that_learns_dynamics_is_served_and_replayed(tmp_path: Path, clock: Clock) -> None:
    """The template as its comments say: source changed, `dynamics` removed, a prior."""
    path = written(tmp_path, without_dynamics(template(LEARNED, ("# prior = ", "prior = "))))
    with open_study(path, clock) as service:
        assert all(isinstance(arm.dynamics, Unknown) for arm in service.design.arms)
        assert service.design.arms[0].dynamics.half_life == (0.5, 30.0)
        enrolled(service)
        made = lived(service, clock, "ann", 0, DAYS[0], lambda day: float(day % 3 == 0))
        assert within_limits(made)
        assert {one["fallback"] for one in made} == {None}
        service.reward(made[1]["id"], Observed(1.0, None, "typo"), "staff").result()
        before = service.explain("ann")
        assert "half-life" in [row.name for row in before.rows]
        for words in (made[0]["explanation"], before.sentence):  # not those for known dynamics, which say theta and x0
            assert "as its index is the largest, at the posterior mean plus a multiple of the standard dev" in words
            assert words.endswith("; every available arm has probability 0.2 or more.")
        intact(service)
    with open_study(path, clock) as again:  # restarted: nothing is forgotten
        assert again.design.version == 1
        assert again.explain("ann").rows == before.rows
        assert within_limits(lived(again, clock, "ann", *DAYS, lambda day: 1.0))
        intact(again)


@pytest.mark.usefixtures("compiled_in_verify")
def test_what_to_write_for_learned_dynamics_is_said(tmp_path: Path) -> None:
    faults = checked_study(written(tmp_path, template(LEARNED))).faults
    assert faults == [
        f'arms[{k}].dynamics: remove decay, pull and drift: with dynamics.source = "learned" they are learned. What is '
        "known of them goes into dynamics.prior, or here for one arm: fresh, loss, half_life, drop, worn, no_effect, "
        "no_recovery"
        for k in (0, 1)
    ]
    text = without_dynamics(template(("half_life = [0.5, 30.0]", "halflife = [0.5, 30.0]"), ("# prior = ", "prior = ")))
    faults = checked_study(written(tmp_path, text.replace(*LEARNED))).faults
    assert faults[0].startswith("arms[0].dynamics: number 'halflife' is unknown, did you mean 'half_life'?")
    faults = checked_study(written(tmp_path, without_dynamics(template()))).faults
    assert faults[0].startswith("arms[0].dynamics: is missing: write { decay = 0.6, pull = -1.0, drift = 0.5 }")
    policy = without_dynamics(template(LEARNED, ('id = "plan-ts"', 'id = "epsilon-rogue"')))
    [fault] = checked_study(written(tmp_path, policy)).faults
    assert fault.startswith("the arms and the policy: ")
    assert "index-ts" in fault


# ---- from people.json ------------------------------------------------------------------------------------------------
SCALE = 10.0
OF_PEOPLE = {
    "ann": {"walk": (0.5, -0.25, 0.5), "sleep": (0.9, -0.1, 0.1)},
    "bob": {"walk": (0.7, -0.4, 0.3), "sleep": (0.2, -0.6, 0.8)},
}


def fitted_people(arms: tuple[str, ...] = ("walk", "sleep")) -> bytes:
    """A people.json, written as `rogue fit` does."""
    one = np.ones(1)
    once = History(0, 1, np.array([0]), np.array([0]), 0.5 * one, one > 0.0, one, np.zeros((1, 0)))
    cohort = Cohort("data.csv", "steps", SCALE, list(arms), dict.fromkeys(OF_PEOPLE, once), [])
    fits = {
        name: {arm: ArmFit(ClippedAffine(*of_arm[arm]), 0.2, 0.5, 9, {}, True) for arm in arms}
        for name, of_arm in OF_PEOPLE.items()
    }
    return people_json(People(cohort, Fitted(fits, {}, None, "agent", {})))


PEOPLE = (
    ('source = "known" ', 'source = "people" '),
    ("# people = ", "people = "),
    ('family = "BernoulliLogit"', 'family = "LaplaceAgent"'),
    ("# scale = 1.0 ", f"scale = {SCALE} "),
    ("# theta = [0.0, 1.0]", "theta = [0.005, 1.0]"),
    ('name = "sleep"', 'name = "sleep"\ntheta = [0.005, 1.0]'),
    ("rewards = { theta_weight = 0.4, state_weight = 0.6 }", ""),
    ("rewards = { theta_weight = 0.7, state_weight = 0.3 }", ""),
    ('id = "plan-ts"', 'id = "epsilon-rogue"'),
)


@pytest.mark.usefixtures("compiled_in_verify")
def test_a_study_with_fitted_people_is_served_and_replayed(tmp_path: Path, clock: Clock) -> None:
    path = written(tmp_path, without_dynamics(template(*PEOPLE)))
    (tmp_path / "people.json").write_bytes(fitted_people())
    with open_study(path, clock) as service:
        for name, of_arm in OF_PEOPLE.items():
            pid = enrolled(service, name)["pid"]
            made = lived(service, clock, name, 0, 10, lambda day: 10.0 * (day % 4) / 4.0)
            assert within_limits(made)
            bandit = service.writer.residents.people[pid].bandit
            assert bandit is not None
            assert [tuple(arm.dynamics)[:3] for arm in bandit.arms] == list(of_arm.values())
        unknown = refusal(lambda: service.enrol(Enrolment("cid")))
        assert (unknown.title, unknown.detail) == ("no-dynamics", "person 'cid' is not in people.json")
        outside = refusal(lambda: service.reward(made[-1]["id"], Observed(11.0, None, "typo"), "staff"))
        assert outside.title == "reward-outside-support"
        intact(service)
    (tmp_path / "people.json").write_bytes(fitted_people(("sleep", "walk")))  # the same people, in another order
    with open_study(path, clock) as again:
        assert again.design.version == 1
        assert within_limits(lived(again, clock, "bob", 10, 13, lambda day: 2.5))
        intact(again)


@pytest.mark.usefixtures("compiled_if_common")
def test_what_to_write_for_fitted_people_is_said(tmp_path: Path) -> None:
    """From the template, with the source alone changed, to a study that can be served: each step by what is said."""
    text = template(PEOPLE[0], ('id = "plan-ts"', 'id = "random"'))  # whose kernels are small
    assert set(checked_study(written(tmp_path, text)).faults) == {
        *(f'arms[{k}].dynamics: remove it: with dynamics.source = "people" everybody has those of people.json'
          for k in (0, 1)),
        "dynamics.people: must name the people.json that `rogue fit` wrote, as source is 'people'",
    }  # fmt: skip
    text = without_dynamics(text.replace(*PEOPLE[1]))
    [fault] = checked_study(written(tmp_path, text)).faults
    assert fault == "dynamics.people: 'people.json' cannot be read: No such file or directory"
    (tmp_path / "people.json").write_bytes(fitted_people())
    assert checked_study(written(tmp_path, text)).faults == [
        "rewards.scale: write 10.0, that of the fit, not 1.0",
        "rewards.family: write 'LaplaceAgent', that of the fit, not 'BernoulliLogit'",
    ]
    for change in (*PEOPLE[2:4], *PEOPLE[6:-1]):
        text = text.replace(*change)
    faults = checked_study(written(tmp_path, text.replace("# theta = [0.0, 1.0]", "theta = [0.1, 1.0]"))).faults
    assert any("theta" in fault for fault in faults)
    for change in PEOPLE[4:6]:
        text = text.replace(*change)
    assert checked_study(written(tmp_path, text)).faults == []
    (tmp_path / "people.json").write_bytes(fitted_people(("walk",)))
    assert checked_study(written(tmp_path, text)).faults[0] == "dynamics.people: person 'ann' has no arm 'sleep'"
    (tmp_path / "people.json").write_bytes(b"{}")
    assert checked_study(written(tmp_path, text)).faults[0].startswith("dynamics.people: ")


@pytest.mark.usefixtures("compiled_in_verify")
def test_those_who_are_enrolled_cannot_get_dynamics_under_way(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "people.json").write_bytes(fitted_people())
    people = without_dynamics(template(*PEOPLE))
    known = people.replace('source = "people"', 'source = "known"').replace("\n[[arms]]", f"\n[[arms]]\n{KNOWN}")
    assert tomllib.loads(known)["dynamics"]["source"] == "known"
    with open_study(written(tmp_path, known), clock) as service:
        enrolled(service)
    with pytest.raises(StudyFileError, match="under way 'known' cannot become 'people'"):
        open_study(written(tmp_path, people), clock)


KNOWN = "dynamics = { decay = 0.5, pull = -0.2, drift = 0.3 }"

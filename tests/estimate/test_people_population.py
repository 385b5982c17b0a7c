"""People of a people.json as a population: each is as the Bandit that lived the same."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.files import People, people_from_json, people_json
from rogue_bandits.estimate.fit import FitTask, Fitted, fit_cohort
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.population import population_from_people

POLICY = rb.DUCB(gamma=0.9)


def history(length: int, arm: list[int], reward: list[float]) -> History:
    """A decision at each of the first moments of a record."""
    n = len(arm)
    return History(
        0, length, np.arange(n), np.array(arm), np.array(reward),
        np.ones(n, dtype=np.bool_), np.full(n, np.nan), np.zeros((n, 0)),
    )  # fmt: skip


def cohort() -> Cohort:
    """Ann and bob got both arms, cid one only."""
    both = history(9, [0, 1] * 4, [0.9, 0.8, 0.5, np.nan, 0.4, 0.3, 0.6, 0.2])
    longer = both._replace(length=12)
    one = history(4, [0] * 4, [0.9, 0.7, 0.5, 0.4])
    return Cohort("made_up.csv", "reward", 1.0, ["walk", "sleep"], {"ann": both, "bob": longer, "cid": one}, [])


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    """The fit of agents."""
    return fit_cohort(data_of(cohort()), FitTask(("agent",), pool="shared", workers=1))


def test_people_go_on_where_their_file_ends(fitted: Fitted) -> None:
    made = cohort()
    people = people_from_json(people_json(People(made, fitted)))
    population, names = population_from_people(people, POLICY, seed=3)
    assert names == ["ann", "bob"]
    assert population.number.tolist() == [9, 12]
    for row, name in enumerate(names):
        bandit, history = rb.Bandit(list(population.arms_of(row)), POLICY, seed=3), made.people[name]
        for number in range(history.length):
            if number < 8:
                reward = float(history.reward[number])
                made_now = bandit.record(int(history.arm[number]))
                bandit.update(made_now, None if np.isnan(reward) else reward)
            else:
                bandit.rest()
        mine = population._online.state.personal
        for one, other in zip(mine, bandit._online.state.personal, strict=True):
            assert np.array_equal(one[row], other[0])


def test_a_file_without_anybody_who_has_all_arms_is_refused(fitted: Fitted) -> None:
    made = cohort()
    made = made._replace(people={"cid": made.people["cid"]})
    alone = fitted._replace(people={"cid": fitted.people["cid"]})
    with pytest.raises(ValueError, match="nobody of whom all of the arms walk, sleep were fitted"):
        population_from_people(People(made, alone), POLICY)

"""Losses with a floor: one law of the load, found where data show it, and used wherever loads are computed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from rogue_bandits.checked_json import checksum
from rogue_bandits.estimate.advise import draws_of
from rogue_bandits.estimate.arm_draws import ArmDraws
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.files import People, people_from_json, people_json
from rogue_bandits.estimate.fit import FitTask, fit_cohort
from rogue_bandits.estimate.history import Cohort, History, Record
from rogue_bandits.estimate.ladder import arm
from rogue_bandits.estimate.ladder.compare import OWN, PARTIAL, RECOVERY, Candidate, fit_candidate
from rogue_bandits.estimate.ladder.evidence import evidence_of
from rogue_bandits.estimate.ladder.families import components_of, parts_of
from rogue_bandits.estimate.ladder.floor import CAPS as LIST
from rogue_bandits.estimate.ladder.floor import likely_caps, weight_of_caps
from rogue_bandits.estimate.ladder.grids import Panels
from rogue_bandits.estimate.ladder.half_lives import drawn_half_lives, half_life_interval
from rogue_bandits.estimate.ladder.panel import NO_CAP, loads_of, panel_of
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.estimate.later import DISCOUNT, later_values
from rogue_bandits.experiments.trial_people import drawn_fit
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.population import DRAWS_OVER_RUNGS
from rogue_bandits.report.cohort.verdict import verdicts
from rogue_bandits.types import Bools, Floats, next_state

PAPER = ClippedAffine(0.8, -0.5, 0.2, 0.0, 1.0)  # x = 1 − load / 2, so that the cap is 2
RESTED = 1.0 / (1.0 + math.exp(-2.0))  # mean reward at log odds −2 + 4x
COST, HALF_LIFE = RESTED - 0.5, math.log(0.5) / math.log(0.8)
TASK = FitTask(("logit",), pool="shared", workers=1)
CAPS = np.array([2.0, 3.0])


def states(sent: Bools) -> Floats:
    """States before each decision and after the last, by the paper's dynamics."""
    found = [1.0]
    for one in sent.tolist():
        found.append(next_state(PAPER, found[-1], float(one)))
    return np.array(found)


def record_of(sent: Bools) -> Record:
    return Record(sent.astype(np.float64), np.where(sent, 0.5, np.nan))


def loads(sent: Bools, cap: float) -> Floats:
    """The same of loads that are kept to 0.8 and capped."""
    every = np.arange(sent.size + 1)
    found = loads_of({"p": record_of(sent)}, np.zeros_like(every), every, np.array([0.8]), np.array([cap]))
    return np.asarray(found[0])


def cohort(seed: int, cap: float, people: int = 3, decisions: int = 600) -> Cohort:
    """People with 0/1 rewards, sent an arm every other decision; log odds 2 − 2 · load, or 2 − load without a cap."""
    rng, histories = np.random.default_rng(seed), {}
    for i in range(people):
        sent = rng.random(decisions) < 0.5
        odds = 2.0 - (2.0 if math.isfinite(cap) else 1.0) * loads(sent, cap)[:-1]
        reward = np.where(sent, rng.random(decisions) < 1.0 / (1.0 + np.exp(-odds)), np.nan)
        able, unknown = np.ones(decisions, dtype=np.bool_), np.full(decisions, np.nan)
        every = np.arange(decisions), np.where(sent, 0, -1), reward, able, unknown, np.zeros((decisions, 0))
        histories[f"p{i}"] = History(0, decisions, *every)
    return Cohort("trial.csv", "opened", 1.0, ["app-open"], histories, [], "logit")


@pytest.fixture(scope="module")
def people() -> People:
    """People whose loss has the floor of the paper's dynamics."""
    data = cohort(8, 2.0, decisions=500)
    return People(data, fit_cohort(data_of(data), TASK))


def test_capped_loads_are_the_states_of_the_paper() -> None:
    sent = np.random.default_rng(1).random(200) < 0.5
    assert np.allclose(1.0 - loads(sent, 2.0) / 2.0, states(sent), atol=1e-12)
    assert loads(sent, math.inf).max() > 2.5


def test_a_floor_is_found_and_intervals_hold_the_truth(people: People) -> None:
    ladder = people.fitted.arms["app-open"]
    assert ladder.rung == RECOVERY
    for ends, truth in ((ladder.cap, 2.0), (ladder.fresh, RESTED), (ladder.drop, COST), (ladder.half_life, HALF_LIFE)):
        assert ends[0] <= truth <= ends[2]
    assert ladder.floor_by[0] > ladder.floor_by[1] > 0.0
    assert "The loss has a floor: it does not grow beyond that of about 2 sendings in a row (1" in " ".join(
        verdicts(people)
    )


def test_the_cap_is_used_wherever_loads_are_computed(people: People) -> None:
    """Advice, simulated people and point estimates; also after a round trip through people.json."""
    again = people_from_json(people_json(people))
    assert again.fitted.arms == people.fitted.arms
    ladder, sent = again.fitted.arms["app-open"], again.cohort.people["p0"].arm == 0
    draws = draws_of(again, ladder, "p0", "app-open", np.zeros(0))
    recovers = [j for j, rung in enumerate(ladder.draw_rungs) if rung == RECOVERY]
    assert 1.0 <= draws.cap[recovers].min() < draws.cap[recovers].max() <= LIST[-1]
    for j in recovers[:3]:
        one = np.array([draws.keeps[j]]), draws.cap[[j]]
        exact = loads_of({"p0": record_of(sent)}, np.zeros(1, dtype=np.int64), np.array([sent.size]), *one)
        assert draws.x[j] == exact[0, 0] <= draws.cap[j]
        d = drawn_fit(again, "p0", "app-open", j).dynamics
        assert d.lo == pytest.approx(d.pull * draws.cap[j])
    d = again.fitted.people["p0"]["app-open"].dynamics
    assert d.lo == pytest.approx(d.pull * ladder.cap[1])
    assert ladder.course["sendings"][-1][1] == pytest.approx(ladder.worn[1], abs=0.03)


def test_files_without_floors_are_read(people: People) -> None:
    """Format 4, in which ladders have no caps."""
    content = json.loads(people_json(people))
    ladder = content["ladder"]["app-open"]
    for one in (ladder, *(mine["draws"] for mine in ladder["persons"].values())):
        del one["cap"]
    del ladder["floor_by"]
    head = {"format": content.pop("format"), "version": content.pop("version") - 1}
    del content["checksum"]
    again = people_from_json(json.dumps({**head, "checksum": checksum(content), **content}), oldest=DRAWS_OVER_RUNGS)
    draws = draws_of(again, again.fitted.arms["app-open"], "p0", "app-open", np.zeros(0))
    assert again.fitted.arms["app-open"].cap == []
    assert draws.x.max() > 2.5


def test_without_a_floor_no_number_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    data = data_of(cohort(3, math.inf, people=4, decisions=150))
    found = fit_cohort(data, TASK)
    assert found.arms["app-open"].rung == RECOVERY
    assert not found.arms["app-open"].cap
    assert "cap" not in found.arms["app-open"].persons["p0"].draws
    monkeypatch.setattr(arm, "with_floor", lambda task, ladder, panels, parts: (ladder, panels, None))
    assert fit_cohort(data, TASK) == found


def test_two_equal_caps_are_one() -> None:
    """Evidence, interval of the half-life and draws, on a grid that has each point twice."""
    sent = np.random.default_rng(2).random((4, 80)) < 0.5
    records = {f"p{i}": Record(one.astype(np.float64), np.where(one, i - loads(one, 2.0)[:-1], np.nan))
               for i, one in enumerate(sent)}  # fmt: skip
    found = []
    for caps in (CAPS[:1], CAPS[[0, 0]]):
        panel = panel_of(records, caps=caps)
        fit = fit_candidate(Candidate(RECOVERY), panel, components_of("gaussian", panel, 0.0))
        weight = fit.populations[0].weight[:, 0]
        half_life, place = drawn_half_lives(panel, weight, 500, np.random.default_rng(1))
        found.append([*evidence_of(fit, panel), *half_life_interval(panel, weight, math.inf), *half_life])
    assert np.allclose(found[0], found[1], rtol=0.02)  # ends of intervals are on a fine grid
    assert abs((place >= panel.half_lives.size).mean() - 0.5) < 4.0 * math.sqrt(0.25 / 500)


def test_caps_between_those_of_the_list_are_found() -> None:
    """The cap is 2.2, and rewards leave little open: the evidence is for the nearest of the list."""
    rng = np.random.default_rng(4)
    sent = rng.random((4, 80)) < 0.5
    rewards = [0.2 * rng.standard_normal(80) - loads(one, 2.2)[:-1] for one in sent]
    records = {f"p{i}": Record(one.astype(np.float64), np.where(one, i + r, np.nan))
               for i, (one, r) in enumerate(zip(sent, rewards, strict=True))}  # fmt: skip
    panel, fit, prior = likely_caps(ArmTask(records, "gaussian"), np.where(LIST == 2.0, 0.0, -20.0))
    weight = weight_of_caps(fit, panel)
    mean = float(weight @ panel.caps)
    assert abs(mean - 2.2) < 4.0 * math.sqrt(float(weight @ (panel.caps - mean) ** 2)) < 0.4
    assert panel.caps.size >= 3
    assert 0.0 < prior < 2.0 / 6.0


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("x", [0.0, 1.9])
def test_later_rewards_are_those_of_capped_loads(step: int, x: float) -> None:
    """An arm that is sent every `step` decisions from load x on, against the sum; one mean stands for a block."""
    level, slope, load, decay, cap, none, ones = (np.array([v]) for v in (1.0, -0.3, x, 0.9, 2.0, 0.0, 1.0))
    draws = ArmDraws(
        parts_of("gaussian", 0.0, [[0.0, 1.0]]), [level], [slope], [none], load, decay, ones, none, 1.0, 5.0, cap
    )
    exact, rate = 0.0, ones / step
    for t in range(1500):
        exact += DISCOUNT**t * float(t % step == 0) * float(draws.mean(load)[0])
        load = draws.after(load, float(t % step == 0))
    assert later_values(draws, draws.x, rate)[0] == pytest.approx(exact, rel=0.04)
    assert later_values(draws._replace(cap=NO_CAP), draws.x, rate)[0] < 0.9 * exact


def test_people_with_half_lives_of_their_own_have_one_cap() -> None:
    record = {f"p{i}": record_of(np.random.default_rng(i).random(30) < 0.5) for i in range(3)}
    plain, capped, one = panel_of(record), panel_of(record, caps=CAPS), panel_of(record, caps=CAPS[:1])
    panels = Panels(plain, plain, (capped, one))
    assert panels.of(Candidate(RECOVERY)) is capped
    assert panels.of(Candidate(RECOVERY, PARTIAL)) is panels.of(Candidate(RECOVERY, OWN)) is one
    assert panels.of(Candidate("wear-out", OWN)) is plain

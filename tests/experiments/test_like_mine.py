"""People like those of a trial: who is drawn, what policies assume of them, and that random choices gain nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rogue_bandits as rb
from rogue_bandits.cli import main
from rogue_bandits.cli.simulate_fit import column_words
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.dependence import Dependence
from rogue_bandits.estimate.files import People, people_json
from rogue_bandits.estimate.fit import FitTask, fit_cohort
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.ladder.compare import FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.experiments.health import EXPERIMENT
from rogue_bandits.experiments.health.fitted import observed_range, truth_of
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.experiments.like_mine import (
    Alike,
    LikeMine,
    Setting,
    assumed,
    centre_of,
    prepared,
    simulated,
    with_centre_dynamics,
)
from rogue_bandits.experiments.results import Gain
from rogue_bandits.experiments.trial_people import Trial, drawn_fit, drawn_truth, fitted_truth, trial_of
from rogue_bandits.types import mean, next_state
from tests.interpreted import compiled_in_verify as compiled_in_verify

NAMES = ["walk", "sleep"]
PEOPLE, DECISIONS, APART = 12, 60, 10.0  # levels of people are so far apart, and those of their arms not at all
SPENT = 200  # draws of people


def like_mine(path: Path, policies: Mapping[str, Any], setting: Setting) -> LikeMine:
    """What policies gain over random choices on people like those of a people.json."""
    return simulated(prepared(path, policies, setting), lambda n: None)


def cohort() -> Cohort:
    """People whose walks wear out by 3 and recover with a half-life of 3; sleep does not."""
    rng = np.random.default_rng(4)
    every = {}
    for i in range(PEOPLE):
        arm = rng.integers(-1, 2, DECISIONS)
        level, load, reward = 50.0 + APART * (i - 5.5), 0.0, np.zeros(DECISIONS)
        for t, sent in enumerate(arm.tolist()):
            reward[t] = level - 3.0 * load * (sent == 0) + rng.standard_normal()
            load = 0.5 ** (1.0 / 3.0) * load + (sent == 0)
        able, unknown = np.ones(DECISIONS, dtype=np.bool_), np.full(DECISIONS, np.nan)
        none = np.zeros((DECISIONS, 0))
        every[f"p{i}"] = History(0, DECISIONS, np.arange(DECISIONS), arm, reward, able, unknown, none)
    return Cohort("d.csv", "steps", 1.0, NAMES, every, [], "gaussian")


@pytest.fixture(scope="module")
def fitted() -> People:
    """The people, fitted."""
    found = cohort()
    return People(found, fit_cohort(data_of(found), FitTask(("gaussian",), pool="shared", workers=1)))


@pytest.fixture(scope="module")
def path(fitted: People, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their people.json."""
    file = tmp_path_factory.mktemp("fitted") / "people.json"
    file.write_bytes(people_json(fitted))
    return file


def fresh_levels(truth: rb.Truth) -> list[float]:
    return [mean(arm.rewards, theta, x0) for arm, theta, x0 in zip(truth.arms, truth.theta, truth.x0, strict=True)]


def test_arms_of_a_drawn_person_are_those_of_one_person_of_the_trial(fitted: People) -> None:
    """Levels of people are 10 apart, those of their arms some tenths: a policy has nothing to gain from the former."""
    trial, rng = trial_of(fitted), np.random.default_rng(1)
    drawn = np.array([fresh_levels(drawn_truth(trial, trial.names[k % PEOPLE], rng)) for k in range(SPENT)])
    assert drawn[:, 0].std() > 2.0 * APART
    assert np.abs(drawn[:, 0] - drawn[:, 1]).max() < 0.5 * APART
    data = fitted.cohort.rewards()
    assert drawn.min() > data.min() - APART
    assert drawn.max() < data.max() + APART


def losing_share(ladder: ArmLadder) -> float:
    wears = np.isin(ladder.draw_rungs, (WEAR_OUT, RECOVERY))
    return float(np.mean([wears & (np.array(one.draws["slope"][0]) < 0.0) for one in ladder.persons.values()]))


def test_each_arm_wears_out_as_often_as_in_its_draws(fitted: People) -> None:
    """Within 4 standard errors."""
    trial, rng = trial_of(fitted), np.random.default_rng(2)
    drawn = [drawn_truth(trial, trial.names[k % PEOPLE], rng) for k in range(SPENT)]
    for k, arm in enumerate(trial.arms):
        losing = losing_share(fitted.fitted.arms[arm])
        share = np.mean([truth.arms[k].dynamics.pull < 0.0 for truth in drawn])
        assert abs(share - losing) <= 4 * np.sqrt(losing * (1.0 - losing) / SPENT) + 1.0 / SPENT
    walk = [truth.arms[0].dynamics for truth in drawn]
    assert float(np.median([d.decay for d in walk])) == pytest.approx(0.5 ** (1.0 / 3.0), abs=0.05)
    assert len({d.pull for d in walk}) > SPENT // 4


def test_every_draw_has_the_mean_of_the_rewards_over_the_sendings(fitted: People) -> None:
    """Whatever its rung is: within 4 standard errors of the rewards and of the draws."""
    trial = trial_of(fitted)
    for name in ("p3", "p8"):
        for arm, ladder in fitted.fitted.arms.items():
            history, k = fitted.cohort.people[name], NAMES.index(arm)
            rewards = history.reward[history.arm == k]
            for j in range(0, len(ladder.draw_rungs), 20):
                truth = truth_of({arm: drawn_fit(trial.people, name, arm, j)})
                found = np.mean(over_sendings(truth, history.arm == k))
                assert abs(found - rewards.mean()) < 4.0 * np.sqrt(2.0 / rewards.size)


def test_draws_of_a_fade_are_held_at_their_level_at_the_next_decision(fitted: People) -> None:
    """No dynamics of an arm have a fade."""
    walk = fitted.fitted.arms["walk"]
    fades = walk._replace(draw_rungs=[FADE] * len(walk.draw_rungs))
    people = fitted._replace(fitted=fitted.fitted._replace(arms={**fitted.fitted.arms, "walk": fades}))
    (shift, scale), draws = walk.parts[0], walk.persons["p3"].draws
    for j in (0, 7):
        truth = truth_of({"walk": drawn_fit(people, "p3", "walk", j)})
        last = draws["level"][0][j] + draws["slope"][0][j] * DECISIONS / (DECISIONS - 1)
        assert fresh_levels(truth) == pytest.approx([shift + scale * last])
        assert truth.arms[0].dynamics.pull == 0.0


def test_only_policies_that_learn_dynamics_have_the_prior(fitted: People, path: Path) -> None:
    """Others have the centre of the population."""
    new = {name: rb.arm_from_fit(path, name) for name in NAMES}
    centres, person = {name: centre_of(path, arm) for name, arm in new.items()}, fitted_truth(trial_of(fitted), "p1")
    assert all(isinstance(arm.dynamics, rb.Unknown) for arm in assumed(person, rb.IndexTS(), new, centres))
    block = fitted.fitted.arms["walk"].population
    walk = assumed(person, rb.EpsilonRogue(), new, centres)[0]
    assert walk.dynamics.decay == pytest.approx(0.5 ** np.exp(-block["mean"][3]))
    loss = -walk.dynamics.pull / (1.0 - walk.dynamics.decay)
    assert loss == pytest.approx(np.exp(block["mean"][2]))


def test_what_is_told_has_the_means_of_the_centre() -> None:
    """A Gaussian arm, by the recursions of states that are levels and of states that are what was lost."""
    fit = rb.Arm(rb.ClippedAffine(0.8, -300.0, 0.0, -9_000.0, 0.0), rb.Gaussian(1.0, 1.0, 500.0), 0.0, 9_000.0, "walk")
    centre = rb.Arm(rb.ClippedAffine(0.7, -0.3, 3.0, -18.0, 18.0), rb.Gaussian(0.0, 500.0, 500.0), name="walk")
    d, x, lost = with_centre_dynamics(fit, centre).dynamics, 10.0, 0.0
    for played in (1.0, 1.0, 0.0, 1.0):
        assert mean(centre.rewards, 0.5, x) == pytest.approx(5_000.0 + lost)
        x, lost = next_state(centre.dynamics, x, played), next_state(d, lost, played)


def test_random_choices_gain_nothing_over_themselves(path: Path) -> None:
    """Person by person: they have the same random numbers."""
    found = like_mine(path, {"random": rb.Random()}, Setting(20, 3, 1)).gains["random"]
    assert (found.drawn.mean, found.drawn.stderr, found.fits.mean) == (0.0, 0.0, 0.0)


def test_the_command_says_which_column_to_go_by_and_what_was_left_out(path: Path) -> None:
    """In units of the reward; bounds of rewards that have none are those of the data."""
    words = ["simulate", "--fit", str(path), "--policy", "random", "--policy", "d-ucb", "--horizon", "20"]
    result = CliRunner().invoke(main, [*words, "--people", "3"])
    assert result.exit_code == 0, result.output
    assert "+0 ± 0" in result.output
    assert "Go by the first column" in result.output
    said = " ".join(result.output.split())
    assert "d-ucb: rewards count from" in said
    assert "the least and the largest of the data" in said
    assert "do not differ by more than 2 standard errors" in said


@pytest.mark.parametrize(
    ("drawn", "fits", "larger"), [(0.1, 0.3, True), (0.3, 0.1, False), (-0.3, -0.1, False), (-0.3, 0.1, True)]
)
def test_inflated_gains_are_reported_where_the_last_column_has_some(drawn: float, fits: float, larger: bool) -> None:
    words = column_words({"d-ucb": Alike(*(Gain(mean, 0.01, mean, mean) for mean in (drawn, fits)))})
    assert "Go by the first column." in words
    assert ("It is larger for d-ucb" in words) == larger
    assert ("several times those on the true people" in words) == larger


def test_a_policy_that_cannot_be_simulated_has_its_reason(path: Path) -> None:
    """The others are simulated all the same."""
    found = like_mine(path, {"d-ucb": rb.DUCB(gamma=2.0), "random": rb.Random()}, Setting(20, 3, 1))
    assert list(found.gains) == ["random"]
    assert found.refused == {"d-ucb": "d-ucb, gamma 2.0 must be in (0, 1]"}


def test_a_defect_is_not_called_a_policy_that_cannot_be_simulated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the set-up of a policy says that it cannot be."""

    def defect(*_: object) -> None:
        raise ValueError("defect")

    monkeypatch.setattr("rogue_bandits.experiments.like_mine.gains", defect)
    with pytest.raises(ValueError, match="defect"):
        like_mine(path, {"random": rb.Random()}, Setting(20, 3, 1))


def test_policies_that_were_asked_for_are_checked_before_the_first_is_simulated(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One refusal ends the command, and no time was spent on the others."""
    (tmp_path / "mine.py").write_text("import rogue_bandits as rb\nmine = rb.DUCB(gamma=2.0)\n")
    monkeypatch.delattr("rogue_bandits.experiments.like_mine.gains")
    asked = ["--policy", "random", "--policy", f"{tmp_path / 'mine.py'}:mine"]
    result = CliRunner().invoke(main, ["simulate", "--fit", str(path), *asked, "--horizon", "20", "--people", "3"])
    assert result.exit_code == 2, result.output
    assert "gamma 2.0 must be in (0, 1]" in " ".join(result.output.split())


def test_policies_that_are_left_out_by_default_are_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the option that simulates one."""
    monkeypatch.setattr("rogue_bandits.cli.simulate_fit.FIT_POLICIES", ("random",))
    result = CliRunner().invoke(main, ["simulate", "--fit", str(path), "--horizon", "20", "--people", "3"])
    assert result.exit_code == 0, result.output
    assert "Not simulated, to save time: plan-ts, index-ts," in " ".join(result.output.split())


def test_one_arm_and_rewards_that_are_all_equal_are_refused_in_words(fitted: People, tmp_path: Path) -> None:
    """There is nothing to choose from, and nothing to learn."""
    one = one_arm(fitted)
    with pytest.raises(ValueError, match=r"d\.csv has one arm, 'walk', and too few rewards that follow a rest"):
        trial_of(one._replace(fitted=one.fitted._replace(silence=None)))
    same = {name: h._replace(reward=np.full(DECISIONS, 5.0)) for name, h in fitted.cohort.people.items()}
    equal = tmp_path / "people.json"
    equal.write_bytes(people_json(fitted._replace(cohort=fitted.cohort._replace(people=same))))
    for words in (["simulate", "--fit"], ["reproduce", "health", "--cohort"], ["advise"]):
        result = CliRunner().invoke(main, [*words, str(equal)])
        assert result.exit_code == 2, result.output
        assert "every reward of d.csv is 5. Nothing can be estimated from that" in result.output


def one_arm(people: People) -> People:
    """The people with walks only."""
    fits = {name: {"walk": each["walk"]} for name, each in people.fitted.people.items()}
    fitted = people.fitted._replace(people=fits, arms={"walk": people.fitted.arms["walk"]})
    every = {}
    for name, h in people.cohort.people.items():
        rows = h.arm < 1
        parts = h.at[rows], h.arm[rows], h.reward[rows], h.available[rows], h.probability[rows], h.covariates[rows]
        every[name] = History(h.first, h.length, *parts)
    return people._replace(cohort=people.cohort._replace(arms=NAMES[:1], people=every), fitted=fitted)


@pytest.mark.usefixtures("compiled_in_verify")
def test_beside_a_single_arm_silence_is_another(fitted: People, tmp_path: Path) -> None:
    """It has the level that followed rests, nothing wears it out, and policies choose whether to send."""
    one = one_arm(fitted)
    trial, rng = trial_of(one), np.random.default_rng(3)
    assert trial.arms == ["walk", "nothing"]
    assert trial.notes[0].startswith("There is one arm, 'walk'. Policies choose between sending it and sending nothing")
    quiet = [drawn_truth(trial, "p5", rng) for _ in range(20)]
    assert {truth.arms[1].dynamics.pull for truth in quiet} == {0.0}
    rested = one.cohort.people["p5"]
    level = rested.reward[rested.rests()].mean()
    assert np.mean([fresh_levels(truth)[1] for truth in quiet]) == pytest.approx(level, abs=1.0)
    every = np.concatenate([h.reward for h in one.cohort.people.values()])
    assert observed_range(one) == (every.min(), every.max())
    walks = np.concatenate([h.reward[h.arm == 0] for h in one.cohort.people.values()])
    assert walks.max() < every.max()
    path = tmp_path / "one.json"
    path.write_bytes(people_json(one))
    found = like_mine(path, {"epsilon-rogue": rb.EpsilonRogue()}, Setting(20, 3, 1))
    assert list(found.gains) == ["epsilon-rogue"]
    assert [arm.name for arm in EXPERIMENT.truths(HealthSettings(cohort=path))[0].arms] == ["walk", "nothing"]
    assert any("There is one arm" in note for note in EXPERIMENT.notes(HealthSettings(cohort=path)))


def test_a_rise_with_sendings_is_said_not_to_be_simulated(fitted: People, tmp_path: Path) -> None:
    up = fitted.fitted.arms["walk"]._replace(rung=RECOVERY, drop=[-2.0, -1.0, -0.5])
    rising = fitted._replace(fitted=fitted.fitted._replace(arms={**fitted.fitted.arms, "walk": up}))
    path = tmp_path / "rising.json"
    path.write_bytes(people_json(rising))
    settings, says = (
        HealthSettings(cohort=path),
        "By the fit rewards of walk rise with sendings. A rise is not simulated",
    )
    assert any(note.startswith(says) for note in trial_of(rising).notes)
    assert any(note.startswith(says) for note in EXPERIMENT.notes(settings))
    assert "walk" not in EXPERIMENT.description(settings).about.split("By the fit")[1]
    assert not any(note.startswith("By the fit") for note in trial_of(fitted).notes)


def test_a_recovery_that_no_rest_shows_is_said_to_be_simulated(fitted: People, tmp_path: Path) -> None:
    turns = {name: one._replace(arm=np.arange(DECISIONS) % 2) for name, one in fitted.cohort.people.items()}
    regular = fitted._replace(cohort=fitted.cohort._replace(people=turns))
    path = tmp_path / "turns.json"
    path.write_bytes(people_json(regular))
    says = "Warning: simulated people recover from walk, and no rest of the data shows that people do."
    for notes in (trial_of(regular).notes, EXPERIMENT.notes(HealthSettings(cohort=path))):
        assert sum(note.startswith(says) for note in notes) == 1
    assert not any("simulated people recover" in note for note in trial_of(fitted).notes)


def test_wear_out_in_doubt_is_said_to_be_simulated(fitted: People, monkeypatch: pytest.MonkeyPatch) -> None:
    follows = {"walk": Dependence(-0.3, -6.0)}
    monkeypatch.setattr("rogue_bandits.estimate.other_explanations.follows_rewards", lambda people: follows)
    says = "Warning: walk wears simulated people out, which the data do not show: it was sent more often after low"
    assert sum(note.startswith(says) for note in trial_of(fitted).notes) == 1


@pytest.mark.usefixtures("compiled_in_verify")
def test_zero_inflated_rewards_are_normal_with_the_same_means(tmp_path: Path) -> None:
    """As no arm has them; the output says so, and means are those of the data."""
    people, rng, decisions = {}, np.random.default_rng(5), 40
    for i in range(6):
        arm = rng.integers(0, 2, decisions)
        reward = np.where(rng.random(decisions) < 0.4, 0.0, rng.gamma(20.0, 5.0, decisions))
        able, unknown = np.ones(decisions, dtype=np.bool_), np.full(decisions, np.nan)
        people[f"p{i}"] = History(
            0, decisions, np.arange(decisions), arm, reward, able, unknown, np.zeros((decisions, 0))
        )
    found = Cohort("d.csv", "seconds", 1.0, NAMES, people, [], "zero-inflated")
    fitted = People(found, fit_cohort(data_of(found), FitTask(("zero-inflated",), pool="shared", workers=1)))
    trial = trial_of(fitted)
    assert trial.notes == ["Simulated rewards are normal, with the means of zero-inflated ones: no arm has the latter."]
    drawn = np.array([fresh_levels(drawn_truth(trial, f"p{k % 6}", rng)) for k in range(60)])
    assert drawn.mean() == pytest.approx(found.rewards().mean(), rel=0.25)
    path = tmp_path / "people.json"
    path.write_bytes(people_json(fitted))
    assert list(like_mine(path, {"epsilon-rogue": rb.EpsilonRogue()}, Setting(20, 3, 1)).gains) == ["epsilon-rogue"]


@pytest.fixture(scope="module")
def wearing() -> Trial:
    """People with zero-inflated rewards, whose walks wear out to a few percent of what they were."""
    people, rng = {}, np.random.default_rng(5)
    for i in range(PEOPLE):
        arm, load, reward = rng.integers(0, 2, DECISIONS), 0.0, np.zeros(DECISIONS)
        for t, sent in enumerate((arm == 0).tolist()):
            reward[t] = 0.0 if rng.random() < 0.2 else rng.gamma(20.0, 5.0 * np.exp(-0.25 * load * sent))
            load = 0.5 ** (1.0 / 8.0) * load + sent
        able, unknown = np.ones(DECISIONS, dtype=np.bool_), np.full(DECISIONS, np.nan)
        none = np.zeros((DECISIONS, 0))
        people[f"p{i}"] = History(0, DECISIONS, np.arange(DECISIONS), arm, reward, able, unknown, none)
    found = Cohort("d.csv", "seconds", 1.0, NAMES, people, [], "zero-inflated")
    return trial_of(People(found, fit_cohort(data_of(found), FitTask(("zero-inflated",), pool="shared", workers=1))))


@pytest.mark.verify
def test_zero_inflated_means_over_the_sendings_are_kept_where_arms_wear_out(wearing: Trial) -> None:
    """Of drawn people and of fits, over the very sendings of the trial: means are not linear in the load."""
    people, rng = wearing.people.cohort.people, np.random.default_rng(1)
    observed = np.concatenate([h.reward[h.arm == 0] for h in people.values()]).mean()
    names = [f"p{k % PEOPLE}" for k in range(2 * PEOPLE)]
    for truths in (
        [drawn_truth(wearing, name, rng) for name in names],
        [fitted_truth(wearing, name) for name in names],
    ):
        means = [over_sendings(truth, people[name].arm == 0) for truth, name in zip(truths, names, strict=True)]
        assert np.concatenate(means).mean() == pytest.approx(observed, rel=0.1)
        assert np.concatenate(means).min() >= 0.0


def over_sendings(truth: rb.Truth, sent: rb.types.Bools) -> list[float]:
    """Mean rewards of the first arm at these sendings."""
    arm, theta, x, means = truth.arms[0], truth.theta[0], truth.x0[0], []
    for played in sent.tolist():
        means += [mean(arm.rewards, theta, x)] if played else []
        x = next_state(arm.dynamics, x, float(played))
    return means


def test_a_file_without_a_posterior_is_refused(fitted: People) -> None:
    """Earlier versions had none, or no draws from it."""
    walk = fitted.fitted.arms["walk"]
    for arms in ({}, {**fitted.fitted.arms, "walk": walk._replace(draw_rungs=[])}):
        with pytest.raises(ValueError, match="of an earlier version, without a posterior to draw people from"):
            trial_of(fitted._replace(fitted=fitted.fitted._replace(arms=arms)))


@pytest.mark.parametrize("words", [[], ["--model", "a.py:b", "--fit", "people.json"]])
def test_one_of_model_and_fit_is_needed(words: list[str]) -> None:
    """Neither, and both, are refused."""
    result = CliRunner().invoke(main, ["simulate", *words])
    assert "simulate needs one of --model FILE:NAME and --fit people.json" in result.output

"""What every policy owes its callers, whatever it does inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.matrix_affine import MatrixAffine
from rogue_bandits.model.dynamics.saturating import Saturating
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.weighted import Weighted
from rogue_bandits.policies import POLICIES
from rogue_bandits.types import Arm, Bools, choose, grown, learn, play, start
from tests.policies.histories import (
    Run,
    Script,
    choices,
    choices_compiled,
    decided,
    eventful,
    follow,
    follow_compiled,
    retell_compiled,
)

DECISIONS = 60
FAST, SLOW = ClippedAffine(0.6, -1.0, 0.5), ClippedAffine(0.7, -1.2, 0.5)
FAMILIES = {
    "bernoulli": [Arm(FAST, BernoulliLogit(0.4, 0.6)), Arm(SLOW, BernoulliLogit(0.7, 0.3))],
    "gaussian": [Arm(FAST, Gaussian(0.4, 0.6, 0.5)), Arm(SLOW, Gaussian(0.7, 0.3, 0.5))],
    "laplace": [Arm(FAST, LaplaceAgent(), 0.1, 1.0), Arm(SLOW, LaplaceAgent(), 0.1, 1.0)],
    "vectors": [
        Arm(MatrixAffine(((0.6, slow), (0.0, 0.9)), (-1.0, -0.2), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0)),
            Weighted(BernoulliLogit(1.0, 1.0), (0.4, -0.3), (0.6, weight)), (0.0, 0.0), (1.0, 1.0))
        for slow, weight in ((0.1, 0.5), (0.3, 0.8))
    ],
    "saturating": [Arm(Saturating(0.2, 0.4, drop), BernoulliLogit(0.4, 0.6)) for drop in (0.3, 0.5)],
}  # fmt: skip
# Only the ROGUE policies look inside their arms; where states are walked to, what they share takes minutes to compile.
WALKED = {"vectors": ("tuned-rogue-ucb", "epsilon-rogue"), "saturating": ("tuned-rogue-ucb",)}
CASES = [
    (policy, family)
    for policy in POLICIES
    for family in FAMILIES
    if (policy in WALKED[family] if family in WALKED else "rogue" in policy or family == "bernoulli")
]
# One worker for each case, so that none compiles what another has compiled.
every_policy = pytest.mark.parametrize(
    ("policy", "family"), [pytest.param(*case, marks=pytest.mark.xdist_group("-".join(case))) for case in CASES]
)


def fresh(policy: str, arms: list[Arm], people: int) -> Any:
    """A state with room for every reward of the histories here."""
    state = start(POLICIES[policy](), arms, people, horizon=1000)
    for _ in range(4):
        state = grown(state)
    return state


def history(family: str, seed: int, arms: int = 2, decisions: int = DECISIONS) -> Script:
    # A search takes its time where it is interpreted.
    searched = family in WALKED
    return eventful(min(decisions, 12) if searched else decisions, arms, seed, binary=searched or family == "bernoulli")


def leaves(state: Any) -> Iterator[Any]:
    """Arrays and numbers, however deep."""
    if isinstance(state, tuple):
        for item in state:
            yield from leaves(item)
    else:
        yield np.array(state)


def likely(state: Any, available: Bools) -> dict[int, float]:
    """The probability of each arm that the next decision may choose, as `choose` tells it."""
    run = choices_compiled(state, 0, DECISIONS, available, np.linspace(0.0, 1.0, 4001)[:-1])
    return {int(arm): float(p) for arm, p in zip(run.arm, run.probability, strict=True)}


def assert_same(one: Run, other: Run) -> None:
    assert one.arm.tolist() == other.arm.tolist()
    assert one.probability == pytest.approx(other.probability, rel=1e-9)


@every_policy
def test_only_available_arms_are_chosen_with_a_probability(policy: str, family: str) -> None:
    script = history(family, seed=11)
    run = follow_compiled(fresh(policy, FAMILIES[family], 1), 0, script)
    made = decided(script)
    assert script.available[made, run.arm[made]].all()
    assert (run.probability > 0.0).all()
    assert (run.probability <= 1.0).all()


@every_policy
@pytest.mark.parametrize("available", [[True, True], [False, True]])
@pytest.mark.parametrize("past", [0, DECISIONS])
def test_probabilities_are_frequencies(policy: str, family: str, available: list[bool], past: int) -> None:
    """Within 4 standard errors: a false alarm in some 16,000 comparisons, of which there are fewer than 200."""
    state = fresh(policy, FAMILIES[family], 1)
    follow_compiled(state, 0, history(family, seed=12, decisions=past))
    draws = 4000
    uniforms = np.random.default_rng(13).random(draws)
    run = choices_compiled(state, 0, past, np.array(available), uniforms)
    told = {int(arm): float(p) for arm, p in zip(run.arm, run.probability, strict=True)}
    assert sum(told.values()) == pytest.approx(1.0)
    for arm, p in told.items():
        assert abs(np.mean(run.arm == arm) - p) <= 4.0 * np.sqrt(p * (1.0 - p) / draws)


@every_policy
@pytest.mark.parametrize("choose_often", [choices, choices_compiled], ids=["interpreted", "compiled"])
def test_choosing_changes_nothing(policy: str, family: str, choose_often: Any) -> None:
    state = fresh(policy, FAMILIES[family], 1)
    follow_compiled(state, 0, history(family, seed=14))
    before = [leaf.tobytes() for leaf in leaves(state)]
    choose_often(state, 0, DECISIONS, np.array([True, True]), np.linspace(0.0, 0.999, 20))
    assert [leaf.tobytes() for leaf in leaves(state)] == before


@every_policy
def test_relabelling_the_arms_relabels_the_choices(policy: str, family: str) -> None:
    script = history(family, seed=15)
    told, swapped = fresh(policy, FAMILIES[family], 1), fresh(policy, FAMILIES[family][::-1], 1)
    run = follow_compiled(told, 0, script)
    turned = script._replace(available=script.available[:, ::-1].copy(), reward=script.reward[:, ::-1].copy())
    retell_compiled(swapped, 0, turned, Run(np.where(run.arm < 0, -1, 1 - run.arm), run.probability))
    for available in ([True, True], [True, False]):
        expected = likely(told, np.array(available))
        found = likely(swapped, np.array(available[::-1]))
        assert {1 - arm: p for arm, p in found.items()} == pytest.approx(expected, rel=1e-6)


@every_policy
def test_one_person_in_a_crowd_is_one_person_alone(policy: str, family: str) -> None:
    crowd = fresh(policy, FAMILIES[family], 3)
    for person in (2, 0, 1):
        script = history(family, seed=16 + person)
        alone = follow_compiled(fresh(policy, FAMILIES[family], 1), 0, script)
        assert_same(follow_compiled(crowd, person, script), alone)


@every_policy
def test_interpreted_is_compiled(policy: str, family: str) -> None:
    script = history(family, seed=19)
    interpreted = follow(fresh(policy, FAMILIES[family], 1), 0, script)
    assert_same(interpreted, follow_compiled(fresh(policy, FAMILIES[family], 1), 0, script))


@every_policy
def test_a_rest_is_never_an_error(policy: str, family: str) -> None:
    state = fresh(policy, FAMILIES[family], 1)
    play(state, 0, 0, -1)
    line = play(state, 0, 1, 1)
    for number in range(2, 2 + DECISIONS):
        play(state, 0, number, -1)
    learn(state, 0, 1, 1, 1.0, line, 1.0)
    _, probability = choose(state, 0, 2 + DECISIONS, np.array([True, True]), 0.5)
    assert 0.0 < probability <= 1.0


@every_policy
def test_a_single_arm_is_always_chosen(policy: str, family: str) -> None:
    script = history(family, seed=20, arms=1)
    run = follow_compiled(fresh(policy, FAMILIES[family][:1], 1), 0, script)
    assert run.arm.tolist() == np.where(script.rest, -1, 0).tolist()
    assert run.probability == pytest.approx(1.0)

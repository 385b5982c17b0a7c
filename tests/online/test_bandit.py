"""One person, online: decisions, rests, and rewards that come at once, late or never."""

from __future__ import annotations

import gc
import math
import signal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.belief.contract import fit, log_likelihood, rewards_count
from rogue_bandits.numerics.pcg64 import next_double, stream_of
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.types import Decision
from tests.policies.histories import THREE_ARMS, TWO_ARMS, Script, eventful

ROGUE = ("tuned-rogue-ucb", "rogue-ucb", "epsilon-rogue")
SOME = (*ROGUE, "random", "ucb1-tuned", "d-ucb", "exp3s")
DECISIONS = 40
# Neither plays nor rests move it, so that its x0 is never forgotten.
UNMOVED = rb.Arm(rb.ClippedAffine(decay=1.0, pull=0.0, drift=0.0), rb.BernoulliLogit(0.4, 0.6))

seeds = st.integers(0, 2**32 - 1)
each_of_some = pytest.mark.parametrize("policy", SOME)
each_rogue = pytest.mark.parametrize("policy", ROGUE)


def fresh(policy: str, arms: list[rb.Arm] = TWO_ARMS, seed: int = 7) -> rb.Bandit:
    """A bandit whose policy knows its horizon where it must."""
    spec = rb.POLICIES[policy]
    return rb.Bandit(arms, spec(horizon=500) if "horizon" in spec.settings else spec(), seed=seed)


def live(bandit: rb.Bandit, script: Script, decisions: range, made: dict[int, Decision]) -> None:
    """Live through some decisions of a script, and write down what was chosen."""
    for t in decisions:
        if script.rest[t]:
            bandit.rest()
        else:
            made[t] = bandit.choose(available=np.flatnonzero(script.available[t]).tolist())
        for s in np.flatnonzero(script.arrival[: t + 1] == t).tolist():
            if s in made:
                bandit.update(made[s], float(script.reward[s, made[s].arm]))


def lived(policy: str, script: Script, seed: int = 7) -> tuple[rb.Bandit, dict[int, Decision]]:
    """A bandit that has lived through a script, and its decisions."""
    bandit, made = fresh(policy, seed=seed), dict[int, Decision]()
    live(bandit, script, range(len(script.rest)), made)
    return bandit, made


def leaves(state: Any) -> list[Any]:
    """Arrays and numbers, however deep."""
    return [leaf for part in state for leaf in leaves(part)] if isinstance(state, tuple) else [state]


def same_bits(state: Any, other: Any) -> bool:
    """Are two states the same to the last bit?"""
    pairs = zip(leaves(state), leaves(other), strict=True)
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs if a is not None)


def fitted_loglik(bandit: rb.Bandit, k: int) -> tuple[float, float]:
    """The number of rewards of arm k, and their log-likelihood at the bandit's fit."""
    belief = belief_in(bandit._online.state)
    return rewards_count(belief, 0, k), log_likelihood(belief, 0, k, *fit(belief, 0, k))


# ---- live and replayed -----------------------------------------------------------------------------------------------
@each_of_some
@settings(deadline=None, max_examples=20)
@given(seed=seeds)
def test_the_same_operations_lead_to_the_same_decisions(policy: str, seed: int) -> None:
    script = eventful(DECISIONS, 2, seed, binary=True)
    one, other = (lived(policy, script, seed) for _ in range(2))
    assert one[1] == other[1]
    assert one[0].to_json() == other[0].to_json()


@each_of_some
@settings(deadline=None, max_examples=20)
@given(seed=seeds)
def test_live_is_the_replay_of_its_history(policy: str, seed: int) -> None:
    """A bandit that records the plays and the rewards, in the order in which they came, has the same state."""
    script = eventful(DECISIONS, 2, seed, binary=True)
    bandit, made = lived(policy, script)
    replayed = fresh(policy)
    for t in range(DECISIONS):
        if t in made:
            assert replayed.record(made[t].arm, probability=made[t].probability)[:3] == made[t][:3]
        else:
            replayed.rest()
        for s in np.flatnonzero(script.arrival[: t + 1] == t).tolist():
            if s in made:
                replayed.update(made[s], float(script.reward[s, made[s].arm]))
    assert same_bits(bandit._online.state.personal, replayed._online.state.personal)
    assert same_bits(bandit._online.session.pending, replayed._online.session.pending)


@each_rogue
@settings(deadline=None, max_examples=20)
@given(seed=seeds)
def test_what_was_learned_live_is_what_the_history_says(policy: str, seed: int) -> None:
    script = eventful(DECISIONS, 2, seed, binary=True)
    bandit, made = lived(policy, script)
    for k, arm in enumerate(TWO_ARMS):
        played = [1.0 if t in made and made[t].arm == k else 0.0 for t in range(DECISIONS)]
        came = (script.arrival >= 0) & (script.arrival < DECISIONS)
        rewards = [float(script.reward[t, k]) if played[t] and came[t] else math.nan for t in range(DECISIONS)]
        if not np.isnan(rewards).all():
            fit = rb.fit(arm, played, rewards)
            assert fitted_loglik(bandit, k) == pytest.approx((fit.n, fit.loglik), abs=1e-9)


@each_rogue
def test_a_bandit_decides_as_a_simulation_does(policy: str) -> None:
    """Given the simulation's stream, of which every second number draws a reward."""
    bandit = fresh(policy)
    stream = bandit._online.session.stream
    stream[0] = stream_of(np.random.SeedSequence(5, spawn_key=(0,)))
    trace = simulate(rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3]), bandit.policy, horizon=150, seed=5)
    for t in range(150):
        decision = bandit.choose()
        assert (decision.number, decision.arm) == (t, trace.arm[0, t])
        assert decision.probability == pytest.approx(trace.probability[0, t])
        bandit.update(decision, trace.reward[0, t])
        with np.errstate(over="ignore"):
            next_double(stream[0])


# ---- late and missing rewards ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("policy", [*ROGUE, "random", "ucb1-tuned"])
@settings(deadline=None, max_examples=20)
@given(rests=st.lists(st.integers(0, 3), min_size=5, max_size=25), coin=seeds)
def test_a_reward_that_comes_before_the_next_choice_is_not_late(policy: str, rests: list[int], coin: int) -> None:
    prompt, late = fresh(policy), fresh(policy)
    rewards = np.random.default_rng(coin).integers(0, 2, len(rests))
    for pauses, reward in zip(rests, rewards, strict=True):
        decision = prompt.choose()
        assert late.choose() == decision
        prompt.update(decision, reward)
        for _ in range(pauses):
            prompt.rest()
            late.rest()
        late.update(decision, reward)
    assert late.to_json() == prompt.to_json()


@each_rogue
@settings(deadline=None, max_examples=20)
@given(arms=st.lists(st.integers(0, 1), min_size=2, max_size=40), data=st.data())
def test_evidence_does_not_depend_on_the_order_of_the_rewards(
    policy: str, arms: list[int], data: st.DataObject
) -> None:
    rewards = data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(arms), max_size=len(arms)))
    order = data.draw(st.permutations(range(len(arms))))
    prompt, shuffled = fresh(policy), fresh(policy)
    decisions = []
    for arm, reward in zip(arms, rewards, strict=True):
        decisions.append(shuffled.choose(available=[arm]))
        prompt.update(prompt.choose(available=[arm]), reward)
    for t in order:
        shuffled.update(decisions[t], rewards[t])
    for k in range(2):
        assert fitted_loglik(shuffled, k) == pytest.approx(fitted_loglik(prompt, k), abs=1e-9)


@each_of_some
def test_a_reward_that_will_never_come_is_one_that_was_not_given(policy: str) -> None:
    closed, waiting = fresh(policy), fresh(policy)
    for t in range(30):
        decision = closed.choose()
        assert waiting.choose() == decision
        if t % 3:
            closed.update(decision, t % 2)
            waiting.update(decision, t % 2)
        else:
            closed.update(decision, None)
    assert same_bits(closed._online.state.personal, waiting._online.state.personal)
    with pytest.raises(ValueError, match="decision 0 awaits no reward"):
        closed.update(Decision(0, 0, 1.0), 1.0)


@pytest.mark.filterwarnings("ignore:.* its first state is forgotten")
@each_rogue
def test_there_is_room_for_every_reward_of_an_arm_that_never_settles(policy: str) -> None:
    bandit = fresh(policy, [UNMOVED, UNMOVED])
    decisions = [bandit.choose(available=[t % 2]) for t in range(50)]
    for decision in reversed(decisions):
        bandit.update(decision, decision.number % 3 == 0)
    rewards = [float(t % 3 == 0) if t % 2 == 0 else math.nan for t in range(50)]
    fit = rb.fit(UNMOVED, [1 - t % 2 for t in range(50)], rewards)
    assert fitted_loglik(bandit, 0) == pytest.approx((25, fit.loglik), abs=1e-9)


# ---- choose, rest ----------------------------------------------------------------------------------------------------
def test_rests_count_as_decisions() -> None:
    bandit = fresh("tuned-rogue-ucb")
    numbers = [bandit.choose().number]
    bandit.rest()
    bandit.rest()
    numbers.append(bandit.choose().number)
    assert numbers == [0, 3]
    assert bandit.number == 4


def test_a_rest_lets_states_recover_and_a_play_wears_them_out() -> None:
    """The fitted mean of the next reward falls with the state; the arm of the paper recovers in a few rests."""
    tired, rested = fresh("epsilon-rogue"), fresh("epsilon-rogue")
    for bandit in (tired, rested):
        for _ in range(5):
            bandit.update(bandit.choose(available=[0]), 1.0)
    for _ in range(5):
        tired.update(tired.choose(available=[0]), None)
        rested.rest()
    line, line2 = (bandit._online.state.personal.line[0, 0] for bandit in (tired, rested))
    # Both have settled, the one at the bottom, the other on its way to 0.5 / (1 − 0.6), which the bound cuts at 1.
    assert line[2] == line[3] == 0.0
    assert line2[2] == line2[3] == 1.0


@pytest.mark.parametrize("available", [[0], [2], [0, 2], [2, 0], [0, 1, 2]])
def test_choices_are_among_the_available_arms_with_their_probability(available: list[int]) -> None:
    bandit = fresh("random", THREE_ARMS)
    decisions = [bandit.choose(available=available) for _ in range(60)]
    assert {decision.arm for decision in decisions} == set(available)
    assert {decision.probability for decision in decisions} == {1.0 / len(set(available))}


def test_untried_arms_are_equally_likely_and_the_last_one_certain() -> None:
    bandit = fresh("tuned-rogue-ucb", THREE_ARMS)
    assert [bandit.choose().probability for _ in range(3)] == pytest.approx([1 / 3, 1 / 2, 1.0])


def test_seeds_differ_and_no_seed_is_a_seed_of_its_own() -> None:
    def arms(seed: int | None) -> list[int]:
        bandit = rb.Bandit(TWO_ARMS, rb.Random(), seed=seed)
        return [bandit.choose().arm for _ in range(100)]

    assert arms(1) == arms(1)
    assert len({tuple(arms(seed)) for seed in (1, 2, None, None)}) == 4


# ---- interruptions ---------------------------------------------------------------------------------------------------
class Interrupted(BaseException):
    """As KeyboardInterrupt is one."""


def interrupt(*_: Any) -> None:
    raise Interrupted


@each_rogue
def test_an_interruption_at_any_moment_leaves_a_bandit_that_can_go_on(policy: str) -> None:
    """A reward is learned at most once, a decision is made at most once, and nothing crashes."""
    bandit, given, caught = rb.Bandit(TWO_ARMS, rb.POLICIES[policy](), seed=1), 0, 0
    before = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()  # what is raised while it collects is lost on the way
    try:
        for delay in np.random.default_rng(0).uniform(1e-5, 4e-4, 300).tolist():
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                for _ in range(100):
                    decision = bandit.choose()
                    given += 1
                    bandit.update(decision, float(given % 2))
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            except Interrupted:
                caught += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    belief = belief_in(bandit._online.state)
    assert caught > 100
    plays = belief.personal.plays.sum()
    assert sum(rewards_count(belief, 0, k) for k in range(2)) <= given <= plays <= bandit.number
    assert rb.Bandit.from_json(bandit.to_json()).choose() == bandit.choose()


def test_a_bandit_returns_to_a_checkpoint_also_after_a_law_has_raised() -> None:
    bandit = rb.Bandit(TWO_ARMS, rb.Random(), seed=3)
    bandit.update(bandit.choose(), 1.0)
    before, saved = bandit.checkpoint(), bandit.to_bytes()
    first = [bandit.choose() for _ in range(5)]  # more than there was room for
    for _ in range(2):
        bandit._online.broken = "a law raised"
        bandit.revert(before)
        assert bandit.to_bytes() == saved
        assert [bandit.choose() for _ in range(5)] == first

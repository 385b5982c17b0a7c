"""What every policy owes its callers, whatever it does inside: asked through the kernels that users run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.online.personal import leaves, mapped
from rogue_bandits.policies import POLICIES, thompson, value_thompson
from rogue_bandits.policies.thompson import DRAWS
from rogue_bandits.policies.ties import ask_probabilities
from rogue_bandits.types import NOT_ASKED, Arm, Bools, Problem, Request, choose, grown, learn, play, uniforms
from tests.interpreted import interpreted_if
from tests.matrix import FULL, pairs_of
from tests.policies.histories import Run, Script, begin, decided, eventful, follow, live_through

DECISIONS = 60
SEARCHED = 12 if FULL else 6  # decisions of arms whose fit is a search
INTERPRETED = DECISIONS if FULL else 20  # decisions of families of which nothing is compiled in `make test`
FAST, SLOW = rb.ClippedAffine(0.6, -1.0, 0.5), rb.ClippedAffine(0.7, -1.2, 0.5)
FAMILIES = {
    "bernoulli": [Arm(FAST, rb.BernoulliLogit(0.4, 0.6)), Arm(SLOW, rb.BernoulliLogit(0.7, 0.3))],
    "gaussian": [Arm(FAST, rb.Gaussian(0.4, 0.6, 0.5)), Arm(SLOW, rb.Gaussian(0.7, 0.3, 0.5))],
    "laplace": [Arm(FAST, rb.LaplaceAgent(), 0.1, 1.0), Arm(SLOW, rb.LaplaceAgent(), 0.1, 1.0)],
    "vectors": [
        Arm(rb.MatrixAffine(((0.6, slow), (0.0, 0.9)), (-1.0, -0.2), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0)),
            rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4, -0.3), (0.6, weight)), (0.0, 0.0), (1.0, 1.0))
        for slow, weight in ((0.1, 0.5), (0.3, 0.8))
    ],
    "saturating": [Arm(rb.Saturating(0.2, 0.4, drop), rb.BernoulliLogit(0.4, 0.6)) for drop in (0.3, 0.5)],
}  # fmt: skip
# Compiled: every policy with one family, since only the ROGUE policies look inside their arms; with play logs in
# `make verify`, as that takes half a minute (tests/belief/test_play_log_compiled.py compiles their fit). The laws of
# the other families run interpreted here; that a law says the same compiled is tested law by law
# (tests/model/test_compiled.py).
LINES = [(policy, "bernoulli") for policy in POLICIES if policy != "rogue-ts"]
OTHER_LINES = [(policy, family) for policy in ("tuned-rogue-ucb-corrected", "epsilon-rogue", "rogue-ts")
               for family in ("gaussian", "laplace")]  # fmt: skip
PLAY_LOGS = [("epsilon-rogue", "saturating"), ("tuned-rogue-ucb", "saturating"), ("tuned-rogue-ucb", "vectors")]
COMPILED = LINES + (PLAY_LOGS if FULL else [])


def cases(chosen: list[tuple[str, str]]) -> pytest.MarkDecorator:
    params = [pytest.param(*case, case not in COMPILED) for case in chosen]
    return pytest.mark.parametrize(("policy", "family", "interpreted"), params, indirect=["interpreted"])


EVERY_CASE = LINES + OTHER_LINES + PLAY_LOGS
every_case = cases(EVERY_CASE)
clipped_lines = cases(LINES + OTHER_LINES)


def uniforms_of(policy: str, arms: list[Arm]) -> int:
    """The number of uniforms that a policy needs at each decision."""
    return uniforms(made(policy), Problem(tuple(arms)))


def both_available(policy: str, arms: list[Arm], number: int, u: float) -> Request:
    """A request for one of two arms, with as many uniforms as the policy needs: u, and others that follow from it."""
    several = np.mod(u + 0.6180339887 * np.arange(uniforms_of(policy, arms)), 1.0)
    return Request(number, np.array(BOTH), several)


def has_costly_probabilities(policy: str) -> bool:
    """Whether `choose` leaves the probabilities of a policy to `probabilities`: a quadrature, or a lattice of draws."""
    arms = FAMILIES["bernoulli"]
    return choose(begin(made(policy), arms), 0, both_available(policy, arms, 0, 0.5))[1] == NOT_ASKED


def error_of_probabilities(policy: str, interpreted: bool) -> float:
    """What probabilities of the same choice may differ by: where they are costly, those of two lattices.

    Shares of `DRAWS` independent draws differ by less than 8 standard errors, those of a lattice by less than that.
    """
    if not has_costly_probabilities(policy):
        return 0.0
    return 0.5 if interpreted else 8.0 * 0.5 / np.sqrt(DRAWS)


BOTH, SECOND = [True, True], [False, True]
ASKED = [(BOTH, DECISIONS), (SECOND, 0), (BOTH, 0), (SECOND, DECISIONS)]  # available arms, and decisions before
SHARES: dict[bytes, Any] = {}  # of draws, by what is known of a person: copies of one have the same


def fill_by_draws(state: Any, person: int, available: Any, out: Any) -> None:
    """The shares of 101 even draws in place of a quadrature; no available arm has none, as it may have been chosen."""
    if np.count_nonzero(available) == 1:
        out[:] = available
        return
    known = b"".join(np.ascontiguousarray(array[person]).tobytes() for array in state.personal) + available.tobytes()
    if known not in SHARES:
        counts = np.where(available, 0.1, 0.0)
        steps = 1.1347241384 ** -np.arange(1.0, 2.0 * available.size + 2.0)  # M. Roberts' sequence in five dimensions
        for i in range(101):
            counts[choose(state, person, Request(0, available, steps * (i + 1) % 1.0))[0]] += 1.0
        SHARES[known] = counts / counts.sum()
    out[:] = SHARES[known]


@pytest.fixture
def interpreted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Run the kernels of the population as plain Python if asked to, with smaller lattices."""
    if request.param:
        SHARES.clear()
        monkeypatch.setattr(thompson, "DRAWS", 31)
        for quadrature in ("fill_winning", "fill_winning_by_sweeps"):  # slow when interpreted
            monkeypatch.setattr(value_thompson, quadrature, fill_by_draws)
        with interpreted_if(lambda _: True):
            yield True
    else:
        yield False


def made(policy: str) -> Any:
    chosen = POLICIES[policy]()
    return chosen._replace(horizon=1000) if "horizon" in chosen._fields else chosen


def fresh(policy: str, arms: list[Arm], people: int = 1, seed: int = 7) -> rb.Population:
    return rb.Population(arms, made(policy), people, seed)


def history(family: str, seed: int, arms: int = 2, decisions: int = DECISIONS, uniforms: int = 1) -> Script:
    searched = family in ("vectors", "saturating")
    most = SEARCHED if searched else DECISIONS if family == "bernoulli" else INTERPRETED
    return eventful(min(decisions, most), arms, seed, searched or family == "bernoulli", uniforms)


def lived(people: rb.Population, person: int, script: Script, probabilities: bool = True) -> Run:
    """A person's choices along a script; `probabilities` as in `Population.choose`."""
    run = Run(np.full(len(script.rest), -1), np.ones(len(script.rest)))
    made: dict[int, rb.Decisions] = {}
    for t in range(len(script.rest)):
        if script.rest[t]:
            people.rest([person])
        else:
            made[t] = people.choose([person], script.available[t], probabilities)
            run.arm[t], run.probability[t] = made[t].arm[0], made[t].probability[0]
        see(people, script, t, made)
    return run


def see(people: rb.Population, script: Script, t: int, made: dict[int, rb.Decisions]) -> None:
    """The rewards that arrive after decision t."""
    for s in np.flatnonzero(script.arrival[: t + 1] == t).tolist():
        if s in made:
            people.update(made[s], script.reward[s, made[s].arm])


def recorded(people: rb.Population, script: Script, run: Run) -> None:
    """Person 0 lives through choices that were made elsewhere."""
    made: dict[int, rb.Decisions] = {}
    for t, arm in enumerate(run.arm):
        if arm < 0:
            people.rest([0])
        else:
            made[t] = people.record([0], [arm], probability=run.probability[t])
        see(people, script, t, made)


def likely(people: rb.Population, available: Bools, copies: int = 100) -> dict[int, float]:
    """The probability of each arm that the next decision of person 0 may choose, as many copies of them report it."""
    crowd = cloned(people, copies).choose(available=available)
    return {int(arm): float(p) for arm, p in zip(crowd.arm, crowd.probability, strict=True)}


def cloned(people: rb.Population, copies: int) -> rb.Population:
    """Copies of person 0, each with a random stream of their own."""
    crowd = rb.Population(people.arms, people.policy, copies, seed=99)
    personal, session = mapped(lambda a: np.repeat(a[:1], copies, axis=0), people.arrays)
    crowd._online.replace(people._online.engine, personal, session._replace(stream=crowd._online.session.stream))
    return crowd


def assert_same(one: Run, other: Run) -> None:
    assert one.arm.tolist() == other.arm.tolist()
    assert one.probability == pytest.approx(other.probability, rel=1e-9)


@every_case
def test_only_available_arms_are_chosen_with_a_probability(policy: str, family: str, interpreted: bool) -> None:
    script = history(family, seed=11)
    run, made = lived(fresh(policy, FAMILIES[family]), 0, script), decided(script)
    assert script.available[made, run.arm[made]].all()
    assert ((run.probability > 0.0) & (run.probability <= 1.0)).all()


@pytest.mark.parametrize(
    ("policy", "family", "interpreted", "available", "past"),
    [(*case, case not in COMPILED, *asked) for case, asked in pairs_of(LINES + OTHER_LINES, ASKED, 2)],
    indirect=["interpreted"],
)
def test_probabilities_are_frequencies(
    policy: str, family: str, interpreted: bool, available: list[bool], past: int
) -> None:
    """Within 4 standard errors: a false alarm in some 16,000 comparisons, of which there are fewer than 200."""
    draws = 400 if interpreted else 4000
    costly = has_costly_probabilities(policy)  # they change no choice
    asked = 60 if costly and not FULL else draws
    people = fresh(policy, FAMILIES[family])
    lived(people, 0, history(family, seed=12, decisions=past), probabilities=not costly)
    crowd = cloned(people, draws).choose(range(asked), np.array(available))
    arm = crowd.arm
    if asked < draws:
        arm = cloned(people, draws).choose(available=np.array(available), probabilities=False).arm
        assert arm[:asked].tolist() == crowd.arm.tolist()
    assert crowd.probability == pytest.approx(crowd.probabilities[np.arange(asked), crowd.arm])
    assert crowd.probabilities.sum(axis=1) == pytest.approx(np.ones(asked))
    for k in range(2):
        p = float(crowd.probabilities[:, k].mean())
        assert abs(np.mean(arm == k) - p) <= 4.0 * np.sqrt(p * (1.0 - p) / draws)
    # They are the same for all copies, but for the error of a lattice.
    assert np.ptp(crowd.probabilities, axis=0).max() <= 1e-9 + error_of_probabilities(policy, interpreted)


@cases([case for case in LINES + OTHER_LINES if case[0] != "round-robin"])  # there the turn of an arm is by its number
def test_relabelling_the_arms_relabels_the_choices(policy: str, family: str, interpreted: bool) -> None:
    script = history(family, seed=15)
    straight, swapped = fresh(policy, FAMILIES[family]), fresh(policy, FAMILIES[family][::-1])
    run = lived(straight, 0, script)
    turned = script._replace(available=script.available[:, ::-1].copy(), reward=script.reward[:, ::-1].copy())
    error = error_of_probabilities(policy, interpreted)
    recorded(swapped, turned, Run(np.where(run.arm < 0, -1, 1 - run.arm), run.probability))
    for available in ([True, True], [True, False]):
        expected = likely(straight, np.array(available))
        found = likely(swapped, np.array(available[::-1]))
        both = [arm for arm in expected if 1 - arm in found]  # copies may miss an arm of small probability
        assert sum(expected[arm] for arm in both) > 0.9
        assert [found[1 - arm] for arm in both] == pytest.approx([expected[arm] for arm in both], rel=1e-6, abs=error)


@every_case
def test_one_person_in_a_crowd_is_one_person_alone(policy: str, family: str, interpreted: bool) -> None:
    crowd, scripts = fresh(policy, FAMILIES[family], 3), [history(family, seed=16 + person) for person in range(3)]
    alone = rb.Population(FAMILIES[family], made(policy), 1)
    for person in (2, 0):
        alone.restore(0, crowd.to_bytes(person))
        by_oneself = lived(alone, 0, scripts[person])
        assert_same(lived(crowd, person, scripts[person]), by_oneself)
        assert crowd.to_bytes(person) == alone.to_bytes(0)


@pytest.mark.parametrize(("policy", "family"), COMPILED)
def test_interpreted_is_compiled(policy: str, family: str) -> None:
    """The laws as plain Python, given the uniforms of the compiled run.

    Costly probabilities take seconds when they are interpreted: one in twenty is, all in `verify`.
    """
    script, people, costly = history(family, seed=19), fresh(policy, FAMILIES[family]), has_costly_probabilities(policy)
    compiled = lived(people, 0, script)
    m = uniforms_of(policy, FAMILIES[family])
    stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence(7, spawn_key=(0,))))
    state = begin(made(policy), FAMILIES[family])
    for _ in range(4):
        state = grown(state)
    decisions = len(script.rest)
    run, tickets = Run(np.full(decisions, -1), np.ones(decisions)), np.zeros((decisions, 4))
    for t in range(decisions):
        if not script.rest[t]:
            request = Request(t, script.available[t], stream.random(m))
            run.arm[t], probability = choose(state, 0, request)
            run.probability[t] = compiled.probability[t]
            if FULL or not costly or t % 20 == 5:
                run.probability[t] = ask_probabilities(state, 0, request, int(run.arm[t]), probability, np.empty(2))
        live_through(state, 0, t, script, run, tickets)
    assert run.arm.tolist() == compiled.arm.tolist()
    rounding = 2.5 / DRAWS if costly else 1e-9  # moves a draw across the border of two arms
    assert run.probability == pytest.approx(compiled.probability, rel=1e-9, abs=rounding)


@pytest.mark.parametrize(("policy", "family"), EVERY_CASE)
def test_choosing_changes_nothing(policy: str, family: str) -> None:
    state = begin(made(policy), FAMILIES[family])
    for _ in range(4):
        state = grown(state)
    follow(state, 0, history(family, seed=14, decisions=20, uniforms=uniforms_of(policy, FAMILIES[family])))
    before = [np.asarray(leaf).tobytes() for leaf in leaves(state.personal)]
    for u in np.linspace(0.0, 0.999, 5):
        choose(state, 0, both_available(policy, FAMILIES[family], DECISIONS, u))
    assert [np.asarray(leaf).tobytes() for leaf in leaves(state.personal)] == before


@pytest.mark.parametrize(("policy", "family"), EVERY_CASE)
def test_a_rest_is_never_an_error(policy: str, family: str) -> None:
    state = begin(made(policy), FAMILIES[family])
    for _ in range(4):
        state = grown(state)
    play(state, 0, 0, -1)
    ticket = play(state, 0, 1, 1)
    for number in range(2, 2 + DECISIONS):
        play(state, 0, number, -1)
    learn(state, 0, 1, 1, 1.0, ticket, 1.0)
    _, probability = choose(state, 0, both_available(policy, FAMILIES[family], 2 + DECISIONS, 0.5))
    assert probability == NOT_ASKED if has_costly_probabilities(policy) else 0.0 < probability <= 1.0


@clipped_lines
def test_a_single_arm_is_always_chosen(policy: str, family: str, interpreted: bool) -> None:
    script = history(family, seed=20, arms=1)
    run = lived(fresh(policy, FAMILIES[family][:1]), 0, script)
    assert run.arm.tolist() == np.where(script.rest, -1, 0).tolist()
    assert run.probability == pytest.approx(1.0)

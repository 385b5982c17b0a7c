"""A saved bandit continues bit for bit; a text that is not one is refused in words."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.checked_json import checksum
from rogue_bandits.policies.plain import policy_to_plain
from rogue_bandits.types import Decision, Problem, start
from tests.interpreted import interpreted as interpreted
from tests.interpreted import interpreted_if
from tests.matrix import FULL
from tests.online.test_bandit import ROGUE, UNMOVED, fresh, live
from tests.policies.histories import TWO_ARMS, eventful

DECISIONS = 50
KEYS = ("arms", "policy", "person", "state")
# A bandit with rogue-ts takes 9 s to compile; index-ts has the same quadrature of probabilities.
each_policy = pytest.mark.parametrize("policy", [one for one in rb.POLICIES if FULL or one != "rogue-ts"])


def reopened(bandit: rb.Bandit) -> rb.Bandit:
    return rb.Bandit.from_json(bandit.to_json())


# ---- continued -------------------------------------------------------------------------------------------------------
@each_policy
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), saved_at=st.integers(0, DECISIONS))
def test_a_saved_bandit_continues_bit_for_bit(policy: str, seed: int, saved_at: int) -> None:
    script = eventful(DECISIONS, 2, seed, binary=True)
    bandit, made = fresh(policy, seed=seed), dict[int, Decision]()
    live(bandit, script, range(saved_at), made)
    other, other_made = reopened(bandit), dict(made)
    live(bandit, script, range(saved_at, DECISIONS), made)
    live(other, script, range(saved_at, DECISIONS), other_made)
    assert other_made == made
    assert other.to_json() == bandit.to_json()


@each_policy
def test_every_awaited_reward_is_still_awaited(policy: str) -> None:
    bandit = fresh(policy)
    decisions = [bandit.choose() for _ in range(25)]
    other = reopened(bandit)
    for decision in decisions:
        bandit.update(decision, decision.number % 2)
        other.update(decision, decision.number % 2)
    assert other.choose() == bandit.choose()
    assert other.to_json() == bandit.to_json()
    with pytest.raises(ValueError, match="decision 11 awaits no reward"):
        other.update(decisions[11], 1.0)


@pytest.mark.filterwarnings("ignore:.* its first state is forgotten")
@pytest.mark.parametrize("policy", ROGUE)
@pytest.mark.parametrize("before", [8, 9, 40])
def test_a_state_that_has_grown_continues(policy: str, before: int) -> None:
    """Of an arm that never settles every reward is kept; there is room for 8 at first."""
    bandit = fresh(policy, [UNMOVED, UNMOVED])
    for t in range(before):
        bandit.update(bandit.choose(available=[0]), t % 2)
    other = reopened(bandit)
    for t in range(20):
        decision = bandit.choose()
        assert other.choose() == decision
        bandit.update(decision, t % 3 == 0)
        other.update(decision, t % 3 == 0)
    assert other.to_json() == bandit.to_json()


def test_the_arms_and_the_policy_are_those_that_were_saved() -> None:
    arms = [TWO_ARMS[0]._replace(name="walk ✓", theta_lo=-0.1), TWO_ARMS[1]._replace(theta_hi=1 / 3)]
    bandit = rb.Bandit(arms, rb.TunedRogueUCB(eta=0.3, variant="corrected"), seed=1)
    bandit.rest()
    other = reopened(bandit)
    assert (other.arms, other.policy, other.number) == (bandit.arms, bandit.policy, 1)


@pytest.mark.parametrize(
    "arm",
    [rb.Arm(TWO_ARMS[0].dynamics, rb.Gaussian(1.0, 2.0, 0.3)), rb.Arm(TWO_ARMS[0].dynamics, rb.LaplaceAgent(), 0.1)],
)
def test_every_family_can_be_saved(arm: rb.Arm) -> None:
    bandit = rb.Bandit([arm, arm], rb.UCB1Tuned(reward_lo=-1.0, reward_hi=2.0), seed=2)
    bandit.update(bandit.choose(), 0.25)
    other = reopened(bandit)
    assert other.arms == bandit.arms
    assert other.to_json() == bandit.to_json()


@each_policy
def test_the_text_is_strict_json(policy: str) -> None:
    def refused(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    bandit = fresh(policy)
    for t in range(12):
        decision = bandit.choose()
        if t % 2:
            bandit.update(decision, 1.0)
    content = json.loads(bandit.to_json(), parse_constant=refused)
    assert (content["format"], content["version"]) == ("rogue-bandits/bandit", 2)
    assert content["person"]["number"]["values"] == [12]
    assert rb.POLICIES[content["policy"]["id"]].policy_class is rb.POLICIES[policy].policy_class
    pending = content["person"]["pending"]["number"]["values"]
    assert sorted(number - 1 for number in pending if number) == [0, 2, 4, 6, 8, 10]


RADII: list[Any] = [
    rb.TunedRadius(eta=0.3, variant="corrected"),
    rb.TheoremRadius(scale=0.5),
    rb.AdaptiveRadius(alpha=0.1),
    rb.HellingerRadius(alpha=0.1),
    rb.LikelihoodRatioRadius(alpha=0.1),
]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("bounded", [False, True])
def test_a_radius_keeps_its_type(radius: Any, bounded: bool) -> None:
    policy: Any = rb.Bounded(rb.RogueUCB(radius=radius), 0.2) if bounded else rb.RogueUCB(radius=radius)
    bandit = rb.Bandit(TWO_ARMS, policy, seed=1)
    bandit.update(bandit.choose(), 1.0)
    other = reopened(bandit)
    assert repr(other.policy) == repr(policy)  # radii of equal numbers are equal, whatever their type
    assert other.choose() == bandit.choose()
    assert other.to_json() == bandit.to_json()


@pytest.mark.usefixtures("interpreted")
def test_a_radius_that_was_written_without_its_type_is_inferred_or_named() -> None:
    def as_it_was(radius: Any) -> str:
        content = json.loads(rb.Bandit(TWO_ARMS, rb.RogueUCB(radius=radius), seed=1).to_json())
        content["policy"]["radius"] = list(radius)
        return sealed(content)

    assert rb.Bandit.from_json(as_it_was(RADII[0])).policy.radius == RADII[0]
    refused(as_it_was(RADII[4]), r"this file has radius \[0.1\] without its type, .* any of TheoremRadius, AdaptiveRad")


class OwnRadius(NamedTuple):
    """A setting of no known type."""

    size: float = 1.0


def test_a_setting_of_another_type_cannot_be_saved() -> None:
    policy: Any = rb.RogueUCB(radius=OwnRadius())  # type: ignore[arg-type]  # refused
    with pytest.raises(ValueError, match=r"radius OwnRadius\(size=1.0\) cannot be saved: it is none of TunedRadius, "):
        policy_to_plain(policy)


class Mine(NamedTuple):
    """A policy that is in no table."""


@start.register(Mine)
def start_mine(policy: Mine, problem: Problem, people: int) -> Any:
    return start(rb.Random(), problem, people)


def test_a_policy_that_is_in_no_table_cannot_be_saved() -> None:
    with pytest.raises(ValueError, match=r"Mine\(\) cannot be saved: it is none of plan-ts, "):
        rb.Bandit(TWO_ARMS, Mine()).to_json()


# ---- damaged ---------------------------------------------------------------------------------------------------------
def a_text() -> str:
    """Of a bandit with a past, one reward still awaited."""
    bandit = fresh("d-ucb")
    for t in range(6):
        bandit.update(bandit.choose(), t % 2)
    bandit.choose()
    return bandit.to_json()


with interpreted_if(lambda _: True):  # this runs in every worker, while tests are collected
    TEXT = a_text()
REFUSALS = ("this saved bandit is damaged", "this is not a saved bandit", "this saved bandit was saved in format")


def refused(text: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rb.Bandit.from_json(text)


@pytest.mark.parametrize("text", [None, 7, {}])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(TypeError, match="a saved bandit is a text, not"):
        rb.Bandit.from_json(text)


def with_head(**head: Any) -> str:
    return json.dumps({**json.loads(TEXT), **head})


def sealed(content: dict[str, Any]) -> str:
    """A text whose checksum is right, whatever its content."""
    body = {key: content[key] for key in KEYS if key in content}
    return json.dumps({"format": "rogue-bandits/bandit", "version": 2, "checksum": checksum(body), **body})


def test_the_undamaged_text_is_read() -> None:
    assert rb.Bandit.from_json(TEXT).to_json() == TEXT
    assert rb.Bandit.from_json(sealed(json.loads(TEXT))).to_json() == TEXT


@settings(deadline=None)
@given(st.integers(0, len(TEXT) - 1))
def test_a_truncated_text_is_refused(length: int) -> None:
    refused(TEXT[:length], "this saved bandit is damaged: no JSON at line 1 column")


@settings(deadline=None, max_examples=300)
@given(st.integers(0, len(TEXT) - 1), st.one_of(st.sampled_from('0123456789e.-+"{}[],: '), st.characters()))
def test_a_changed_character_is_refused_or_says_the_same(where: int, character: str) -> None:
    """A space may become a line's end, and 1e5 1E5."""
    changed = TEXT[:where] + character + TEXT[where + 1 :]
    try:
        same = rb.Bandit.from_json(changed)
    except ValueError as refusal:
        outcome = str(refusal)
    else:
        outcome = "the same bandit" if same.to_json() == TEXT else "another bandit"
    assert outcome.startswith(("the same bandit", *REFUSALS))


@pytest.mark.parametrize("key", [*KEYS, "checksum"])
def test_a_missing_key_is_refused(key: str) -> None:
    content = json.loads(TEXT)
    del content[key]
    refused(json.dumps(content), "this saved bandit is damaged: its checksum does not match its content")


@pytest.mark.parametrize(("key", "value"), [("person", 5), ("policy", {"id": "random"}), ("state", {}), ("more", 1)])
def test_changed_content_is_refused(key: str, value: Any) -> None:
    refused(with_head(**{key: value}), "this saved bandit is damaged: its checksum does not match its content")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000])
def test_numbers_that_json_or_floats_do_not_have_are_refused(number: str) -> None:
    seven = '"number": {"shape": [], "values": [7]}'
    assert TEXT.count(seven) == 1
    refused(TEXT.replace(seven, seven.replace("7", number)), "this saved bandit is damaged")


@pytest.mark.parametrize("text", ["", "hello", "{", "[1, 2", '{"format": }', "\x00", "[" * 100_000, '{"a":' * 100_000])
def test_what_is_no_json_is_refused(text: str) -> None:
    refused(text, "this saved bandit is damaged")


@pytest.mark.parametrize(
    "text", ["{}", "[]", "1", "null", '"rogue-bandits/bandit"', with_head(format="rogue-bandits/trace")]
)
def test_what_is_no_saved_bandit_is_refused(text: str) -> None:
    refused(text, "this is not a saved bandit: its format must be 'rogue-bandits/bandit'")


def test_a_newer_version_asks_for_an_upgrade() -> None:
    refused(with_head(version=3), "saved in format version 3, and this release reads up to 2: upgrade rogue-bandits")


def test_a_version_before_snapshots_names_who_can_read_it() -> None:
    refused(with_head(version=1), "saved in format version 1, and this release reads from 2: open it with the version")


@pytest.mark.parametrize("version", [0, -1, 1.5, "1", None, [1]])
def test_a_version_that_never_was_is_refused(version: Any) -> None:
    refused(with_head(version=version), "is damaged: its version .* must be a whole number from 1")


@pytest.mark.parametrize("key", KEYS)
def test_content_of_the_wrong_form_is_refused_even_with_the_right_checksum(key: str) -> None:
    refused(sealed({**json.loads(TEXT), key: None}), "this saved bandit is damaged")


@pytest.mark.parametrize("key", KEYS)
def test_content_that_is_missing_is_named_even_with_the_right_checksum(key: str) -> None:
    content = json.loads(TEXT)
    del content[key]
    refused(sealed(content), f"this saved bandit is damaged: KeyError '{key}'")


def test_a_type_that_is_not_known_here_is_named() -> None:
    content = json.loads(TEXT)
    content["arms"][0]["rewards"]["type"] = "Rating"
    refused(sealed(content), "has rewards 'Rating', which is none of BernoulliLogit.*: a type of your own must be put")


ARMS_TO_PICKLE = [rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))] * 2


def test_a_bandit_can_be_pickled() -> None:
    bandit = rb.Bandit(ARMS_TO_PICKLE, rb.Random(), seed=3)
    twin = pickle.loads(pickle.dumps(bandit))
    assert [twin.choose() for _ in range(20)] == [bandit.choose() for _ in range(20)]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_is_another_bandit(copied: Any) -> None:
    """Nothing is shared: neither arrays nor counters."""
    bandit = rb.Bandit(ARMS_TO_PICKLE, rb.Random(), seed=3)
    first, twin, before = bandit.choose(), copied(bandit), bandit.to_bytes()
    assert [bandit.choose() for _ in range(40)] == [twin.choose() for _ in range(40)]
    twin.update(first, 1.0)
    bandit.update(first, 1.0)
    assert twin.to_bytes() == bandit.to_bytes() != before
    people = rb.Population(ARMS_TO_PICKLE, rb.Random(), 3, seed=3)
    others = copied(people)
    people.choose()
    assert (people.number.tolist(), others.number.tolist()) == ([1] * 3, [0] * 3)
    assert others.add(1) == people.add(1)
    assert others.to_bytes(3) == people.to_bytes(3)


def test_numbers_of_numpy_can_be_saved() -> None:
    horizon: Any = np.int64(100)
    bandit = rb.Bandit(ARMS_TO_PICKLE, rb.Exp3S(horizon=horizon), seed=3)
    twin = rb.Bandit.from_json(bandit.to_json())
    assert [twin.choose() for _ in range(20)] == [bandit.choose() for _ in range(20)]

"""Snapshots: small, exact, bound to their arms and policy; those of earlier versions still open."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.online.snapshot import packed, unpacked
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS

FOLDER = Path(__file__).with_name("snapshots")
FIVE_ARMS = [
    rb.Arm(rb.ClippedAffine(0.6 + 0.02 * k, -1.0 - 0.05 * k, 0.5), rb.BernoulliLogit(0.4 + 0.1 * k, 0.6 - 0.1 * k))
    for k in range(5)
]
WIDE_ARMS = [arm._replace(dynamics=rb.ClippedAffine(0.9, -0.1, 0.05, lo=-5.0, hi=5.0)) for arm in TWO_ARMS]
KEPT: dict[str, Any] = {
    "epsilon-rogue": (FIVE_ARMS, rb.EpsilonRogue()),
    "d-ucb": (TWO_ARMS, rb.DUCB(gamma=0.9)),
    "sw-ucb": (TWO_ARMS, rb.SWUCB(window=20)),
    "exp3s": (TWO_ARMS, rb.Exp3S(horizon=100)),
    "wide": (WIDE_ARMS, rb.EpsilonRogue()),  # version 1 had no sums of rewards whose state spreads so far
    "named": ([arm._replace(name=f"message {k} ✓") for k, arm in enumerate(TWO_ARMS)], rb.SWUCB(window=20)),
}


def with_a_past(name: str, decisions: int = 300) -> rb.Bandit:
    """A bandit whose rewards came, came late or never; two are still pending."""
    arms, policy = KEPT[name]
    bandit, rng, late = rb.Bandit(arms, policy, seed=7), np.random.default_rng(1), []
    for t in range(decisions):
        decision = bandit.choose()
        if t % 7 == 3:
            late.append(decision)
        else:
            bandit.update(decision, None if t % 11 == 5 else int(rng.integers(2)))
        if len(late) == 3:
            bandit.update(late.pop(0), 1)
    return bandit


@pytest.mark.parametrize("name", KEPT)
def test_a_restored_bandit_continues_bit_for_bit(name: str) -> None:
    bandit = with_a_past(name)
    twin = rb.Bandit.from_bytes(bandit.to_bytes(), *KEPT[name])
    for t in range(50):
        decision = bandit.choose()
        assert twin.choose() == decision
        bandit.update(decision, t % 2)
        twin.update(decision, t % 2)
    assert twin.to_bytes() == bandit.to_bytes()


def test_five_settled_arms_take_at_most_two_kilobytes() -> None:
    assert len(with_a_past("epsilon-rogue", 3000).to_bytes()) <= 2048


@pytest.mark.parametrize("name", KEPT)
def test_a_snapshot_of_each_version_opens_and_goes_on_as_it_did_then(name: str) -> None:
    """`python -m tests.online.test_snapshot` wrote the files, with the ten decisions that followed."""
    version = 2 if name == "named" else 1
    saved, _, after = (FOLDER / f"{name}-v{version}.bin").read_bytes().rpartition(b"\n")
    assert saved[3] == version
    bandit = rb.Bandit.from_bytes(saved, *KEPT[name])
    assert next_arms(bandit) == after.decode()


def next_arms(bandit: rb.Bandit) -> str:
    arms = []
    for t in range(10):
        decision = bandit.choose()
        arms.append(str(decision.arm))
        bandit.update(decision, t % 2)
    return "".join(arms)


@cache
def snapshot() -> bytes:
    return with_a_past("d-ucb").to_bytes()


def refused(saved: Any, message: str, name: str = "d-ucb") -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        rb.Bandit.from_bytes(saved, *KEPT[name])


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_a_truncated_snapshot_is_refused(length: int) -> None:
    refused(snapshot()[: length % len(snapshot())], "this is not a snapshot|this snapshot is damaged")


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 255))
def test_a_changed_byte_is_refused(where: int, change: int) -> None:
    changed = bytearray(snapshot())
    changed[where % len(changed)] ^= change
    refused(bytes(changed), "this is not a snapshot|this snapshot")


def test_a_snapshot_with_the_version_of_another_is_refused() -> None:
    """The version is not part of the checksum."""
    assert snapshot()[3] == 1
    refused(snapshot()[:3] + bytes([2]) + snapshot()[4:], "this snapshot is damaged: its format version is not that of")


def test_a_snapshot_of_other_arms_or_policies_is_refused() -> None:
    refused(snapshot(), "this snapshot is of other arms or of another policy", "sw-ucb")
    with pytest.raises(ValueError, match="of other arms or of another policy"):
        rb.Bandit.from_bytes(snapshot(), TWO_ARMS[::-1], rb.DUCB(gamma=0.9))


def test_a_snapshot_without_names_opens_with_arms_of_any_names() -> None:
    """As those of earlier versions: they did not keep the names."""
    named = [arm._replace(name=f"message {k}") for k, arm in enumerate(TWO_ARMS)]
    assert rb.Bandit.from_bytes(snapshot(), named, rb.DUCB(gamma=0.9)).number == 300


ALIKE = TWO_ARMS[0]
WALK, SLEEP, NAP = (ALIKE._replace(name=name) for name in ("walk ✓", "sleep", "nap"))


@pytest.mark.parametrize(
    ("arms", "these"),
    [
        ([SLEEP, WALK], "these are sleep, walk ✓"),
        ([WALK, NAP], "these are walk ✓, nap"),
        ([WALK, ALIKE], "these are walk ✓, arm 1"),
        ([WALK, SLEEP, NAP], "these are walk ✓, sleep, nap"),
        ([ALIKE, ALIKE], "these have no names"),
    ],
)
def test_arms_of_other_names_or_in_another_order_are_refused(arms: list[rb.Arm], these: str) -> None:
    """Also where they are alike in all else: what was learned of one would be that of another."""
    saved = rb.Bandit([WALK, SLEEP], rb.DUCB(gamma=0.9), seed=1).to_bytes()
    message = f"this snapshot is of arms walk ✓, sleep; {these}: pass arms with the same names"
    with pytest.raises(ValueError, match=message):
        rb.Bandit.from_bytes(saved, arms, rb.DUCB(gamma=0.9))
    with pytest.raises(ValueError, match=message):
        rb.Population(arms, rb.DUCB(gamma=0.9), 2, seed=1).restore(1, saved)


def test_named_arms_continue_alone_and_among_others() -> None:
    people = rb.Population([WALK, SLEEP], rb.DUCB(gamma=0.9), 2, seed=1)
    saved = people.to_bytes(1)
    people.restore(0, saved)
    assert rb.Bandit.from_bytes(saved, [WALK, SLEEP], rb.DUCB(gamma=0.9)).to_bytes() == saved == people.to_bytes(0)
    with pytest.raises(ValueError, match="of other arms or of another policy"):
        rb.Bandit.from_bytes(saved, [WALK, SLEEP], rb.DUCB(gamma=0.8))


def test_a_newer_version_asks_for_an_upgrade() -> None:
    newer = snapshot()[:3] + bytes([3]) + snapshot()[4:]
    refused(newer, "this snapshot has format version 3, and this release reads up to 2: upgrade rogue-bandits")


def test_what_is_no_bytes_is_refused() -> None:
    refused("text", "a snapshot is bytes, not str")


def main() -> None:
    """Write the golden files."""
    for name in KEPT:
        saved = with_a_past(name).to_bytes()
        arms = next_arms(rb.Bandit.from_bytes(saved, *KEPT[name]))
        (FOLDER / f"{name}-v{saved[3]}.bin").write_bytes(saved + b"\n" + arms.encode())


if __name__ == "__main__":
    main()


def test_numbers_of_another_layout_are_refused() -> None:
    """As of a build that kept one array less: nothing is read into the wrong place."""
    one = (np.zeros((1, 3)), np.zeros((1, 2, 2)))
    assert unpacked(packed(one, b"12345678"), one, [b"12345678"])[0].shape == (1, 3)
    with pytest.raises(ValueError, match="written by a build that stores other numbers"):
        unpacked(packed(one[1:], b"12345678"), one, [b"12345678"])


# ---- settings that are written otherwise -----------------------------------------------------------------------------
THREE: Any = np.int64(3)
QUARTER: Any = np.float32(0.25)
SPELLINGS: list[tuple[Any, Any]] = [
    (rb.TunedRogueUCB(eta=1), rb.TunedRogueUCB(eta=1.0)),
    (rb.DUCB(gamma=np.float64(0.9), upsilon=THREE), rb.DUCB(gamma=0.9, upsilon=3.0)),
    (rb.SWUCB(window=THREE), rb.SWUCB(window=3)),
    (rb.Bounded(rb.Exp3S(gamma=1, alpha=QUARTER), QUARTER), rb.Bounded(rb.Exp3S(gamma=1.0, alpha=0.25), 0.25)),
]
both_ways = pytest.mark.parametrize(("one", "other"), [*SPELLINGS, *(pair[::-1] for pair in SPELLINGS)])


@both_ways
@pytest.mark.usefixtures("interpreted")
def test_equal_policies_open_the_snapshots_of_each_other(one: Any, other: Any) -> None:
    assert one == other
    bandit, people = rb.Bandit(TWO_ARMS, one, seed=7), rb.Population(TWO_ARMS, other, 2, seed=1)
    bandit.update(bandit.choose(), 1.0)
    saved = bandit.to_bytes()
    assert rb.Bandit.from_bytes(saved, TWO_ARMS, other).to_bytes() == saved
    assert rb.Bandit.from_json(bandit.to_json()).to_bytes() == saved
    people.restore(1, saved)
    assert people.to_bytes(1) == saved


@pytest.mark.parametrize("policy", [policy for pair in SPELLINGS for policy in pair])
@pytest.mark.usefixtures("interpreted")
def test_snapshots_with_the_mark_of_earlier_releases_open(policy: Any) -> None:
    """It was a hash of the settings as they were written."""
    bandit = rb.Bandit(TWO_ARMS, policy, seed=7)
    mark = sha256(repr(([arm._replace(name="") for arm in bandit.arms], policy)).encode()).digest()[:8]
    new = bandit.to_bytes()
    old = new[:4] + mark + new[12:]
    assert rb.Bandit.from_bytes(old, TWO_ARMS, policy).to_bytes() == new
    people = rb.Population(TWO_ARMS, policy, 2, seed=1)
    people.restore(0, old)
    assert people.to_bytes(0) == new


@pytest.mark.usefixtures("interpreted")
def test_policies_that_differ_by_little_refuse_each_other() -> None:
    saved = rb.Bandit(TWO_ARMS, rb.DUCB(gamma=0.9), seed=7).to_bytes()
    with pytest.raises(ValueError, match="of other arms or of another policy"):
        rb.Bandit.from_bytes(saved, TWO_ARMS, rb.DUCB(gamma=float(np.float32(0.9))))

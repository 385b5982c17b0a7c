"""The certificate: its bounds are below everything, its verdicts agree with searches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rogue_bandits.compile.laws import kernel
from rogue_bandits.estimate.certificate import (
    HIGHEST,
    LOWEST,
    Slopes,
    centred_bound,
    certify,
    corridor_bound,
    rule_out,
    tighten,
    until_last_reward,
    whole_box,
)  # fmt: skip
from rogue_bandits.estimate.history import Record
from rogue_bandits.types import Floats
from tests.estimate.cases import AWKWARD, best_agent, distance, someone

share = st.floats(0.0, 1.0)


@kernel
def bounds(record: Record, lo: Floats, hi: Floats) -> tuple[float, float]:
    """The bounds of a box, by its corridor and by its centre."""
    slopes = Slopes(np.empty(4), np.empty(4), np.empty(4), np.empty(4))
    return corridor_bound(record, lo, hi, np.inf), centred_bound(record, lo, hi, slopes)


def way_in(lo: Floats, hi: Floats, shares: Floats) -> Floats:
    """A point of a box, as unknowns (decay, pull, drift, x0)."""
    low, high, pull, x0 = lo + shares * (hi - lo)
    return np.array([high - low, pull, low, x0])


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 30), st.lists(share, min_size=8, max_size=8), st.lists(share, min_size=4, max_size=4))
def test_the_bounds_of_a_box_are_below_every_distance_in_it(
    seed: int, corners: list[float], inner: list[float]
) -> None:
    record, _ = someone(seed, decisions=60)
    ends = np.sort(np.array(LOWEST) + np.reshape(corners, (2, 4)) * (np.array(HIGHEST) - np.array(LOWEST)), axis=0)
    lo, hi = ends[0].copy(), ends[1].copy()
    if not tighten(lo, hi):
        return
    p = way_in(lo, hi, np.array(inner))
    if not 0.0 <= p[0] <= 1.0:
        return  # a corner of the box that no decay allows
    assert max(bounds(record, lo, hi)) <= distance(p, record) + 1e-9


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 30), st.lists(share, min_size=8, max_size=8), st.floats(0.001, 0.2))
def test_bounds_of_small_boxes_are_below_every_distance_in_them(seed: int, shares: list[float], width: float) -> None:
    record, _ = someone(seed, decisions=60)
    span = np.array(HIGHEST) - np.array(LOWEST)
    lo = np.array(LOWEST) + np.array(shares[:4]) * (1.0 - width) * span
    hi = lo + width * span
    if not tighten(lo, hi):
        return
    least = max(bounds(record, lo, hi))
    for p in (way_in(lo, hi, inner) for inner in np.random.default_rng(seed).random((20, 4))):
        if 0.0 <= p[0] <= 1.0:
            assert least <= distance(p, record) + 1e-9


def test_a_bound_of_a_point_is_its_distance() -> None:
    record, true = someone(7)
    way = np.array([true[2], true[2] + true[0], true[1], true[3]])
    assert bounds(record, way, way.copy()) == pytest.approx([distance(true, record)] * 2)


@pytest.mark.parametrize("seed", range(4))
def test_near_the_best_the_centre_misses_less_than_the_corridor(seed: int) -> None:
    record, _ = someone(seed)
    p, found = best_agent(record)
    middle = np.array([p[2], p[2] + p[0], p[1], p[3]])
    half = 0.003 * (np.array(HIGHEST) - np.array(LOWEST))
    lo, hi = np.maximum(middle - half, LOWEST), np.minimum(middle + half, HIGHEST)
    assert tighten(lo, hi)
    corridor, centre = bounds(record, lo, hi)
    assert corridor < centre <= found + 1e-9


@settings(deadline=None, max_examples=100)
@given(st.lists(share, min_size=8, max_size=8))
def test_tightening_loses_no_way(corners: list[float]) -> None:
    ends = np.sort(np.array(LOWEST) + np.reshape(corners, (2, 4)) * (np.array(HIGHEST) - np.array(LOWEST)), axis=0)
    lo, hi = ends[0].copy(), ends[1].copy()
    left = tighten(lo, hi)
    for way in np.random.default_rng(1).uniform(ends[0], ends[1], (50, 4)):
        if 0.0 <= way[1] - way[0] <= 1.0:
            assert left
            assert np.all(lo <= way + 1e-12)
            assert np.all(way <= hi + 1e-12)


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_the_fast_search_is_proven_to_one_percent(seed: int) -> None:
    record, _ = someone(seed, decisions=40)
    assert certify(record, best_agent(record)[1], seconds=60.0, least=0.01) <= 0.01


@pytest.mark.parametrize("seed", range(4))
def test_a_person_of_140_decisions_is_proven_to_a_thousandth(seed: int) -> None:
    record, _ = someone(seed)
    assert certify(record, best_agent(record)[1], seconds=60.0, least=0.001) == 0.001


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_not_the_best_is_not_proven(seed: int) -> None:
    record, _ = someone(seed, decisions=40)
    found = best_agent(record)[1]
    gap = certify(record, 1.25 * found, seconds=0.5)
    assert (1.0 - gap) * 1.25 * found <= found


def test_a_target_above_the_distance_of_someone_leaves_their_box() -> None:
    record, true = someone(5, decisions=40)
    waiting = whole_box()
    for _ in range(50):
        rule_out(until_last_reward(record), distance(true, record) + 0.01, waiting, 1_000)
    assert waiting.n[0] > 0


def test_without_time_nothing_is_proven() -> None:
    record, _ = someone(1)
    assert certify(record, best_agent(record)[1], seconds=0.0) == 1.0


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_records_have_a_gap(name: str) -> None:
    record = AWKWARD[name]
    assert 0.0 <= certify(record, best_agent(record)[1], seconds=0.2) <= 1.0


def test_no_distance_needs_no_proof() -> None:
    assert certify(AWKWARD["all equal"], 0.0, seconds=0.0) == 0.0

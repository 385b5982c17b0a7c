"""Labels that do not cover each other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.report.experiment.styles import spread

heights = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12).map(sorted)


@given(heights)
def test_labels_keep_their_distance_and_stay_inside(wanted: list[float]) -> None:
    places = spread(wanted, gap=0.05, hi=1.0)
    assert all(above - below >= 0.05 - 1e-9 for below, above in pairwise(places))
    assert places[0] >= -1e-9
    assert places[-1] <= 1.0 + 1e-9


@given(heights)
def test_labels_that_have_room_stay_where_they_are(wanted: list[float]) -> None:
    apart = [height + 2.0 * k for k, height in enumerate(wanted)]
    assert spread(apart, gap=0.5, hi=100.0) == pytest.approx(apart)


def test_without_room_for_all_they_go_beyond_the_top_rather_than_cover_each_other() -> None:
    assert spread([0.0, 0.0, 0.0], gap=1.0, hi=1.0) == [0.0, 1.0, 2.0]

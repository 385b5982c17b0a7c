"""The figure of a trace draws its numbers."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.simulation.trace_figure import shown
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS

pytestmark = pytest.mark.usefixtures("interpreted")
TRUTH = rb.Truth(
    [arm._replace(name=name) for arm, name in zip(TWO_ARMS, ("walk", "sleep"), strict=True)], [0.5, 0.7], [0.1, 0.3]
)


def test_curves_are_means_over_people_and_dots_are_plays() -> None:
    trace = rb.simulate(TRUTH, rb.Random(), 120, people=6, seed=1, available=[0.7, 0.6])
    reward, regret, plays, person = trace.plot(person=2, last=40).axes
    at = shown(120)
    line = reward.lines[0]
    assert line.get_xdata().tolist() == at.tolist()
    assert line.get_ydata() == pytest.approx(np.nanmean(trace.average_reward(), axis=0)[at])
    number = np.cumsum(trace.arm >= 0, axis=1)
    for drawn, means in zip(reward.lines[1:3], (trace.mean, trace.myopic), strict=True):  # both are expectations
        to_date = np.array([np.nansum(means[:, : t + 1], axis=1) / np.maximum(number[:, t], 1) for t in at])
        assert drawn.get_ydata()[10:] == pytest.approx(to_date.mean(axis=1)[10:])  # all have played by then
    each = trace.tracking_regret()[:, at]
    middle, error = each.mean(axis=0), 2.0 * each.std(axis=0, ddof=1) / np.sqrt(6)
    assert regret.lines[0].get_ydata() == pytest.approx(middle)
    band = regret.collections[0].get_paths()[0].vertices[:, 1]
    assert [band.min(), band.max()] == pytest.approx([(middle - error).min(), (middle + error).max()])
    assert [text.get_text() for text in plays.get_legend().get_texts()] == ["walk", "sleep", "rest"]
    for patch, k in zip(plays.patches, (0, 1, -1), strict=True):
        assert np.mean(patch.get_data().values) == pytest.approx(np.mean(trace.arm == k))
    for k in (0, 1):
        played = np.flatnonzero(trace.arm[2, 80:] == k) + 80
        dots = person.lines[2 * k + 1]
        assert dots.get_xdata().tolist() == played.tolist()
        assert dots.get_ydata() == pytest.approx(trace.mean[2, played])
    assert person.lines[4].get_xdata().tolist() == (np.flatnonzero(trace.arm[2, 80:] == -1) + 80).tolist()


@pytest.mark.parametrize(("horizon", "people", "arms"), [(1, 1, 1), (3, 2, 12)])
def test_small_traces_and_many_arms_have_a_figure(horizon: int, people: int, arms: int) -> None:
    trace = rb.simulate(rb.Truth([TWO_ARMS[0]] * arms, [0.5] * arms, [0.3] * arms), rb.Random(), horizon, people)
    fig = trace.plot()
    fig.canvas.draw()
    assert len(fig.axes) == 4


def test_a_person_that_is_not_in_the_trace_is_refused() -> None:
    trace = rb.simulate(TRUTH, rb.Random(), 5, people=2)
    with pytest.raises(ValueError, match="plot, person 2 must be from 0 to 1"):
        trace.plot(person=2)
    with pytest.raises(ValueError, match="plot, last 0 must be a whole number, 1 or more"):
        trace.plot(last=0)

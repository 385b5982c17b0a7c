"""A few weighted states stand for a block of early rewards with parallel states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.belief.blocks import BLOCK, NODES, blocks_of, node_of, nodes_at
from rogue_bandits.belief.contract import ONLINE_EVALUATIONS, add_reward, advance, divergence, empty_belief, ticket
from rogue_bandits.belief.evidence import with_capacity
from rogue_bandits.belief.from_fit import divergence_from_fit, prepared_early
from rogue_bandits.belief.lines import LineBelief, evidence_on
from rogue_bandits.belief.local_fit import local_fit_at
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.protocols import Model

PULL = 0.0005  # with up to four plays a reward, 32 of them span a block or somewhat more
FAMILIES: list[Model] = [rb.BernoulliLogit(1.0, 3.0), rb.Gaussian(1.0, 3.0, 0.5)]


def rotten(family: Model, gaps: list[int], pull: float) -> LineBelief:
    """The belief about a rotting arm, rewarded after so many further plays each time."""
    arm = rb.Arm(rb.ClippedAffine(1.0, -pull, 0.0), family, -1.0, 1.0)
    belief = empty_belief(problem_of([arm]), 1, ONLINE_EVALUATIONS)
    belief = belief._replace(personal=with_capacity(belief.personal, len(gaps) + 1))
    for i, gap in enumerate(gaps):
        add_reward(belief, 0, 0, ticket(belief, 0, 0), float(i % 3 > 0))
        for _ in range(gap):
            advance(belief, 0, 0, 1.0)
    assert isinstance(belief, LineBelief)
    return belief


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.integers(1, 4), min_size=2 * BLOCK + 3, max_size=2 * BLOCK + 3),
    st.sampled_from(FAMILIES),
    st.floats(-1.0, 1.0),
    st.floats(0.0, 1.0) | st.floats(0.0, 0.1),
    st.floats(0.0, 1.0) | st.floats(0.0, 0.1),
)
def test_the_divergence_from_the_fit_is_the_sum_over_rewards(
    gaps: list[int], family: Model, theta: float, x0: float, x0_fit: float
) -> None:
    belief = rotten(family, gaps, PULL)
    s, arm = evidence_on(belief, 0, 0), rb.Arm(rb.ClippedAffine(1.0, -PULL, 0.0), family, -1.0, 1.0)
    fitted = local_fit_at(family, arm, s, 0.3, x0_fit)
    exact = divergence(belief, 0, 0, theta, np.array([x0]), 0.3, np.array([x0_fit]))
    for prepared in (prepared_early(family, s, fitted), s.early[:0]):
        found = divergence_from_fit(family, s, prepared, fitted, theta, x0)
        assert found.divergence == pytest.approx(exact, rel=1e-10, abs=1e-11)


def test_blocks_are_used_where_no_clip_is_active_and_only_there() -> None:
    belief = rotten(FAMILIES[0], [1] * (BLOCK + 8), 0.0015)  # a few of them may be in pools
    s, arm = evidence_on(belief, 0, 0), rb.Arm(rb.ClippedAffine(1.0, -0.0015, 0.0), FAMILIES[0], -1.0, 1.0)
    local_fit_at(FAMILIES[0], arm, s, 0.3, 0.8)
    block = blocks_of(s)[0]
    assert nodes_at(block, 0.9) == NODES.size
    assert nodes_at(block, 0.01) == 0  # only the last states are clipped there
    states = (0.9 + s.early[:BLOCK, 1]).tolist()
    at_nodes = [node_of(block, NODES.size, q, 0.9, 0.8) for q in range(NODES.size)]
    assert all(x_fit == pytest.approx(x - 0.1) for x, x_fit, _ in at_nodes)
    found = math.fsum(weight * math.exp(5.0 * x) for x, _, weight in at_nodes)
    assert found == pytest.approx(math.fsum(math.exp(5.0 * x) for x in states), rel=1e-11)


def test_a_block_is_narrow_for_its_family() -> None:
    """Steeper in the state, the same rewards are read one by one."""
    belief = rotten(rb.BernoulliLogit(1.0, 200.0), [1] * (BLOCK + 8), 0.0015)
    s, arm = evidence_on(belief, 0, 0), rb.Arm(rb.ClippedAffine(1.0, -0.0015, 0.0), rb.BernoulliLogit(1.0, 200.0))
    local_fit_at(arm.rewards, arm, s, 0.3, 0.8)
    assert nodes_at(blocks_of(s)[0], 0.9) == 0


def test_states_that_are_all_clipped_are_one_node() -> None:
    belief = rotten(FAMILIES[0], [1] * (BLOCK + 8), 0.0015)
    s, arm = evidence_on(belief, 0, 0), rb.Arm(rb.ClippedAffine(1.0, -0.0015, 0.0), FAMILIES[0], -1.0, 1.0)
    s = s._replace(early=s.early[1:])  # the first came at x0 itself, which is never clipped
    local_fit_at(FAMILIES[0], arm, s, 0.3, 0.0)
    block = blocks_of(s)[0]
    assert nodes_at(block, 0.001) == 1
    assert node_of(block, 1, 0, 0.001, 0.0) == (0.0, 0.0, float(BLOCK))
    assert nodes_at(block, 0.5) == NODES.size  # free at x0, clipped at the fit


def test_lines_that_fall_with_x0_have_blocks_too() -> None:
    """States clip(b − x0, 0, b): free below the least b, clipped above the largest."""
    belief = rotten(FAMILIES[0], [1] * (BLOCK + 8), 0.0015)
    s, arm = evidence_on(belief, 0, 0), rb.Arm(rb.ClippedAffine(1.0, -0.0015, 0.0), FAMILIES[0], -1.0, 1.0)
    offsets = 0.5 + 0.001 * np.arange(s.early.shape[0])
    s.early[:, 0], s.early[:, 1], s.early[:, 2], s.early[:, 3] = -1.0, offsets, 0.0, offsets
    fitted = local_fit_at(FAMILIES[0], arm, s, 0.3, 0.2)
    block = blocks_of(s)[0]
    assert [nodes_at(block, x0) for x0 in (0.4, 0.51, 0.7)] == [NODES.size, 0, NODES.size]
    for x0 in (0.0, 0.4, 0.51, 0.7):
        found = divergence_from_fit(FAMILIES[0], s, blocks_of(s), fitted, 0.6, x0)
        exact = divergence_from_fit(FAMILIES[0], s, s.early[:0], fitted, 0.6, x0)
        assert found == pytest.approx(exact, rel=1e-10)

"""Each law is written once: interpreted and compiled it says the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.dynamics.clipped_affine import first_line, is_settled, slope_at, state_on_line
from rogue_bandits.types import (
    Potential,
    coordinate,
    draw,
    information,
    kl,
    kl_and_slopes,
    loglik,
    mean,
    next_line,
    next_state,
    potential,
    settled_kl,
    settled_loglik,
    statistics,
    support,
    theta_at,
)
from tests.model.families import ONE_OF_EACH, Twin, points, rewards_of

Point = tuple[float, float]


def reward_laws(f: Any, p: Point, q: Point, r: float, u: float) -> Any:
    """All laws of a family, on some arguments."""
    at, at2 = Potential(1.0, 0.5, 0.25), Potential(1.5, 0.75, 0.5)
    s1, s2, s3 = statistics(f, p[1], r)
    return (
        support(f),
        mean(f, p[0], p[1]),
        loglik(f, p[0], p[1], r),
        kl(f, p[0], p[1], q[0], q[1]),
        kl_and_slopes(f, p[0], p[1], q[0], q[1]),
        information(f, p[0], p[1]),
        draw(f, p[0], p[1], u),
        theta_at(f, coordinate(f, p[0])),
        (s1, s2, s3),
        potential(f, p[0], p[1]),
        settled_loglik(f, p[0], s1, s2, s3, potential(f, p[0], p[1])),
        settled_kl(f, p[0], at, q[0], at2),
    )


def dynamics_laws(d: Any, x0: float, played: Point) -> Any:
    """Two steps, as states and as lines."""
    line = next_line(d, next_line(d, first_line(d), played[0]), played[1])
    x = next_state(d, next_state(d, x0, played[0]), played[1])
    at = state_on_line(line, x0), slope_at(line, x0, d.lo, d.hi)
    return x, line.slope, line.offset, line.lo, line.hi, at, is_settled(d, line)


compiled_reward_laws = kernel(reward_laws)
compiled_dynamics_laws = kernel(dynamics_laws)


def numbers(result: Any) -> list[float]:
    """All numbers of nested tuples, in order."""
    return [leaf for part in result for leaf in numbers(part)] if isinstance(result, tuple) else [float(result)]


@settings(deadline=None)
@given(st.sampled_from(ONE_OF_EACH), points, points, st.floats(0.01, 0.99), st.integers(0, 5))
def test_the_laws_of_a_family(twin: Twin, p: Point, q: Point, u: float, which: int) -> None:
    rewards = rewards_of(twin)
    r = rewards[which % len(rewards)]
    interpreted = numbers(reward_laws(twin.family, p, q, r, u))
    # A compiled multiplication and addition may be fused: the last digits of a difference may differ.
    assert numbers(compiled_reward_laws(twin.family, p, q, r, u)) == pytest.approx(interpreted, rel=1e-12, abs=1e-13)


@settings(deadline=None)
@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.0, 1.0),
       st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])))  # fmt: skip
def test_the_laws_of_dynamics(decay: float, pull: float, drift: float, x0: float, played: Point) -> None:
    moves = (
        rb.ClippedAffine(decay, pull, drift),
        rb.SwitchedAffine(decay, pull, drift, 0.1),
        rb.Coupled(decay, (pull, 0.3), drift),
    )
    for d in moves:
        interpreted = numbers(dynamics_laws(d, x0, played))
        assert numbers(compiled_dynamics_laws(d, x0, played)) == pytest.approx(interpreted, abs=1e-15)

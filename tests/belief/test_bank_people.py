"""People of one population share the prior over unknown dynamics."""

from __future__ import annotations

import pytest

import rogue_bandits as rb

QUICK, SLOW = (
    rb.Arm(rb.Unknown(half_life=half_life, hypotheses=32), rb.LaplaceAgent(), 0.01, 1.0)
    for half_life in ((1.0, 2.0), (20.0, 30.0))
)


def test_people_with_priors_of_their_own_are_refused_by_name() -> None:
    """They used to get the prior of person 0 without a word."""
    with pytest.raises(ValueError, match=r"index-ts, person 1, arm 0, Unknown.* must be .* as that of person 0"):
        rb.Population([[QUICK, QUICK], [SLOW, QUICK]], rb.IndexTS(), seed=1)


def test_a_person_with_another_prior_cannot_be_added() -> None:
    people = rb.Population([[QUICK, SLOW]] * 2, rb.RogueTS(), seed=1)
    with pytest.raises(ValueError, match="rogue-ts, person 2, arm 1, Unknown"):
        people.add([[QUICK, QUICK]])
    assert len(people) == 2


def test_people_with_the_same_lists_are_as_people_who_share_one() -> None:
    own, shared = (
        rb.Population([[QUICK, SLOW]] * 3, rb.IndexTS(), seed=1),
        rb.Population([QUICK, SLOW], rb.IndexTS(), 3, 1),
    )
    assert (own._online.state.personal.decay == shared._online.state.personal.decay).all()

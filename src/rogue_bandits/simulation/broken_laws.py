"""Errors for what user code returned in a simulation: states, rewards and choices, with their values and when."""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.model import DYNAMICS
from rogue_bandits.model.dynamics.clipped_affine import observed_state
from rogue_bandits.model.dynamics.probe import law_of, plain
from rogue_bandits.model.dynamics.projected import base_dynamics
from rogue_bandits.model.probe import are_rewards_of_any, first_no_reward
from rogue_bandits.model.problem import move_person
from rogue_bandits.model.validation import allowed_rewards, in_full
from rogue_bandits.simulation.kernels import Environment, RunRecord, first_out_of_bounds
from rogue_bandits.types import Arm, Floats, Ints


def raise_on_broken_laws(
    arms: list[Arm], before: Environment, record: RunRecord, done: Ints, u: Floats, first: int, block: range
) -> None:
    """Raise if a law returned an invalid state or reward since decision `first`, when the environment was `before`."""
    keeps_bounds = type(base_dynamics(arms[0].dynamics)) in DYNAMICS.values()
    if keeps_bounds and done.min() == record.reward.shape[1] and are_rewards_of_any(arms, record.reward):
        return
    for row, person in enumerate(block):
        n = done[row]
        if n > 0:
            one = record._replace(arm=record.arm[row, :n], reward=record.reward[row, :n])
            if not keeps_bounds:
                raise_on_invalid_state(arms, before._replace(x=before.x[row].copy()), one, first, person)
            raise_on_invalid_reward(arms, before._replace(x=before.x[row]), one, u[row], first, person)


def raise_on_invalid_reward(
    arms: list[Arm], before: Environment, record: RunRecord, u: Floats, first: int, person: int
) -> None:
    """Raise for a reward that its family cannot have, naming the law, its values and the decision.

    `before` has the person's states at decision `first`: with the arms played since they tell the state.
    """
    arm, reward, plays = record.arm, record.reward, None
    if arm.min() < 0:  # rests have no reward
        plays = np.flatnonzero(arm >= 0)
        arm, reward = arm[plays], reward[plays]
    wrong = first_no_reward(arms, arm, reward)
    if wrong is None:
        return
    t = wrong if plays is None else int(plays[wrong])
    k, x, r = int(record.arm[t]), before.x, float(record.reward[t])
    for played in record.arm[:t]:
        move_person(before.table, 0, x, int(played))
    seen = observed_state(arms[k].dynamics, x, k)
    law = f"arm {arms[k].name or k!r}, draw(theta {before.theta[0, k]:g}, x {seen:g}, u {u[t, -1]:g})"
    allowed = ("" if math.isfinite(r) else "finite, ") + allowed_rewards(arms[k].rewards)
    raise ValueError(f"{law} is {in_full(r)} at decision {first + t} of person {person}: must be {allowed}") from None


def raise_on_invalid_state(arms: list[Arm], before: Environment, record: RunRecord, first: int, person: int) -> None:
    """Raise for dynamics of the user that left their bounds, naming the decision; `before.x` is overwritten."""
    t, k = first_out_of_bounds(before.table, before.x, record.arm)
    if t < 0:
        return
    d = base_dynamics(arms[k].dynamics)
    found = f"arm {arms[k].name or k!r}, {law_of(d)} led to x {plain(np.atleast_1d(before.x[k]))}"
    bounds = f"{plain(np.atleast_1d(d.lo))} to {plain(np.atleast_1d(d.hi))}"
    raise ValueError(f"{found} after decision {first + t} of person {person}: must be from {bounds}") from None

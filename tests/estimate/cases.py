"""People made up by hand: their trajectories are walked here, step by step, without the package."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.estimate.certificate import distance_of
from rogue_bandits.estimate.families import model_for
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.search import best_unknowns, dynamics_of, fit_given

Floats = NDArray[np.float64]


AGENT = model_for("agent", np.ones(1))
UNKNOWNS = "decay", "pull", "drift", "x0"
FLOOR, CEILING = np.array([0.0, -1.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 1.0])


def best_agent(record: Record) -> tuple[Floats, float]:
    """The fitted (decay, pull, drift, x0) of an agent, and its distance."""
    p = best_unknowns(AGENT, [record])
    x0 = fit_given(AGENT, p, record)[1]
    return np.array([*p, x0]), distance_of(record, dynamics_of(AGENT, p), x0)


def states(p: Floats, played: Floats) -> Floats:
    """The trajectory of p = (decay, pull, drift, x0)."""
    decay, pull, drift, x = p
    projected_arm = []
    for play in played:
        projected_arm.append(x)
        x = min(max(decay * x + pull * play + drift, 0.0), 1.0)
    return np.array(projected_arm)


def distance(p: Floats, record: Record) -> float:
    """Σ|r − x| over the rewards seen."""
    return float(np.nansum(np.abs(record.rewards - states(p, record.played))))


def drawn(rng: np.random.Generator) -> Floats:
    """Unknowns anywhere in their ranges."""
    return np.array([rng.uniform(), -rng.uniform(), rng.uniform(), rng.uniform()])


def someone(seed: int, decisions: int = 140, noise: float | None = None) -> tuple[Record, Floats]:
    """A record of an arm that is played one time in five, and its true unknowns."""
    rng = np.random.default_rng(seed)
    decay = rng.uniform(0.3, 0.98)
    p = np.array([decay, -rng.uniform(0.02, 0.5), (1.0 - decay) * rng.uniform(0.3, 1.0), rng.uniform()])
    scale = rng.uniform(0.05, 0.25) if noise is None else noise
    played = (rng.random(decisions) < 0.2).astype(np.float64)
    played[:3] = 1.0
    errors = rng.laplace(0.0, scale, decisions) if scale > 0.0 else np.zeros(decisions)
    rewards = np.clip(states(p, played) + errors, 0.0, 1.0)
    return Record(played, np.where(played == 1.0, rewards, np.nan)), p


NAN = float("nan")
AWKWARD = {
    "all equal": Record(np.ones(20), np.full(20, 0.4)),
    "all at 0": Record(np.ones(12), np.zeros(12)),
    "all at 1": Record(np.ones(12), np.ones(12)),
    "at both edges": Record(np.ones(12), np.tile([0.0, 1.0], 6)),
    "rewards of the first three decisions alone": Record(
        np.concatenate([np.ones(3), np.zeros(50)]), np.concatenate([[0.9, 0.5, 0.2], np.full(50, NAN)])
    ),
    "one reward in ten seen": Record(np.ones(60), np.where(np.arange(60) % 10 == 0, 0.3, NAN)),
    "a single play": Record(np.array([0.0, 0.0, 1.0, 0.0]), np.array([NAN, NAN, 0.7, NAN])),
}

"""Kinds of dynamics: no effect of plays, wear-out without recovery, wear-out with recovery.

The arms of a person tend to be of one kind. A person is of kind z with the probabilities of the prior, and an arm of a
person of kind z is of another kind with probability `EXCEPTION`. With E_kj the marginal likelihood of kind j of arm k,

    P(z) ∝ prior(z) Π_k Σ_j P(j | z) E_kj,    P(arm k is of kind j | z) ∝ P(j | z) E_kj.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.unknown import KINDS, NO_EFFECT, NO_RECOVERY
from rogue_bandits.model.problem import arm_of
from rogue_bandits.types import Floats

EXCEPTION = 0.02


@inlined
def prior_of_kind(d: Any, kind: int) -> float:
    """Return the probability of a kind before the first reward."""
    if kind == NO_EFFECT:
        return d.no_effect
    return d.no_recovery if kind == NO_RECOVERY else 1.0 - d.no_effect - d.no_recovery


@inlined
def kind_given(d: Any, kind: int, kind_of_person: int) -> float:
    """Return the probability of a kind of an arm of a person of some kind; kinds that are ruled out have none."""
    others = 0
    for j in range(KINDS):
        if j != kind_of_person and prior_of_kind(d, j) > 0.0:
            others += 1
    if kind == kind_of_person:
        return 1.0 - EXCEPTION if others > 0 else 1.0
    return EXCEPTION / others if prior_of_kind(d, kind) > 0.0 else 0.0


@routine
def fill_kinds_of_person(b: Any, person: int, out: Floats) -> None:
    """Write the probability that the person is of each kind."""
    evidence, d = b.personal.evidence[person], arm_of(b.shared.table, person, 0).dynamics
    for z in range(KINDS):
        out[z] = -np.inf
        if prior_of_kind(d, z) > 0.0:
            out[z] = math.log(prior_of_kind(d, z))
            for k in range(evidence.shape[0]):
                top, total = evidence[k].max(), 0.0
                for j in range(KINDS):
                    total += kind_given(d, j, z) * math.exp(evidence[k, j] - top)
                out[z] += top + math.log(total)
    top, total = out.max(), 0.0
    for z in range(KINDS):
        out[z] = math.exp(out[z] - top)
        total += out[z]
    for z in range(KINDS):
        out[z] /= total


@inlined
def kind_at(probabilities: Floats, u: float) -> int:
    """Return the kind at a quantile."""
    kind, below = 0, probabilities[0]
    while kind < KINDS - 1 and u >= below:
        kind += 1
        below += probabilities[kind]
    while probabilities[kind] <= 0.0:  # u was rounded to the end of the last one
        kind -= 1
    return kind


@inlined
def arm_kind(b: Any, person: int, k: int, kind_of_person: int, u: float) -> tuple[int, float]:
    """Return the kind of arm k at the quantile u, and u rescaled to what is left of it."""
    evidence, d = b.personal.evidence[person, k], arm_of(b.shared.table, person, k).dynamics
    top, share, total = evidence.max(), np.empty(KINDS), 0.0
    for j in range(KINDS):
        share[j] = kind_given(d, j, kind_of_person) * math.exp(evidence[j] - top)
        total += share[j]
    for j in range(KINDS):
        share[j] /= total
    kind = kind_at(share, u)
    for j in range(kind):
        u -= share[j]
    return kind, min(max(u / share[kind], 0.0), 1.0 - 1e-16)

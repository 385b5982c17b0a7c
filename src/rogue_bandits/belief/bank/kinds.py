"""Kinds of dynamics: no effect of plays, wear-out without recovery, wear-out with recovery.

The arms of a person tend to be of one kind. A person is of kind z with the probabilities of the prior, and an arm of a
person of kind z is of another kind with probability `EXCEPTION`. With E_kj the marginal likelihood of kind j of arm k,

    P(z) ∝ prior(z) Π_k Σ_j P(j | z) E_kj,    P(arm k is of kind j | z) ∝ P(j | z) E_kj,

but that losses are pooled too (`pooling.py`).
"""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.unknown import KINDS, Unknown
from rogue_bandits.types import Floats

EXCEPTION = 0.02
NONE = 1e-9  # a probability below is none


def prior_of_kinds(d: Unknown) -> Floats:
    """Return the probability of each kind before the first reward; what rounding leaves of a kind is none.

    >>> prior_of_kinds(Unknown(no_effect=0.7, no_recovery=0.3)).tolist()
    [0.7, 0.3, 0.0]
    """
    recovery = 1.0 - d.no_effect - d.no_recovery
    return np.array([d.no_effect, d.no_recovery, recovery if recovery > NONE else 0.0])


@inlined
def kind_given(prior: Floats, kind: int, kind_of_person: int) -> float:
    """Return the probability of a kind of an arm of a person of some kind; kinds that are ruled out have none."""
    others = 0
    for j in range(KINDS):
        if j != kind_of_person and prior[j] > 0.0:
            others += 1
    if kind == kind_of_person:
        return 1.0 - EXCEPTION if others > 0 else 1.0
    return EXCEPTION / others if prior[kind] > 0.0 else 0.0


@inlined
def fill_kinds_given(prior: Floats, evidence: Floats, kind_of_person: int, out: Floats) -> float:
    """Write the probability that an arm of a person of some kind is of each kind; return the log-evidence for it."""
    top, total = evidence.max(), 0.0  # −inf where a kind is ruled out
    for j in range(KINDS):
        out[j] = kind_given(prior, j, kind_of_person) * math.exp(evidence[j] - top)
        total += out[j]
    for j in range(KINDS):
        out[j] /= total
    return top + math.log(total)


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

"""A tighter upper bound: no two arms are played at the same decision.

Under a multiplier, the loss of an action is V_t less the value of the action, 0 or more. Along any path of cells the
relaxed rewards sum to at most V_0 less the losses, so that

    total of any plan  ≤  Σ_t λ_t + Σ_k V_{k,0}(x_k) − (the least losses of any plan).

Where two arms would both play at the same decision, one of them has a loss. The least losses of a pair under "at most
one of the two plays" follow by backward induction over pairs of cells. These may be coarse: a coarse cell takes the
least loss of its fine ones, which is 0 or more, so that the bound stays valid. Losses of disjoint pairs add up.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.planning.cells import PLAY, REST, Cells, cell_of, least
from rogue_bandits.planning.relaxed import action_values
from rogue_bandits.types import Bools, Floats

MOST_PAIRS = 12


class Losses(NamedTuple):
    """The relaxed bound, and for coarse cells the least loss of each action."""

    bound: float
    loss: Floats  # [decisions, arms, actions, coarse cells]


def losses(fine: Cells, coarse: Cells, x: Floats, multiplier: Floats) -> Losses:
    """Return the relaxed bound, with losses, over cells too fine to hold their values at all decisions in memory."""
    arms, n = coarse.mean.shape
    loss = np.full((multiplier.size, arms, 2, n), np.inf)
    return Losses(fill_losses(fine, x, multiplier, loss), loss)


def least_loss(coarse: Cells, x: Floats, loss: Floats, played: Bools) -> float:
    """Return a lower bound on the losses of every plan from states x; `played` says which pairs of arms to try."""
    arms = len(played)
    both = {pair: int((played[pair[0]] & played[pair[1]]).sum()) for pair in combinations(range(arms), 2)}
    likely = sorted((pair for pair in both if both[pair]), key=lambda pair: -both[pair])[:MOST_PAIRS]
    by_pair = {pair: pair_loss(coarse, x, loss, *pair, arms > 2) for pair in likely}
    total, taken = 0.0, set[int]()
    for pair in sorted(by_pair, key=lambda pair: -by_pair[pair]):
        if not taken & set(pair):
            total += by_pair[pair]
            taken |= set(pair)
    return total


@kernel
def fill_losses(fine: Cells, x: Floats, multiplier: Floats, loss: Floats) -> float:
    """Lower `loss` to the least of each coarse cell, by backward induction; return the bound."""
    bound: float = multiplier.sum()
    stride = fine.mean.shape[1] // loss.shape[3]
    for k in range(x.size):
        following, now = np.zeros(fine.mean.shape[1]), np.empty(fine.mean.shape[1])
        for t in range(multiplier.size - 1, -1, -1):
            for i in range(now.size):
                rest, play = action_values(fine, k, i, multiplier[t], following)
                now[i] = max(rest, play)
                c = i // stride
                loss[t, k, REST, c] = min(loss[t, k, REST, c], now[i] - rest)
                loss[t, k, PLAY, c] = min(loss[t, k, PLAY, c], now[i] - play)
            following, now = now, following
        bound += following[cell_of(fine, k, x[k])]
    return bound


@kernel
def pair_loss(coarse: Cells, x: Floats, loss: Floats, a: int, b: int, may_rest: bool) -> float:
    """Return the least losses of arms a and b together from states x, if at most one of them plays at each decision.

    may_rest: there are other arms, so that both may rest.
    """
    n = coarse.mean.shape[1]
    total = np.zeros((n, n))  # the least losses from decision t on, by the cells of a and b
    a_rest, a_play = np.empty((n, n)), np.empty((n, n))  # by the cell of a before its action, and of b after its own
    for t in range(loss.shape[0] - 1, -1, -1):
        for i in range(n):
            act(coarse, a, REST, i, total, loss[t, a, REST, i], a_rest[i])
            act(coarse, a, PLAY, i, total, loss[t, a, PLAY, i], a_play[i])
        for i in range(n):
            for j in range(n):
                rest_first, rest_last = coarse.first[b, REST, j], coarse.last[b, REST, j]
                lost = least(a_play[i], rest_first, rest_last)
                if may_rest:
                    lost = min(lost, least(a_rest[i], rest_first, rest_last))
                b_play = least(a_rest[i], coarse.first[b, PLAY, j], coarse.last[b, PLAY, j])
                total[i, j] = min(lost + loss[t, b, REST, j], b_play + loss[t, b, PLAY, j])
    at_first: float = total[cell_of(coarse, a, x[a]), cell_of(coarse, b, x[b])]
    return at_first


@inlined
def act(coarse: Cells, a: int, action: int, i: int, total: Floats, loss: float, made: Floats) -> None:
    """Set made[j] to loss + the least of total[·, j] over the cells that cell i of arm a leads to."""
    first = coarse.first[a, action, i]
    for j in range(made.size):
        made[j] = total[first, j] + loss
    for c in range(first + 1, coarse.last[a, action, i] + 1):
        for j in range(made.size):
            made[j] = min(made[j], total[c, j] + loss)

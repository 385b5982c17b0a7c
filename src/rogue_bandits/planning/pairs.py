"""A tighter upper bound: two arms cannot be played at once.

Under a toll, an arm that does other than its best loses something: loss = W_t − (what its move is worth) ≥ 0. Summed
along any path of cells the tolled rewards are at most W_0 less the losses, so that

    total of any plan  ≤  Σ_t toll_t + Σ_k W_{k,0}(x0_k) − (the least losses of any plan).

Where two arms would both play at the same decision, one of them must lose. The least losses of a pair under "at most
one of the two" follow by backward induction over pairs of cells. These may be coarse: a coarse cell takes the least
loss of its fine ones, never less than 0, so that even the coarsest do not spoil the bound. Losses of disjoint pairs add
up.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.planning.cells import PLAYED, RESTS, Cells
from rogue_bandits.planning.relaxed import Played, choices
from rogue_bandits.types import Floats

MOST_PAIRS = 12


class Proof(NamedTuple):
    """The bound of arms on their own, and for coarse cells the least that each move loses."""

    bound: float
    loss: Floats  # [decisions, arms, 2, coarse cells]


def proof(fine: Cells, coarse: Cells, multiplier: Floats) -> Proof:
    """The bound for cells so fine that their worth at every decision could not be kept."""
    arms, n = coarse.mean.shape
    loss = np.empty((multiplier.size, arms, 2, n))
    return Proof(prove(fine, multiplier, loss), loss)


def pairs_loss(coarse: Cells, loss: Floats, played: Played) -> float:
    """What the arms lose at least, because those that would play at the same decisions (`played`) cannot."""
    arms = len(played)
    both = {pair: int((played[pair[0]] & played[pair[1]]).sum()) for pair in combinations(range(arms), 2)}
    likely = sorted((pair for pair in both if both[pair]), key=lambda pair: -both[pair])[:MOST_PAIRS]
    least = {pair: pair_loss(coarse, loss, *pair, arms > 2) for pair in likely}
    total, taken = 0.0, set[int]()
    for pair in sorted(least, key=lambda pair: -least[pair]):
        if not taken & set(pair):
            total += least[pair]
            taken |= set(pair)
    return total


@kernel
def prove(fine: Cells, multiplier: Floats, loss: Floats) -> float:
    """Backward through the decisions, keeping the losses; the bound."""
    bound = multiplier.sum()
    stride = fine.mean.shape[1] // loss.shape[3]
    loss[:] = np.inf
    for k in range(fine.mean.shape[0]):
        after, now = np.zeros(fine.mean.shape[1]), np.empty(fine.mean.shape[1])
        for t in range(multiplier.size - 1, -1, -1):
            for i in range(now.size):
                rests, plays = choices(fine, k, i, multiplier[t], after)
                now[i] = max(rests, plays)
                c = i // stride
                loss[t, k, RESTS, c] = min(loss[t, k, RESTS, c], now[i] - rests)
                loss[t, k, PLAYED, c] = min(loss[t, k, PLAYED, c], now[i] - plays)
            after, now = now, after
        bound += after[fine.start[k]]
    return bound


@kernel
def pair_loss(coarse: Cells, loss: Floats, a: int, b: int, may_rest: bool) -> float:
    """The least losses of arms a and b together, from their first states on, if at most one of them plays.

    may_rest: there are other arms, so that both may rest.
    """
    n = coarse.mean.shape[1]
    least = np.zeros((n, n))  # from decision t on, by the cells of a and b
    rests, plays = np.empty((n, n)), np.empty((n, n))  # a's move made, b's still to come
    for t in range(loss.shape[0] - 1, -1, -1):
        for i in range(n):
            move_first(coarse, a, RESTS, i, least, loss[t, a, RESTS, i], rests[i])
            move_first(coarse, a, PLAYED, i, least, loss[t, a, PLAYED, i], plays[i])
        for i in range(n):
            for j in range(n):
                lost = fewest(coarse, b, RESTS, j, plays[i]) + loss[t, b, RESTS, j]
                if may_rest:
                    lost = min(lost, fewest(coarse, b, RESTS, j, rests[i]) + loss[t, b, RESTS, j])
                least[i, j] = min(lost, fewest(coarse, b, PLAYED, j, rests[i]) + loss[t, b, PLAYED, j])
    return least[coarse.start[a], coarse.start[b]]


@inlined
def move_first(coarse: Cells, k: int, move: int, i: int, least: Floats, loss: float, made: Floats) -> None:
    """made[j] = the move's loss and the least of least[·, j] over the cells that cell i leads to."""
    first = coarse.first[k, move, i]
    for j in range(made.size):
        made[j] = least[first, j] + loss
    for c in range(first + 1, coarse.last[k, move, i] + 1):
        for j in range(made.size):
            made[j] = min(made[j], least[c, j] + loss)


@inlined
def fewest(coarse: Cells, k: int, move: int, j: int, made: Floats) -> float:
    """The least of `made` over the cells that cell j leads to."""
    least = made[coarse.first[k, move, j]]
    for c in range(coarse.first[k, move, j] + 1, coarse.last[k, move, j] + 1):
        least = min(least, made[c])
    return least

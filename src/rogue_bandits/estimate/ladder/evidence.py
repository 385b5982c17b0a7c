"""Probabilities of the rungs, from their marginal likelihoods."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, RUNGS, WEAR_OUT, CandidateFit, units_of
from rogue_bandits.estimate.ladder.grids import Panels
from rogue_bandits.estimate.ladder.laws import has_noise, log_noise
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.posterior import DRAWS, SEED
from rogue_bandits.types import Floats

PRIOR_EFFECT = 0.5  # prior standard deviation of the slope: so many standard deviations of the noise


class RungShares(NamedTuple):
    """The probability of each rung, equal before the data, and that its slope is a loss."""

    share: dict[str, float]
    losing: dict[str, float]

    def probabilities(self) -> dict[str, float]:
        """Return the probability of each rung, of wear-out and recovery only with a loss; "gain" has what is left."""
        share, losing = self
        gain = sum(share[rung] * (1.0 - losing[rung]) for rung in (WEAR_OUT, RECOVERY))
        return {
            CONSTANT: share[CONSTANT], FADE: share[FADE], WEAR_OUT: share[WEAR_OUT] * losing[WEAR_OUT],
            RECOVERY: share[RECOVERY] * losing[RECOVERY], "gain": gain,
        }  # fmt: skip


def rung_shares(fits: dict[str, CandidateFit], held_out: dict[str, Floats], panels: Panels) -> RungShares:
    """Return the probabilities of the rungs that were fitted.

    Slopes have a normal prior, half-lives a flat one in the logarithm. Posterior probabilities of models that are all
    somewhat wrong are overconfident: these are averaged over bootstrap samples of people, whose evidence varies as
    their held-out log-likelihoods do (a bagged posterior).
    """
    rungs = [rung for rung in RUNGS if rung in fits]
    found = [evidence_of(fits[rung], panels.of(fits[rung].candidate)) for rung in rungs]
    unit = units_of(panels.near)
    sums = np.array([np.bincount(unit, weights=held_out[rung] - held_out[CONSTANT]) for rung in rungs])
    n = sums.shape[1]
    times = np.random.default_rng(SEED).multinomial(n, np.full(n, 1.0 / n), size=DRAWS)
    log = np.array([log for log, _ in found]) + (times - 1.0) @ sums.T
    weight = np.exp(log - log.max(1, keepdims=True))
    share = (weight / weight.sum(1, keepdims=True)).mean(0).tolist()
    losing = [losing for _, losing in found]
    return RungShares(dict(zip(rungs, share, strict=True)), dict(zip(rungs, losing, strict=True)))


def evidence_of(fit: CandidateFit, panel: Panel) -> tuple[float, float]:
    """Return the log of the marginal likelihood of a rung, and the probability that its slope is a loss."""
    log, mean_loss = np.zeros(fit.scale.size), np.zeros(fit.scale.size)
    for part, p in zip(fit.parts, fit.populations, strict=True):
        log = log + p.restricted
        if fit.candidate.rung != CONSTANT:
            w, v = p.mean[:, 1], p.mean_covariance[:, 1, 1]
            prior = PRIOR_EFFECT * (np.exp(log_noise(part.law, p.mean[:, -1])) if has_noise(part.law) else 1.0)
            log = log - 0.5 * np.log(prior**2 + v) - 0.5 * w * w / (prior**2 + v)
            mean_loss = mean_loss + w / np.sqrt(v + v * v / prior**2)
    if fit.candidate.rung == CONSTANT:
        return float(log[0]), 0.0
    prior_mass = np.ones(1)
    if fit.candidate.rung == RECOVERY:
        prior_mass = np.tile(trapezoid(panel.before), panel.caps.size) / panel.caps.size
    weight = prior_mass * np.exp(log - log.max())
    loss = np.array([0.5 * math.erfc(z / math.sqrt(2.0 * len(fit.parts))) for z in mean_loss])
    return float(log.max() + np.log(weight.sum())), float((weight * loss).sum() / weight.sum())


def trapezoid(x: Floats) -> Floats:
    """Return the weights of the trapezoidal rule.

    >>> trapezoid(np.array([0.0, 0.5, 1.0])).tolist()
    [0.25, 0.5, 0.25]
    """
    steps = 0.5 * np.diff(x)
    return np.append(steps, 0.0) + np.append(0.0, steps)

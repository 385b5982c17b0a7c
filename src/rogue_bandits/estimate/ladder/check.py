"""The posterior-predictive check: rewards drawn from a model against those observed."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.ladder.families import draw_reward, unit_of
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.posterior import SEED, Posterior, predictors_at
from rogue_bandits.estimate.ladder.result import Check
from rogue_bandits.types import Floats

REPLICATES, BINS = 100, 24
MEAN_OFF, SPREAD_OFF = 0.1, 0.2  # of the standard deviation, up to which a model reproduces mean and spread


def check_of(posterior: Posterior, panel: Panel, scale: float) -> Check:
    """Draw rewards from the model at the decisions of the data, and compare mean, spread and histogram."""
    rng = np.random.default_rng(SEED)
    r = panel.reward
    edges, parts, rows = bins_of(r), posterior.components, np.arange(r.size)
    drawn = []
    for d in range(REPLICATES):  # one by one, which takes less memory than all at once
        eta = [predictors_at(posterior, panel, part, np.array([d]), rows)[0] for part in range(len(parts))]
        noise = [c.own_noise[d][panel.person] for c in parts]
        drawn.append(draw_reward(posterior.fit.parts, eta, noise, rng))
    replicate = np.array(drawn)
    means, sds = replicate.mean(1), replicate.std(1)
    sd = float(r.std())
    off = abs(r.mean() - means.mean()), abs(sd - np.median(sds))
    least = unit_of(r) if np.ptp(r) == 0.0 else 0.0  # of rewards that are all equal no more is known
    holds = off[0] <= max(MEAN_OFF * sd, 3.0 * means.std(), least) and off[1] <= max(
        SPREAD_OFF * sd, 3.0 * sds.std(), least
    )
    shares = np.array([np.histogram(np.clip(one, edges[0], edges[-1]), edges)[0] / r.size for one in replicate])
    low, high = np.quantile(shares, [0.025, 0.975], axis=0)
    return Check(
        scale * float(r.mean()), scale * float(means.mean()), scale * sd, scale * float(np.median(sds)),
        (scale * edges).tolist(), (np.histogram(r, edges)[0] / r.size).tolist(),
        [low.tolist(), shares.mean(0).tolist(), high.tolist()], bool(holds),
    )  # fmt: skip


def bins_of(r: Floats) -> Floats:
    """Return the edges of a histogram: around each value if these are few, else even up to the 99.5 % quantile."""
    values = np.unique(r)
    if values.size <= BINS:
        middles = 0.5 * (values[1:] + values[:-1])
        half = 0.5 * float(np.diff(values).min()) if values.size > 1 else 0.5
        return np.concatenate([[values[0] - half], middles, [values[-1] + half]])
    top = float(np.quantile(r, 0.995))
    return np.linspace(float(values[0]), top if top > values[0] else float(values[-1]), BINS + 1)

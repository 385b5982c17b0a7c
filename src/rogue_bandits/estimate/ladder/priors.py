"""The population of an arm in a form that a prior can be made from: the key "population" of people.json."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, WEAR_OUT, Fit
from rogue_bandits.estimate.ladder.families import family_of, mean_reward
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.posterior import draw_posterior
from rogue_bandits.estimate.ladder.task import Task
from rogue_bandits.types import Floats

NUMBERS = ["fresh", "log_drop", "log_loss", "log_half_life"]
SHOWN = [0.025, 0.25, 0.5, 0.75, 0.975]


def population_of(fit: Fit, panel: Panel, probability: dict[str, float], task: Task) -> dict[str, Any]:
    """Return the distribution over a new person's fresh level, drop, worn-out level and half-life, if there is a loss.

    The draws include what people differ in and what the data leave open. The scale is that of the predictor of the
    last component: that of the reward, log odds or log means. `reward` has quantiles on the scale of the file.
    """
    posterior = draw_posterior(fit, panel, task.seed)
    part, draws = fit.parts[-1], posterior.components[-1]
    fresh, drop = draws.new_level, -draws.new_slope
    losing = (drop > 0.0) & np.isfinite(posterior.half_life)
    decay = 0.5 ** (1.0 / posterior.half_life)
    loss = drop / np.maximum(1.0 - decay, 1e-12)
    unit = part.scale if has_noise(part.law) and family_of(task.family).scale == "the reward" else 1.0
    fresh, drop, loss = part.shift + unit * fresh, unit * drop, unit * loss
    if family_of(task.family).name == "zero-inflated":
        fresh = fresh + math.log(part.scale)  # log means of rewards as they were fitted
    noise = [np.full(fresh.size, float(np.median(c.noise))) for c in posterior.components]

    def reward(load: Floats) -> Floats:
        eta = [c.new_level + c.new_slope * load for c in posterior.components]
        return task.scale * mean_reward(fit.parts, eta, noise)

    block: dict[str, Any] = {
        "numbers": NUMBERS,
        "scale": family_of(task.family).scale,
        "people": panel.people,
        "rewards": int(panel.person.size),
        "no_effect": probability[CONSTANT] + probability[FADE] + probability["gain"],
        "no_recovery": probability[WEAR_OUT],
        "recovery": probability[RECOVERY],
        "losing": float(losing.mean()),
        "log_noise": float(np.median(draws.noise)) + math.log(unit),
        "decisions": task.longest(),
    }
    if losing.sum() >= 20:
        x = np.stack([fresh, np.log(np.maximum(drop, 1e-12)), np.log(np.maximum(loss, 1e-12)),
                      np.log(np.minimum(posterior.half_life, 1e12))])[:, losing]  # fmt: skip
        at = {"fresh": reward(np.zeros(fresh.size)), "after_one": reward(np.ones(fresh.size)),
              "worn": reward(1.0 / np.maximum(1.0 - decay, 1e-12))}  # fmt: skip
        block |= {
            "mean": x.mean(1).tolist(),
            "covariance": np.cov(x).tolist(),
            "reward": {name: np.quantile(values[losing], SHOWN).tolist() for name, values in at.items()}
            | {"half_life": np.quantile(posterior.half_life[losing], SHOWN).tolist(), "quantiles": SHOWN},
        }
    return block

"""The population of an arm in a form that a prior can be made from: the key "population" of people.json."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, WEAR_OUT, CandidateFit
from rogue_bandits.estimate.ladder.families import family_of, mean_reward
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.posterior import Posterior, draw_posterior
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats

NUMBERS = ["fresh", "log_drop", "log_loss", "log_half_life"]
SHOWN = [0.025, 0.25, 0.5, 0.75, 0.975]
FEWEST = 20  # draws that a distribution is made of


def population_of(fit: CandidateFit, panel: Panel, probability: dict[str, float], task: ArmTask) -> dict[str, Any]:
    """Return the distribution over a new person's fresh level, drop, worn-out level and half-life, if there is a loss.

    The draws include what people differ in and what the data leave open. The scale is that of the predictor of the
    last component: that of the reward, log odds or log means. `reward` has quantiles on the scale of the file.
    """
    posterior = draw_posterior(fit, panel, task.seed)
    part, draws = fit.parts[-1], posterior.components[-1]
    fresh, drop = draws.new_level, -draws.new_slope
    losing = drop > 0.0
    described, half_life = recovering(losing, posterior.half_life, task)
    back = np.maximum(1.0 - 0.5 ** (1.0 / half_life), 1e-12)  # of a loss, one decision later
    unit = part.scale if has_noise(part.law) and family_of(task.family).scale == "the reward" else 1.0
    loss = drop / back
    fresh, drop, loss = part.shift + unit * fresh, unit * drop, unit * loss
    if family_of(task.family).name == "zero-inflated":
        fresh = fresh + math.log(part.scale)  # log means of rewards as they were fitted
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
    if described.sum() >= FEWEST:
        x = np.stack([fresh, np.log(np.maximum(drop, 1e-12)), np.log(np.maximum(loss, 1e-12)),
                      np.log(half_life)])[:, described]  # fmt: skip
        loads = {"fresh": np.zeros(fresh.size), "after_one": np.ones(fresh.size),
                 "worn": np.minimum(1.0 / back, panel.grid.caps[posterior.place])}  # fmt: skip
        at = {name: new_rewards(posterior, load, task)[described] for name, load in loads.items()}
        shown = {name: np.quantile(values, SHOWN).tolist() for name, values in at.items()}
        shown |= {"half_life": np.quantile(half_life[described], SHOWN).tolist(), "quantiles": SHOWN}
        block |= {"mean": x.mean(1).tolist(), "covariance": np.cov(x).tolist(), "reward": shown}
    return block


def recovering(losing: Any, half_life: Floats, task: ArmTask) -> tuple[Any, Floats]:
    """Return which draws the distribution is over, and all half-lives: of the draws that lose, those that recover.

    Where most draws lose and most of these never recover, all that lose are taken, with half-lives of at most the
    length of the study: an arm that wears out for good is not one that does not. The loss of a longer half-life would
    be far beyond what was seen, and policies that begin with it learn nothing.
    """
    recovers = losing & np.isfinite(half_life)
    if losing.mean() > 0.5 and recovers.sum() < 0.5 * losing.sum():
        return losing, np.minimum(half_life, float(task.longest()))
    return recovers, half_life


def new_rewards(posterior: Posterior, load: Floats, task: ArmTask) -> Floats:
    """Return the mean reward of a new person at a load in each draw, with the noise of the median draw."""
    eta = [c.new_level + c.new_slope * load for c in posterior.components]
    noise = [np.full(load.size, float(np.median(c.noise))) for c in posterior.components]
    return task.scale * mean_reward(posterior.fit.parts, eta, noise)

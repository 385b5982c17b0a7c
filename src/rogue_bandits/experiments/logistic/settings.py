"""The settings of the paper's logistic experiment, as data."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from rogue_bandits.experiments.experiment import Horizon, Replicates, Settings
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.types import Arm, Truth


class LogisticArm(BaseModel):
    """An arm with rewards 0 or 1 and its true values: a row of the paper's Table 1. States and theta are in [0, 1]."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    x0: float
    theta: float
    decay: float
    pull: float
    drift: float
    theta_weight: float
    state_weight: float


TABLE_1 = (
    LogisticArm(x0=0.1, theta=0.5, decay=0.6, pull=-1.0, drift=0.5, theta_weight=0.4, state_weight=0.6),
    LogisticArm(x0=0.3, theta=0.7, decay=0.7, pull=-1.2, drift=0.5, theta_weight=0.7, state_weight=0.3),
)


class LogisticSettings(Settings):
    """The paper's settings by default.  [Sec. 5.3]

    >>> LogisticSettings(horizon=100).arms[0].theta
    0.5
    """

    horizon: Horizon = 20_000
    replicates: Replicates = 30
    arms: tuple[LogisticArm, ...] = TABLE_1


def truths(settings: LogisticSettings) -> list[Truth]:
    """Return one truth, the same in all replicates."""
    arms = [
        Arm(ClippedAffine(a.decay, a.pull, a.drift), BernoulliLogit(a.theta_weight, a.state_weight))
        for a in settings.arms
    ]
    return [Truth(arms, [a.theta for a in settings.arms], [a.x0 for a in settings.arms])]

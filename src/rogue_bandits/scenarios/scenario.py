"""A benchmark problem of the literature."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.types import Truth


class Scenario(NamedTuple):
    """A truth to simulate against, with the number of decisions and the place it is taken from."""

    truth: Truth
    horizon: int
    cites: str  # paper and place
    baselines: tuple[Any, ...] = ()  # policies of that literature, with the settings of their authors
    priors: tuple[Any, ...] = ()  # of the curves, other than that of the arms, for comparison

    def under(self, prior: Any) -> Scenario:
        """Return the same scenario for learners who have another prior of the curves."""
        arms = [arm._replace(dynamics=arm.dynamics._replace(prior=prior)) for arm in self.truth.arms]
        return self._replace(truth=self.truth._replace(arms=arms))

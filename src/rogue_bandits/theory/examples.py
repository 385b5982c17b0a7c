"""The paper's two worked examples of epsilon_a and delta_a, as truths to play against.  [Sec. 4.3]

Both have two arms with rewards Normal(x, 1) at theta = 0. Here theta shifts the mean and is unknown in [−1, 1]. If it
were known, x0 would be the only unknown, and after one play of these arms x0 no longer affects any reward.
"""

from __future__ import annotations

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.types import Arm, Truth

SHIFTED = Gaussian(theta_weight=1.0, state_weight=1.0, sd=1.0)


def vanishing(x0: float = 1.0) -> Truth:
    """Return a truth whose arm 0 stays at 0 while arm 1 halves at each decision, so the gap vanishes.  [Sec. 4.3.1]

    >>> import rogue_bandits as rb
    >>> rb.theory.separation(rb.theory.vanishing(x0=1.0), plays=[0, 1] * 4).epsilon  # 2⁻⁷ after eight decisions
    [0.0078125, 0.0078125]
    """
    return scenario(ClippedAffine(decay=0.0, pull=0.0, drift=0.0), ClippedAffine(0.5, 0.0, 0.0), (0.0, x0))


def bounded(x0: float = 0.0, x0_of_the_other: float = 1.0) -> Truth:
    """Return a truth whose played arm goes to 0 and whose resting arm to 1: the gap stays bounded.  [Sec. 4.3.2]

    This is what the text says; the printed signs are reversed. The printed dynamics of arm 1 use the play of arm 0,
    which is equivalent to its own, as one of the two arms is played at each decision.

    >>> import rogue_bandits as rb
    >>> found = rb.theory.separation(rb.theory.bounded(), plays=[1, 0] * 500)
    >>> found.epsilon, [round(delta, 6) for delta in found.delta]
    ([1.0, 1.0], [0.125, 0.12475])
    """
    flips = ClippedAffine(decay=1.0, pull=-2.0, drift=1.0)
    return scenario(flips, flips, (x0, x0_of_the_other))


def scenario(first: ClippedAffine, second: ClippedAffine, x0: tuple[float, float]) -> Truth:
    """Return two arms with these dynamics, at theta = 0."""
    arms = [Arm(dynamics, SHIFTED, -1.0, 1.0) for dynamics in (first, second)]
    return checked_truth(Truth(arms, (0.0, 0.0), x0))

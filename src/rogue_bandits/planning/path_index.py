"""An approximate Whittle index of any dynamics in microseconds: for dynamics that are drawn anew at every decision.

Path A plays at state x, path B rests; both then play if and only if the state is at least x. With rewards r, plays n,

    W(x) = (mean(x) + Σ_t w_t (r_A − r_B)) / (1 + Σ_t w_t (n_A − n_B)),   t = 1 … H − 1,

where w_t = (1 − s)²(1 + 2s), s = t/H, tapers the sums. For arms that recover at rest and wear when played. Where plays
take the state to its lower bound, playing always may be better than any threshold, and W is too small there:
`whittle.py` has the exact index, by tables that take milliseconds.
"""

from __future__ import annotations

from rogue_bandits.compile.laws import routine
from rogue_bandits.types import Arm, mean, next_state

SHORTEST = 200.0  # with a taper over 100 decisions or fewer the denominator nearly vanishes
LONGEST = 1_000.0
MEMORY = 10.0  # time constants of the decay, for the taper
MET = 1e-9  # of the range of the state: paths this near have met; a larger tolerance would miss that one of them plays
ROUNDING = 1e-12  # of the range of the state: states this near to the threshold have reached it


@routine
def path_index(arm: Arm, theta: float, x: float) -> float:
    """Return the index by its two paths, until they meet."""
    d, f = arm.dynamics, arm.rewards
    horizon = LONGEST if d.decay >= 1.0 else min(max(SHORTEST, MEMORY / (1.0 - d.decay)), LONGEST)
    least, near = x - ROUNDING * (d.hi - d.lo), MET * (d.hi - d.lo)
    a, b = next_state(d, x, 1.0), next_state(d, x, 0.0)
    reward, plays, t = mean(f, theta, x), 1.0, 1.0
    while abs(a - b) > near and t < horizon:
        s = t / horizon
        weight = (1.0 - s) * (1.0 - s) * (1.0 + 2.0 * s)
        a_plays, b_plays = 1.0 if a >= least else 0.0, 1.0 if b >= least else 0.0
        if a_plays > 0.0:
            reward += weight * mean(f, theta, a)
        if b_plays > 0.0:
            reward -= weight * mean(f, theta, b)
        plays += weight * (a_plays - b_plays)
        a, b, t = next_state(d, a, a_plays), next_state(d, b, b_plays), t + 1.0
    return reward / plays

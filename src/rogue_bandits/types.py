"""Every contract, on one page: the data that flows, and the laws that act on it.

Models, policies and results are plain immutable data. What they *do* is a set of small functions, the laws, chosen by
the type of that data (`compile.laws`). Time: x0 is the state at decision 0, `number` counts decisions 0, 1, 2, …

Data        Arm = dynamics × reward family × bounds of theta; Truth = arms with their theta and x0;
            Problem = the arms of a population; Request, Ticket, Decision = one decision; Fit.
Laws of     a family:   support, point_masses, mean, loglik, kl, kl_and_slopes, information, curvature_ratio, draw,
                        and of rewards whose state is known: is_summable, coordinate, theta_at, statistics, potential,
                        settled_loglik, settled_kl; `belief.fit.maximise` fits it
                        (two kinds give most of these: `model.rewards.exponential`, and `.numeric` from loglik alone)
            dynamics:   signal, next_state, next_line; where the state is not a clipped line in x0,
                        `model.dynamics.projected` and `.enclosure` have the others
            a belief:   ticket, advance, observe, log_likelihood, fit, state_at, mean_at, divergence, upper_bound:
                        `belief.contract`
            a policy:   uniforms, start; choose, probabilities, choose_with_probabilities, play, learn; has_room, grown
State       of a policy is a NamedTuple with two fields: `shared`, the same for all people and never written to, and
            `personal`, a NamedTuple of arrays that lead with a people axis. Unused room in `personal` is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits._moved import moved_name
from rogue_bandits.compile.laws import NOT_STACKED, law

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
# Annotations of a model's fields, by which validation knows their shape:
Vector = tuple[float, ...]  # several numbers
Range = Vector  # two numbers, low and high
Matrix = tuple[Vector, ...]  # rows of numbers


# ---- data ------------------------------------------------------------------------------------------------------------
class Arm(NamedTuple):
    """An arm: the dynamics of its state, its reward family, and the bounds of its unknown theta.

    `x0` is the state at decision 0 where it is known, such as that of a message that was never sent.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6), name="walk")
    >>> arm.theta_lo, arm.theta_hi
    (0.0, 1.0)
    """

    dynamics: Any
    rewards: Any
    theta_lo: Any = 0.0  # a number; a vector where theta is one (`Weighted`)
    theta_hi: Any = 1.0
    name: str = ""
    x0: Any = None  # a number, or a vector where the state is one; None: unknown, as in the paper

    def __repr__(self) -> str:
        fields = [(field, value) for field, value in self._asdict().items() if field != "x0" or value is not None]
        return f"Arm({', '.join(f'{field}={value!r}' for field, value in fields)})"


NOT_STACKED[Arm] = ("x0",)  # only Python code reads it, to initialise beliefs


class Truth(NamedTuple):
    """Arms with their true theta and x0: the environment of a simulation.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, Truth
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3]).x0
    [0.1, 0.3]
    """

    arms: Sequence[Arm]
    theta: Sequence[Any]  # a number for each arm; a vector where theta is one
    x0: Sequence[Any]  # likewise


class Problem(NamedTuple):
    """What a policy starts from: the arms of a population, and the horizon if it is known.

    Where dynamics differ between people, `people` has the arms of each person, and `arms` those of the first.
    """

    arms: tuple[Arm, ...]
    horizon: int | None = None
    people: tuple[tuple[Arm, ...], ...] = ()


class Request(NamedTuple):
    """A request for a decision of one person."""

    number: int  # of the decision, from 0
    available: Bools  # [arms]
    uniforms: Floats  # as many as `uniforms` says, in [0, 1)


class Ticket(NamedTuple):
    """Token that credits a reward to the decision it belongs to, however late; opaque to all but the belief."""

    a: float
    b: float
    c: float
    d: float


NO_TICKET = Ticket(0.0, 0.0, 0.0, 0.0)  # of policies that need none
NOT_ASKED = -1.0  # stands for a probability that was not computed


class Line(NamedTuple):
    """The state as a function of x0: clip(slope·x0 + offset, lo, hi), whatever the past."""

    slope: float
    offset: float
    lo: float
    hi: float


class Potential(NamedTuple):
    """The sum W over settled rewards at one theta, with its first and second derivative."""

    value: float
    slope: float
    curvature: float


class FitIntervals(NamedTuple):
    """Intervals of a fit, of theta, x0 and the mean of the next reward: the smallest and the largest value of each."""

    theta: tuple[float, float]
    x0: tuple[float, float]
    mean: tuple[float, float]


class Fit(NamedTuple):
    """The maximum-likelihood (theta, x0) of an arm, its log-likelihood, and the number of rewards used.

    No point is likelier by more than `gap` on the log scale, but for rounding; inf where that is not proven.

    >>> from rogue_bandits import Arm, ClippedAffine, Gaussian, fit
    >>> arm = Arm(ClippedAffine(decay=0.0, pull=0.0, drift=0.0, lo=0.0, hi=0.0), Gaussian(1.0, 1.0, sd=1.0))
    >>> round(fit(arm, [1, 1], [0.25, 0.75]).theta, 9)  # a state that never moves: the mean of the rewards
    0.5
    """

    theta: Any  # a number; a vector where theta is one
    x0: Any  # likewise
    loglik: float
    n: int
    gap: float = 0.0


class Decision(NamedTuple):
    """One decision: its number (0, 1, 2, …), the arm played, and the probability with which it was chosen.

    `probabilities` has that of every arm, 0 for those that were not available; it is empty where they are not known.
    `token` distinguishes the decisions of one bandit from those of another, unless they have the same seed; a decision
    that is constructed by hand may leave it out.

    >>> from rogue_bandits import Arm, Bandit, BernoulliLogit, ClippedAffine, Random
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> Bandit([arm], Random(), seed=1).choose()
    Decision(number=0, arm=0, probability=1.0)
    """

    number: int
    arm: int
    probability: float
    token: int = 0
    probabilities: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"Decision(number={self.number}, arm={self.arm}, probability={self.probability})"


# ---- laws of a reward family -----------------------------------------------------------------------------------------
@law
def support(f: Any) -> tuple[float, float, bool]:
    """Return the smallest and the largest reward, and whether rewards are whole numbers."""


@law
def point_masses(f: Any) -> bool:
    """Return whether the two ends of the support have positive probability; `loglik` is then its log."""


@point_masses.register(tuple)
def no_point_masses(f: Any) -> bool:
    """Return False, as for most families."""
    return False


@law
def mean(f: Any, theta: float, x: float) -> float:
    """Return g(theta, x), the expected reward; monotone in theta, and in x."""


@law
def loglik(f: Any, theta: float, x: float, r: float) -> float:
    """Return log p(r | theta, x), with point masses counted as densities."""


@law
def kl(f: Any, theta: float, x: float, theta2: float, x2: float) -> float:
    """Return KL(P_{theta, x} ‖ P_{theta2, x2})."""


@law
def kl_and_slopes(f: Any, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    """Return `kl` with its derivatives by theta2 and by x2: together they cost little more than one alone."""


@law
def information(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """Return the expected Fisher information of one reward about (theta, x): the entries theta-theta, theta-x, x-x."""


@law
def curvature_ratio(f: Any, arm: Any, theta2: float, x2: float) -> float:
    """Return the least kl from any (theta, x) of the box to (theta2, x2), per unit of ∇kl' I⁺ ∇kl, ∇ by the latter."""


@law
def draw(f: Any, theta: float, x: float, u: float) -> float:
    """Return the reward at the quantile u in (0, 1): randomness is an argument."""


# ---- laws of settled rewards: those whose state is a known number, so that only sums remain of them -----------------
@law
def is_summable(f: Any) -> bool:
    """Return whether sufficient statistics hold rewards at known states; if not, each reward is stored."""


@is_summable.register(tuple)
def summable_by_default(f: Any) -> bool:
    """Return True, as for most families."""
    return True


@law
def coordinate(f: Any, theta: float) -> float:
    """Return theta on the scale on which `potential` is smoothest; Chebyshev nodes are placed on it."""


@law
def theta_at(f: Any, y: float) -> float:
    """Return the theta of a coordinate: the inverse of `coordinate`."""


@law
def statistics(f: Any, x: float, r: float) -> tuple[float, float, float]:
    """Return the numbers that are summed over settled rewards, for all theta."""


@law
def potential(f: Any, theta: float, x: float) -> float:
    """Return the function of theta that is summed over settled rewards; the sum is W."""


@law
def settled_loglik(f: Any, theta: float, s1: float, s2: float, s3: float, w: float) -> float:
    """Return Σ loglik of the settled rewards, from the sums of their `statistics` and W(theta)."""


@law
def settled_kl(f: Any, theta: float, at: Potential, theta2: float, at2: Potential) -> tuple[float, float, float]:
    """Return Σ kl of the settled rewards, its derivative by theta2, and their information about theta2."""


# ---- laws of dynamics ------------------------------------------------------------------------------------------------
@law
def signal(d: Any, k: int, arm: int) -> float:
    """Return the input to the dynamics of arm k at a decision that plays `arm` (−1: none); the `played_t` below."""


@law
def next_state(d: Any, x_t: float, played_t: float) -> float:
    """Return the state at the next decision."""


@law
def next_line(d: Any, line: Line, played_t: float) -> Line:
    """Return the state at the next decision, as a function of x0."""


@signal.register(tuple)
def own_play(d: Any, k: int, arm: int) -> float:
    """Return 1 if arm k was played, else 0; coupled dynamics have a signal of their own."""
    return 1.0 if arm == k else 0.0


# ---- laws of a policy ------------------------------------------------------------------------------------------------
# A policy is data, settings only. `start` makes a state of it, with every setting as a number (see State
# above). The laws below act on that state, in place, for one person.
@singledispatch
def uniforms(policy: Any, problem: Problem) -> int:
    """Return the number of uniforms that `choose` needs at each decision."""
    return 1


@singledispatch
def start(policy: Any, problem: Problem, people: int) -> Any:
    """Return the state of `people` fresh bandits under `policy`."""
    raise TypeError(f"{policy!r} is not a policy: pass one such as TunedRogueUCB(); rb.POLICIES lists them all")


@law
def choose(state: Any, person: int, request: Request) -> tuple[int, float]:
    """Return the arm to play and the probability with which it was chosen. Does not change the state.

    The probability may be NOT_ASKED where it is costly. The policy then also registers `probabilities`, which is called
    where probabilities are wanted.
    """


@law
def probabilities(state: Any, person: int, request: Request, out: Floats) -> None:
    """Write the probability with which each arm is chosen; 0 for arms that are not available."""


@probabilities.register(tuple)
def unknown_probabilities(state: Any, person: int, request: Request, out: Floats) -> None:
    """Write nan: a policy need not give more than the probability of the arm that it chose."""
    out[:] = np.nan


@law
def choose_with_probabilities(state: Any, person: int, request: Request, out: Floats) -> tuple[int, float]:
    """Choose, and write the probability of every arm to `out` unless it is empty.

    It has a default, by `choose` and `probabilities` (`policies.ties`). A policy that needs its probabilities in
    order to choose registers it, so that they are computed once.
    """


@law
def play(state: Any, person: int, number: int, arm: int) -> Ticket:
    """Advance the state by decision `number`, at which `arm` is played (−1: none); return the ticket of its reward."""


@law
def learn(state: Any, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float) -> None:
    """Update the state with the reward of decision `number`, observed now or late.

    `probability` is that of `choose`, which may be NOT_ASKED.
    """


@law
def has_room(state: Any, person: int) -> bool:
    """Return whether the arrays hold one more decision and its reward, of any arm; if not, `grown` enlarges them."""


@singledispatch
def grown(state: Any) -> Any:
    """Return the same state with larger arrays."""
    return state


@has_room.register(tuple)
def always_has_room(state: Any, person: int) -> bool:
    """Return True: the states of most policies have a fixed size (not those of the ROGUE policies)."""
    return True


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a law by its name of version 0.1.0."""
        return moved_name("types", "types", name)

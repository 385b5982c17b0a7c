"""The rows of an experiment: each policy under the name it has in tables, made from the experiment's settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rogue_bandits.policies import POLICIES
from rogue_bandits.unknown_name import unknown


class Row(NamedTuple):
    """A policy in an experiment: its name, what it does in plain words, and how it follows from the settings."""

    name: str
    about: str
    make: Callable[[Any], Any]
    is_rogue: bool = False


ROWS = {
    "tuned-rogue-ucb": Row(
        "Tuned ROGUE-UCB",
        "Learns how each arm wears out and recovers, and gives arms it is unsure of the benefit of the doubt "
        "(the paper's rule).",
        lambda s: POLICIES["tuned-rogue-ucb"](),
        is_rogue=True,
    ),
    "tuned-rogue-ucb-corrected": Row(
        "Tuned ROGUE-UCB (corrected)",
        "Tuned ROGUE-UCB with a slip in the paper's rule mended, so that it tries arms more often early on.",
        lambda s: POLICIES["tuned-rogue-ucb"](variant="corrected"),
        is_rogue=True,
    ),
    "epsilon-rogue": Row(
        "ε-ROGUE",
        "Learns how each arm wears out and recovers, plays the one that looks best, and now and then (at decision t "
        "with probability 1/t) any.",
        lambda s: POLICIES["epsilon-rogue"](),
        is_rogue=True,
    ),
    "rogue-ucb": Row(
        "ROGUE-UCB",
        "The cautious rule of the paper's theorem, which needs far longer horizons to learn.",
        lambda s: POLICIES["rogue-ucb"](),
        is_rogue=True,
    ),
    "random": Row("Random", "Any arm, each as likely: it learns nothing.", lambda s: POLICIES["random"]()),
    "ucb1-tuned": Row("UCB1-Tuned", "Believes that arms never change.", lambda s: POLICIES["ucb1-tuned"]()),
    "d-ucb": Row(
        "D-UCB",
        "Forgets old rewards little by little.",
        lambda s: POLICIES["d-ucb"](upsilon=s.upsilon, xi=s.xi),
    ),
    "sw-ucb": Row(
        "SW-UCB",
        "Looks at the latest rewards only.",
        lambda s: POLICIES["sw-ucb"](upsilon=s.upsilon, xi=s.xi),
    ),
    "exp3s": Row("EXP3.S", "Expects the worst of all possible changes.", lambda s: POLICIES["exp3s"]()),
    "rexp3": Row(
        "REXP3",
        "Like EXP3.S, but starts anew every few decisions.",
        lambda s: POLICIES["rexp3"](variation=s.variation),
    ),
}
# Algorithm 1 at its own constants is in no figure of the paper: it is run when asked for.
PAPER_ROWS = tuple(row for row in ROWS if row != "rogue-ucb")


def known_rows(ids: Iterable[str]) -> tuple[str, ...]:
    """The ids in their order, each once; an unknown one is refused with the nearest there is.

    >>> known_rows(["random", "d-ucb", "random"])
    ('random', 'd-ucb')
    >>> known_rows(["randon"])
    Traceback (most recent call last):
    ValueError: policy 'randon' is unknown, did you mean 'random'? There are: tuned-rogue-ucb, ...
    """
    once = tuple(dict.fromkeys(ids))
    for row in once:
        if row not in ROWS:
            raise ValueError(unknown("policy", row, ROWS))
    if not once:
        raise ValueError(f"no policy is given. There are: {', '.join(ROWS)}")
    return once

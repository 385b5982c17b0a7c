"""`rogue simulate --fit`: what policies gain on people like those of a people.json."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rogue_bandits.cli.checks import Refused, notes_once, refused
from rogue_bandits.cli.people_file import people_file
from rogue_bandits.cli.user_file import policy_of

if TYPE_CHECKING:
    from rogue_bandits.experiments.like_mine import Alike
    from rogue_bandits.experiments.results import Gain

FIT_POLICIES = ("index-ts", "rogue-ts", "epsilon-rogue", "d-ucb")
FIRST_COLUMN = (
    "\nReward a decision. Go by the first column. The last one takes every error of the estimates for wear-out and "
    "recovery that a policy can use."
)
INFLATES = (
    " It is larger for {}: on simulated trials such gains were several times those on the true people (docs/health.md)."
)
OPEN = (
    "By the first column {} and messages at random do not differ by more than 2 standard errors: simulate more "
    "--people to compare them."
)


def simulate_fit(fit: Path, policies: tuple[str, ...], horizon: int, people: int, seed: int) -> None:
    """Print what policies gain on people like those of a people.json, and how far point estimates inflate it."""
    from rich.console import Console

    from rogue_bandits.experiments.like_mine import Setting, prepared, simulated
    from rogue_bandits.model.numbers import checked_whole
    from rogue_bandits.policies import POLICIES
    from rogue_bandits.report.terminal import bar, plain_table

    fit = people_file(fit)
    with refused(), notes_once():
        asked = {name: policy_of(name) for name in policies or FIT_POLICIES}
        setting = Setting(
            checked_whole(horizon, "simulate, horizon", 1), checked_whole(people, "simulate, people", 2), seed
        )
        ready = prepared(fit, asked, setting)
        if policies and ready.refused:
            raise Refused("; ".join(f"{name}: {why}" for name, why in ready.refused.items()))
        with bar("simulating people", 2 * people * len(ready.policies)) as advance:
            found = simulated(ready, advance)
    rows = [(name, *(gain_words(one) for one in both)) for name, both in found.gains.items()]
    headings = ("policy", "gain over random, people like yours", "if people were their point estimates")
    console = Console()
    console.print(plain_table(headings, rows))
    console.print(column_words(found.gains), highlight=False, markup=False)
    for words in (*found.notes, *(f"{name} was not simulated: {why}" for name, why in found.refused.items())):
        console.print(words, highlight=False, markup=False)
    if unclear := [name for name, both in found.gains.items() if abs(both.drawn.mean) <= 2.0 * both.drawn.stderr]:
        console.print(OPEN.format(", ".join(unclear)), highlight=False, markup=False)
    if not policies:
        others = ", ".join(name for name in POLICIES if name not in (*asked, "random"))
        console.print(
            f"Not simulated, to save time: {others}. --policy ID simulates one.", highlight=False, markup=False
        )


def column_words(gains: dict[str, Alike]) -> str:
    """Return which column to go by, and which policies gain more on people who are their point estimates.

    >>> from rogue_bandits.experiments.like_mine import Alike
    >>> from rogue_bandits.experiments.results import Gain
    >>> small, large = Gain(0.1, 0.02, 0.0, 0.2), Gain(0.3, 0.02, 0.2, 0.4)
    >>> "larger for a:" in column_words({"a": Alike(small, large), "b": Alike(large, small)})
    True
    >>> column_words({"b": Alike(large, small)}) == FIRST_COLUMN
    True
    """
    larger = [name for name, both in gains.items() if both.fits.mean > max(both.drawn.mean, 0.0)]
    return FIRST_COLUMN + (INFLATES.format(", ".join(larger)) if larger else "")


def gain_words(gain: Gain) -> str:
    """Return a gain with its sign and its standard error, in as many digits as the latter has.

    >>> from rogue_bandits.experiments.results import Gain
    >>> gain_words(Gain(1234.5, 152.0, 0.0, 0.0)), gain_words(Gain(-0.01234, 0.0021, 0.0, 0.0))
    ('+1,234 ± 152', '-0.0123 ± 0.0021')
    """
    from rogue_bandits.simulation.measured import Measured

    words = str(Measured(gain.mean, gain.stderr))
    return f"{'+' if gain.mean >= 0.0 else ''}{words}{'' if '±' in words else ' ± 0'}"

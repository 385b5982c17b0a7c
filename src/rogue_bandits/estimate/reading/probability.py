"""Randomisation probabilities: the column is checked by cell, and against how often each arm was chosen."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.reading.columns import Column, Sheet
from rogue_bandits.estimate.reading.numbers import NumberOptions, numbers_of
from rogue_bandits.estimate.weighted import REST, Share, share_of
from rogue_bandits.types import Bools, Floats, Ints

FAR_OFF = 5.0  # standard errors
CLEARLY = 0.1  # of the expected 1


def probabilities_of(
    sheet: Sheet, column: Column, available: Bools, options: NumberOptions
) -> tuple[Floats, list[str]]:
    """Return the probability of what was chosen in each row, nan where nothing was available; and notes."""
    values, notes = numbers_of(sheet, column, "probability", options)
    values = np.where(available, values, np.nan)
    impossible = available & ((values <= 0.0) | (values > 1.0))
    if impossible.any():
        at = int(np.argmax(impossible))
        words = f"probability {values[at]:g} must be above 0 and at most 1"
        if 1.0 < values[at] <= 100.0:
            words += f": a percentage is written as a share, such as {values[at] / 100.0:g}"
        if values[at] == 0.0:
            words += ": it is that of what was chosen in this row, so it cannot be 0 where something was available"
        raise sheet.error_at(column.name, at, words)
    if absent := int(np.count_nonzero(available & np.isnan(values))):
        notes = [*notes, f"{absent:,} of {int(available.sum()):,} available decisions have no probability."]
    return values, notes


def from_sending(arms: list[str], arm: Ints, sending: Floats) -> tuple[Floats, list[str]]:
    """Return the probability of what was chosen, from that of sending anything; and a note on several arms.

    Which of several arms is sent is taken to be drawn with the shares in which they were sent.
    """
    shares = np.bincount(arm[arm >= 0], minlength=len(arms)) / max(int((arm >= 0).sum()), 1)
    chosen = np.where(arm < 0, 1.0 - sending, sending * np.append(shares, 0.0)[arm])
    split = ", ".join(f"{name} {share:.3g}" for name, share in zip(arms, shares, strict=True))
    note = f"Of several arms, each is taken to be sent with the share in which it was sent ({split})."
    return np.where(chosen > 0.0, chosen, np.nan), [note] if len(arms) > 1 else []


def notes_on_balance(column: str, arms: list[str], arm: Ints, probability: Floats) -> list[str]:
    """Return a warning if the probabilities cannot be those of what was chosen."""
    known = ~np.isnan(probability)
    n = int(known.sum())
    if n < 2:
        return []
    for k in (-1, *range(len(arms))):
        share = share_of(k, arm[known], probability[known])
        far = abs(share.ratio - 1.0)
        if not share.chosen or far < CLEARLY or far <= FAR_OFF * share.error:
            continue
        name = "a rest" if k < 0 else f"'{arms[k]}'"
        chosen, expected = np.mean(arm[known] == k), np.mean(probability[known][arm[known] == k])
        return [
            f"Warning: where {name} was chosen, column '{column}' has the probability {expected:.3g} on average, and "
            f"that was chosen in {chosen:.1%} of the available decisions. --probability is that of what was chosen in "
            "the row, the arm or the rest; a column with that of sending anything is named by --send-probability."
        ]
    return []


def notes_on_plan(column: str, arms: list[str], arm: Ints, probability: Floats, is_of_sending: bool) -> list[str]:
    """Return a warning if arms or rests were not chosen as often as the probabilities say, as the report tests it.

    A column of what was chosen, `is_of_sending` False, may be that of sending anything: the warning says so if that
    agrees. Where the mean of such a column is near ½, no share is far off.
    """
    shares = _shares(arm, probability)
    if not any(share.is_off for share in shares):
        return []
    other = "" if is_of_sending or not _agrees_as_sending(arms, arm, probability) else (
        " Read as the probability of sending anything, the column agrees: if it is that, name it with "
        "--send-probability in place of --probability."
    )  # fmt: skip
    each = ", ".join(
        f"{'a rest' if share.arm == REST else repr(arms[share.arm])} {share.ratio:.3f} ± {share.error:.3f}"
        for share in shares
    )
    return [
        f"Warning: what was chosen does not agree with the probabilities of column '{column}', or an arm could not "
        f"always be chosen. As multiples of what was planned: {each}. What is weighted by them may be "
        f"wrong.{other}"
    ]


def _shares(arm: Ints, probability: Floats) -> list[Share]:
    known = ~np.isnan(probability)
    return [share_of(k, arm[known], probability[known]) for k in np.unique(arm[known]).tolist()]


def _agrees_as_sending(arms: list[str], arm: Ints, probability: Floats) -> bool:
    shares = _shares(arm, from_sending(arms, arm, probability)[0])
    return bool(shares) and not any(share.is_off for share in shares)

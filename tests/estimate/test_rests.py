"""Recovery is claimed only where rests of different lengths show it: a fall that levels off looks the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from rogue_bandits.estimate.advise import Limits, Next, advise_several
from rogue_bandits.estimate.cautions import cautions
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.rests import unseen_recoveries
from rogue_bandits.experiments.health.fitted import notes_on_what_is_not_shown
from rogue_bandits.report.cohort.arm_table import arm_lines
from rogue_bandits.report.cohort.page import cohort_page
from rogue_bandits.report.cohort.verdict import verdicts
from tests.estimate.made_up import arm_ladder, cohort_of, people_of, table, written
from tests.pictures import undrawn as undrawn

UNSEEN = (
    "walk was sent at every decision, nearly without exception: no rest shows whether it recovers, and a fall that "
    "levels off for another reason looks the same. Rests of different lengths would show it."
)


def sent_at(path: Path, decisions: list[int], people: int = 3, rung: str = RECOVERY) -> People:
    """People who got 'walk' at these decisions, and whose fitted rung is this."""
    rows = [f"p{person},{t},walk,{0.3 + 0.01 * ((7 * t) % 20):.2f}" for person in range(people) for t in decisions]
    cohort = cohort_of(written(path / "d.csv", rows))
    return people_of(cohort, arm_ladder(cohort.people, rung, wears=0.99))


@pytest.mark.usefixtures("undrawn")
def test_an_arm_that_never_rested_is_not_said_to_recover(tmp_path: Path) -> None:
    daily = sent_at(tmp_path, list(range(24)))
    first, walk = verdicts(daily)
    assert first == (
        "The data show that walk wears out, and the fall levels off (by 0.100 a sending; probability 0.99)."
    )
    assert walk.endswith(" The data do not show whether it recovers: it was sent at every decision.")
    line = arm_lines(daily)[0]
    assert (line.supported, line.half_life, line.recovers) == ("wear-out that levels off", "–", "–")
    assert cautions(daily) == [UNSEEN]
    (advice,) = advise_several(daily, ["p0"], Next(), Limits())
    assert UNSEEN in advice.warnings
    page = cohort_page(daily).decode()
    assert "The average person, while it is sent." in page
    assert "recovers (" not in page


def test_a_fall_with_time_of_an_arm_that_never_rested_is_not_called_likely_wear_out(tmp_path: Path) -> None:
    """Rewards that level off with time were called likely wear-out, of which no rest says anything."""
    for decisions, says in (list(range(24)), False), ([t for t in range(41) if t % 10 != 5], True):
        people = sent_at(tmp_path, decisions, rung=FADE)
        open_ = {"walk": people.fitted.arms["walk"]._replace(fade_or_wear_out=[0.0, 0.1])}
        people = people._replace(fitted=people.fitted._replace(arms=open_))
        assert all(("is likely all the same" in words) == says for words in verdicts(people))
        line = arm_lines(people)[0]
        assert (line.supported, line.recovers != "–") == ("fade or wear-out", says)
        assert not any("simulated people" in note for note in notes_on_what_is_not_shown(people))


def test_turns_show_no_more_than_every_day_does(tmp_path: Path) -> None:
    """One sending in three decisions, always: the load is a function of the number of sendings."""
    assert unseen_recoveries(sent_at(tmp_path, list(range(0, 48, 3)))) == {"walk": 3}


def test_rests_of_different_lengths_show_it(tmp_path: Path) -> None:
    assert not unseen_recoveries(people_of(cohort_of(written(tmp_path / "d.csv", table(3)))))
    few, some = [t for t in range(41) if t != 20], [t for t in range(41) if t % 10 != 5]
    assert unseen_recoveries(sent_at(tmp_path, few)) == {"walk": 1}  # one of 39 steps differs
    assert not unseen_recoveries(sent_at(tmp_path, some))  # 4 of 36


def test_only_a_recovery_that_is_fitted_can_be_unseen(tmp_path: Path) -> None:
    assert not unseen_recoveries(sent_at(tmp_path, list(range(24)), rung=WEAR_OUT))

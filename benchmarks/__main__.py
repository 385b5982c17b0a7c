"""Measure everything once, print the tables, write the numbers."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.bank import bank_requirements
from benchmarks.commands import help_seconds, reproduce_seconds
from benchmarks.curves import curve_requirements
from benchmarks.decisions import CORRECTED, OURS, PYMAB, RIVER, every_policy, late_against_early, naive_growth
from benchmarks.families import every_family
from benchmarks.lookahead import lookahead_requirements
from benchmarks.measure import Costs, in_rounds, ratio_of
from benchmarks.memory import bytes_of_an_arm, peak_of
from benchmarks.online import from_python, restored
from benchmarks.own_families import own_family_requirements
from benchmarks.process import ProcessFailed
from benchmarks.reading import reading_requirements
from benchmarks.results import Naive, Requirement, Results, as_json
from benchmarks.rotting import rotting_requirements
from benchmarks.scale import scale_requirements
from benchmarks.study import study_requirements
from benchmarks.table import markdown, show, spread
from benchmarks.truths import FIVE_ARMS
from rogue_bandits import TunedRogueUCB
from rogue_bandits.compile.cache import sources_hash

FAMILY_ROUNDS = 3  # some families take milliseconds a decision
QUICK_DECISIONS = 150
QUICK_FAMILIES = ("BernoulliLogit", "BernoulliProbit")


def main() -> None:
    """`python -m benchmarks [--out FILE] [--quick]`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON of all numbers; the tables go beside it, as .md")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and nothing that takes long")
    chosen = parser.parse_args()
    sources = sources_hash()
    results = measure(chosen.quick)
    if sources_hash() != sources:
        say("the package was edited meanwhile: some of it compiled again while it was timed, run this again")
    show(results)
    if chosen.out is not None:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(json.dumps(as_json(results), indent=2) + "\n")
        chosen.out.with_suffix(".md").write_text(markdown(results))


def measure(quick: bool) -> Results:
    """One measurement after the other, so that none disturbs another."""
    rounds = 3 if quick else 7  # all of it is to end within minutes
    say("every policy, beside other libraries")
    costs = every_policy(rounds)
    say("the naive method")
    naive = naive_growth(costs[OURS].median, longest=300 if quick else 1_000, repeats=1 if quick else 3)
    requirements = [
        *decision_requirements(costs, naive, rounds),
        *online_requirements(rounds),
        *lookahead_requirements(),
        *curve_requirements(),
        *kept_requirements(quick),
        *learning_requirements(rounds),
        *population_requirements(quick),
        *memory_requirements(quick),
        *reading_requirements(),
        *command_requirements(quick),
        *service_requirements(quick),
    ]
    say("every reward family")
    families = every_family(1, QUICK_FAMILIES) if quick else every_family(FAMILY_ROUNDS)
    return Results(costs, (RIVER, PYMAB), naive, requirements, families, quick)


def decision_requirements(costs: dict[str, Costs], naive: Naive, rounds: int) -> list[Requirement]:
    """Against river, against itself when young, against the naive method."""
    say("late decisions against early ones")
    river = ratio_of(costs[OURS], costs[RIVER])
    paper, corrected = (late_against_early(TunedRogueUCB(variant=v), rounds) for v in ("paper", "corrected"))
    late = "{}, decisions 19,001–20,000 ÷ 1,001–2,000"
    return [
        Requirement(f"{OURS} ÷ {RIVER}, a decision", river.value, 1.0, "×", note=spread(river)),
        Requirement(late.format(OURS), paper.value, 1.2, "×", note=spread(paper)),
        Requirement(late.format(CORRECTED), corrected.value, 1.2, "×", note=spread(corrected)),
        Requirement(f"the naive method ÷ {OURS}, 20,000 decisions", naive.ratio, 1_000, "×", at_least=True),
    ]


def online_requirements(rounds: int) -> list[Requirement]:
    """One person, from Python."""
    say("Bandit.choose, update and from_bytes")
    decide, restore = "Bandit.choose + update, five arms", "Bandit.from_bytes, five settled arms"
    costs = in_rounds(
        {decide: lambda: from_python(FIVE_ARMS, decisions=2_000), restore: lambda: restored(FIVE_ARMS)}, rounds
    )
    ratio = ratio_of(costs[restore], costs[decide])
    return [
        *(
            Requirement(name, cost.median * 1e6, 100.0, "µs", note=f"best {cost.best * 1e6:.1f}")
            for name, cost in costs.items()
        ),
        Requirement(f"{restore} ÷ choose + update", ratio.value, 8.0, "×", note=spread(ratio)),
    ]


def kept_requirements(quick: bool) -> list[Requirement]:
    """Arms whose rewards are kept one by one, or were before they were summed up."""
    say("rotting arms, and families given by their log-likelihood")
    decisions = (QUICK_DECISIONS,) if quick else ()
    return [*rotting_requirements(*decisions), *own_family_requirements(*decisions)]


def learning_requirements(rounds: int) -> list[Requirement]:
    """Dynamics that are learned."""
    say("unknown dynamics")
    return bank_requirements(rounds)


def population_requirements(quick: bool) -> list[Requirement]:
    """Many people, in memory and on disk."""
    say("populations")
    return scale_requirements(quick)


def memory_requirements(quick: bool) -> list[Requirement]:
    """Bytes of an arm, and of a large simulation."""
    say("memory")
    size = bytes_of_an_arm(decisions=200 if quick else 2_000)
    large = "simulate, 1,000 people × 20,000 decisions, {}"
    return [
        Requirement("evidence on an arm of a person", size, 1_024, "bytes"),
        *tried(lambda: [peak_of("random") / 1e6], Requirement(large.format("random"), None, 1_000, "MB")),
        *tried(None if quick else lambda: [peak_of(OURS) / 1e6], Requirement(large.format(OURS), None, 1_000, "MB")),
    ]


def command_requirements(quick: bool) -> list[Requirement]:
    """Seconds from prompt to prompt."""
    say("commands")
    return [
        *tried(lambda: [help_seconds()], Requirement("rogue --help", None, 0.5, "s")),
        *tried(
            None if quick else reproduce_seconds,
            Requirement("rogue reproduce logistic, the first time", None, 90.0, "s"),
            Requirement("rogue reproduce logistic, warm caches", None, 20.0, "s"),
        ),
    ]


def service_requirements(quick: bool) -> list[Requirement]:
    """A study that is served."""
    say("a study under load")
    return study_requirements(quick)


def tried(work: Callable[[], Sequence[float]] | None, *unmeasured: Requirement) -> list[Requirement]:
    """The requirements with what `work` measured for them; a process that fails must not lose all other numbers."""
    if work is None:
        return [r._replace(note="not with --quick") for r in unmeasured]
    try:
        return [r._replace(measured=value) for r, value in zip(unmeasured, work(), strict=True)]
    except ProcessFailed as failure:
        say(str(failure))
        return [r._replace(note="failed") for r in unmeasured]


def say(what: str) -> None:
    """What is being done, apart from the results."""
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

"""Measure everything once, or some parts of it; print the tables, write the numbers.

python -m benchmarks [--quick] [--out results/bench.json]
python -m benchmarks --part commands --part memory
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from benchmarks.bank import bank_requirements
from benchmarks.commands import help_seconds, reproduce_seconds
from benchmarks.curves import curve_requirements
from benchmarks.decisions import CORRECTED, OURS, PYMAB, RIVER, every_policy, late_against_early, naive_growth
from benchmarks.families import every_family
from benchmarks.first_call import first_call_requirements
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
from benchmarks.slow_forgetting import forgetting_requirements
from benchmarks.study import study_requirements
from benchmarks.table import markdown, requirements_table, show, spread, table_in_markdown
from benchmarks.truths import FIVE_ARMS
from rogue_bandits import TunedRogueUCB
from rogue_bandits.compile.cache import sources_hash

P = ParamSpec("P")
T = TypeVar("T")
ROUNDS, QUICK_ROUNDS = 7, 3
FAMILY_ROUNDS = 3  # some families take milliseconds a decision
QUICK_DECISIONS = 150
QUICK_FAMILIES = ("BernoulliLogit", "BernoulliProbit")


def main() -> None:
    """`python -m benchmarks [--out FILE] [--quick] [--part NAME ...]`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON of all numbers; the tables go beside it, as .md")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and nothing that takes long")
    names = ", ".join(PARTS)
    parser.add_argument("--part", action="append", choices=PARTS, metavar="NAME", help=f"only this part: {names}")
    chosen = parser.parse_args()
    if chosen.part and chosen.out:
        parser.error("--out is for a run of all parts")
    sources = sources_hash()
    rounds = QUICK_ROUNDS if chosen.quick else ROUNDS
    results = parts_of(chosen.part, chosen.quick, rounds) if chosen.part else measure(chosen.quick, rounds)
    if sources_hash() != sources:
        say("the package was edited meanwhile: some of it compiled again while it was timed, run this again")
    if not isinstance(results, Results):
        print(table_in_markdown(requirements_table(results)), flush=True)
        return
    show(results)
    if chosen.out is not None:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(json.dumps(as_json(results), indent=2, default=np.generic.item) + "\n")
        chosen.out.with_suffix(".md").write_text(markdown(results))


def measure(quick: bool, rounds: int) -> Results:
    """One measurement after the other, so that none disturbs another."""
    costs = timed("every policy, beside other libraries", every_policy, rounds)
    longest, repeats = (300, 1) if quick else (1_000, 3)
    naive = timed("the naive method", naive_growth, costs[OURS].median, longest=longest, repeats=repeats)
    late = timed("late decisions against early ones", decision_requirements, costs, naive, rounds)
    requirements = [*late, *parts_of(PARTS, quick, rounds)]
    names = (1, QUICK_FAMILIES) if quick else (FAMILY_ROUNDS,)
    families = timed("every reward family", every_family, *names)
    return Results(costs, (RIVER, PYMAB), naive, requirements, families, quick)


def parts_of(names: Iterable[str], quick: bool, rounds: int) -> list[Requirement]:
    """Measure parts in their order."""
    parts = [PARTS[name] for name in names]
    return [r for part in parts for r in timed(part.words, part.measure, quick, rounds)]


def timed(words: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return work(...); say what it is, and how long it took."""
    say(f"{words} …")
    begin = perf_counter()
    done = work(*args, **kwargs)
    say(f"{words}: {perf_counter() - begin:.0f} s")
    return done


def decision_requirements(costs: dict[str, Costs], naive: Naive, rounds: int) -> list[Requirement]:
    """Against river, against itself when young, against the naive method."""
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
    decisions = (QUICK_DECISIONS,) if quick else ()
    return [*rotting_requirements(*decisions), *own_family_requirements(*decisions)]


def memory_requirements(quick: bool) -> list[Requirement]:
    """Bytes of an arm, and of a large simulation."""
    size = bytes_of_an_arm(decisions=200 if quick else 2_000)
    large = "simulate, 1,000 people × 20,000 decisions, {}"
    return [
        Requirement("evidence on an arm of a person", size, 1_024, "bytes"),
        *tried(lambda: [peak_of("random") / 1e6], Requirement(large.format("random"), None, 1_000, "MB")),
        *tried(None if quick else lambda: [peak_of(OURS) / 1e6], Requirement(large.format(OURS), None, 1_000, "MB")),
    ]


def command_requirements(quick: bool) -> list[Requirement]:
    """Seconds from prompt to prompt."""
    return [
        *tried(lambda: [help_seconds()], Requirement("rogue --help", None, 0.5, "s")),
        *tried(
            None if quick else reproduce_seconds,
            Requirement("rogue reproduce logistic, the first time", None, 90.0, "s"),
            Requirement("rogue reproduce logistic, warm caches", None, 20.0, "s"),
        ),
    ]


class Part(NamedTuple):
    """A part of the benchmark: in words, and what measures it, given `quick` and the number of rounds."""

    words: str
    measure: Callable[[bool, int], list[Requirement]]


PARTS = {
    "online": Part("Bandit.choose, update and from_bytes", lambda quick, rounds: online_requirements(rounds)),
    "lookahead": Part("planning policies", lambda quick, rounds: lookahead_requirements()),
    "curves": Part("unknown curves", lambda quick, rounds: curve_requirements()),
    "kept": Part("rotting arms, and families given by loglik", lambda quick, rounds: kept_requirements(quick)),
    "forgetting": Part("states that are never clipped", lambda quick, rounds: forgetting_requirements(quick)),
    "bank": Part("unknown dynamics", lambda quick, rounds: bank_requirements(rounds)),
    "populations": Part("populations in memory and on disk", lambda quick, rounds: scale_requirements(quick)),
    "memory": Part("memory", lambda quick, rounds: memory_requirements(quick)),
    "reading": Part("reading tables", lambda quick, rounds: reading_requirements()),
    "commands": Part("commands", lambda quick, rounds: command_requirements(quick)),
    "first-call": Part("the first decisions of a process", lambda quick, rounds: first_call_requirements()),
    "study": Part("a study under load", lambda quick, rounds: study_requirements(quick)),
}


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

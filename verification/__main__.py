"""Run the statistical checks, print their results, and write a report."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import rogue_bandits as rb
from verification.advice_coverage import advice_coverage
from verification.agreement import HISTORIES, agreement
from verification.alike_arms import alike_arms
from verification.calibration import bank_calibration
from verification.corrected_radius import corrected_radius
from verification.coverage import tuned_radius
from verification.curves import scenarios
from verification.error_of_fit import error_of_fit
from verification.experiments import HEALTH_REGRET, LOGISTIC_REGRET
from verification.finding import Finding, markdown
from verification.fit_coverage import fit_coverage
from verification.floors import floors
from verification.golden import golden_decisions
from verification.growth import CORRECTED, growth
from verification.intervals import coverage_of_intervals
from verification.kinds import kinds
from verification.ladder import ladder
from verification.model_check import model_check
from verification.off_policy import off_policy
from verification.planning import planning
from verification.probabilities import probabilities_by_draws
from verification.radii import coverage_of_radii, regret_of_radii, width_of_radii
from verification.random_arms import random_arms
from verification.recommendation import recommendation
from verification.served_trial import served_trial
from verification.unknown_dynamics import trials, unknown_dynamics
from verification.unseen import unseen_cases
from verification.variants import at_several_scales, on_stationary_arms
from verification.wilks import wilks
from verification.wrong_priors import wrong_priors

FIRST_UNSEEN = 100_000
LEARN = {
    "tuned-rogue-ucb": rb.TunedRogueUCB(),
    CORRECTED: rb.TunedRogueUCB(variant="corrected"),
    "epsilon-rogue": rb.EpsilonRogue(),
}
# Round robin learns nothing, and in Table 1 plays as the myopic oracle does.
OTHERS = {name: spec() for name, spec in rb.POLICIES.items() if not spec.is_rogue and name != "round-robin"}


def checks(seed: int, part: float) -> dict[str, Callable[[], Finding]]:
    """Return every check by its name, with this part of the full number of people."""

    def people(full: int) -> int:
        return max(8, int(part * full))

    return {
        "golden": lambda: golden_decisions(part),
        "unseen": lambda: unseen_cases(FIRST_UNSEEN + seed, people(500)),
        "radii": lambda: coverage_of_radii(people(400), seed),
        "radii-intervals": lambda: coverage_of_intervals(people(200), seed),
        "radii-width": lambda: width_of_radii(people(20), seed),
        "radii-regret": lambda: regret_of_radii(people(40), people(30), seed),
        "wilks": lambda: wilks(people(1_000), seed),
        "tuned-radius": lambda: tuned_radius(people(1_000), seed),
        "error-of-fit": lambda: error_of_fit(people(1_000), seed),
        "growth-logistic": lambda: growth(LOGISTIC_REGRET, LEARN, OTHERS, people(24), seed),
        "growth-health": lambda: growth(HEALTH_REGRET, LEARN, OTHERS, people(200), seed),
        "variants": lambda: on_stationary_arms(people(1_000), seed),
        "corrected-radius": lambda: corrected_radius(people(10), seed),
        "scales": lambda: at_several_scales(people(30), seed),
        "planning": lambda: planning(people(30), seed),
        "random-arms": lambda: random_arms(people(20), seed),
        "bank-calibration": lambda: bank_calibration(people(2_000), seed),
        "unknown-dynamics": lambda: unknown_dynamics(people(30), people(100), seed),
        "unknown-trials": lambda: trials(people(30), seed),
        "bank-agreement": lambda: agreement(HISTORIES, seed),
        "unknown-wrong": lambda: wrong_priors(people(100), seed),
        "unknown-kinds": lambda: kinds(people(100), people(30), seed),
        "unknown-check": lambda: model_check(people(300), seed),
        "off-policy": lambda: off_policy(people(1_000), seed),
        "scenarios": lambda: scenarios(people(50), seed),
        "recommended": lambda: recommendation(people(150), seed),
        "probabilities": lambda: probabilities_by_draws(people(1_000) * 1_000, seed),
        "served-trial": lambda: served_trial(people(1_112), people(40), seed),
        "ladder": lambda: ladder(people(100), seed),
        "advice-coverage": lambda: advice_coverage(people(100), seed),
        "alike-arms": lambda: alike_arms(people(40), seed),
        "floors": lambda: floors(people(40), seed),
        "fit-coverage": lambda: fit_coverage(people(1_400), seed),
    }


def main() -> None:
    """Run `python -m verification [--out DIR] [--seed N] [--part SHARE] [NAME ...]`."""
    parser = argparse.ArgumentParser(prog="python -m verification", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"run only these checks: {', '.join(checks(0, 1.0))}")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for report.md and figures")
    parser.add_argument("--seed", type=int, default=1, help="seed of all random streams [default: 1]")
    parser.add_argument(
        "--part",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="share of the people to simulate, such as 0.1 for a quick run [default: 1]",
    )
    chosen = parser.parse_args()
    available = checks(chosen.seed, chosen.part)
    if unknown := [name for name in chosen.names if name not in available]:
        parser.error(f"check '{unknown[0]}' is unknown. There are: {', '.join(available)}")
    began = time.monotonic()
    sections, failed = [f"# Verification\nVersion {version('rogue-bandits')}, seed {chosen.seed}.\n"], []
    figures: dict[str, bytes] = {}
    for name in chosen.names or available:
        print(f"{name} …", file=sys.stderr, flush=True)
        finding = available[name]()
        sections.append(markdown(finding))
        figures.update(finding.figures)
        print(sections[-1], flush=True)
        if not finding.holds:
            failed.append(name)
    if chosen.out is not None:
        chosen.out.mkdir(parents=True, exist_ok=True)
        (chosen.out / "report.md").write_text("\n".join(sections))
        for name, content in figures.items():
            (chosen.out / name).write_bytes(content)
    print(f"{(time.monotonic() - began) / 60.0:.0f} minutes", file=sys.stderr)
    if failed:
        sys.exit(f"These checks do not hold: {', '.join(failed)}")


if __name__ == "__main__":
    main()

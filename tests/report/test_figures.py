"""Figures: valid files, with all that a reader needs in them."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rogue_bandits.experiments.results import Results
from rogue_bandits.plotting import image
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment import write_report
from rogue_bandits.report.experiment.figures import FIGURES, figure, plots
from rogue_bandits.report.experiment.styles import style_of
from tests.pictures import undrawn as undrawn
from tests.report.made_up import made_up


def texts(svg: bytes) -> str:
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return "\n".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))


def svgs(results: Results) -> dict[str, str]:
    return {plot.name: texts(image(figure(plot, results), "svg")) for plot in plots(results)}


def test_the_four_figures_name_their_axes_and_policies() -> None:
    results = made_up()
    written = svgs(results)
    assert tuple(written) == FIGURES
    for name, text in written.items():
        rogue = name.endswith("_rogue")
        assert "decision" in text
        assert "mean of 4 replicates; bands: ± one standard error" in text
        assert {row for row in results.policies if POLICIES[row].label in text.splitlines()} == {
            row for row in results.policies if POLICIES[row].is_rogue or not rogue
        }
    assert "tracking regret (expected reward lost against the best arm at that moment)" in written["regret"]
    assert "oracle: best arm now, 0.6386" in written["reward_rogue"]
    assert "oracle: best plan, 0.6465" in written["reward_rogue"]
    assert "oracle" not in written["regret"]


def test_a_png_is_as_wide_as_two_columns_at_200_dots_an_inch() -> None:
    results = made_up()
    png = image(figure(plots(results)[0], results), "png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (1440, 800)


def test_the_same_results_give_the_same_files() -> None:
    results = made_up(("random",))
    plot = plots(results)[0]
    for kind in ("png", "svg"):
        assert image(figure(plot, results), kind) == image(figure(plot, results), kind)


@pytest.mark.parametrize(("horizon", "replicates"), [(1, 1), (1, 3), (2, 1), (700, 1)])
def test_short_and_single_runs_can_be_drawn(horizon: int, replicates: int) -> None:
    text = svgs(made_up(("random", "epsilon-rogue"), horizon, replicates))
    assert ("one replicate" in text["reward"]) == (replicates == 1)


def test_regret_that_is_zero_throughout_can_be_drawn() -> None:
    results = made_up(("random",))
    nothing = results.policies["random"].tracking_regret.model_copy(update={"mean": (0.0,) * 432, "stderr": None})
    decisions = tuple(range(1, 433))
    flat = results.policies["random"].model_copy(update={"tracking_regret": nothing, "decisions": decisions})
    svgs_of_regret = figure(plots(results)[1], results._replace(policies={"random": flat}))
    assert "Random" in texts(image(svgs_of_regret, "svg"))


@pytest.mark.usefixtures("undrawn")
def test_figures_of_an_earlier_run_with_other_policies_are_removed(tmp_path: Path) -> None:
    write_report(made_up(("random", "epsilon-rogue")), tmp_path)
    assert (tmp_path / "regret_rogue.svg").exists()
    paths = write_report(made_up(("random",)), tmp_path)
    assert set(paths) == set(tmp_path.iterdir())
    assert {path.stem for path in paths if path.suffix == ".png"} == {"gap", "regret", "reward"}


def test_every_policy_has_a_look_of_its_own() -> None:
    styles = {row: style_of(row) for row in POLICIES}
    assert len({(style.colour, style.dash) for style in styles.values()}) == len(styles)
    # In grey, markers tell the curves of one group apart.
    for group in (True, False):
        markers = [styles[row].marker for row in POLICIES if POLICIES[row].is_rogue is group]
        assert len(set(markers)) == len(markers)

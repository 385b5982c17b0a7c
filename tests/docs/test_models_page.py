"""The worked examples of docs/models.md run, are as short as it says, and do what the page says."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rogue_bandits as rb
from rogue_bandits import cli, model
from rogue_bandits.cli.user_file import named
from rogue_bandits.model import DYNAMICS as ALL_DYNAMICS
from rogue_bandits.model import FAMILIES
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.interpreted import interpreted as interpreted
from tests.interpreted import interpreted_decisions as interpreted_decisions
from tests.matrix import FULL

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
EXAMPLE, *OF_KINDS, DYNAMICS, VECTORS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
KINDS = {"Exponential": OF_KINDS[0], "PoissonGlm": OF_KINDS[1], "Agent": OF_KINDS[2]}
SHOWN = re.findall(r"\$ rogue check --model my_file.py:walk\n(.*?)\$", PAGE, flags=re.DOTALL)[0]


@pytest.fixture
def my_file(tmp_path: Path) -> Path:
    file = tmp_path / "my_file.py"
    file.write_text(EXAMPLE)
    return file


def rogue(*words: object) -> Result:
    return CliRunner().invoke(cli.main, [str(word) for word in words])


@pytest.mark.parametrize(
    "example", [EXAMPLE, *KINDS.values(), DYNAMICS, VECTORS], ids=["Numeric", *KINDS, "dynamics", "vectors"]
)
def test_an_example_has_fewer_than_thirty_lines_of_code(example: str) -> None:
    assert len([line for line in example.splitlines() if line.strip()]) < 30


def test_there_is_an_example_of_each_kind() -> None:
    assert len(OF_KINDS) == len(KINDS)
    for kind, example in KINDS.items():
        assert re.search(rf"^{kind}\.register\(", example, flags=re.MULTILINE)


@pytest.mark.filterwarnings("ignore:.* rewards cannot be summed up")  # the noise of one is too steep
@pytest.mark.parametrize("kind", KINDS)
def test_the_example_of_a_kind_is_sound_and_can_be_played(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Its laws are compiled by the check."""
    file = tmp_path / f"of_{kind}.py"
    file.write_text(KINDS[kind])
    result = rogue("check", "--model", f"{file}:arm")
    assert result.exit_code == 0, result.output
    assert "nothing is wrong" in result.output
    request.getfixturevalue("compiled_in_verify")
    arm = named(f"{file}:arm")
    truth = rb.Truth([arm, arm], [arm.theta_lo, arm.theta_hi], [0.5, 0.5])
    horizon = 20 if FULL else 5
    trace = rb.simulate(truth, rb.EpsilonRogue(), horizon)
    assert trace.tracking_regret().shape == (1, horizon)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("kind", ["BernoulliGlm", "GaussianGlm"])
def test_another_link_is_an_edit_of_the_example(kind: str, tmp_path: Path) -> None:
    """Of counts: for rewards 0 or 1 the mean is a probability, for any number there is an sd."""
    text = KINDS["PoissonGlm"].replace("PoissonGlm", kind).replace("Pages", f"{kind}Pages")
    if kind == "GaussianGlm":
        text = text.replace("state_weight: float", "state_weight: float\n    sd: float")
        text = text.replace("state_weight=3.0", "state_weight=3.0, sd=0.5")
    else:
        mean = "-math.expm1(-math.exp(eta)), math.exp(eta - math.exp(eta))"
        text = re.sub(r"return math\.log1p.*", f"return {mean}", text).replace("=3.0)", "=-3.0)")
    file = tmp_path / f"of_{kind}.py"
    file.write_text(text)
    result = rogue("check", "--model", f"{file}:arm")
    assert result.exit_code == 0, result.output


def test_signatures_on_the_page_are_those_of_the_laws() -> None:
    """Of every law in the tables of the three kinds."""
    tables = PAGE[PAGE.index("### An exponential family") : PAGE.index("## Dynamics of your own")]
    signatures = dict(re.findall(r"^\| `(\w+)\(([\w, ]+)\)`", tables, flags=re.MULTILINE))
    assert {"log_partition", "steepest", "inverse_link", "log_density", "log_above", "noise_support"} <= set(signatures)
    laws: dict[str, Any] = vars(model)
    for name, arguments in signatures.items():
        for given in (said for kind, said in laws[name].registry.items() if kind is not object):
            assert list(inspect.signature(given).parameters) == arguments.split(", "), name


def test_every_family_and_all_dynamics_are_on_the_page() -> None:
    for name in (*FAMILIES, *ALL_DYNAMICS):
        assert f"`{name}(" in PAGE


def test_the_example_of_dynamics_is_sound_and_can_be_played(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Its laws are compiled by the check; kernels of dynamics without a closed form are compiled in tests/policies."""
    file = tmp_path / "my_dynamics.py"
    file.write_text(DYNAMICS)
    checked = rogue("check", "--model", f"{file}:arm")
    assert checked.output == "ease: BernoulliLogit rewards with Easing dynamics: nothing is wrong\n"
    request.getfixturevalue("interpreted")
    words = ("--policy", "tuned-rogue-ucb-corrected", "--policy", "random", "--horizon", 12, "--people", 1)
    played = rogue("simulate", "--model", f"{file}:truth", *words)
    assert played.exit_code == 0, played.output
    assert played.stdout.count("tracking regret") == 2


@pytest.mark.usefixtures("interpreted")
def test_the_example_of_vectors_is_sound_and_can_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my_vectors.py"
    file.write_text(VECTORS)
    checked = rogue("check", "--model", f"{file}:arm")
    assert checked.output == "stores: Weighted rewards with TwoStores dynamics: nothing is wrong\n"
    truth = named(f"{file}:truth")
    monkeypatch.setitem(ALL_DYNAMICS, "TwoStores", type(truth.arms[0].dynamics))
    bandit = rb.Bandit(truth.arms, rb.TunedRogueUCB(variant="corrected"), seed=5)
    for _ in range(12 if FULL else 6):
        bandit.update(bandit.choose(), 1.0)
    twin = rb.Bandit.from_json(bandit.to_json())
    assert [twin.choose() for _ in range(3)] == [bandit.choose() for _ in range(3)]


@pytest.mark.parametrize(
    ("slopes", "says"),
    [
        ("math.nan, math.nan", "its slopes(0, 1, 0) are nan and nan: the least first, then the largest"),
        ("1.0, 0.5", "its slopes(0, 1, 0) are 1 and 0.5: the least first, then the largest"),
        ("'x'", "its slopes(0, 1, 0) must be two numbers: ValueError: could not convert string to float: 'x'"),
    ],
)
def test_slopes_that_are_none_are_refused(tmp_path: Path, slopes: str, says: str) -> None:
    file = tmp_path / "none.py"
    head, _, tail = DYNAMICS.partition("def easing_slopes(d, lo, hi, played_t):")
    law = f"def easing_slopes(d, lo, hi, played_t):\n    return {slopes}\n\n"
    file.write_text("import math\n" + head + law + tail[tail.index("arm = ") :])
    with pytest.raises(ValueError, match=re.escape(says)):
        rb.fit(named(f"{file}:arm"), [1], [1])


def test_a_state_that_goes_astray_later_is_reported_by_simulate(tmp_path: Path) -> None:
    file = tmp_path / "astray.py"
    hole = "return 7.0 if 0.3125 < x_t < 0.3126 else x_t + d.pace * (d.hi - x_t) ** 2"
    text = DYNAMICS.replace("return x_t + d.pace * (d.hi - x_t) ** 2", hole).replace("Easing", "Astray")
    file.write_text(text.replace("x0=[1.0, 0.5]", "x0=[0.6251, 0.6251]"))
    truth = named(f"{file}:truth")
    says = r"^arm 'ease', next_state led to x 7 after decision 1 of person \d: must be from 0 to 1$"
    with pytest.raises(ValueError, match=says):  # whoever plays one arm and then the other
        rb.simulate(truth, rb.Random(), horizon=40, people=8, seed=3)


def test_slopes_that_promise_too_much_are_found(tmp_path: Path) -> None:
    file = tmp_path / "steep.py"
    text = DYNAMICS.replace("(d.hi - lo), 1.0", "(d.hi - hi), 1.0").replace("Easing", "Steep")
    file.write_text(text)
    checked = rogue("check", "--model", f"{file}:arm")
    assert checked.exit_code == 1
    assert "an enclosure holds every state that its box leads to" in checked.output


@pytest.mark.usefixtures("interpreted")
def test_dynamics_without_slopes_have_the_same_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rogue_bandits.belief.history.OFFLINE_EVALUATIONS", 500)  # without slopes a proof is slow
    file = tmp_path / "plain.py"
    head, _, tail = DYNAMICS.partition("@slopes.register(Easing)")
    file.write_text(head.replace("Easing", "Plain") + tail[tail.index("arm = ") :].replace("Easing", "Plain"))
    (tmp_path / "my_dynamics.py").write_text(DYNAMICS)
    plain, with_slopes = named(f"{file}:arm"), named(f"{tmp_path / 'my_dynamics.py'}:arm")
    history = [1, 1, 0, 0, 1, 0, 1, 1], [1, 0, float("nan"), float("nan"), 1, float("nan"), 0, 1]
    assert rb.fit(plain, *history).loglik == pytest.approx(rb.fit(with_slopes, *history).loglik, abs=1e-6)


@pytest.mark.parametrize(
    ("instead", "says"),
    [
        ("x_t + 2.0", "next_state: at x 0, played 0 it is 2, and the bounds are 0 to 1"),
        ("math.nan * x_t", "next_state(0, 0) is nan"),
        ("x_t**2", "next_state: with played 0 it takes 0.5 and 0.525, which are 0.025 apart, 0.025625 apart"),
    ],
)
def test_dynamics_that_break_are_refused_with_the_law_and_the_values(tmp_path: Path, instead: str, says: str) -> None:
    file = tmp_path / "bad_dynamics.py"
    file.write_text("import math\n" + DYNAMICS.replace("x_t + d.pace * (d.hi - x_t) ** 2", instead))
    arm = named(f"{file}:arm")
    with pytest.raises(ValueError, match=re.escape(f"arm 'ease', {says}")):
        rb.fit(arm, [1], [1])


def test_the_example_is_sound_and_the_report_is_the_one_shown(my_file: Path) -> None:
    result = rogue("check", "--model", f"{my_file}:walk")
    assert result.exit_code == 0, result.output
    assert result.output == SHOWN


@pytest.mark.usefixtures("interpreted_decisions")
def test_policies_play_against_the_example(my_file: Path) -> None:
    words = ("--policy", "epsilon-rogue", "--policy", "random", "--horizon", 12, "--people", 2)
    result = rogue("simulate", "--model", f"{my_file}:truth", *words)
    assert result.exit_code == 0, result.output
    assert "cannot be summed up" not in result.stderr
    numbers = ", ".join(rf"{name} [\d.]+ ± [\d.]+" for name in ("reward", "expected", "tracking regret", "optimal gap"))
    assert re.fullmatch(rf"epsilon-rogue: {numbers}\nrandom: {numbers}\n", result.stdout)


def test_a_broken_model_is_reported_and_the_command_fails(my_file: Path) -> None:
    my_file.write_text(EXAMPLE.replace("- math.log(total)", "- 0.5 * math.log(total)"))
    result = rogue("check", "--model", f"{my_file}:walk")
    assert result.exit_code == 1
    assert "loglik: at theta 0.02 and x 0.02 it integrates to" in result.output


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("walk", "--model 'walk' must be a Python file and a name in it, such as my_file.py:walk"),
        ("{folder}/nowhere.py:walk", "model file '{folder}/nowhere.py' does not exist"),
        ("{folder}/my_file.py:wolk", "name 'wolk' is not in '{folder}/my_file.py', did you mean 'walk'?"),
        ("{folder}/my_file.py:Rating", "'{folder}/my_file.py:Rating' is type: it must be an Arm or a Truth"),
        ("{folder}/broken.py:walk", "model file '{folder}/broken.py', line 1: ZeroDivisionError: division by zero"),
    ],
)
def test_a_model_that_cannot_be_had_is_refused_in_one_line(my_file: Path, place: str, says: str) -> None:
    (my_file.parent / "broken.py").write_text("1 / 0\n")
    result = rogue("check", "--model", place.format(folder=my_file.parent))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {says.format(folder=my_file.parent)}")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import math\n\nwalk = wolk\n", ", line 3: NameError: name 'wolk' is not defined"),
        ("def half(x):\n    return x / 0\n\nwalk = half(1)\n", ", line 2: ZeroDivisionError: division by zero"),
        ("import math\nwalk = math.log(-1.0)\n", ", line 2: ValueError: math domain error"),
        ("import sys\n\nsys.exit(3)\n", ", line 3: SystemExit: 3"),
        ("walk = 1\nwalk = (\n", ", line 2: SyntaxError: '(' was never closed"),
        ("def f():\n    walk = 1\n  walk = 2\n", ", line 3: IndentationError: unindent does not match"),
        ("walk = 1\nimport torn\n", ", line 2: SyntaxError: invalid syntax (torn.py, line 3)"),
        ("walk = 1\nimport late\n", ", line 2: ZeroDivisionError: division by zero (late.py, line 2)"),
    ],
)
def test_an_error_in_a_model_file_is_reported_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text)
    (tmp_path / "torn.py").write_text("walk = 1\n\nwalk = = 2\n")
    (tmp_path / "late.py").write_text("walk = 1\nwalk / 0\n")
    result = rogue("check", "--model", f"{file}:walk")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: model file '{file}'{says}")
    assert len(result.stderr.splitlines()) == 1


def test_a_law_that_names_what_is_not_there_is_reported(my_file: Path) -> None:
    my_file.write_text(EXAMPLE.replace("math.log(total)", "math.log(totle)"))
    result = rogue("check", "--model", f"{my_file}:walk")
    assert result.exit_code == 1
    assert "raises NameError: name 'totle' is not defined" in result.output


@pytest.mark.usefixtures("interpreted")
def test_without_a_choice_policies_that_cannot_play_are_named_and_passed_over(my_file: Path) -> None:
    result = rogue("simulate", "--model", f"{my_file}:truth", "--horizon", 5, "--people", 1)
    assert result.exit_code == 0, result.output
    assert "rogue-ucb: not simulated: " in result.output
    assert "tuned-rogue-ucb-corrected: reward " in result.output


def test_a_truth_whose_arms_are_sound_may_still_be_none(my_file: Path) -> None:
    my_file.write_text(EXAMPLE.replace("theta=[0.3, 0.7]", "theta=[0.3, 9.0]"))
    result = rogue("check", "--model", f"{my_file}:truth")
    assert result.exit_code == 1
    assert "the arms together: " in result.output
    assert "theta 9.0 must be from 0.0 to 1.0" in result.output


def test_simulate_needs_a_truth_and_known_policies(my_file: Path) -> None:
    result = rogue("simulate", "--model", f"{my_file}:walk")
    assert (result.exit_code, "simulate needs a Truth" in result.stderr) == (2, True)
    result = rogue("simulate", "--model", f"{my_file}:truth", "--policy", "randon")
    assert (result.exit_code, "did you mean 'random'?" in result.stderr) == (2, True)

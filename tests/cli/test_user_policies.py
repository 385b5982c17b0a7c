"""`rogue simulate --policy my_file.py:Mine`: a policy of one's own, and what may be wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rogue_bandits import cli
from tests.interpreted import interpreted as interpreted

pytestmark = pytest.mark.usefixtures("interpreted")
MODEL = """
import rogue_bandits as rb
arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
truth = rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3])
"""
POLICY = """
from typing import NamedTuple
from rogue_bandits.types import NO_TICKET, choose, learn, play, start
class Mine(NamedTuple):
    arm: int = 1
class MineState(NamedTuple):
    shared: Mine
    personal: tuple = ()
@start.register(Mine)
def mine_start(policy, problem, people):
    return MineState(policy)
@choose.register(MineState)
def mine_choose(state, person, request):
    return state.shared.arm, 1.0
@play.register(MineState)
def mine_play(state, person, number, arm):
    return NO_TICKET
@learn.register(MineState)
def mine_learn(state, person, number, arm, probability, ticket, r):
    pass
other = Mine(0)
beyond, below = Mine(2), Mine(-1)
class Needs(NamedTuple):
    arm: int
"""


def simulated(tmp_path: Path, policy: str, text: str = POLICY) -> Result:
    (tmp_path / "my_model.py").write_text(MODEL)
    (tmp_path / "my_file.py").write_text(text)
    words = ["--horizon", "20", "--people", "2", "--policy", policy.replace("FILE", str(tmp_path / "my_file.py"))]
    return CliRunner().invoke(cli.main, ["simulate", "--model", f"{tmp_path / 'my_model.py'}:truth", *words])


@pytest.mark.parametrize("name", ["Mine", "other"])
def test_a_policy_in_a_file_is_simulated(tmp_path: Path, name: str) -> None:
    result = simulated(tmp_path, f"FILE:{name}")
    assert result.exit_code == 0, result.output
    assert result.output.startswith(f"{tmp_path / 'my_file.py'}:{name}: reward ")
    assert "optimal gap" in result.output


def test_policy_and_model_may_share_a_file(tmp_path: Path) -> None:
    (tmp_path / "both.py").write_text(MODEL + POLICY)
    place = tmp_path / "both.py"
    words = ["--model", f"{place}:truth", "--policy", f"{place}:Mine", "--policy", f"{place}:other", "--horizon", "9"]
    result = CliRunner().invoke(cli.main, ["simulate", *words])
    assert result.exit_code == 0, result.output
    assert len(result.output.splitlines()) == 2


def without(law: str) -> str:
    return POLICY.replace(f"@{law}.register(MineState)", "")


MADE = "with probability 1 at decision 0 of person 0: it must be the number of an available arm"
NO_POLICY = "is not a policy: pass one such as TunedRogueUCB(); rb.POLICIES lists them all"
PAIR = "it must be an arm number and its probability"
NO_START = POLICY.replace("@start.register(Mine)", "")
LONE_ARM = POLICY.replace("return state.shared.arm, 1.0", "return 1")
REFUSED = {
    "beyond": (POLICY, "beyond", f"policy Mine, `choose` returned arm 2 {MADE}"),
    "minus one": (POLICY, "below", f"policy Mine, `choose` returned arm -1 {MADE}"),
    "no choose": (without("choose"), "Mine", "policy Mine, law `choose` is missing: register one for its state, Min"),
    "no play": (without("play"), "Mine", "policy Mine, law `play` is missing: register one for its state, MineState"),
    "no learn": (without("learn"), "Mine", "policy Mine, law `learn` is missing: register one for its state, MineS"),
    "no start": (NO_START, "Mine", f"Mine(arm=1) {NO_POLICY}"),
    "a wrong value": (LONE_ARM, "Mine", f"policy Mine, `choose` returned 1: {PAIR}"),
    "start fails": (
        POLICY.replace("return MineState(policy)", "return problem.arms[9]"),
        "Mine",
        "policy Mine, `start` raised IndexError: tuple index out of range (my_file.py, line ",
    ),
    "uniforms fails": (
        POLICY + "from rogue_bandits.types import uniforms\nuniforms.register(Mine, lambda policy, problem: 1 / 0)",
        "Mine",
        "policy Mine, `uniforms` raised ZeroDivisionError: division by zero (my_file.py, line ",
    ),
    "no probability": (
        POLICY.replace("return state.shared.arm, 1.0", "return 1, -1.0"),
        "Mine",
        "policy Mine, `choose` returned NOT_ASKED for the probability of its arm: it must be one above 0",
    ),
    "settings": (
        POLICY,
        "Needs",
        "--policy 'FILE:Needs': Needs.__new__() missing 1 required positional argument: 'arm'",
    ),
    "no name": (POLICY, "Mini", "name 'Mini' is not in 'FILE', did you mean 'Mine'?"),
    "an error": (POLICY + "1/0", "Mine", "policy file 'FILE', line "),
    "a number": (POLICY + "x = 5", "x", f"5 {NO_POLICY}"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, name: str) -> None:
    text, policy, message = REFUSED[name]
    result = simulated(tmp_path, f"FILE:{policy}", text)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {message.replace('FILE', str(tmp_path / 'my_file.py'))}")
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_id_says_how_to_name_a_file(tmp_path: Path) -> None:
    result = simulated(tmp_path, "mine")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: policy 'mine' is unknown")
    assert result.stderr.endswith("one of your own is given as my_file.py:Mine\n")

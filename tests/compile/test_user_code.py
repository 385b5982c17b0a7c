"""Types and laws of a user's own: kept kernels never mask an edit, wherever it was made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numba
import pytest

from rogue_bandits import own
from rogue_bandits.compile.laws import LAWS, law
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.types import Arm

MODEL = """
from typing import NamedTuple
from gains import GAIN
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.types import mean

class Plain(NamedTuple):
    weight: float

Numeric.register(Plain)

@mean.register(Plain)
def plain_mean(f, theta, x):
    return f.weight * theta + GAIN * x
"""
# The mean by way of a small kernel of the package's, and how often that kernel came from disk.
PROBE = """
import numpy as np
from my_model import Plain
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.simulation.trace import Trace, retrace
from rogue_bandits.types import Arm, Truth
arm = Arm(ClippedAffine(0.5, -1.0, 0.5), Plain(1.0))
nothing = np.zeros((1, 1))
trace = Trace(Truth([arm], [0.25], [0.5]), None, 0, nothing.astype(np.int16), nothing, nothing)
print(trace.mean[0, 0], sum(retrace.stats.cache_hits.values()))
"""


def probe(folder: Path) -> tuple[float, int]:
    """Run the probe in a process of its own."""
    process = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1",
             "NUMBA_CACHE_DIR": str(folder / "kept")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    mean, hits = process.stdout.split()
    return float(mean), int(hits)


def test_an_edit_to_a_users_law_or_to_what_it_imports_is_never_masked(tmp_path: Path) -> None:
    model, gains = tmp_path / "my_model.py", tmp_path / "gains.py"
    model.write_text(MODEL)
    gains.write_text("GAIN = 2.0\n")
    assert probe(tmp_path) == (1.25, 0)
    assert probe(tmp_path) == (1.25, 1)
    model.write_text(MODEL.replace("GAIN * x", "GAIN * x + 7.0"))
    assert probe(tmp_path) == (8.25, 0)
    gains.write_text("GAIN = 4.0\n")
    assert probe(tmp_path) == (9.25, 0)
    model.write_text(MODEL)
    gains.write_text("GAIN = 2.0\n")
    assert probe(tmp_path) == (1.25, 1)


class Mine(NamedTuple):
    """A type of somebody else's."""

    a: float


def signature(*values: Any) -> tuple[Any, ...]:
    typeof: Any = numba.typeof
    return tuple(typeof(value) for value in values)


def test_a_number_that_a_law_reads_from_elsewhere_is_never_masked(tmp_path: Path) -> None:
    """Through a helper, from a file that is no source."""
    (tmp_path / "gains.py").write_text(
        "from pathlib import Path\n"
        "from rogue_bandits.compile.laws import inlined\n"
        "FACTOR = float((Path(__file__).parent / 'factor.txt').read_text())\n"
        "@inlined\ndef gain(x):\n    return FACTOR * x\n"
    )
    (tmp_path / "my_model.py").write_text(MODEL.replace("GAIN * x", "gain(x)").replace("GAIN", "gain"))
    for factor, expected in ((2.0, (1.25, 0)), (2.0, (1.25, 1)), (4.0, (2.25, 0)), (2.0, (1.25, 1))):
        (tmp_path / "factor.txt").write_text(str(factor))
        assert probe(tmp_path) == expected


def test_only_types_from_outside_have_a_key() -> None:
    ours = Arm(Gaussian(1.0, 1.0, 1.0), Gaussian(1.0, 1.0, 1.0), 0.0, 1.0, None)  # type: ignore[arg-type]  # no name
    assert own.own_key(signature(1.0, ours), LAWS) == ""
    key = own.own_key(signature(1.0, ours._replace(rewards=Mine(1.0))), LAWS)
    assert key == own.own_key(signature(Mine(2.0)), LAWS)
    assert key is not None
    assert len(key) == 16


def test_a_type_that_was_typed_at_a_prompt_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mine, "__module__", "prompt")
    assert own.own_key(signature(Mine(1.0)), LAWS) is None


def test_a_file_that_was_edited_since_the_process_began_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its laws may be in memory as they were before."""
    monkeypatch.setattr(own, "STARTED", 0.0)
    assert own.own_key(signature(Mine(1.0)), LAWS) is None


def test_what_a_users_file_says_of_a_type_of_ours_has_a_key() -> None:
    @law
    def colour(f: Any) -> float: ...

    assert own.own_key(signature(Gaussian(1.0, 1.0, 1.0)), [colour]) == ""
    colour.register(Gaussian)(lambda f: 1.0)
    assert own.own_key(signature(Gaussian(1.0, 1.0, 1.0)), [colour]) != ""


def test_a_text_tells_what_it_imports() -> None:
    text = b"import a.b\nfrom c import d\ndef f():\n    from . import e\n"
    module: Any = type(sys)("pack.inner")
    module.__package__ = "pack"
    assert set(own.imports_of(module, text)) == {"a.b", "c", "c.d", "pack", "pack.e"}

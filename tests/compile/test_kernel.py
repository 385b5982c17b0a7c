"""Each class has kernels of its own, whatever its name, and whoever waits is told for what."""

from __future__ import annotations

import io
import logging
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.compile import kernel as kernels
from rogue_bandits.compile.laws import inlined, kernel, law, pick, specialised, stack
from rogue_bandits.types import NO_TICKET, Problem, Request, Ticket, choose, learn, mean, next_state, play, start
from tests.compile.fresh import Fresh

pytestmark = pytest.mark.xdist_group("fresh")  # one process to fork from for all


def family(scale: float) -> Any:
    class Plain(NamedTuple):
        weight: float

    @mean.register(Plain)
    def plain_mean(f: Any, theta: float, x: float) -> float:
        return scale * f.weight * theta

    return Plain


def dynamics(scale: float) -> Any:
    class Slow(NamedTuple):
        decay: float

    @next_state.register(Slow)
    def slow_next(d: Any, x_t: float, played_t: float) -> float:
        return scale * d.decay * x_t

    return Slow


def policy(scale: float) -> Any:
    class Greedy(NamedTuple):
        bound: float

    @choose.register(Greedy)
    def greedy_choose(state: Any, person: int, request: Request) -> tuple[int, float]:
        return int(scale), scale * state.bound

    return Greedy


def mean_of(f: Any) -> float:
    return mean(f, 1.0, 0.5)


def state_of(d: Any) -> float:
    return next_state(d, 1.0, 0.5)


def probability_of(state: Any) -> float:
    return choose(state, 0, Request(0, np.ones(1, dtype=np.bool_), np.full(1, 0.5)))[1]


def picked_mean(arms: Any) -> float:
    return mean(pick(arms, 0)[0], 1.0, 0.5)


@pytest.mark.parametrize(
    ("make", "function"), [(family, mean_of), (dynamics, state_of), (policy, probability_of)], ids=lambda f: f.__name__
)
def test_a_class_that_is_defined_again_has_its_own_laws(make: Any, function: Any) -> None:
    """As in a notebook, where a cell is run twice: one name, the same fields, other laws."""
    compiled: Any = kernel(function)
    classes = [make(scale) for scale in (2.0, 3.0)]
    assert len({kind.__qualname__ for kind in classes}) == 1
    for kind, expected in [*zip(classes, (2.0, 3.0), strict=True), (classes[0], 2.0)]:
        thing = kind(1.0)
        assert function(thing) == compiled(thing) == specialised(compiled, thing)(thing) == expected


def test_a_class_that_is_defined_again_inside_of_another_has_its_own_laws() -> None:
    class Pair(NamedTuple):
        family: Any
        number: float

    compiled: Any = kernel(picked_mean)
    for scale in (2.0, 3.0, 2.0):
        assert compiled(stack([Pair(family(scale)(1.0), 1.0)])) == scale


class Box(NamedTuple):
    side: float


@law
def size(f: Any) -> float: ...


@law
def price(f: Any) -> float: ...


@inlined
def taxed(f: Any) -> float:
    return 10.0 * size(f)


@price.register(Box)
def box_price(f: Any) -> float:
    return 10.0 * taxed(f)


def size_and_prices(f: Any) -> tuple[float, float, float]:
    return size(f), taxed(f), price(f)


def test_a_law_that_is_given_anew_counts_from_then_on() -> None:
    """As in a notebook, where the cell of the law is run again and that of the class is not."""
    compiled: Any = kernel(size_and_prices)

    def give(factor: float) -> None:
        size.register(Box)(lambda f: factor * f.side)

    give(2.0)
    before = specialised(compiled, Box(1.0))
    assert before(Box(1.0)) == (2.0, 20.0, 200.0)
    give(3.0)
    assert compiled(Box(1.0)) == specialised(compiled, Box(1.0))(Box(1.0)) == (3.0, 30.0, 300.0)
    assert before(Box(1.0)) == (2.0, 20.0, 200.0)  # who holds machine code keeps it


class Stubborn(NamedTuple):
    """A policy that has no state: always the arm that its law names."""


class StubbornState(NamedTuple):
    shared: Stubborn
    personal: tuple[()] = ()


@start.register(Stubborn)
def start_stubborn(policy: Stubborn, problem: Problem, people: int) -> StubbornState:
    return StubbornState(policy)


@play.register(StubbornState)
def stubborn_play(state: StubbornState, person: int, number: int, arm: int) -> Ticket:
    return NO_TICKET


@learn.register(StubbornState)
def stubborn_learn(
    state: StubbornState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    pass


def test_a_bandit_that_is_made_anew_has_the_law_that_was_given_anew() -> None:
    """Its tables and kernels are kept for others of the same policy: they stayed those of the first law."""
    arms = [rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))] * 2

    @choose.register(StubbornState)
    def first(state: StubbornState, person: int, request: Request) -> tuple[int, float]:
        return 0, 1.0

    assert rb.Bandit(arms, Stubborn()).choose().arm == 0

    @choose.register(StubbornState)
    def second(state: StubbornState, person: int, request: Request) -> tuple[int, float]:
        return 1, 1.0

    assert rb.Bandit(arms, Stubborn()).choose().arm == 1


MODEL = """
from typing import NamedTuple
import numba
from rogue_bandits.types import mean

class Plain(NamedTuple):
    weight: float

@numba.njit
def scaled(n, x):  # calls itself, so that it is not inlined and keeps a name in the machine code
    return {scale} * x if n <= 0 else scaled(n - 1, x) + scaled(n - 2, 0.0)

@mean.register(Plain)
def plain_mean(f, theta, x):
    return scaled(int(f.weight), theta)
"""
LOAD = """
import logging, sys
from rogue_bandits.compile.laws import kernel
from rogue_bandits.types import mean
compiled = []
logger = logging.getLogger("rogue_bandits.compile")
logger.setLevel(logging.INFO)
logger.addFilter(lambda record: compiled.append(record.getMessage().startswith("compiling")))
@kernel
def mean_of(f):
    return mean(f, 1.0, 0.5)
"""
RUN = "\nexec(compile(open({file!r}).read(), {file!r}, 'exec'))\nprint(mean_of(Plain(1.0)), end=' ')\n"


def run(fresh: Fresh, folder: Path, *files: str) -> list[float]:
    """The means of each file's Plain, each defined in place of the one before; and how many kernels were compiled."""
    text = LOAD + "".join(RUN.format(file=file) for file in files) + "\nprint(sum(compiled))"
    kept = {"NUMBA_CACHE_DIR": str(folder / "kept")}
    return [float(word) for word in fresh.ended(fresh.start(text, kept, folder)).out.split()]


def test_two_files_with_one_class_name_never_share_machine_code(tmp_path: Path, fresh: Fresh) -> None:
    """Kernels of both come from disk, where two processes put them, each with the same names inside."""
    for name, scale in (("one", 2.0), ("two", 3.0)):
        (tmp_path / f"{name}.py").write_text(MODEL.format(scale=scale))
    assert run(fresh, tmp_path, "one.py") == [2.0, 1.0]
    assert run(fresh, tmp_path, "two.py") == [3.0, 1.0]
    assert run(fresh, tmp_path, "one.py", "two.py", "one.py") == [2.0, 3.0, 2.0, 0.0]


def test_a_kernel_takes_keywords_and_defaults() -> None:
    def scaled(f: Any, by: float = 2.0) -> float:
        return by * float(f.side)

    compiled: Any = kernel(scaled)
    assert [compiled(Box(3.0)), compiled(Box(3.0), by=4.0), compiled(by=5.0, f=Box(3.0))] == [6.0, 12.0, 15.0]
    with pytest.raises(TypeError, match="missing a required argument: 'f'"):
        compiled()


def test_a_class_from_a_prompt_that_is_returned_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process would return a class of its own making."""
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    plain = family(2.0)

    def same(f: Any) -> Any:
        return f

    assert type(kernel(same)(plain(1.0))) is plain
    assert [kept.suffix for kept in tmp_path.iterdir()] == [".lock"]


def test_the_log_says_what_is_compiled_for_what(caplog: pytest.LogCaptureFixture, monkeypatch: Any) -> None:
    monkeypatch.setattr(kernels, "cache_folder", lambda: None)
    with caplog.at_level(logging.INFO, "rogue_bandits.compile"):
        kernel(mean_of)(family(2.0)(1.0))
        kernel(np_sum)(1.0)
    assert [record.getMessage() for record in caplog.records] == [
        "compiling mean_of for Plain",
        "compiling np_sum for float64",
    ]


def np_sum(x: float) -> float:
    return x + 0.5


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("kept", [True, False])
def test_somebody_who_waits_at_a_terminal_is_told_once(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ANNOUNCED_AFTER", 0.01)
    monkeypatch.setattr(kernels, "ANNOUNCED", threading.Event())
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    waiting: Any = kernel(np_sum)
    for _ in range(2):
        with kernels.announced(waiting, (), kept):
            time.sleep(0.1)
    after = "kept on disk" if kept else "for this process only"
    assert screen.getvalue() == f"rogue-bandits: compiling np_sum for first use, {after} ...\n"


def test_nobody_is_told_in_a_pipe_or_of_what_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ANNOUNCED", threading.Event())
    waiting: Any = kernel(np_sum)
    for stream, seconds in ((io.StringIO(), 0.0), (Screen(), 10.0)):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(kernels, "ANNOUNCED_AFTER", seconds)
        with kernels.announced(waiting, (), True):
            time.sleep(0.05)
        assert stream.getvalue() == ""


def test_threads_find_the_key_of_a_kernel_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one compiles, numba changes what is reached: another thread found another key, and compiled again."""

    def double(x: float) -> float:
        return 2.0 * x

    doubled: Any = kernel(double)
    float64: Any = numba.float64
    keyed, file = [], kernels.Kernel._file

    def slow_file(self: Any, types: Any) -> Any:
        keyed.append(types)
        time.sleep(0.05)
        return file(self, types)

    monkeypatch.setattr(kernels.Kernel, "_file", slow_file)
    with ThreadPoolExecutor(2) as pool:
        compiled = [pool.submit(doubled.compile, (float64,)) for _ in range(2)]
        assert [one.result()(21.0) for one in compiled] == [42.0, 42.0]
    assert len(keyed) == 1

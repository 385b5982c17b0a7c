"""A fit that was stopped continues where it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.estimate import resume
from rogue_bandits.estimate.crossvalidation import fits_to_compare
from rogue_bandits.estimate.fit import Task
from rogue_bandits.estimate.fitted import Fitted
from rogue_bandits.estimate.history import Records, records_of
from rogue_bandits.estimate.resume import (
    COMPARING,
    FILE,
    FITTING,
    fit_with_checkpoint,
    read_checkpoint,
    stamp_of,
)
from tests.estimate.made_up import arm_fit, cohort_of, table, written


class Engine:
    """A fit that takes no time, writes down what it was asked, and may be interrupted."""

    def __init__(self, stop_at: str = "", best: str = "person") -> None:
        self.stop_at, self.best, self.calls = stop_at, best, list[tuple[Any, ...]]()

    def __call__(self, records: Records, task: Task, progress: Any, done: Any, model: Any) -> Fitted:
        self.calls.append((list(records), task.pool, task.intervals))
        people = {}
        for k, (person, arms) in enumerate(records.items()):
            if person == self.stop_at:
                raise KeyboardInterrupt
            people[person] = {arm: arm_fit(n=10 + k) for arm in arms}
            done(person, people[person])
            progress(len(arms))
        return Fitted(str(task.pool), {}, people)

    def better_pool(self, model: Any, records: Records, workers: int, progress: Any) -> tuple[str, dict[str, float]]:
        self.calls.append((list(records), "compared"))
        progress(fits_to_compare(records))
        return self.best, {"person": 0.4, "arm": 0.3}


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return records_of(cohort_of(written(tmp_path / "d.csv", table(3))))


def run(monkeypatch: pytest.MonkeyPatch, engine: Engine, records: Records, asked: Task, folder: Path) -> Fitted:
    monkeypatch.setattr(resume, "fit_cohort", engine)
    monkeypatch.setattr(resume, "better_pool", engine.better_pool)
    return fit_with_checkpoint(records, asked, folder, lambda step, n: None)


def test_the_way_of_pooling_is_chosen_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records) -> None:
    engine = Engine(best="arm")
    fitted = run(monkeypatch, engine, records, Task(), tmp_path)
    assert engine.calls == [(["p0", "p1", "p2"], "compared"), (["p0", "p1", "p2"], "arm", True)]
    assert (fitted.pool, fitted.predicts) == ("arm", {"person": 0.4, "arm": 0.3})


def test_what_was_asked_for_is_not_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records) -> None:
    engine = Engine()
    assert run(monkeypatch, engine, records, Task("arm"), tmp_path).pool == "arm"
    assert engine.calls == [(["p0", "p1", "p2"], "arm", True)]


@pytest.mark.parametrize("cut", [False, True])
def test_it_continues_with_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records, cut: bool
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, Engine(stop_at="p2"), records, Task(), tmp_path)
    file = tmp_path / FILE
    if cut:  # the machine died while a line was being written
        file.write_bytes(file.read_bytes()[:-40])
    rest = ["p1", "p2"] if cut else ["p2"]
    engine = Engine()
    fitted = run(monkeypatch, engine, records, Task(workers=1), tmp_path)
    assert engine.calls == [(rest, "person", True)]
    assert list(fitted.people) == ["p0", "p1", "p2"]
    assert fitted.people["p0"]["walk"] == arm_fit(n=10)
    assert fitted.predicts == {"person": 0.4, "arm": 0.3}
    # What was written after the cut is found, too.
    assert run(monkeypatch, again := Engine(), records, Task(), tmp_path) == fitted
    assert again.calls == []


DAMAGE = {
    "a number": (b'"n": 11', b'"n": 17'),
    "a field": (b'"decay"', b'"delay"'),
    "the person": (b'"person": "p1"', b'"person": []'),
    "the arms": (b'"arms": {', b'"arms": 5, "x": {'),
    "text that is none": (b'"p1"', b'"\xff\xfe"'),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_line_that_was_changed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records, what: str
) -> None:
    whole = run(monkeypatch, Engine(), records, Task(), tmp_path)
    before, after = DAMAGE[what]
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    damaged = lines[2].replace(before, after)
    assert damaged != lines[2]
    (tmp_path / FILE).write_bytes(b"".join([*lines[:2], damaged, *lines[3:]]))
    assert list(read_checkpoint(tmp_path, stamp_of(records, Task())).people) == ["p0", "p2"]
    engine = Engine()
    fitted = run(monkeypatch, engine, records, Task(), tmp_path)
    assert engine.calls == [(["p1"], "person", True)]
    assert list(fitted.people) == list(whole.people)


@pytest.mark.parametrize("field", [b'"pool"', b'"predicts"', b'"person": 0.4'])
def test_a_first_line_that_was_changed_is_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records, field: bytes
) -> None:
    run(monkeypatch, Engine(), records, Task(), tmp_path)
    content = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(content.replace(field, b'"x": 0.4' if b":" in field else b'"x"', 1))
    assert read_checkpoint(tmp_path, stamp_of(records, Task())).pool is None


def test_to_choose_a_pool_nobody_is_fitted_and_all_steps_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records
) -> None:
    """The cross-validation is the real one: its fits, and those of the people, add up to what was announced."""
    engine = Engine()
    monkeypatch.setattr(resume, "fit_cohort", engine)
    told = {COMPARING: 0, FITTING: 0}

    def progress(step: str, n: int) -> None:
        told[step] += n

    fitted = fit_with_checkpoint(records, Task(workers=1), tmp_path, progress)
    assert engine.calls == [(["p0", "p1", "p2"], fitted.pool, True)]
    assert set(fitted.predicts) == {"person", "arm"}
    assert told == {COMPARING: fits_to_compare(records), FITTING: 6}
    assert fits_to_compare(records) == 3 * 2 * 5 * 2  # people, arms, folds, ways


def test_what_is_finished_is_not_fitted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records
) -> None:
    first = run(monkeypatch, Engine(best="arm"), records, Task(), tmp_path)
    engine = Engine()
    assert run(monkeypatch, engine, records, Task(), tmp_path) == first
    assert engine.calls == []


def test_another_question_starts_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Records) -> None:
    run(monkeypatch, Engine(), records, Task(), tmp_path)
    for asked in (Task("person"), Task(certify_seconds=1.0), Task(intervals=False)):
        assert read_checkpoint(tmp_path, stamp_of(records, asked)).pool is None
    records["p0"]["walk"].rewards[0] += 0.01
    assert read_checkpoint(tmp_path, stamp_of(records, Task())).pool is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[]\n", b'"x"\n', b"{}\n"])
def test_a_damaged_file_is_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert read_checkpoint(tmp_path, "stamp").pool is None

"""`rogue fit` and `rogue advise`, from the command to the files."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from rogue_bandits.cli import main
from rogue_bandits.estimate import resume
from rogue_bandits.estimate.files import people_from_json, people_json
from rogue_bandits.estimate.fit import Data, FitTask, Fitted, fit_cohort
from tests.estimate.made_up import HEADER, table, written
from tests.pictures import undrawn as undrawn

pytestmark = pytest.mark.usefixtures("undrawn")  # the fixture `run` draws
QUICK = "--pool", "shared", "--family", "gaussian", "--workers", "1"


FITS: dict[str, Fitted] = {}  # by what decides them


@pytest.fixture(scope="module", autouse=True)
def remembered() -> Iterator[None]:
    """Do not fit the same data again: it is what is done with a fit that is tested here."""

    def fitted(data: Data, task: FitTask, *rest: Any) -> Fitted:
        stamp = resume.stamp_of(data, task)
        if stamp not in FITS:
            FITS[stamp] = fit_cohort(data, task, *rest)
        return FITS[stamp]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resume, "fit_cohort", fitted)
        yield


def rogue(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    folder = tmp_path_factory.mktemp("fit")
    data = written(folder / "d.csv", table(3))
    return rogue("fit", data, *QUICK, "--out", folder / "out"), folder / "out"


def test_a_fit_writes_everything_and_says_where(run: tuple[Result, Path]) -> None:
    result, out = run
    assert result.exit_code == 0, result.output
    assert {path.name for path in out.iterdir()} == {"people.csv", "people.json", "report.html", resume.FILE}
    for name in ("people.csv", "people.json", "report.html"):
        assert str(out / name) in result.stdout
    assert result.stdout.startswith("The data ")
    assert "Note: 24 decisions are rests." in result.stderr
    assert "reading d.csv: 100%" in result.stderr
    assert "comparing models: 100%" in result.stderr
    assert "…" not in result.stdout.split("The average person")[0]
    sentence = next(line for line in result.stdout.splitlines() if line.startswith("At the next decision"))
    assert sentence.endswith(f"For each person: rogue advise {out / 'people.json'}")
    assert sentence.split(" For each person")[0] in (out / "report.html").read_text(encoding="utf-8")


def test_tables_as_parquet_have_the_numbers_of_csv(run: tuple[Result, Path]) -> None:
    out, data = run[1], run[1].parent / "d.csv"
    other = out.parent / "parquet"
    assert rogue("fit", data, *QUICK, "--format", "parquet", "--out", other).exit_code == 0
    assert not (other / "people.csv").exists()
    same_numbers(out / "people.csv", other / "people.parquet")
    for name in ("advice.csv", "advice.parquet"):
        result = rogue("advise", other / "people.json", "--out", other / name)
        assert result.exit_code == 0, result.output
    same_numbers(other / "advice.csv", other / "advice.parquet")
    wrong = rogue("advise", other / "people.json", "--out", other / "advice.xlsx")
    assert wrong.exit_code == 2
    assert "must end with .csv or .parquet" in wrong.output


def same_numbers(one: Path, other: Path) -> None:
    """CSV has six digits of what Parquet has."""
    with one.open(encoding="utf-8-sig") as file:
        lines = list(csv.DictReader(file))
    found = pq.read_table(other).to_pylist()
    assert len(lines) == len(found) > 0
    for line, row in zip(lines, found, strict=True):
        assert line.keys() == row.keys()
        for name, value in row.items():
            if isinstance(value, float):
                assert float(line[name]) == pytest.approx(value, rel=1e-4, abs=1e-4)
            else:
                assert line[name] == ("" if value is None else str(value))


def test_nothing_written_names_a_place_on_this_machine(run: tuple[Result, Path]) -> None:
    for path in run[1].iterdir():
        assert str(run[1].parent).encode() not in path.read_bytes()


def test_the_report_has_the_command_and_the_checksum_of_the_data(run: tuple[Result, Path]) -> None:
    text = (run[1] / "report.html").read_text(encoding="utf-8")
    assert "<pre>rogue fit d.csv --family gaussian --pool shared</pre>" in text
    assert hashlib.sha256((run[1].parent / "d.csv").read_bytes()).hexdigest() in text


def test_all_options(tmp_path: Path) -> None:
    rows = [f"{who},{t},{arm},{int(1000 * float(r))}" for who, t, arm, r in (row.split(",") for row in table(2))]
    data = written(tmp_path / "d.csv", [row.replace("none", "no message") for row in rows], "id,day,message,steps")
    result = rogue(
        "fit", data, "--person", "id", "--decision", "day", "--arm", "message", "--reward", "steps", "--reward-scale",
        500, "--clip", "--rest-value", "no message", "--pool", "own", "--workers", 1, "--out", tmp_path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "outside [0, 1] after dividing by 500 and clipped" in result.stderr
    with (tmp_path / "people.csv").open(encoding="utf-8-sig") as file:
        found = list(csv.DictReader(file))
    assert len(found) == 4
    assert all(float(row["reward_fresh_lo"]) <= float(row["reward_fresh"]) for row in found)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "--rest-value &#39;no message&#39; --reward-scale 500 --clip --pool own" in text


def test_options_of_earlier_versions_are_understood(tmp_path: Path) -> None:
    data = written(tmp_path / "d.csv", table(1))
    old = "--pool", "arm", "--certify", 1, "--no-intervals", "--family", "gaussian", "--workers", 1
    result = rogue("fit", data, *old, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "Note: --pool arm is now --pool shared." in result.stderr
    assert "Note: --certify has no effect any more" in result.stderr


def test_a_column_called_available_is_used(tmp_path: Path) -> None:
    data = written(tmp_path / "d.csv", [f"{row},{1 - t % 2}" for t, row in enumerate(table(2))], f"{HEADER},available")
    result = rogue("fit", data, *QUICK, "--out", tmp_path)
    assert "rows name an arm although available is 0" in result.stderr


def test_times_covariates_and_probabilities_are_kept(tmp_path: Path) -> None:
    rows = [
        f"p{i},2015-07-{20 + t // 2} {9 + 9 * (t % 2):02d}:00,{t % 2},{0.3 + 0.05 * ((3 * t + i) % 7):.2f},0.5,-9"
        for i in range(2)
        for t in range(20)
    ]
    data = written(tmp_path / "d.csv", rows, "person,when,arm,reward,p,mood")
    words = "fit", data, "--time", "when", "--covariate", "weekday", "--probability", "p", *QUICK
    refused = rogue(*words, "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert "arm '0' (20 rows) reads as if nothing was sent" in refused.stderr
    result = rogue(*words, "--rest-value", 0, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "Note: Decisions follow from 'when' (2015-07-20 to 2015-07-29): 2 decisions a day" in result.stderr
    cohort = json.loads((tmp_path / "out" / "people.json").read_text())["cohort"]
    assert any("2 decisions a day" in note for note in cohort["notes"])
    assert len(cohort["covariates"]) == 6
    history = cohort["people"]["p0"]
    assert (history["at"], history["arm"]) == (list(range(20)), [-1, 0] * 10)
    assert history["probability"] == [0.5] * 20
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "2 decisions a day (100% of the days with data have all 2)" in text
    assert "--time when --probability p --covariate weekday --rest-value 0 --family gaussian --pool shared" in text
    advice = rogue("advise", tmp_path / "out" / "people.json", "--person", "p0")
    assert "Person p0, next decision: 20" in advice.stdout


def test_the_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join([HEADER, *table(1)])
    words = ["fit", "-", "--pool", "person", *QUICK]
    result = CliRunner().invoke(main, words, input=text)
    assert result.exit_code == 0, result.output
    assert str(Path("results", "stdin", "people.csv")) in result.stdout
    assert "reading stdin: 100%" in result.stderr
    source = json.loads(Path("results", "stdin", "people.json").read_text())["source"]
    assert source["sha256"] == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--step", "1d"), "--step 1d is about times: name their column with --time"),
        (("--zone", "UTC"), "--zone UTC is about times: name their column with --time"),
        (
            ("--covariate", "hour"),
            "--covariate hour follows from the times of decisions: name their column with --time",
        ),
        (("--sheet", "A"), "--sheet 'A' is for workbooks (xlsx), and d.csv is none"),
        (("--reward-scale", 0), "reward-scale 0 must be above 0 and finite"),
        (("--reward-scale", "nan"), "reward-scale nan must be above 0 and finite"),
        (("--workers", 0), "workers 0 must be 1 or more"),
        (("--reward", "step"), "d.csv has no column 'step'. Name the right one with --reward NAME. It has: person, "),
    ],
)
def test_a_bad_option_is_refused_in_one_line(tmp_path: Path, words: tuple[object, ...], says: str) -> None:
    result = rogue("fit", written(tmp_path / "d.csv", table(1)), *words, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {says}")
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    result = rogue("fit", tmp_path / "none.csv")
    assert (result.exit_code, result.stderr) == (
        2,
        f"Error: '{tmp_path / 'none.csv'}' cannot be read: No such file or directory\n",
    )


def test_bad_data_leave_an_earlier_result_alone(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("mine")
    result = rogue("fit", written(tmp_path / "d.csv", ["a,0,walk,9"]), "--out", tmp_path)
    assert result.exit_code == 2
    assert (tmp_path / "people.csv").read_text() == "mine"


def test_ctrl_c_keeps_the_arms_that_are_fitted_and_the_same_command_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("fit", written(tmp_path / "d.csv", table(3)), *QUICK, "--out", tmp_path / "out")

    def interrupted(data: Any, task: Any, progress: Any, done: Any, *rest: Any) -> Any:
        def once(arm: str, ladder: Any) -> None:
            done(arm, ladder)
            raise KeyboardInterrupt

        return fit_cohort(data, task, progress, once, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(resume, "fit_cohort", interrupted)
        result = rogue(*words)
    assert result.exit_code == 130
    kept = f"Stopped. Fitted and kept in {tmp_path / 'out'}: 1 of 2 arms. The same command continues with the rest."
    assert kept in result.stderr
    assert not (tmp_path / "out" / "people.csv").exists()
    result = rogue(*words)
    assert result.exit_code == 0, result.output
    assert list(json.loads((tmp_path / "out" / "people.json").read_text())["ladder"]) == ["walk", "sleep"]


def test_the_checkpoint_of_another_data_file_is_not_replaced_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hours of an interrupted fit are worth as much as finished results."""
    out, other = tmp_path / "out", written(tmp_path / "other.csv", table(1))

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(resume, "fit_cohort", interrupted)
        assert rogue("fit", written(tmp_path / "d.csv", table(3)), *QUICK, "--out", out).exit_code == 130
    before = (out / resume.FILE).read_bytes()
    result = rogue("fit", other, *QUICK, "--out", out)
    assert result.exit_code == 2
    assert (
        f"folder '{out}' has the checkpoint of an interrupted fit of another data file, d.csv, of 20" in result.stderr
    )
    assert (out / resume.FILE).read_bytes() == before
    corrected = rogue("fit", written(tmp_path / "d.csv", table(1)), *QUICK, "--out", out)
    assert corrected.exit_code == 0, corrected.output
    assert f"Note: The checkpoint of an interrupted fit in {out} is of d.csv with another content" in corrected.stderr
    assert rogue("fit", other, *QUICK, "--out", out, "--overwrite").exit_code == 0


def test_ctrl_c_before_anything_is_fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(resume, "fit_cohort", interrupted)
    result = rogue("fit", written(tmp_path / "d.csv", table(3)), *QUICK, "--out", tmp_path)
    assert result.exit_code == 130
    assert "No arm was fitted yet: the same command starts over." in result.stderr


def test_advice_for_one_person_and_for_all(run: tuple[Result, Path], tmp_path: Path) -> None:
    people = run[1] / "people.json"
    one = rogue("advise", people, "--person", "p1", "--least", 0.1, "--greatest", 0.8)
    assert one.exit_code == 0, one.output
    assert "Person p1, next decision: 24" in one.stdout
    assert "credible" in one.stdout
    every = rogue("advise", people, "--available", "sleep", "--out", tmp_path / "advice.csv")
    assert every.exit_code == 0, every.output
    assert all(name in every.stdout for name in ("p0", "p1", "p2", str(tmp_path / "advice.csv")))
    with (tmp_path / "advice.csv").open(encoding="utf-8-sig") as file:
        assert [row["arm"] for row in csv.DictReader(file)] == ["sleep"] * 3


def test_there_is_no_advice_where_no_model_reproduces_the_rewards(run: tuple[Result, Path], tmp_path: Path) -> None:
    people = people_from_json((run[1] / "people.json").read_bytes())
    arms = {
        arm: ladder._replace(check=ladder.check._replace(holds=False)) for arm, ladder in people.fitted.arms.items()
    }
    poor = people._replace(fitted=people.fitted._replace(arms=arms))
    (tmp_path / "people.json").write_bytes(people_json(poor))
    result = rogue("advise", tmp_path / "people.json")
    assert result.exit_code == 2
    assert f"no model reproduces the rewards of {', '.join(arms)}: there is no advice on them" in result.stderr


@pytest.mark.parametrize("version", [1, 3])
def test_advice_from_a_file_of_an_earlier_version(run: tuple[Result, Path], tmp_path: Path, version: int) -> None:
    """Its number decides, whatever it holds."""
    content = json.loads((run[1] / "people.json").read_text())
    (tmp_path / "people.json").write_text(json.dumps({**content, "version": version}))
    result = rogue("advise", tmp_path / "people.json")
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: '{tmp_path / 'people.json'}': this people file was saved in format version {version}, and this "
        "release reads from 4: it was made by an earlier version. `rogue fit` writes it anew\n"
    )


def test_advice_from_a_folder(run: tuple[Result, Path]) -> None:
    folder = run[1]
    assert rogue("advise", folder, "--seed", 1).stdout == rogue("advise", folder / "people.json", "--seed", 1).stdout


@pytest.mark.parametrize("command", [["advise"], ["simulate", "--fit"], ["reproduce", "health", "--cohort"]])
def test_another_file_in_place_of_people_json_is_refused_with_the_file_that_is_meant(
    run: tuple[Result, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    folder = run[1]
    for name, kind in (("people.csv", "a CSV file"), ("report.html", "a report")):
        result = rogue(*command, folder / name)
        assert result.exit_code == 2
        assert result.stderr == (
            f"Error: '{folder / name}' is {kind}, and people.json of `rogue fit` is needed: use "
            f"'{folder / 'people.json'}', beside it\n"
        )
    assert rogue(*command, tmp_path).stderr == (
        f"Error: folder '{tmp_path}' has no people.json: name one with the results of `rogue fit`, or the file itself\n"
    )
    monkeypatch.chdir(tmp_path)
    written(Path("d.csv"), table(3))
    needed = "Error: 'd.csv' is a CSV file, and people.json of `rogue fit` is needed: "
    assert rogue(*command, "d.csv").stderr == f"{needed}`rogue fit` writes it\n"
    Path("results/d").mkdir(parents=True)
    shutil.copy(folder / "people.json", "results/d/people.json")
    assert rogue(*command, "d.csv").stderr == f"{needed}use '{Path('results', 'd', 'people.json')}'\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--person", "P00"), "person 'P00' is unknown, did you mean 'p0'? There are: p0, p1, p2"),
        (("--available", "wakl"), "arm 'wakl' is unknown, did you mean 'walk'? There are: walk, sleep"),
        (("--least", "0.6"), "least probability 0.6 is too large for 2 arms"),
        (
            ("--covariate", "a=1"),
            "covariate 'a': the fit has no covariates; `rogue fit --covariate NAME` makes a column",
        ),
    ],
)
def test_advice_for_nobody(run: tuple[Result, Path], words: tuple[str, ...], says: str) -> None:
    result = rogue("advise", run[1] / "people.json", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {says}")


def test_advice_from_a_damaged_file(run: tuple[Result, Path], tmp_path: Path) -> None:
    bad = tmp_path / "people.json"
    bad.write_bytes((run[1] / "people.json").read_bytes()[:-9])
    result = rogue("advise", bad)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: '{bad}': this people file is damaged: no JSON at line 1 column ")
    assert result.stderr.endswith("`rogue fit` writes it anew\n")
    missing = rogue("advise", tmp_path / "no.json")
    assert missing.stderr == f"Error: '{tmp_path / 'no.json'}' cannot be read: No such file or directory\n"


def test_a_scheduler_that_cannot_be_reached_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    result = rogue("fit", tmp_path / "no.csv", "--scheduler", "nonsense://x", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: the scheduler 'nonsense://x' cannot be reached: unknown address scheme")


def test_results_of_another_data_file_are_not_replaced_unless_asked(run: tuple[Result, Path], tmp_path: Path) -> None:
    out = run[1]
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    other = written(tmp_path / "other.csv", table(1))
    result = rogue("fit", other, *QUICK, "--out", out)
    assert result.exit_code == 2
    assert f"folder '{out}' has the results of another data file, d.csv, of 20" in result.stderr
    assert "such as --out results/other, or add --overwrite" in result.stderr
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    copy = tmp_path / "out"
    shutil.copytree(out, copy)
    asked = rogue("fit", other, *QUICK, "--out", copy, "--overwrite")
    assert asked.exit_code == 0, asked.output
    assert json.loads((copy / "people.json").read_bytes())["cohort"]["file"] == "other.csv"
    assert "--overwrite" not in (copy / "report.html").read_text(encoding="utf-8")


def test_a_fit_is_repeated_without_a_word_and_a_changed_one_replaced_with_a_note(
    run: tuple[Result, Path], tmp_path: Path
) -> None:
    data, copy = run[1].parent / "d.csv", tmp_path / "out"
    shutil.copytree(run[1], copy)
    again = rogue("fit", data, *QUICK, "--out", copy)
    assert again.exit_code == 0, again.output
    assert "replaced" not in again.stderr
    corrected = rogue("fit", written(tmp_path / "d.csv", table(1)), *QUICK, "--out", copy)
    assert corrected.exit_code == 0, corrected.output
    assert f"Note: The results in {copy} are of d.csv with another content, of 20" in corrected.stderr
    options = rogue("fit", tmp_path / "d.csv", *QUICK, "--clip", "--family", "agent", "--out", copy)
    assert options.exit_code == 0, options.output
    assert "of another fit of these data (rogue fit d.csv --family gaussian --pool shared, of 20" in options.stderr
    assert "Another --out keeps both." in options.stderr


def test_a_people_file_that_is_none_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    data = written(tmp_path / "d.csv", table(2))
    for text in ("[1, 2]", "no JSON", "{}"):
        (tmp_path / "people.json").write_text(text)
        result = rogue("fit", data, *QUICK, "--out", tmp_path)
        assert result.exit_code == 2
        assert "people.json' is no file of `rogue fit`, or a damaged one" in result.stderr
        assert (tmp_path / "people.json").read_text() == text


def test_a_file_of_the_same_stem_is_shown_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    old = {"cohort": {"file": "d.xlsx"}, "source": {"sha256": "ab"}}
    Path("results", "d").mkdir(parents=True)
    Path("results", "d", "people.json").write_text(json.dumps(old))
    result = rogue("fit", written(Path("d.csv"), table(2)))
    assert result.exit_code == 2
    assert "another data file, d.xlsx. Name another folder, such as --out results/d-2" in result.stderr


def test_data_are_not_replaced_by_their_own_results(tmp_path: Path) -> None:
    data = written(tmp_path / "people.csv", table(2))
    before = data.read_bytes()
    for asked in ((), ("--overwrite",)):
        result = rogue("fit", data, *QUICK, "--out", tmp_path, *asked)
        assert result.exit_code == 2
        assert f"the results would replace '{data}' itself" in result.stderr
        assert data.read_bytes() == before

"""`halubot calibrate`: from labelled rows to what checks say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.evaluation.fit import calibrator
from tests.halubot.cli.calling import Halubot

TEXT, REFERENCE = "Ada Hale was born in 1816.", "Ada Hale was born in 1815."


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Rows of which every second one is wrong; a seventh of those is not found."""
    file = tmp_path / "mine.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for index in range(28):
            year = 1700 + index
            said = year + 7 if index % 2 and index % 7 else year
            row = {
                "text": f"Ada Hale was born in {said} in Vienna.",
                "references": [f"Ada Hale was born in {year} in Vienna."],
                "label": "hallucinated" if index % 2 else "right",
            }
            out.write(json.dumps(row) + "\n")
    return file


@pytest.fixture
def given(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "reference.txt").write_text(REFERENCE)
    return ("check", "text.txt", "--reference", "reference.txt")


@pytest.mark.slow
def test_what_is_calibrated_is_named_in_every_report(
    halubot: Halubot, rows: Path, given: tuple[str, ...]
) -> None:
    ended = halubot("calibrate", "--data", rows, "--use", "--format", "json")
    assert ended.status == 0, ended.err
    fitted = json.loads(ended.out)
    assert (fitted["used"], fitted["refused"]) == (True, None)
    assert set(fitted["metrics"]) >= {"brier", "ece", "auroc", "tpr", "tnr", "youden"}
    assert Path(fitted["file"]).is_file()
    assert sum(one["examples"] for one in fitted["bins"]) == 28

    report = json.loads(halubot(*given, "--format", "json").out)
    assert report["threshold"] == fitted["threshold"]
    assert report["threshold"]["fitted_on"] == "mine.jsonl (28 rows) by Youden's J"
    assert report["calibration"] == fitted["calibration"]
    assert report["facts"][0]["probability"] > 0.5
    for format in ("text", "markdown", "html"):
        ended = halubot(*given, "--format", format, "--verbose")
        shown = " ".join(ended.out.replace("\\", "").split())
        assert "mine.jsonl (28 rows) by Youden" in shown
        assert "how likely wrong, as on mine.jsonl (28 rows)" in shown
        assert "% likely wrong" in shown

    bench = ("bench", "own", "--data", rows, "--method", "consensus", "--format", "json")
    assert "mine.jsonl" not in str(json.loads(halubot(*bench).out)["calibrated_on"])


def test_it_can_be_listed_and_removed(halubot: Halubot, rows: Path, given: tuple[str, ...]) -> None:
    halubot("calibrate", "--data", rows, "--use")
    listed = json.loads(halubot("calibrate", "list", "--format", "json").out)
    (mine,) = [one for one in listed if one["place"] != "comes with halubot"]
    assert (mine["method"], mine["material"], mine["model"]) == ("consensus", "references", None)
    assert "comes with" in halubot("calibrate", "list").out
    assert halubot("calibrate", "remove", "consensus", "--material", "samples").status == 2
    assert halubot("calibrate", "remove", "consensus").status == 0
    assert not Path(mine["place"]).exists()
    report = json.loads(halubot(*given, "--format", "json").out)
    assert "WikiBio" in report["threshold"]["fitted_on"]
    assert report["calibration"] is None  # the shipped one was not measured on such a text


@pytest.mark.slow
def test_another_folder_can_be_named(
    halubot: Halubot, rows: Path, given: tuple[str, ...], tmp_path: Path
) -> None:
    assert halubot("calibrate", "--data", rows, "--calibrations", "here", "--use").status == 0
    assert len(list((tmp_path / "here").iterdir())) == 1
    there = json.loads(halubot(*given, "--format", "json", "--calibrations", "here").out)
    assert "mine.jsonl" in there["calibration"]["fitted_on"]
    elsewhere = json.loads(halubot(*given, "--format", "json").out)
    assert "mine.jsonl" not in json.dumps([elsewhere["threshold"], elsewhere["calibration"]])


def test_a_damaged_one_is_told_and_the_check_goes_on(
    halubot: Halubot, rows: Path, given: tuple[str, ...], tmp_path: Path
) -> None:
    halubot("calibrate", "--data", rows, "--calibrations", "here", "--use")
    (file,) = (tmp_path / "here").iterdir()
    file.write_text("{")
    ended = halubot(*given, "--calibrations", "here", "--format", "json")
    assert ended.status == 1
    assert any("calibrate again" in one["why"] for one in json.loads(ended.out)["problems"])
    listed = halubot("calibrate", "list", "--calibrations", "here")
    assert listed.status == 0
    assert file.name in listed.err


def test_the_page_holds_the_diagram_and_loads_nothing(
    halubot: Halubot, rows: Path, tmp_path: Path
) -> None:
    ended = halubot("calibrate", "--data", rows, "--html", "page.html")
    assert ended.status == 0, ended.err
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "Reliability" in page
    assert "brier" in page
    assert "<script" not in page
    assert "src=" not in page
    assert "doubt from" in page


@pytest.mark.slow
def test_the_table_says_what_was_fitted_and_warns_of_few_rows(halubot: Halubot, rows: Path) -> None:
    ended = halubot("calibrate", "--data", rows, "--objective", "weighted:0.67")
    shown = " ".join(ended.out.split())
    assert "weighted_youden" in shown
    assert "only 28 rows" in shown
    assert "No later check uses this: add --use" in shown
    assert "Kept in" in halubot("calibrate", "--data", rows, "--use").out


@pytest.mark.slow
def test_without_being_asked_no_later_check_changes(
    halubot: Halubot, rows: Path, given: tuple[str, ...], nobody: Path
) -> None:
    before = json.loads(halubot(*given, "--format", "json").out)
    ended = halubot("calibrate", "--data", rows, "--format", "json")
    assert ended.status == 0
    fitted = json.loads(ended.out)
    assert (fitted["used"], fitted["file"]) == (False, None)
    assert not list(nobody.rglob("*.json"))
    after = json.loads(halubot(*given, "--format", "json").out)
    for field in ("threshold", "calibration", "facts", "sentences"):
        assert after[field] == before[field]

    halubot("calibrate", "--data", rows, "--use")
    used = json.loads(halubot(*given, "--format", "json").out)
    halubot("calibrate", "--data", rows, "--limit", "20")
    assert json.loads(halubot(*given, "--format", "json").out)["threshold"] == used["threshold"]


def test_a_threshold_that_doubts_most_right_rows_is_refused(
    halubot: Halubot, tmp_path: Path, given: tuple[str, ...], nobody: Path
) -> None:
    """Wrong rows score as right ones do, and most rows are wrong: F1 then doubts nearly all."""
    with (tmp_path / "hard.jsonl").open("w", encoding="utf-8") as out:
        for index in range(40):
            row = {
                "text": f"Ada Hale wrote {index + 3} letters to friends in Vienna.",
                "references": [f"Ada Hale was born in {1700 + index} in Vienna."],
                "label": "right" if index % 5 == 0 else "hallucinated",
            }
            out.write(json.dumps(row) + "\n")
    args = ("calibrate", "--data", "hard.jsonl", "--objective", "f1", "--use")
    ended = halubot(*args, "--format", "json")
    assert ended.status == 2
    assert "labels that say right" in ended.err
    fitted = json.loads(ended.out)
    assert fitted["refused"] in ended.err
    assert (fitted["used"], fitted["file"]) == (False, None)
    assert not list(nobody.rglob("*.json"))
    assert halubot(*args).status == 2
    report = json.loads(halubot(*given, "--format", "json").out)
    assert "hard.jsonl" not in json.dumps(report)


@pytest.mark.slow
def test_data_that_a_rule_made_is_warned_of(halubot: Halubot, tmp_path: Path) -> None:
    with (tmp_path / "in.jsonl").open("w", encoding="utf-8") as out:
        for index in range(30):
            text = f"Ada Hale was born in {1700 + index} in Vienna and died there."
            out.write(json.dumps({"text": text}) + "\n")
    assert halubot("make-data", "changes", "in.jsonl", "made.jsonl").status == 0
    ended = halubot("calibrate", "--data", "made.jsonl")
    assert "made by rule" in " ".join(ended.out.split())
    notes = json.loads(halubot("calibrate", "--data", "made.jsonl", "--format", "json").out)[
        "notes"
    ]
    assert any("made by rule" in note for note in notes)


def test_a_dry_run_fits_and_keeps_nothing(halubot: Halubot, rows: Path, nobody: Path) -> None:
    ended = halubot("calibrate", "--data", rows, "--dry-run")
    assert ended.status == 0
    assert "nothing was called" in ended.out
    assert not list(nobody.rglob("*.json"))


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((), "--data"),
        (("--data", "missing.jsonl"), "missing.jsonl"),
        (("--data", "mine.jsonl", "--objective", "best"), "weighted:W"),
        (("--data", "mine.jsonl", "--method", "consensuss"), "did you mean 'consensus'"),
        (("--data", "mine.jsonl", "--with-samples"), "--with-samples"),
        (("--data", "mine.jsonl", "--method", "bcv"), "model"),
        (("--data", "one.jsonl"), "labelled wrong"),
        (("--data", "broken.jsonl"), "line 2"),
    ],
)
def test_what_cannot_be_done_ends_with_a_word_why(
    halubot: Halubot, rows: Path, args: tuple[str, ...], told: str
) -> None:
    lines = rows.read_text(encoding="utf-8").splitlines()
    rows.with_name("one.jsonl").write_text("\n".join(lines[::2]))
    rows.with_name("broken.jsonl").write_text(lines[0] + "\n{\n")
    ended = halubot("calibrate", *args)
    assert ended.status == 2
    assert told in ended.err
    assert "Traceback" not in ended.err


def test_ctrl_c_keeps_nothing(
    halubot: Halubot, rows: Path, nobody: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrator, "calibrate", interrupted)
    ended = halubot("calibrate", "--data", rows)
    assert ended.status == 130
    assert "nothing is kept" in ended.err
    assert not list(nobody.rglob("*.json"))

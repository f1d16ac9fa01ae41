"""Recorded verdicts are laid beside their rows, or refused with one line that names them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError, SettingError, UnreadableError
from halubot.evaluation.checked import Judged, JudgedSentence, Scored, ScoredSentence
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.loader import with_material
from halubot.evaluation.recorded_verdicts import Noise, parse_noise, with_noise, with_verdicts
from halubot.evaluation.rows import Row
from halubot.evaluation.runner import count_doubts, tell_harm
from halubot.reliability import KNOWN, Reliability
from halubot.report import Verdict

ROWS = (
    Row(id="a", text="One. Two.", gold=(0.0, 1.0), samples=("x", "y", "z")),
    Row(id="b", text="One.", gold=(1.0,), samples=("x", "y")),
)
SAID: dict[str, Any] = {"a": [[0, 1, None], [1, 1, 0]], "b": [[0, 0]]}


def written(path: Path, said: dict[str, Any], model: str = "judge") -> Path:
    lines = [json.dumps({"id": id, "verdicts": {model: of}}) for id, of in said.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_each_row_gets_its_own_in_any_order(tmp_path: Path) -> None:
    shuffled = {"elsewhere": "unread", "b": SAID["b"], "a": SAID["a"]}
    rows = with_verdicts(ROWS, written(tmp_path / "v.jsonl", shuffled), "judge")
    assert [row.id for row in rows] == ["a", "b"]
    assert rows[0].verdicts == ((0, 1, None), (1, 1, 0))
    assert rows[1].verdicts == ((0, 0),)


def test_the_file_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl.gz"
    path.write_bytes(gzip.compress(written(tmp_path / "v", SAID).read_bytes()))
    assert with_verdicts(ROWS, path, "judge")[1].verdicts == ((0, 0),)


def test_fewer_samples_leave_fewer_verdicts(tmp_path: Path) -> None:
    rows = with_verdicts(ROWS, written(tmp_path / "v.jsonl", SAID), "judge")
    cut = with_material(DATASETS["wikibio"], rows, ("samples",), n_samples=1)
    assert [row.verdicts for row in cut] == [((0,), (1,)), ((0,),)]


@pytest.mark.parametrize(
    "wrong",
    [
        [[0, 1, 1]],
        [[0, 1, 1], [0, 1]],
        [[0, 1, 1], [0, 1, 2]],
        [[0, 1, 1], [0, 1, True]],
        [[0, 1, 1], [0, 1, 0.0]],
        [[0, 1, 1], [0, 1, "1"]],
        [[0, 1, 1], "011"],
        "011",
        None,
    ],
)
def test_what_does_not_fit_its_row_names_the_line_and_the_row(wrong: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "v.jsonl", SAID | {"a": wrong})
    with pytest.raises(BrokenLineError, match=r"line 1: the verdicts of judge on row a .*2 .*3"):
        with_verdicts(ROWS, path, "judge")


@pytest.mark.parametrize("record", [{"verdicts": {}}, {"id": 7, "verdicts": {}}, {"id": "a"}])
def test_what_is_no_record_of_verdicts_names_the_line(
    record: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(BrokenLineError, match="line 1: recorded verdicts need"):
        with_verdicts(ROWS, path, "judge")


def test_a_row_without_verdicts_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "v.jsonl", {"a": SAID["a"]})
    with pytest.raises(SettingError, match="no verdicts on row b"):
        with_verdicts(ROWS, path, "judge")


def test_an_unknown_model_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    path = written(tmp_path / "v.jsonl", SAID)
    with pytest.raises(SettingError, match="'other': there are judge"):
        with_verdicts(ROWS, path, "other")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="nowhere"):
        with_verdicts(ROWS, tmp_path / "nowhere.jsonl", "judge")


ROW = Row("r", "One. Two.", verdicts=((0, 1) * 50, (1, None) * 50), samples=("s",) * 100)


@pytest.mark.parametrize("text", ["flip", "flip:2", "coin:1", "maybe", ""])
def test_what_is_no_noise_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="no noise"):
        parse_noise(text)


def test_without_noise_the_verdicts_stay_and_the_judge_knows_its_canaries() -> None:
    (row,) = with_noise([ROW], None)
    assert row.verdicts == ROW.verdicts
    assert row.canaries.answered == KNOWN
    assert row.canaries.mistakes == 0


@pytest.mark.parametrize(("text", "said"), [("yes", 0), ("no", 1)])
def test_a_judge_that_says_the_same_to_all(text: str, said: int) -> None:
    (row,) = with_noise([ROW], text)
    assert row.verdicts == ((said,) * 100, (said, None) * 50)
    assert Reliability(row.canaries).is_ignored


@pytest.mark.parametrize("text", ["coin", "flip:0.3"])
def test_turned_verdicts_are_the_same_each_time(text: str) -> None:
    (row,), (again,) = with_noise([ROW], text), with_noise([ROW], text)
    assert row == again
    pairs = [
        (a, b)
        for x, y in zip(row.verdicts or (), ROW.verdicts or (), strict=True)
        for a, b in zip(x, y, strict=True)
        if b is not None
    ]
    turned = sum(a != b for a, b in pairs) / len(pairs)
    assert 0.15 < turned < 0.65
    assert row.canaries.mistakes > 0
    assert parse_noise("flip:0.3") == Noise("flip", 0.3)


def test_harm_is_the_share_of_wrong_and_of_right_units_doubted() -> None:
    def scored(gold: tuple[float, ...], *verdicts: Verdict) -> Scored:
        row = Row("r", "A. B.", gold=gold, sentences=("A.", "B."))
        judged = Judged((), tuple(JudgedSentence((0, 1), one) for one in verdicts))
        return Scored(row, sentences=(ScoredSentence((0, 1), 0.5, 0.5),) * 2, judged=judged)

    rows = [
        scored((1.0, 0.0), "contradicted", "supported"),
        scored((1.0, 0.0), "not_checked", "doubtful"),
    ]
    assert count_doubts(rows) == {"wrong": 0.5, "right": 0.5}
    assert count_doubts([]) == {"wrong": None, "right": None}
    assert tell_harm({"cascade": count_doubts(rows), "consensus": count_doubts([])}) == (
        "wrong / right units doubted: cascade 0.50 / 0.50, consensus - / -"
    )

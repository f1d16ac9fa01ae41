"""The encoder of the verifier: pairs in, judgements out, and clear errors for bad files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.errors import LocalModelError
from halubot.verifier import open_verifier
from halubot.verifier.encoder import choose_verifier
from tests import tiny_encoders

tiny_encoders.require()

LABELS = ("entailment", "neutral", "contradiction")
SCORES = {"paris": {"entailment": 9.0}, "london": {"contradiction": 9.0}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_encoders.build(tmp_path_factory.mktemp("encoder"), SCORES, labels=LABELS)


def test_classes_are_read_by_name_whatever_their_order(folder: Path) -> None:
    entailed, contradicted = open_verifier(str(folder)).judge(
        [("the tower is in paris", "paris"), ("the tower is in london", "london")]
    )
    assert entailed.entailment > max(entailed.contradiction, entailed.neutral)
    assert contradicted.contradiction > max(contradicted.entailment, contradicted.neutral)
    assert sum(entailed) == pytest.approx(1)


def test_answers_do_not_depend_on_the_company_of_a_pair(folder: Path) -> None:
    pairs = [(f"the tower is {n} metres tall " * n, "paris") for n in range(1, 40)]
    verifier = open_verifier(str(folder))
    together = verifier.judge(pairs)
    for pair, answer in zip(pairs, together, strict=True):
        alone = open_verifier.__wrapped__(str(folder)).judge([pair])[0]
        assert alone == pytest.approx(answer, abs=1e-5)


def test_an_empty_source_leaves_all_open(folder: Path) -> None:
    assert open_verifier(str(folder)).judge([("  ", "paris"), ("paris", "")]) == [(0, 1, 0)] * 2
    assert open_verifier(str(folder)).judge([]) == []


def test_a_model_without_marks_marks_nothing(folder: Path) -> None:
    verifier = open_verifier(str(folder))
    assert not verifier.has_marks
    assert verifier.marks(("the tower is in paris", "london")) == []


def test_none_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_verifier("none") is None
    monkeypatch.setenv("HALUBOT_VERIFIER", "none")
    assert choose_verifier(None) is None


def test_a_missing_file_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match=r"no verifier .*nowhere.onnx: name a file"):
        open_verifier(str(tmp_path / "nowhere.onnx"))
    with pytest.raises(LocalModelError, match="no file ends in .onnx"):
        open_verifier(str(tmp_path))


def test_a_file_that_is_no_model_is_named(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    with pytest.raises(LocalModelError, match=r"cannot load the verifier .*broken\.onnx"):
        open_verifier(str(tmp_path / "broken.onnx")).judge([("a", "b")])


def test_other_classes_are_refused(tmp_path: Path) -> None:
    tiny_encoders.build(tmp_path, {"": {"yes": 1.0}}, labels=("yes", "no", "maybe"))
    config = json.loads((tmp_path / "config.json").read_text())
    assert "yes" in config["id2label"].values()
    with pytest.raises(LocalModelError, match="contradiction, neutral, entailment"):
        open_verifier(str(tmp_path))

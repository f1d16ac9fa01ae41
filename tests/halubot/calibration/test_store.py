"""Calibrations that are kept: found again by what they are of, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from halubot import check
from halubot.calibration import store
from halubot.calibration.store import AND, NONE, SHIPPED, Calibrated, Calibrations, Material
from halubot.errors import SettingError, StateError
from halubot.events import Event, SentenceJudged
from halubot.fold import probability_of
from halubot.render.captions import level, threshold
from halubot.report import Calibration, Threshold


def made(
    method: str = "consensus",
    *,
    model: str | None = None,
    material: Material = "references",
    options: dict[str, object] | None = None,
    sha256: str = "0" * 64,
    threshold: float = 0.7,
) -> Calibrated:
    return Calibrated(
        method=method,
        model=model,
        material=material,
        options=options or {},
        threshold=Threshold(value=threshold, fitted_on="mine.jsonl (80 rows)"),
        objective="youden",
        calibration=Calibration(intercept=-1.0, slope=0.5, fitted_on="mine.jsonl (80 rows)"),
        data_sha256=sha256,
        rows=80,
        units=80,
        wrong=40,
        engine="0",
        made="2026-01-01T00:00:00+00:00",
    )


def test_what_is_kept_is_found_by_method_judge_material_and_options(tmp_path: Path) -> None:
    ours = [
        made(),
        made(material="both"),
        made("triplet-check", model="a/b"),
        made("triplet-check", model="a_b"),
        made("triplet-check", model="a/b", options={"variant": "pairwise"}),
    ]
    for one in ours:
        store.keep(tmp_path, one)
    where = Calibrations(tmp_path, shipped=False)
    for one in ours:
        found = where.lookup(one.method, one.model, one.material, one.options)
        assert found == one
    assert where.lookup("consensus", "a/b", "references") is None
    assert where.lookup("consensus", None, "samples") is None
    assert where.lookup("triplet-check", "a/b", "references", {"variant": "all"}) is None
    assert len(store.list_calibrations(tmp_path)[0]) == len(ours)


def test_a_later_one_stands_in_for_an_earlier_one(tmp_path: Path) -> None:
    store.keep(tmp_path, made(threshold=0.2))
    store.keep(tmp_path, made(threshold=0.9))
    found = Calibrations(tmp_path).lookup("consensus", None, "references")
    assert found is not None
    assert found.threshold == Threshold(value=0.9, fitted_on="mine.jsonl (80 rows)")
    assert len(list(tmp_path.iterdir())) == 1


def test_ones_own_come_before_those_shipped(tmp_path: Path) -> None:
    shipped = SHIPPED.lookup("consensus", None, "references")
    assert shipped is not None
    assert Calibrations(tmp_path).lookup("consensus", None, "references") == shipped
    store.keep(tmp_path, made())
    assert Calibrations(tmp_path).lookup("consensus", None, "references") == made()
    assert NONE.lookup("consensus", None, "references") is None


def test_what_was_fitted_on_the_measured_file_is_passed_over(tmp_path: Path) -> None:
    store.keep(tmp_path, made(sha256="a" * 64))
    mine = Calibrations(tmp_path, shipped=False, without=frozenset({"a" * 64}))
    assert mine.lookup("consensus", None, "references") is None
    shipped = SHIPPED.lookup("consensus", None, "references")
    assert shipped is not None
    without = Calibrations(without=frozenset({shipped.data_sha256}))
    assert without.lookup("consensus", None, "references") is None


def test_what_is_shipped_says_what_it_was_fitted_on() -> None:
    for one in store.load_shipped():
        assert "WikiBio" in one.calibration.fitted_on
        assert one.calibration.slope > 0
        assert len(one.data_sha256) == 64
    named = {(one.method, one.material) for one in store.load_shipped()}
    assert {("consensus", "samples"), ("consensus", "references"), ("consensus", "both")} <= named


def test_one_serves_the_models_it_was_fitted_on_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "load_shipped", lambda: (made("cascade", model=f"big{AND}small"),))
    assert SHIPPED.lookup("cascade", "small", "references") is not None
    assert SHIPPED.lookup("cascade", "openai/big", "references") is not None
    assert SHIPPED.lookup("cascade", "openai/other", "references") is None
    assert SHIPPED.lookup("cascade", None, "references") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"method": "consensus"}', b"\xff\xfe\x00"])
def test_a_damaged_file_is_named_with_its_remedy(tmp_path: Path, content: bytes) -> None:
    file = store.keep(tmp_path, made())
    file.write_bytes(content)
    with pytest.raises(StateError, match=r"calibrate again") as caught:
        Calibrations(tmp_path).lookup("consensus", None, "references")
    assert str(file) in str(caught.value)
    found, damaged = store.list_calibrations(tmp_path)
    assert found == ()
    assert len(damaged) == 1


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.keep(tmp_path, made(threshold=0.2))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingError, match="no space left"):
        store.keep(tmp_path, made(threshold=0.9))
    assert Calibrations(tmp_path).lookup("consensus", None, "references") == made(threshold=0.2)
    assert len(list(tmp_path.iterdir())) == 1


def test_the_folder_is_in_the_data_of_the_platform_or_where_the_variable_says(
    nobody: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert nobody in store.folder().parents
    monkeypatch.setenv("HALUBOT_CALIBRATIONS", "/elsewhere")
    assert store.folder() == Path("/elsewhere")


TEXT, REFERENCE = "Ada was born in 1816.", "Ada was born in 1815."
LIFE = "Ada was born in 1816. She wrote."


def test_a_check_takes_threshold_and_probability_from_what_is_kept(tmp_path: Path) -> None:
    store.keep(tmp_path, made(threshold=0.31))
    report = check(TEXT, references=[REFERENCE], calibrations=tmp_path)
    assert report.threshold == made(threshold=0.31).threshold
    assert report.calibration == made().calibration
    (fact,) = report.facts
    assert fact.score is not None
    assert fact.probability == probability_of(fact.score, made().calibration)
    (sentence,) = report.sentences
    assert sentence.probability is not None


def test_a_kept_threshold_that_doubts_most_right_statements_is_left_out(tmp_path: Path) -> None:
    store.keep(tmp_path, made(threshold=0.02).model_copy(update={"figures": {"tnr": 0.3}}))
    report = check(TEXT, references=[REFERENCE], calibrations=tmp_path)
    assert report.threshold.value == 0.5
    assert report.calibration == made().calibration
    assert any("threshold of your calibration" in problem.what for problem in report.problems)


def test_a_threshold_that_is_given_comes_first(tmp_path: Path) -> None:
    store.keep(tmp_path, made())
    report = check(TEXT, references=[REFERENCE], calibrations=tmp_path, threshold=0.25)
    assert report.threshold == Threshold(value=0.25, fitted_on=None)
    assert report.calibration == made().calibration


def test_without_a_kept_one_the_shipped_one_is_named() -> None:
    report = check(LIFE, samples=[LIFE] * 10)
    assert report.calibration is not None
    assert "WikiBio" in report.calibration.fitted_on
    assert report.threshold.fitted_on is not None
    bare = check(TEXT, references=[REFERENCE], calibrations=NONE)
    assert bare.calibration is None
    assert bare.facts[0].probability is None


def test_a_damaged_one_is_left_out_with_a_note(tmp_path: Path) -> None:
    store.keep(tmp_path, made(threshold=0.31)).write_bytes(b"{")
    report = check(TEXT, references=[REFERENCE], calibrations=tmp_path)
    assert report.threshold.value == 0.5
    assert report.calibration is None
    assert any("calibration" in problem.what for problem in report.problems)


def test_a_sentence_that_a_fact_overrules_has_the_probability_of_its_own_evidence(
    tmp_path: Path,
) -> None:
    store.keep(tmp_path, made(threshold=0.5))
    events: list[Event] = []
    report = check(
        "Ada Lovelace, who was born in 1816, wrote about the Analytical Engine and its Jacquard"
        " cards in a long appendix of notes.",
        references=[
            "Ada Lovelace was born in 1815. She wrote about the Analytical Engine and its Jacquard"
            " cards in a long appendix of notes."
        ],
        calibrations=tmp_path,
        watch=events.append,
    )
    judged = [event for event in events if isinstance(event, SentenceJudged)]
    (said,) = judged
    assert said.own is not None
    assert said.score is not None
    assert report.sentences[0].probability == probability_of(said.own, made().calibration)
    assert report.sentences[0].score == said.score


@pytest.mark.parametrize(
    ("score", "probability", "shown"),
    [
        (None, None, ""),
        (0.5, None, "doubt 0.50"),
        (0.83, 0.914, "doubt 0.83, 91 % likely wrong"),
        (1.0, 0.999, "doubt 1.00, over 99 % likely wrong"),
        (0.0, 0.001, "doubt 0.00, under 1 % likely wrong"),
    ],
)
def test_how_likely_wrong_is_said_in_words(
    score: float | None, probability: float | None, shown: str
) -> None:
    assert level(score, probability) == shown


def test_a_threshold_that_a_person_gave_says_so() -> None:
    assert threshold(Threshold(value=0.3)) == "doubted from 0.30 on, as given"
    fitted = threshold(Threshold(value=0.3, fitted_on="mine.jsonl"))
    assert fitted == "doubted from 0.30 on, fitted on mine.jsonl"

"""Thresholds and probabilities: fitted on some rows, measured on others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from halubot.calibration.store import Calibrations
from halubot.errors import BrokenLineError, InputError, SettingError
from halubot.evaluation.fit import calibrator, cross_validation, platt
from halubot.evaluation.fit import cross_validation as objectives
from halubot.evaluation.fit import platt as examples
from halubot.evaluation.fit.calibrator import Origin, Plan, origin_of
from halubot.evaluation.fit.cross_validation import (
    Objective,
    bins,
    cross_validate,
    dealt_out,
    finder,
    left_out,
    parse,
)
from halubot.evaluation.fit.platt import Example, Line
from halubot.evaluation.rows import LabelledFact, Row
from halubot.events import SentenceJudged
from halubot.fold import log_odds
from halubot.report import Fact, Report, Sentence, Source, Threshold, Triple


def example(score: float, wrong: bool, group: str) -> Example:
    return Example(group, wrong, (score,), score)


def noisy(count: int = 200, seed: int = 0) -> list[Example]:
    """Examples whose log-odds of being wrong are 0.5 + 1.5 times those of their score."""
    random = np.random.default_rng(seed)
    found = []
    for index in range(count):
        score = float(random.uniform(0.06, 0.94))
        chance = 1 / (1 + np.exp(-(0.5 + 1.5 * log_odds(score))))
        found.append(example(score, bool(random.uniform() < chance), f"g{index // 2}"))
    return found


def test_platt_is_logistic_regression_with_smoothed_targets() -> None:
    found = noisy()
    odds = np.array([log_odds(one.decisive) for one in found])
    wrong = np.array([one.wrong for one in found])
    high, low = (wrong.sum() + 1) / (wrong.sum() + 2), 1 / ((~wrong).sum() + 2)
    target = np.where(wrong, high, low)
    plain = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(
        np.concatenate([odds, odds])[:, None],
        [1] * len(odds) + [0] * len(odds),
        sample_weight=np.concatenate([target, 1 - target]),
    )
    line = platt.fit(found)
    assert line.intercept == pytest.approx(plain.intercept_[0], abs=1e-4)
    assert line.slope == pytest.approx(plain.coef_[0, 0], abs=1e-4)


def test_of_labels_on_whole_messages_the_line_of_their_sentences_is_found() -> None:
    random = np.random.default_rng(1)
    messages = []
    for index in range(800):
        scores = random.uniform(0.06, 0.94, size=3)
        chances = [1 / (1 + np.exp(-(-1.5 + 1.0 * log_odds(s)))) for s in scores]
        wrong = bool((random.uniform(size=3) < chances).any())
        messages.append(Example(f"g{index}", wrong, tuple(map(float, scores)), max(scores)))
    line = platt.fit(messages)
    assert line.intercept == pytest.approx(-1.5, abs=0.25)
    assert line.slope == pytest.approx(1.0, abs=0.25)


def test_a_message_is_wrong_where_any_sentence_is() -> None:
    line = Line(0.3, 0.8)
    parts = (0.2, 0.7, 0.9)
    alone = [float(platt.probabilities(line, [example(s, True, "")])[0]) for s in parts]
    (whole,) = platt.probabilities(line, [Example("", True, parts, 0.9)])
    assert whole == pytest.approx(1 - np.prod([1 - chance for chance in alone]))


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=12).filter(
        lambda pairs: len({wrong for _, wrong in pairs}) == 2
    )
)
def test_a_higher_score_is_never_less_likely_wrong(pairs: list[tuple[float, bool]]) -> None:
    line = platt.fit([example(score, wrong, str(i)) for i, (score, wrong) in enumerate(pairs)])
    assert line.slope >= 0
    ordered = [example(score, True, "") for score in sorted(score for score, _ in pairs)]
    chances = platt.probabilities(line, ordered)
    assert (np.diff(chances) >= -1e-12).all()
    assert ((chances >= 0) & (chances <= 1)).all()


def test_scores_that_point_the_wrong_way_give_the_share_that_is_wrong() -> None:
    found = [example(i / 100, i < 50, str(i)) for i in range(100)]
    line = platt.fit(found)
    assert line.slope == 0
    assert platt.probabilities(line, found) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("youden", Objective("youden")),
        ("balanced", Objective("balanced")),
        ("f1", Objective("f1")),
        ("weighted:0.67", Objective("weighted", 0.67)),
    ],
)
def test_objectives_are_written_as_they_are_read(text: str, wanted: Objective) -> None:
    assert parse(text) == wanted
    assert str(wanted) == text


@pytest.mark.parametrize(
    "text", ["", "weighted", "weighted:", "weighted:2", "weighted:nan", "youden:1", "accuracy"]
)
def test_what_is_no_objective_is_refused_with_those_there_are(text: str) -> None:
    with pytest.raises(SettingError, match="youden, weighted:W"):
        parse(text)


def value_of(objective: Objective, wrong: Sequence[bool], doubted: Sequence[bool]) -> float:
    """What an objective makes of decisions, counted one by one."""
    hits = sum(w and d for w, d in zip(wrong, doubted, strict=True))
    passed = sum(not w and not d for w, d in zip(wrong, doubted, strict=True))
    tpr, tnr = hits / sum(wrong), passed / (len(wrong) - sum(wrong))
    if objective.kind == "f1":
        return 2 * hits / (sum(doubted) + sum(wrong))
    return objective.weight * tpr + (1 - objective.weight) * tnr


@given(
    st.sampled_from(["youden", "balanced", "f1", "weighted:0.67", "weighted:0.1"]),
    st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=14).filter(
        lambda pairs: len({wrong for _, wrong in pairs}) == 2
    ),
)
def test_no_other_threshold_is_better(name: str, pairs: list[tuple[int, bool]]) -> None:
    objective = parse(name)
    scores, wrong = [step / 8 for step, _ in pairs], [bad for _, bad in pairs]
    found = objective.threshold(np.array(wrong), np.array(scores))
    assert found is not None
    best = value_of(objective, wrong, [score >= found for score in scores])
    for other in {*scores, 2.0}:
        value = value_of(objective, wrong, [score >= other for score in scores])
        assert best >= value - 1e-12 or other > max(scores)


def test_a_threshold_lies_half_way_to_what_is_not_doubted() -> None:
    found = parse("youden").threshold(
        np.array([False, False, True, True]), np.array([0.1, 0.2, 0.8, 0.9])
    )
    assert found == pytest.approx(0.5)


def test_no_row_of_the_left_out_fold_is_seen_by_what_is_fitted() -> None:
    found = noisy(60)
    for fold in dealt_out(found, "rows"):
        fitted: list[list[Example]] = []
        sought: list[list[Example]] = []

        def fit(given: Sequence[Example], seen: list[list[Example]] = fitted) -> Line:
            seen.append(list(given))
            return Line(0.0, 1.0)

        def find(given: Sequence[Example], seen: list[list[Example]] = sought) -> float:
            seen.append(list(given))
            return 0.5

        left_out(found, fold, fit, find)
        assert len(fitted) == len(sought) == len(set(fold))
        for held, (to_fit, to_find) in enumerate(zip(fitted, sought, strict=True)):
            out = [one for one, of in zip(found, fold, strict=True) if of == held]
            kept = [one for one, of in zip(found, fold, strict=True) if of != held]
            assert to_fit == to_find == kept
            assert not {one.group for one in out} & {one.group for one in kept}


def test_what_is_said_of_a_fold_comes_from_its_own_fit() -> None:
    found = noisy(40)
    fold = dealt_out(found, "rows")[0]
    lines = iter([Line(float(held), 0.0) for held in range(len(set(fold)))])
    cuts = iter([0.0, 2.0, 0.0, 2.0, 0.0])
    chances, doubted = left_out(found, fold, lambda _: next(lines), lambda _: next(cuts))
    for index, held in enumerate(fold):
        assert chances[index] == pytest.approx(1 / (1 + np.exp(-held)))
        assert doubted[index] == (held % 2 == 0)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=4, max_size=30),
)
def test_groups_are_never_parted_and_folds_can_be_fitted(pairs: list[tuple[int, bool]]) -> None:
    found = [example(0.5, wrong, f"g{group}") for group, wrong in pairs]
    try:
        every = dealt_out(found, "rows")
    except InputError:
        return
    for fold in every:
        by_group: dict[str, set[int]] = {}
        for one, held in zip(found, fold, strict=True):
            by_group.setdefault(one.group, set()).add(held)
        assert all(len(folds) == 1 for folds in by_group.values())
        for held in set(fold):
            assert len({e.wrong for e, of in zip(found, fold, strict=True) if of != held}) == 2


def test_a_true_probability_is_measured_as_reliable() -> None:
    found = noisy(3000)
    measured = cross_validate(found, parse("weighted:0.67"), dealt_out(found, "rows")[:1])
    figures = measured.figures
    ece, brier, base = figures["ece"], figures["brier"], figures["brier_of_base_rate"]
    assert ece is not None
    assert brier is not None
    assert base is not None
    assert ece < 0.04
    assert brier < base
    assert sum(one.examples for one in measured.bins) == 3000
    tpr, tnr, value = figures["tpr"], figures["tnr"], figures["weighted_youden"]
    assert tpr is not None
    assert tnr is not None
    assert value == pytest.approx(2 * (0.67 * tpr + 0.33 * tnr) - 1)


def test_bins_hold_every_example_once_in_order() -> None:
    chances = np.linspace(0, 1, 37)
    found = bins(chances, chances > 0.5)
    assert sum(one.examples for one in found) == 37
    assert [one.said for one in found] == sorted(one.said for one in found)
    assert {one.examples for one in found} == {3, 4}


@pytest.mark.parametrize("wrong", [True, False])
def test_one_class_only_is_refused_and_says_which_is_lacking(wrong: bool) -> None:
    found = [example(0.5, wrong, str(i)) for i in range(20)]
    with pytest.raises(InputError, match="right" if wrong else "wrong"):
        dealt_out(found, "rows.jsonl")
    with pytest.raises(InputError):
        dealt_out([], "rows.jsonl")


def test_one_group_of_a_kind_is_too_few() -> None:
    found = [example(0.5, i == 0, str(i)) for i in range(20)]
    with pytest.raises(InputError, match="too few"):
        dealt_out(found, "rows.jsonl")


def report(**update: Any) -> Report:
    plain = Report(text="A b. C d.", method="m", engine="0", threshold=Threshold(value=0.5))
    return plain.model_copy(update=update)


SENTENCES = (
    Sentence(index=0, start=0, end=4, score=0.51, facts=(0,)),
    Sentence(index=1, start=5, end=9, score=0.8),
)
FACTS = (
    Fact(index=0, triple=Triple("A", "b", "c"), sentences=(0,), spans=((0, 4),), score=0.7),
    Fact(index=1, triple=Triple("C", "d", "e"), sentences=(1,), spans=((5, 9),)),
)
RAISED = [SentenceJudged(index=0, score=0.51, own=0.3, verdict="doubtful")]


def test_a_sentence_that_a_fact_overrules_is_decided_by_it_and_likely_by_itself() -> None:
    row = Row("1", "A b. C d.", gold=(1.0, 0.0), sentences=("A b.", "C d."))
    found = examples.read(row, report(sentences=SENTENCES, facts=FACTS), RAISED, "g")
    assert found.examples == (
        Example("g", True, (0.3,), 0.7),
        Example("g", False, (0.8,), 0.8),
    )


def test_a_message_has_the_scores_of_its_sentences_and_its_worst_decides() -> None:
    row = Row("1", "A b. C d.", gold=(1.0,))
    found = examples.read(row, report(sentences=SENTENCES, facts=FACTS), RAISED, "g")
    assert found.examples == (Example("g", True, (0.3, 0.8), 0.8),)
    whole = examples.read(row, report(score=0.6), [], "g")
    assert whole.examples == (Example("g", True, (0.6,), 0.6),)
    nothing = examples.read(row, report(), [], "g")
    assert (nothing.examples, nothing.unscored) == ((), 1)


def test_labelled_facts_are_those_of_the_report_in_the_same_place() -> None:
    labels = (
        LabelledFact(Triple("A", "b", "c"), ((0, 4),), wrong=True),
        LabelledFact(Triple("C", "d", "e"), ((5, 9),), wrong=False),
        LabelledFact(Triple("X", "y", "z"), ((5, 9),), wrong=False),
    )
    found = examples.read(
        Row("1", "A b. C d.", labelled=labels), report(sentences=SENTENCES, facts=FACTS), [], "g"
    )
    assert found.examples == (Example("g", True, (0.7,), 0.7),)
    assert (found.unscored, found.unmatched) == (2, 1)


def written(path: Path, count: int, **common: Any) -> Path:
    """Rows of which every second one is wrong, and found to be so in most cases."""
    with path.open("w", encoding="utf-8") as file:
        for index in range(count):
            year = 1700 + index
            said = year + 7 if index % 2 and index % 7 else year
            row = {
                "text": f"Ada Hale was born in {said} in Vienna.",
                "references": [f"Ada Hale was born in {year} in Vienna."],
                "label": "hallucinated" if index % 2 else "right",
            }
            file.write(json.dumps(row | common) + "\n")
    return path


def plan(data: Path, **update: Any) -> Plan:
    return replace(Plan(data, "consensus", parse("youden")), **update)


@pytest.mark.slow
def test_rows_become_a_threshold_and_a_probability(tmp_path: Path) -> None:
    planned = plan(written(tmp_path / "mine.jsonl", 60))
    fitted = calibrator.calibrate(planned, calibrator.read(planned))
    found = fitted.calibrated
    assert (found.method, found.model, found.material) == ("consensus", None, "references")
    assert (found.rows, found.units, found.wrong) == (60, 60, 30)
    assert found.threshold is not None
    assert found.threshold.fitted_on == "mine.jsonl (60 rows) by Youden's J"
    assert found.calibration.fitted_on == "mine.jsonl (60 rows)"
    tnr = fitted.out_of_fold.figures["tnr"]
    assert tnr == 1.0
    assert not any("only" in note for note in fitted.notes)
    assert found.data_sha256 == calibrator.read(planned).sha256


@pytest.mark.slow
def test_ten_rows_warn_and_have_wide_intervals(tmp_path: Path) -> None:
    many, few = (
        calibrator.calibrate(plan(file), calibrator.read(plan(file)))
        for file in (written(tmp_path / "many.jsonl", 60), written(tmp_path / "ten.jsonl", 10))
    )
    assert any("only 10 rows" in note for note in few.notes)

    def width(of: calibrator.Fitted) -> float:
        ends = of.out_of_fold.intervals["tpr"]
        assert ends is not None
        return ends[1] - ends[0]

    assert width(few) > width(many)


def test_rows_that_cannot_be_scored_are_left_out_and_counted(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.jsonl", 20)
    with file.open("a", encoding="utf-8") as more:
        row = {"text": "!!!", "references": ["Ada."], "label": "right"}
        more.write(json.dumps(row) + "\n")
    fitted = calibrator.calibrate(plan(file), calibrator.read(plan(file)))
    assert fitted.calibrated.units == 20
    assert any(note.startswith("1 label") for note in fitted.notes)


def test_a_broken_line_is_named_before_any_work(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.jsonl", 4)
    with file.open("a", encoding="utf-8") as more:
        more.write('{"text": "A.", "label": "maybe"}\n')
    with pytest.raises(BrokenLineError, match="line 5"):
        calibrator.read(plan(file))


def test_rows_of_several_kinds_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.jsonl", 20)
    with file.open("a", encoding="utf-8") as more:
        row = {"text": "Ada was born in 1815.", "samples": ["Ada was born."], "label": "right"}
        more.write(json.dumps(row) + "\n")
    with pytest.raises(InputError, match="20 with references, 1 with samples"):
        calibrator.calibrate(plan(file), calibrator.read(plan(file)))


def test_calibrations_fitted_on_the_same_file_take_no_part(tmp_path: Path) -> None:
    planned = plan(written(tmp_path / "mine.jsonl", 4))
    data = calibrator.read(planned)
    seen: list[Calibrations] = []

    def check(text: str, **given: Any) -> Report:
        seen.append(given["calibrations"])
        assert given["threshold"] == 0.5
        score = 0.9 if "label" in text else 0.2 + 0.1 * len(seen)
        whole = Sentence(index=0, start=0, end=len(text), score=score)
        source = Source(id="r1", kind="reference")
        return report(text=text, sentences=(whole,), sources=(source,))

    calibrator.calibrate(planned, data, calibrations=Calibrations(tmp_path), check=check)
    assert len(seen) == 4
    assert all(data.sha256 in one.without and one.folder == tmp_path for one in seen)


def test_the_finder_needs_both_kinds() -> None:
    with pytest.raises(ValueError, match="both kinds"):
        finder(parse("f1"))([example(0.5, True, "g")])
    with pytest.raises(ValueError, match="both kinds"):
        platt.fit([example(0.5, True, "g")])


def test_repeats_are_different_deals() -> None:
    every = dealt_out(noisy(60), "rows")
    assert len(every) == cross_validation.REPEATS
    assert len(set(every)) > 1
    assert objectives.best_f1(np.array([True]), np.array([0.5])) is None


TEXT = "The bridge was opened in 1931 by the mayor of Osby after four years of work."


CHANGED = TEXT.replace("1931", "1938")


OTHER = "Ada Holm drew the bridge, which replaced a ferry that had sunk in a storm."


def right(text: str = TEXT, group: str = "a") -> Row:
    return Row("r", text, gold=(0.0,), group=group)


def wrong(text: str, group: str = "a", **fields: object) -> Row:
    row = {"id": "w", "text": text, "gold": (1.0,), "group": group}
    return Row(**{**row, **fields})  # type: ignore[arg-type]


def test_a_row_that_says_so_was_made_by_rule() -> None:
    found = origin_of([right(), wrong(OTHER, maker="changes")])
    assert found == Origin(wrong=1, named=1, copied=0)
    assert found.note is not None
    assert "halubot make-data" in found.note


def test_a_right_text_with_a_word_changed_is_a_copy() -> None:
    assert origin_of([right(), wrong(CHANGED)]) == Origin(wrong=1, named=0, copied=1)
    alone = wrong(CHANGED, group="", references=(TEXT,))
    assert origin_of([alone]) == Origin(wrong=1, named=0, copied=1)


def test_what_models_write_is_no_copy() -> None:
    rows = [
        right(),
        wrong(OTHER),
        wrong(CHANGED, group="elsewhere"),
        wrong(CHANGED, maker="hallucinated"),
        wrong(CHANGED, group="", references=(f"{TEXT} {OTHER} {OTHER}",)),
    ]
    found = origin_of(rows)
    assert found == Origin(wrong=4, named=0, copied=0)
    assert found.note is None


def test_a_few_made_rows_among_many_are_not_warned_of() -> None:
    found = origin_of([right(), wrong(CHANGED), wrong(OTHER), wrong(OTHER)])
    assert found.copied == 1
    assert found.note is None
    assert origin_of([right()]).note is None


def test_wrong_facts_make_a_wrong_row() -> None:
    fact = LabelledFact(Triple("a", "b", "c"), ((0, 1),), wrong=True)
    row = Row("f", CHANGED, group="a", labelled=(fact,))
    assert origin_of([right(), row]) == Origin(wrong=1, named=0, copied=1)

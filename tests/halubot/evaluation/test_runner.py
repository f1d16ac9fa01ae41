"""A benchmark from the file to the figures, with a check that answers by rule."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from halubot.calibration import store
from halubot.calibration.store import Calibrated
from halubot.errors import BrokenLineError, InputError, SettingError, UnknownMethodError
from halubot.evaluation import loader
from halubot.evaluation.plan import Plan
from halubot.evaluation.result import Result, score_line
from halubot.evaluation.runner import run
from halubot.events import Event
from halubot.methods import registry
from halubot.methods.registry import Case, Size, Verdicts
from halubot.report import Calibration, Problem, Report, Sentence, Threshold, Triple, Usage


class Words:
    """A method that is only asked what it needs; `FakeCheck` does its work."""

    name = "words"
    summary = "words that the material lacks"
    needs: tuple[str, ...] = ("samples", "references")
    needs_all = False
    source = "the tests"
    default_threshold = Threshold(value=0.5)

    def calls(self, size: Size) -> int:
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        return iter(())


class Judge(Words):
    """A method that asks a model besides."""

    name = "judge"
    needs: tuple[str, ...] = ("samples", "references", "model")
    takes_verdicts = True


class Asker(Judge):
    """A method that asks another question than the recorded verdicts answer."""

    name = "asker"
    takes_verdicts = False


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    registry.register(Words())
    registry.register(Judge())
    registry.register(Asker())


class FakeCheck:
    """Scores each sentence by the share of its words that the material lacks."""

    def __init__(self, failure: Exception | None = None, drop: bool = False) -> None:
        self.seen: list[dict[str, Any]] = []
        self.judged: list[tuple[Verdicts | None, dict[str, Any]]] = []
        self.failure = failure
        self.drop = drop

    def __call__(
        self,
        text: str,
        *,
        question: str | None,
        samples: Sequence[str],
        references: Sequence[str],
        sentences: Sequence[str] | None,
        subject: str | None,
        method: str,
        threshold: float | None,
        verdicts: Verdicts | None,
        options: Mapping[str, Any],
    ) -> Report:
        if self.failure is not None:
            raise self.failure
        self.seen.append({"text": text, "question": question, "samples": samples})
        self.seen[-1] |= {"references": references, "subject": subject, "threshold": threshold}
        self.judged.append((verdicts, dict(options)))
        known = {word for other in (*samples, *references) for word in other.split()}
        found: list[Sentence] = []
        at = 0
        for index, sentence in enumerate(sentences or [text]):
            start = text.index(sentence, at)
            at = start + len(sentence)
            words = sentence.split()
            score = None if words == ["..."] else sum(w not in known for w in words) / len(words)
            rank = None if score is None else score / 2
            found.append(Sentence(index=index, start=start, end=at, score=score, rank=rank))
        scores = [one.score for one in found if one.score is not None]
        return Report(
            text=text,
            method=method,
            engine="0",
            threshold=Threshold(value=0.5),
            score=max(scores) if scores else None,
            sentences=tuple(found[1:] if self.drop else found),
            problems=(Problem(what="one sample was short", why="it is"),),
            usage=Usage(calls=2, cost_usd=0.5, seconds=0.25),
        )


WIKIBIO = [
    {
        "id": f"w{number}",
        "concept": "Ada",
        "passage": "Ada wrote. Ada sang. ...",
        "sentences": ["Ada wrote.", "Ada sang.", "..."],
        "labels": ["accurate", "major_inaccurate", label],
        "samples": ["Ada wrote.", sample],
        "reference": "Ada sang." if number else "He left.",
    }
    for number, (label, sample) in enumerate(
        [("minor_inaccurate", "Ada danced."), ("accurate", "Ada sang.")]
    )
]
HALUEVAL = [
    {
        "id": f"q{number}",
        "pair": str(number // 2),
        "question": "Who?",
        "knowledge": "Ada wrote notes.",
        "answer": answer,
        "label": label,
    }
    for number, (answer, label) in enumerate(
        [
            ("Ada wrote", "right"),
            ("Ada sang loudly", "hallucinated"),
            ("Ada sang", "right"),
            ("He sang loudly", "hallucinated"),
        ]
    )
]


def written(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def measured(plan: Plan, check: FakeCheck | None = None) -> Result:
    return run(plan, check=check or FakeCheck())


def test_wikibio_passes_sentences_subject_and_samples(tmp_path: Path) -> None:
    data = written(tmp_path / "w.jsonl", WIKIBIO)
    check = FakeCheck()
    steps: list[tuple[int, int]] = []
    plan = Plan("wikibio", data, "words", n_samples=1)
    result = run(plan, check=check, advance=lambda done, of: steps.append((done, of)))
    assert steps == [(1, 2), (2, 2)]
    assert check.seen[0] == {
        "text": "Ada wrote. Ada sang. ...",
        "question": None,
        "samples": ("Ada wrote.",),
        "references": (),
        "subject": "Ada",
        "threshold": None,
    }
    # The first passage is in order; in the second the unscored right sentence ties the wrong one.
    assert result.metrics["within_passage_auroc"] == pytest.approx((1 + 3 / 4) / 2)
    assert result.rows == 2
    assert result.usage == Usage(calls=4, cost_usd=1.0, seconds=0.5)
    assert "2 units have no score and count 0.5" in result.notes
    assert "one sample was short (2 rows)" in result.notes
    assert score_line(result.scored[0]) == {
        "id": "w0",
        "scores": [0.0, 0.5, 0.5],
        "ranks": [0.0, 0.25, 0.5],
    }


def test_the_json_of_the_contract(tmp_path: Path) -> None:
    data = written(tmp_path / "w.jsonl", WIKIBIO)
    found = measured(Plan("wikibio", data, "words", with_reference=True)).to_dict()
    assert {"dataset", "method", "rows", "data_sha256", "engine"} < set(found)
    assert {"metrics", "intervals", "usage", "seconds"} < set(found)
    assert set(found["metrics"]) == set(found["intervals"])
    for name, value in found["metrics"].items():
        if value is None:  # of passages of one kind
            assert name.startswith("passage_")
            assert found["intervals"][name] is None
            continue
        low, high = found["intervals"][name]
        assert (-1 if "youden" in name else 0) <= low <= value <= high <= 1
    json.dumps(found, allow_nan=False)


def test_references_in_place_of_samples(tmp_path: Path) -> None:
    check = FakeCheck()
    plan = Plan("wikibio", written(tmp_path / "w.jsonl", WIKIBIO), "words", with_reference=True)
    measured(plan, check)
    assert check.seen[0]["samples"] == ()
    assert check.seen[0]["references"] == ("He left.",)


def test_the_threshold_comes_from_the_validation_file(tmp_path: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    validation = written(tmp_path / "v.jsonl", HALUEVAL[:2])
    check = FakeCheck()
    result = measured(Plan("halueval_qa", data, "words", validation=validation), check)
    assert len(check.seen) == 6
    assert check.seen[0]["question"] == "Who?"
    assert (result.rows, len(result.scored)) == (4, 4)
    assert result.metrics["threshold"] == pytest.approx(2 / 3)
    assert result.metrics["tpr"] == result.metrics["tnr"] == 1
    assert result.intervals["threshold"] == pytest.approx((2 / 3, 2 / 3))
    assert any("found on 2 rows of validation data" in note for note in result.notes)


def test_without_validation_it_says_so(tmp_path: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    default = measured(Plan("halueval_qa", data, "words"))
    assert any("default of words" in note for note in default.notes)
    given = measured(Plan("halueval_qa", data, "words", threshold=0.25))
    assert given.metrics["threshold"] == 0.25


def test_validation_needs_both_labels(tmp_path: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    validation = written(tmp_path / "v.jsonl", HALUEVAL[:1])
    with pytest.raises(InputError, match="one label only"):
        measured(Plan("halueval_qa", data, "words", validation=validation))


def test_messages_are_written_with_their_sentences(tmp_path: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    result = measured(Plan("halueval_qa", data, "words", limit=1))
    assert result.rows == 1
    assert result.metrics["auroc"] is None
    assert score_line(result.scored[0]) == {
        "id": "q0",
        "scores": [0.0],
        "ranks": [0.0],
        "sentences": [{"start": 0, "end": 9, "score": 0.0, "rank": 0.0}],
        "marks": (),
    }


def test_extraction_is_measured_without_a_check(tmp_path: Path) -> None:
    records = [
        {
            "id": "r",
            "item": "1",
            "answer": "Ada wrote.",
            "claims": [{"triplet": ["Ada", "wrote", "notes"]}],
        }
    ]
    found = (Triple("ada", "wrote", "notes"), Triple("Babbage", "built", "engines"))
    result = run(
        Plan("refchecker", written(tmp_path / "r.jsonl", records), "words"),
        check=FakeCheck(failure=AssertionError()),
        triples=lambda text: found,
    )
    assert result.metrics["triplet_precision"] == 0.5
    assert result.metrics["triplet_recall"] == 1
    assert score_line(result.scored[0])["scores"] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("dataset", "options", "why"),
    [
        ("wikibio", {"validation": Path("v")}, "leave --validation out"),
        ("faithbench", {"threshold": 0.5}, "leave --threshold out"),
        ("halueval_qa", {"threshold": 0.5, "validation": Path("v")}, "name only one"),
        ("halueval_qa", {"n_samples": 2}, "leave --n-samples out"),
        ("phd", {"with_reference": True}, "leave --with-reference out"),
        ("wikibio", {"with_reference": True, "method": "selfcheck-ngram"}, "needs samples"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    dataset: str, options: dict[str, Any], why: str, tmp_path: Path
) -> None:
    data = written(tmp_path / "d.jsonl", WIKIBIO if dataset == "wikibio" else HALUEVAL)
    with pytest.raises(SettingError, match=why):
        measured(Plan(**{"dataset": dataset, "data": data, "method": "words", **options}))


def test_an_unknown_method_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UnknownMethodError, match="did you mean 'consensus'"):
        measured(Plan("wikibio", tmp_path / "nowhere", "consensu"))


def test_a_row_that_cannot_be_checked_is_named(tmp_path: Path) -> None:
    plan = Plan("wikibio", written(tmp_path / "w.jsonl", WIKIBIO), "words")
    with pytest.raises(InputError, match="wikibio, row w0: too odd"):
        measured(plan, FakeCheck(failure=InputError("too odd")))
    with pytest.raises(InputError, match="2 sentences for 3"):
        measured(plan, FakeCheck(drop=True))


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    said = [[0, 1], [1, 1], [None, 0]]
    records = [{"id": row["id"], "verdicts": {"gemma": said}} for row in WIKIBIO]
    return written(tmp_path / "verdicts.jsonl", records)


def test_recorded_verdicts_reach_the_check(tmp_path: Path, recorded: Path) -> None:
    data, check = written(tmp_path / "w.jsonl", WIKIBIO), FakeCheck()
    plan = Plan("wikibio", data, "judge", verdicts=recorded, verdict_model="gemma")
    run(plan, check=check)
    assert check.judged == [(((0, 1), (1, 1), (None, 0)), {})] * 2
    run(replace(plan, n_samples=1, verdict_samples=3), check=check)
    assert check.judged[-1] == (((0,), (1,), (None,)), {"verdict_samples": 3})


def test_without_recorded_verdicts_none_reach_the_check(tmp_path: Path) -> None:
    check = FakeCheck()
    run(Plan("wikibio", written(tmp_path / "w.jsonl", WIKIBIO), "words"), check=check)
    assert check.judged == [(None, {})] * 2


@pytest.mark.parametrize(
    ("method", "given", "why"),
    [
        ("judge", {}, "judge asks a model: name a --model, or give --verdicts"),
        ("asker", {}, "asker asks a model: name a --model$"),
        ("asker", {"verdicts": ..., "verdict_model": "gemma"}, "asker asks another question"),
        ("judge", {"verdict_model": "gemma"}, "give --verdicts"),
        ("words", {"verdict_samples": 3}, "give --verdicts"),
        ("words", {"verdicts": ..., "verdict_model": "gemma"}, "words asks no model"),
        ("judge", {"verdicts": ...}, "name --verdict-model"),
        ("judge", {"verdicts": ..., "with_reference": True}, "leave --verdicts out"),
    ],
)
def test_verdicts_that_mean_nothing_here_are_refused(
    method: str, given: dict[str, Any], why: str, tmp_path: Path, recorded: Path
) -> None:
    data = written(tmp_path / "w.jsonl", WIKIBIO)
    named: dict[str, Any] = {
        name: recorded if value is ... else value for name, value in given.items()
    }
    with pytest.raises(SettingError, match=why):
        measured(replace(Plan("wikibio", data, method), **named))


def test_other_data_sets_have_no_recorded_verdicts(tmp_path: Path, recorded: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    plan = Plan("halueval_qa", data, "judge", verdicts=recorded, verdict_model="gemma")
    with pytest.raises(SettingError, match="wikibio: leave --verdicts out"):
        measured(plan)


class Killed(FakeCheck):
    """A check that is killed after some rows."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def __call__(self, text: str, **given: Any) -> Report:
        if len(self.seen) >= self.after:
            raise KeyboardInterrupt
        return super().__call__(text, **given)


def test_a_benchmark_that_was_killed_goes_on(tmp_path: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    plan = Plan("halueval_qa", data, "words", threshold=0.5, resume=tmp_path / "work.jsonl")
    with pytest.raises(KeyboardInterrupt):
        run(plan, check=Killed(after=3))
    check = FakeCheck()
    result = run(plan, check=check)
    assert [seen["text"] for seen in check.seen] == ["He sang loudly"]
    assert f"3 rows were done before, in {plan.resume}" in result.notes
    whole = run(replace(plan, resume=None), check=FakeCheck())
    assert (result.metrics, result.intervals) == (whole.metrics, whole.intervals)
    assert (result.usage, result.scored) == (whole.usage, whole.scored)
    again = FakeCheck()
    run(plan, check=again)
    assert again.seen == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        {"threshold": 0.4},
        {"method": "judge", "verdict_model": "gemma"},
        {"options": {"strict": True}},
        {"n_samples": 1},
        {"with_reference": True},
    ],
)
def test_rows_of_another_plan_are_not_taken_for_this_one(
    other: dict[str, Any], tmp_path: Path, recorded: Path
) -> None:
    if "verdict_model" in other:
        other = {**other, "verdicts": recorded}
    dataset = "own" if "threshold" in other else "wikibio"
    own = [{"text": "Ada sang", "label": "right", "samples": ["Ada"]}]
    data = written(tmp_path / "d.jsonl", own if dataset == "own" else WIKIBIO)
    plan = Plan(dataset, data, "words", resume=tmp_path / "work.jsonl")
    first = run(plan, check=FakeCheck())
    check = FakeCheck()
    run(replace(plan, **other), check=check)
    assert len(check.seen) == first.rows


def test_a_row_of_changed_data_is_checked_again(tmp_path: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    plan = Plan("halueval_qa", data, "words", threshold=0.5, resume=tmp_path / "work.jsonl")
    run(plan, check=FakeCheck())
    written(data, [{**HALUEVAL[0], "knowledge": "Nobody wrote."}, *HALUEVAL[1:]])
    check = FakeCheck()
    run(plan, check=check)
    assert check.seen


def test_a_broken_line_costs_no_work(tmp_path: Path) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    data.write_text(data.read_text(encoding="utf-8") + "\n{", encoding="utf-8")
    check = FakeCheck()
    with pytest.raises(BrokenLineError, match="line 5"):
        run(Plan("halueval_qa", data, "words", resume=tmp_path / "work.jsonl"), check=check)
    assert check.seen == []
    assert not (tmp_path / "work.jsonl").exists()


def test_samples_and_references_together(tmp_path: Path) -> None:
    check = FakeCheck()
    data = written(tmp_path / "w.jsonl", WIKIBIO)
    both = Plan("wikibio", data, "words", with_samples=True, with_reference=True)
    result = measured(both, check)
    assert check.seen[0]["samples"] == ("Ada wrote.", "Ada danced.")
    assert check.seen[0]["references"] == ("He left.",)
    assert result.compared_with == ("samples", "references")


def test_labelled_facts_that_were_not_found_are_told(tmp_path: Path) -> None:
    fact = {"triple": ["Ada", "sang", ""], "spans": [[0, 8]], "label": "wrong"}
    rows = [{"text": "Ada sang", "facts": [fact], "samples": ["Ada"]}]
    result = measured(Plan("own", written(tmp_path / "o.jsonl", rows), "words"))
    assert "1 labelled facts are none that words found, and have no score" in result.notes
    assert result.metrics["abstained_wrong"] == 1
    assert score_line(result.scored[0]) == {"id": "1", "scores": [0.5], "ranks": [0.5]}


@pytest.mark.slow
def test_no_calibration_that_was_fitted_on_the_data_takes_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    plan = Plan("halueval_qa", data, "consensus", threshold=0.5)
    digest = run(plan).data_sha256
    fitted = Calibrated(
        method="consensus",
        model=None,
        material="references",
        threshold=None,
        objective="youden",
        calibration=Calibration(intercept=0.0, slope=1.0, fitted_on="other data"),
        data_sha256="elsewhere",
        rows=1,
        units=1,
        wrong=1,
        engine="0",
        made="2026-01-01",
    )
    monkeypatch.setattr(store, "load_shipped", lambda: (fitted,))
    assert run(plan).calibrated_on == "other data"
    assert run(plan).metrics["brier"] is not None
    here = fitted.model_copy(update={"data_sha256": digest})
    monkeypatch.setattr(store, "load_shipped", lambda: (here,))
    monkeypatch.setattr(loader, "load_shipped", lambda: (here,))
    result = run(plan)
    assert result.calibrated_on is None
    assert "brier" not in result.metrics
    assert any("was fitted on this file: it takes no part" in note for note in result.notes)


def test_a_persons_calibration_takes_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    monkeypatch.setattr(store, "read", lambda file: pytest.fail(f"{file} was read"))
    written(store.file_of(tmp_path, "consensus", None, "references", {}), [{}])
    data = written(tmp_path / "q.jsonl", HALUEVAL)
    run(Plan("halueval_qa", data, "consensus", threshold=0.5))


def test_a_method_that_judged_nothing_has_no_figures(tmp_path: Path) -> None:
    data = written(tmp_path / "w.jsonl", WIKIBIO)

    def nothing(text: str, **given: Any) -> Report:
        report = FakeCheck()(text, **given)
        blank = [one.model_copy(update={"score": None, "rank": None}) for one in report.sentences]
        problem = Problem(what="nothing was checked", why="no reason")
        return report.model_copy(
            update={"score": None, "sentences": tuple(blank), "problems": (problem,)}
        )

    with pytest.raises(
        SettingError, match=r"words judged nothing in wikibio \(nothing was checked\)"
    ):
        run(Plan("wikibio", data, "words"), check=nothing)

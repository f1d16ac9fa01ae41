"""``python -m benchmarks``: its data sets, its output, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as program
from benchmarks.datasets import DATASETS
from benchmarks.rows import Row, load
from benchmarks.runner import Plan, run
from halubot.errors import BrokenLineError, SettingError

RIGHT, WRONG = "Ada Lovelace was born in 1815.", "Ada Lovelace was born in 1816."
WIKIBIO = {
    "id": "1",
    "concept": "Ada Lovelace",
    "passage": f"{WRONG} {RIGHT}",
    "sentences": [WRONG, RIGHT],
    "labels": ["major_inaccurate", "accurate"],
    "samples": [RIGHT] * 3,
    "reference": RIGHT,
}
ERROR = {"start": 25, "end": 29, "wrong": "1816", "right": "1815", "kind": "date"}
RECORDS: dict[str, dict[str, Any]] = {
    "wikibio": WIKIBIO,
    "halueval_qa": {
        "id": 1,
        "pair": 1,
        "question": "When?",
        "knowledge": RIGHT,
        "answer": WRONG,
        "label": "hallucinated",
    },
    "halueval_sum": {"id": 1, "pair": 1, "document": RIGHT, "summary": RIGHT, "label": "right"},
    "halueval_general": {"id": 1, "question": "When?", "answer": WRONG, "label": "right"},
    "faithbench": {
        "id": 1,
        "context": RIGHT,
        "answer": WRONG,
        "label": "Unwanted",
        "annotations": [{"labels": ["Unwanted"], "start": 0, "end": 9}],
    },
    "phd": {
        "id": 1,
        "entity": "Ada",
        "passage": WRONG,
        "samples": [RIGHT],
        "label": "non-factual",
    },
    "fava": {
        "prompt": "Who was Ada?",
        "sentences": [WRONG, RIGHT],
        "sentences_binary_annotations": [1, 0],
        "text_samples": [RIGHT] * 2,
    },
    "ehrtest": {
        "context": {"note": RIGHT},
        "question": "When?",
        "right_answer": RIGHT,
        "hallucinated_answer": WRONG,
    },
    "refchecker": {"id": 1, "item": 1, "answer": RIGHT, "claims": [{"triplet": ["A", "b", "c"]}]},
    "truthfulqa": {
        "id": 1,
        "question": "When?",
        "best_answer": RIGHT,
        "best_incorrect": WRONG,
        "correct": [RIGHT, "In 1815."],
    },
    "truthfulqa_judged": {"id": 1, "question": "When?", "answer": WRONG, "label": "hallucinated"},
    "factbench": {"id": 1, "question": "When?", "claims": [{"text": WRONG, "label": False}]},
    "factscore": {
        "id": 1,
        "question": "Question: When?",
        "topic": "Ada",
        "sentences": [{"facts": [{"text": WRONG, "label": "NS"}, {"text": "x", "label": "IR"}]}],
    },
    "ragtruth": {
        "id": 1,
        "source_id": 1,
        "answer": WRONG,
        "label": "hallucinated",
        "spans": [{"start": 0, "end": 3}],
    },
    "everyday": {
        "id": 1,
        "group": 1,
        "style": "news",
        "text": WRONG,
        "samples": [RIGHT],
        "references": [RIGHT],
        "errors": [ERROR],
    },
    "qags": {"text": WRONG, "references": [RIGHT], "label": "hallucinated", "domain": "news"},
    "summedits": {"text": RIGHT, "references": [RIGHT], "label": "right", "domain": "news"},
    "pairs": {"text": WRONG, "references": [RIGHT], "label": "hallucinated", "kind": "date"},
    "medquad": {"id": 1, "question": "When?", "answer": RIGHT},
    "pubmedqa": {"id": 1, "question": "When?", "context": [RIGHT], "answer": RIGHT},
    "own": {"text": f"{WRONG} {RIGHT}", "sentences": [WRONG, RIGHT], "labels": ["right"] * 2},
}


def write(folder: Path, *records: object) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", DATASETS)
def test_a_record_of_each_data_set_becomes_a_row(name: str, tmp_path: Path) -> None:
    rows = load(DATASETS[name], write(tmp_path, RECORDS[name])).rows
    assert isinstance(rows[0], Row)
    with pytest.raises(BrokenLineError, match="line 1"):
        load(DATASETS[name], write(tmp_path, {"id": 1}))


def test_rows_hold_what_people_said(tmp_path: Path) -> None:
    def first(name: str) -> Row:
        return load(DATASETS[name], write(tmp_path, RECORDS[name])).rows[0]

    assert first("wikibio").gold == (1.0, 0.0)
    assert first("faithbench").wrong_spans == ((0, 9),)
    assert first("factscore").sentences == (WRONG,)
    assert first("factscore").subject == "Ada"
    assert first("truthfulqa").references == ("In 1815.",)
    assert first("everyday").errors[0].right == "1815"
    assert first("qags").parts == ("domain news",)


def test_the_json_of_the_contract(tmp_path: Path) -> None:
    data, scores = write(tmp_path, WIKIBIO), tmp_path / "scores.jsonl"
    asked = ["wikibio", "--data", str(data), "--method", "consensus", "--format", "json"]
    ended = CliRunner().invoke(program.command, [*asked, "--scores", str(scores)])
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    assert {
        *("dataset", "method", "rows", "data_sha256", "engine", "metrics"),
        *("intervals", "usage", "seconds"),
    } <= found.keys()
    assert (found["dataset"], found["method"], found["rows"]) == ("wikibio", "consensus", 1)
    assert found["metrics"]["sentence_hallucination_average_precision"] == 1
    assert found["metrics"].keys() == found["intervals"].keys()
    assert found["baselines"]["all_positive"]["sentence_hallucination_auc_pr"] == 0.75
    (line,) = map(json.loads, scores.read_text().splitlines())
    assert line.keys() == {"id", "scores", "ranks"}
    assert line["scores"][0] > line["scores"][1]
    table = CliRunner().invoke(program.command, asked[:-2]).stdout
    assert "sentence_hallucination_auc_pr " in table
    assert "unseen_words: " in table


def test_recorded_verdicts_stand_in_for_a_model(tmp_path: Path) -> None:
    data = write(tmp_path, WIKIBIO)
    verdicts = tmp_path / "verdicts.jsonl"
    said = {"id": "1", "verdicts": {"judge": [[1, 1, 1], [0, 0, 0]]}}
    verdicts.write_text(json.dumps(said))
    plan = Plan("wikibio", data, "selfcheck-prompt", verdicts=verdicts, verdict_model="judge")
    result = run(plan)
    assert [one.score for one in result.outcomes[0].sentences] == [1.0, 0.0]
    assert (result.usage.calls, result.usage.cached_calls) == (0, 3)
    with pytest.raises(SettingError, match="no verdicts of 'other': there are judge"):
        run(Plan("wikibio", data, "cascade", verdicts=verdicts, verdict_model="other"))
    verdicts.write_text(json.dumps({**said, "verdicts": {"judge": [[1, 1, 1]]}}))
    with pytest.raises(BrokenLineError, match="do not fit"):
        run(plan)


def test_a_threshold_is_found_on_other_rows_only(tmp_path: Path) -> None:
    records = [
        RECORDS["halueval_qa"],
        {**RECORDS["halueval_qa"], "answer": RIGHT, "label": "right"},
    ]
    data = write(tmp_path, *records)
    result = run(Plan("halueval_qa", data, "consensus"))
    assert result.notes[0] == "threshold 0.5 is the default of consensus"
    with pytest.raises(SettingError, match="the validation file is the data"):
        run(Plan("halueval_qa", data, "consensus", validation=data))
    held = tmp_path / "held.jsonl"
    held.write_text(data.read_text() + "\n")
    assert (
        "found on 2 rows" in run(Plan("halueval_qa", data, "consensus", validation=held)).notes[0]
    )


def test_corrections_of_planted_errors_are_measured(tmp_path: Path) -> None:
    data = write(tmp_path, RECORDS["everyday"])
    found = run(Plan("everyday", data, "consensus", with_reference=True, correct=True)).metrics
    assert (found["found"], found["fixed"], found["wrong_fix"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("phd", "--with-reference"), "phd has no references"),
        (("wikibio", "--n-samples", "9"), "a row with 3 samples"),
        (("wikibio", "--verdict-samples", "3"), "need --verdicts"),
        (("own", "--correct"), "own measures no corrections"),
        (("halueval_general",), "judged nothing"),
        (("wikibio", "--method", "nobody"), "nobody"),
        (("own", "--set", "match"), "'match' is no NAME=VALUE"),
    ],
)
def test_what_means_nothing_is_refused_in_one_line(
    args: tuple[str, ...],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = write(tmp_path, RECORDS[args[0]])
    monkeypatch.setattr("sys.argv", ["benchmarks", *args, "--data", str(data)])
    assert program.main() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err

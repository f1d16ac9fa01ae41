"""`halubot bench` at the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from halubot.cli import bench_options, main
from halubot.evaluation import side_by_side
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.plan import Plan
from tests.judge import Judge

ROWS = [
    {
        "id": f"w{number}",
        "concept": "Ada",
        "passage": "Ada wrote notes. Ada sang songs.",
        "sentences": ["Ada wrote notes.", "Ada sang songs."],
        "labels": ["accurate", "major_inaccurate" if number else "accurate"],
        "samples": ["Ada wrote notes.", "Ada wrote many notes."],
        "reference": "Ada wrote notes.",
    }
    for number in range(3)
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


def ngram(data: Path, *more: str) -> list[str]:
    return ["bench", "wikibio", "--data", str(data), "--method", "selfcheck-ngram", *more]


def test_the_names_are_those_of_the_data_sets() -> None:
    assert set(bench_options.DATASETS) == set(DATASETS)


def test_json_alone_on_stdout_and_scores_in_a_file(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "scores.jsonl"
    assert main(ngram(data, "--format", "json", "--offline", "--scores", str(out))) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert printed.err == ""
    assert (found["dataset"], found["method"], found["rows"]) == ("wikibio", "selfcheck-ngram", 3)
    assert found["metrics"]["within_passage_auroc"] == 1
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == ["w0", "w1", "w2"]
    assert all(len(line["scores"]) == len(line["ranks"]) == 2 for line in lines)


def test_a_table_for_people(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ngram(data, "--limit", "1")) == 0
    printed = capsys.readouterr().out
    assert "sentence_hallucination_auc_pr" in printed
    assert "undefined" in printed
    assert "1 rows in" in printed
    _, heads = printed.split("beside plain baselines:\n")
    lines = [line.split() for line in heads.split("\n") if line.startswith("metric")]
    assert lines == [
        ["metric", "selfcheck-ngram", "values", "values_wide", "words", "bigrams"],
        ["metric", "selfcheck-ngram", "ngram", "all_positive", "all_negative", "random"],
    ]
    assert "\x1b" not in printed


def test_a_threshold_is_refused_if_no_figure_has_one(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "faithbench", "--data", str(data), "--method", "consensus"]
    assert main([*words, "--threshold", "0.5"]) == 2
    assert "leave --threshold out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--limit", "0"], "--limit"),
        (["--threshold", "2"], "--threshold"),
        (["--n-samples", "9"], "up to 2"),
        (["--with-reference"], "needs samples"),
        (["--format", "html"], "--format"),
    ],
)
def test_wrong_options_end_in_one_line(
    arguments: list[str], why: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(ngram(data, *arguments)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert why in printed.err
    assert printed.err.count("\n") == 1


def test_scores_that_cannot_be_written_cost_no_work(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(ngram(data, "--scores", str(tmp_path / "no" / "scores.jsonl"))) == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ngram(tmp_path / "nowhere.jsonl")) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--validation", "none.jsonl"], "none.jsonl: there is no such file"),
        (["--validation", "data.jsonl"], "the validation file is the data itself"),
        (["--knowledge", "none"], "none"),
        (["--resume", "other.txt"], "other.txt"),
        (["--method", "none"], "there is no method 'none'"),
    ],
)
def test_wrong_arguments_fail_before_the_data_is_read(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text("not read")
    (tmp_path / "other.txt").write_text("something else")

    def read(*_: object, **__: object) -> None:
        raise AssertionError("the data was read")

    monkeypatch.setattr("halubot.evaluation.loader.read_file", read)
    monkeypatch.setattr("halubot.evaluation.loader.sha256", read)
    assert main(["bench", "halueval_qa", "--data", "data.jsonl", *more]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.slow
def test_settings_do_not_change_figures(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HALUBOT_THRESHOLD", "0.1")
    monkeypatch.setenv("HALUBOT_N_SAMPLES", "1")
    assert main(ngram(data, "--format", "json")) == 0
    one_sample = json.loads(capsys.readouterr().out)
    monkeypatch.delenv("HALUBOT_THRESHOLD")
    monkeypatch.delenv("HALUBOT_N_SAMPLES")
    assert main(ngram(data, "--format", "json")) == 0
    assert one_sample["metrics"] == json.loads(capsys.readouterr().out)["metrics"]


def test_without_the_libraries_it_names_the_extra(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_options, "find_spec", lambda name: None)
    assert main(ngram(data)) == 2
    assert "pip install 'halubot[bench]'" in capsys.readouterr().err


def test_ctrl_c_prints_no_figures(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(
        plans: list[Plan], *, panel: None, advance: Callable[[int, int], None]
    ) -> side_by_side.Comparison:
        advance(2, 3)
        raise KeyboardInterrupt

    monkeypatch.setattr(side_by_side, "compare", interrupted)
    assert main(ngram(data, "--format", "json")) == 130
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "stopped after 2 rows of wikibio" in printed.err


@pytest.fixture
def replayed(data: Path, tmp_path: Path) -> list[str]:
    path = tmp_path / "verdicts.jsonl"
    said = {"judge": [[0, 0], [1, 1]]}
    lines = [json.dumps({"id": row["id"], "verdicts": said}) for row in ROWS]
    path.write_text("\n".join(lines), encoding="utf-8")
    given = ["--method", "ensemble", "--verdicts", str(path), "--verdict-model", "judge"]
    return ["bench", "wikibio", "--data", str(data), *given]


def test_recorded_verdicts_answer_for_a_model(
    replayed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*replayed, "--offline", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["usage"]["calls"], found["usage"]["cached_calls"]) == (0, 6)
    assert found["metrics"]["within_passage_auroc"] == 1
    assert main([*replayed, "--verdict-samples", "1"]) == 0
    assert "0 model calls, 3 more answered" in capsys.readouterr().out


@pytest.mark.slow
def test_recorded_verdicts_stand_for_merged_calls_or_those_published(
    replayed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    judging = [*replayed, "--method", "selfcheck-prompt", "--format", "json"]
    found = []
    for way, calls in ((), 3 * 2), (("--as-published",), 3 * 2 * 2):
        assert main([*judging, *way]) == 0
        found.append(json.loads(capsys.readouterr().out))
        assert (found[-1]["usage"]["calls"], found[-1]["usage"]["cached_calls"]) == (0, calls)
    merged, published = (one["metrics"] for one in found)
    assert merged == published  # the recorded answers are the same, and all are yes or no
    assert main([*replayed, "--as-published"]) == 2
    assert "ensemble reads recorded verdicts in one way" in capsys.readouterr().err


def test_an_unknown_model_of_recorded_verdicts_ends_in_one_line(
    replayed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*replayed, "--verdict-model", "other"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "'other': there are judge" in printed.err
    assert printed.err.count("\n") == 1


LOCAL = ("--model", "ollama_chat/llama3", "--api-base", "http://127.0.0.1:9")


@pytest.mark.slow
def test_a_model_is_asked_and_its_answers_are_kept(
    data: Path, judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    asking = ["bench", "wikibio", "--data", str(data), "--method", "issc", *LOCAL]
    assert main([*asking, "--role", "historian", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["usage"]["calls"] == 2  # all rows are alike
    assert "judged by ollama_chat/llama3" in found["notes"]
    assert {asked.prompt for asked in judge.asked} == {"issc"}
    assert main([*asking, "--role", "historian"]) == 0
    assert "0 model calls, 6 more answered" in capsys.readouterr().out
    assert main([*asking, "--as-published"]) == 0
    assert {len(asked.fields["sentences"]) for asked in judge.asked} == {2, 1}


@pytest.mark.slow
def test_a_model_of_the_settings_is_not_asked(
    data: Path, judge: Judge, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HALUBOT_MODEL", "ollama_chat/llama3")
    monkeypatch.setenv("HALUBOT_ROLE", "historian")
    assert main(ngram(data)) == 0
    assert not judge.asked
    capsys.readouterr()
    assert main(ngram(data, *LOCAL)) == 2
    assert "selfcheck-ngram asks no model here: leave --model out" in capsys.readouterr().err


@pytest.mark.slow
def test_several_methods_side_by_side(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    several = ["bench", "wikibio", "--data", str(data), "--methods", "selfcheck-ngram, consensus"]
    assert main([*several, "--offline", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["method"] for one in found["methods"]] == ["selfcheck-ngram", "consensus"]
    assert main([*ngram(data), "--format", "json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert found["methods"][0]["metrics"] == alone["metrics"]
    (apart,) = found["differences"]
    for name, value in apart["metrics"].items():
        own, other = (one["metrics"][name] for one in found["methods"])
        assert value == (None if own is None else pytest.approx(other - own))
    assert main(several) == 0
    printed = capsys.readouterr().out
    assert "consensus less selfcheck-ngram" in printed
    assert "selfcheck-ngram: 3 rows in" in printed


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--methods", "consensus", "--method", "consensus"], "leave --method out"),
        (["--methods", "consensus,consensus"], "each once"),
        (["--methods", ","], "commas between them"),
        (["--methods", "consensus,nothing"], "nothing"),
        (["--methods", "consensus,selfcheck-ngram", "--role", "nurse"], "--role is taken by"),
        (["--methods", "consensus,selfcheck-ngram", "--scores", "out.jsonl"], "--scores"),
        (["--methods", "consensus,selfcheck-ngram", "--with-reference"], "needs samples"),
        (["--also", "t.jsonl"], "leave --also out"),
        (["--knowledge", "no-such-base"], "no-such-base"),
    ],
)
def test_several_methods_refused_in_one_line(
    arguments: list[str],
    why: str,
    data: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(data.parent)
    assert main(["bench", "wikibio", "--data", str(data), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert why in printed.err


def test_samples_and_references_together(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = ["bench", "wikibio", "--data", str(data), "--with-samples", "--with-reference"]
    assert main([*both, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["compared_with"] == ["samples", "references"]


def test_a_page_says_by_which_command_it_was_made(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "page.html"
    arguments = ngram(data, "--html", str(out))
    monkeypatch.setattr("sys.argv", ["/somewhere/halubot", *arguments])
    assert main(arguments) == 0
    assert "sentence_hallucination_auc_pr" in capsys.readouterr().out
    page = out.read_text(encoding="utf-8")
    assert f"halubot {' '.join(arguments)}" in page
    assert main(ngram(data, "--html", str(data))) == 2
    assert "is read too" in capsys.readouterr().err


@pytest.mark.slow
def test_rows_that_are_done_are_not_done_again(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work.jsonl"
    assert main(ngram(data, "--resume", str(work), "--limit", "2")) == 0
    capsys.readouterr()
    assert main(ngram(data, "--resume", str(work))) == 0
    assert "2 rows were done before" in capsys.readouterr().out
    assert main(ngram(data, "--resume", str(data))) == 2
    assert "is read too" in capsys.readouterr().err


def test_rows_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.jsonl"
    rows = [
        {
            "text": f"Ada was born in {year}.",
            "references": ["Ada was born in 1815."],
            "label": label,
        }
        for year, label in [(1815, "right"), (1816, "hallucinated")] * 3
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["bench", "own", "--data", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["dataset"], found["metrics"]["auroc"]) == ("own", 1)
    assert found["metrics"]["sensitivity"] == found["metrics"]["specificity"] == 1
    path.write_text(path.read_text(encoding="utf-8") + "\n{", encoding="utf-8")
    assert main(["bench", "own", "--data", str(path)]) == 2
    assert "line 7" in capsys.readouterr().err


def test_where_no_call_can_succeed_no_figures_are_printed(
    data: Path, tmp_path: Path, judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {**row, "samples": [f"Ada sang {i} songs.", "Ada wrote."]} for i, row in enumerate(ROWS)
    ]
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    work = ["--resume", str(tmp_path / "work.jsonl")]
    asking = ["bench", "wikibio", "--data", str(data), "--method", "issc", *LOCAL, *work]
    assert main([*asking, "--max-calls", "2"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "stopped after 1 rows of wikibio: no figures are printed" in printed.err
    assert "the same command goes on there" in printed.err
    assert main([*asking, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "1 rows were done before" in " ".join(found["notes"])
    assert found["rows"] == 3


def test_messages_are_looked_up_in_knowledge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HALUBOT_KNOWLEDGE_FOLDER", str(tmp_path / "bases"))
    file = tmp_path / "bridge.txt"
    file.write_text("The Kellan Bridge was opened in 1931.", encoding="utf-8")
    assert main(["knowledge", "add", "bridges", str(file)]) == 0
    path = tmp_path / "general.jsonl"
    answers = [("The Kellan Bridge was opened in 1931.", "right")]
    answers += [("The Kellan Bridge was opened in 1941.", "hallucinated")]
    rows = [
        {"id": str(i), "question": "When was it opened?", "answer": answer, "label": label}
        for i, (answer, label) in enumerate(answers)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    general = ["bench", "halueval_general", "--data", str(path), "--format", "json", "--offline"]
    capsys.readouterr()
    assert main([*general, "--knowledge", "bridges"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["compared_with"] == ["knowledge bridges"]
    assert (found["metrics"]["auroc"], found["metrics"]["abstained_wrong"]) == (1, 0)
    assert main(general) == 2
    assert "holds nothing to compare with here" in capsys.readouterr().err
